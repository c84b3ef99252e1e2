//===- ElementAccess.cpp - Which elements a body reads --------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ElementAccess.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::moe;

using arith::CmpIPredicate;

static Value emitIndex(RuleBuilder &b, OpFoldResult value) {
  return getValueOrCreateConstantIndexOp(b, b.getLoc(), value);
}
static Value compare(RuleBuilder &b, CmpIPredicate predicate, Value left,
                     Value right) {
  return arith::CmpIOp::create(b, predicate, left, right);
}
static Value both(RuleBuilder &b, Value left, Value right) {
  return left ? Value(arith::AndIOp::create(b, left, right)) : right;
}

ScatterLoops::ScatterLoops(StructuredBody &body, const ElementAccess &access)
    : body(body), access(access), rank(0) {
  if (auto type = dyn_cast<RankedTensorType>(access.target.getType()))
    rank = type.getRank();
  for (unsigned dim = 0; dim < rank; ++dim)
    indices.push_back(access.extract
                          ? getLinear(this->access.extract.getIndices()[dim])
                          : getLinear(access.map.getResult(dim)));
  settled.resize(rank);
  solve();
}

AffineMap ScatterLoops::getResultMap() {
  SmallVector<AffineExpr> dims;
  for (unsigned dim = 0; dim < rank; ++dim)
    dims.push_back(getAffineDimExpr(dim, access.target.getContext()));
  return AffineMap::get(view.numLoops, 0, dims, access.target.getContext());
}

void ScatterLoops::addScaled(Linear &sum, const Linear &term, int64_t factor) {
  for (auto [to, from] : llvm::zip_equal(sum.coefficients, term.coefficients))
    to += factor * from;
  for (auto [value, coefficient] : term.others)
    sum.others.push_back({value, factor * coefficient});
  sum.constant += factor * term.constant;
}

std::optional<ScatterLoops::Linear> ScatterLoops::getLinear(AffineExpr expr) {
  unsigned loops = body.getOp().getNumLoops();
  SmallVector<int64_t> flat;
  if (failed(getFlattenedAffineExpr(expr, loops, 0, &flat)) ||
      flat.size() != loops + 1) // quotients have columns of their own
    return std::nullopt;
  Linear linear;
  linear.coefficients.assign(flat.begin(), flat.end() - 1);
  linear.constant = flat.back();
  return linear;
}

// The index of a tensor.extract, by its arithmetic in the body.
std::optional<ScatterLoops::Linear> ScatterLoops::getLinear(Value index) {
  Linear linear;
  linear.coefficients.resize(body.getOp().getNumLoops());
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant))) {
    linear.constant = constant.getSExtValue();
    return linear;
  }
  Operation *op = index.getDefiningOp();
  if (index.getParentBlock() != body.getOp().getBlock()) {
    linear.others.push_back({index, 1});
    return linear;
  }
  if (!op)
    return std::nullopt;
  if (auto loop = dyn_cast<linalg::IndexOp>(op)) {
    linear.coefficients[loop.getDim()] = 1;
    return linear;
  }
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<Linear> left = getLinear(op->getOperand(0)),
                        right = getLinear(op->getOperand(1));
  if (!left || !right)
    return std::nullopt;
  if (isa<arith::MulIOp>(op)) {
    auto isConstant = [](const Linear &l) {
      return l.others.empty() &&
             llvm::all_of(l.coefficients, [](int64_t c) { return c == 0; });
    };
    if (isConstant(*left))
      std::swap(left, right);
    if (!isConstant(*right))
      return std::nullopt;
    addScaled(linear, *left, right->constant);
    return linear;
  }
  addScaled(linear, *left, 1);
  addScaled(linear, *right, isa<arith::AddIOp>(op) ? 1 : -1);
  return linear;
}

// Whether the index along `dim` is that of a loop which goes over all of it.
bool ScatterLoops::isOwnIndex(unsigned dim) {
  const std::optional<Linear> &linear = indices[dim];
  if (!linear || linear->constant || !linear->others.empty() ||
      llvm::count(linear->coefficients, 0) + 1 !=
          static_cast<int64_t>(linear->coefficients.size()))
    return false;
  unsigned loop =
      llvm::find(linear->coefficients, 1) - linear->coefficients.begin();
  if (loop == linear->coefficients.size() || view.loops[loop])
    return false;
  // An operand agrees with its loops; a tensor.extract may read a part.
  int64_t size =
      cast<RankedTensorType>(access.target.getType()).getDimSize(dim);
  if (access.extract &&
      (ShapedType::isDynamic(size) || size != body.getStaticLoopSize(loop)))
    return false;
  view.loops[loop] = getAffineDimExpr(dim, access.target.getContext());
  return true;
}

void ScatterLoops::solve() {
  unsigned count = body.getOp().getNumLoops();
  view.loops.resize(count);
  for (unsigned dim = 0; dim < rank; ++dim)
    if (isOwnIndex(dim))
      settled.set(dim);

  // Solve for the longest loop of each index; the others stay.
  llvm::SmallBitVector fixed(count); // not to be solved for any more
  for (unsigned loop = 0; loop < count; ++loop)
    if (view.loops[loop])
      fixed.set(loop);
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (settled.test(dim) || !indices[dim])
      continue;
    int64_t longest = -1;
    std::optional<unsigned> best;
    for (unsigned loop = 0; loop < count; ++loop) {
      int64_t size = body.getStaticLoopSize(loop);
      size = ShapedType::isDynamic(size) ? std::numeric_limits<int64_t>::max()
                                         : size;
      if (indices[dim]->coefficients[loop] && !fixed.test(loop) &&
          size > longest) {
        best = loop;
        longest = size;
      }
    }
    if (!best)
      continue;
    for (unsigned loop = 0; loop < count; ++loop)
      if (indices[dim]->coefficients[loop])
        fixed.set(loop);
    solved.push_back({dim, *best});
    sizes.push_back(body.getLoopSize(*best));
    settled.set(dim);
  }

  view.numLoops = rank;
  auto isSolved = [&](unsigned loop) {
    return llvm::any_of(solved, [&](Solved s) { return s.loop == loop; });
  };
  for (unsigned loop = 0; loop < count; ++loop)
    if (!view.loops[loop] && !isSolved(loop))
      view.loops[loop] =
          getAffineDimExpr(view.numLoops++, access.target.getContext());
  view.compute = [this](RuleBuilder &b, MutableArrayRef<Value> loops) {
    emitSolved(b, loops);
  };
}

// The terms of an index but that of loop `but`, at `loops`.
Value ScatterLoops::emitRest(RuleBuilder &b, const Linear &linear, unsigned but,
                             ValueRange loops) {
  unsigned count = linear.coefficients.size();
  AffineExpr sum = b.getAffineConstantExpr(linear.constant);
  SmallVector<Value> operands;
  auto addTerm = [&](Value value, int64_t coefficient) {
    sum = sum + b.getAffineDimExpr(operands.size()) * coefficient;
    operands.push_back(value);
  };
  for (unsigned loop = 0; loop < count; ++loop)
    if (loop != but && linear.coefficients[loop])
      addTerm(loops[loop], linear.coefficients[loop]);
  for (auto [value, coefficient] : linear.others)
    addTerm(value, coefficient);
  return emitMap(b, AffineMap::get(operands.size(), 0, sum), operands)[0];
}

// With index = c · loop + rest, loop = (index - rest) / c, if that is whole and
// in the loop's range; else some value in range, if there is one.
void ScatterLoops::emitSolved(RuleBuilder &b, MutableArrayRef<Value> loops) {
  conditions.clear();
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  for (auto [step, sizeOf] : llvm::zip_equal(solved, sizes)) {
    const Linear &linear = *indices[step.dim];
    Value position = linalg::IndexOp::create(b, step.dim);
    Value rest = emitRest(b, linear, step.loop, loops);
    int64_t factor = linear.coefficients[step.loop];
    if (factor < 0)
      std::swap(position, rest);
    Value distance = arith::SubIOp::create(b, position, rest);
    Value known = compare(b, CmpIPredicate::sge, distance, zero);
    Value loop = arith::MaxSIOp::create(b, distance, zero);
    if (std::abs(factor) != 1) {
      Value length = arith::ConstantIndexOp::create(b, std::abs(factor));
      Value whole = arith::RemUIOp::create(b, loop, length);
      known = both(b, known, compare(b, CmpIPredicate::eq, whole, zero));
      loop = arith::DivUIOp::create(b, loop, length);
    }
    Value size = emitIndex(b, sizeOf);
    known = both(b, known, compare(b, CmpIPredicate::slt, loop, size));
    Value last =
        arith::MaxSIOp::create(b, arith::SubIOp::create(b, size, one), zero);
    loops[step.loop] = arith::MinSIOp::create(b, loop, last);
    conditions.push_back(known);
  }
}

Value ScatterLoops::emitCondition(BodyCopy &copy) {
  RuleBuilder &b = copy.b;
  Value agrees;
  for (Value condition : conditions)
    agrees = both(b, agrees, condition);
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (settled.test(dim))
      continue;
    Value index;
    if (indices[dim])
      index = emitRest(b, *indices[dim], ~0u, copy.loops);
    else if (access.extract)
      index = copy.map.lookupOrDefault(access.extract.getIndices()[dim]);
    else
      index = emitMap(b, access.map.getSubMap(dim), copy.loops)[0];
    Value position = linalg::IndexOp::create(b, dim);
    agrees = both(b, agrees, compare(b, CmpIPredicate::eq, index, position));
  }
  return agrees;
}
