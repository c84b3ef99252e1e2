//===- StructuredRule.cpp - Derivatives of linalg by their body -----------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "StructuredRule.h"

#include "AttachRule.h"
#include "ElementAccess.h"
#include "ScanGradient.h"
#include "SumToScalar.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::moe;

using utils::IteratorType;

Value moe::sumToScalar(ImplicitLocOpBuilder &b, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Type element = type.getElementType();
  if (element.getIntOrFloatBitWidth() < 32)
    element = b.getF32Type();
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
  Value empty = tensor::EmptyOp::create(b, ArrayRef<int64_t>{}, element);
  Value init = linalg::FillOp::create(b, zero, empty).getResult(0);
  SmallVector<AffineMap> maps{
      b.getMultiDimIdentityMap(type.getRank()),
      AffineMap::get(type.getRank(), 0, b.getContext())};
  SmallVector<IteratorType> loops(type.getRank(), IteratorType::reduction);
  auto sum = linalg::GenericOp::create(
      b, init.getType(), tensor, init, maps, loops,
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        Value term = castElements(nested, loc, args[0], element);
        Value total = arith::AddFOp::create(nested, loc, args[1], term);
        linalg::YieldOp::create(nested, loc, total);
      });
  return tensor::ExtractOp::create(b, sum.getResult(0), ValueRange{});
}

namespace {
/// How a result comes from the body.
struct Output {
  enum Kind {
    Value_,   ///< the yielded value
    Sum,      ///< init + f over the reduced loops
    Extremum, ///< max or min of init and f over them
    Product,  ///< init · f over them
    Scan      ///< any other way
  } kind = Value_;
  Value seed;     ///< in the op's body: f, what the gradient flows into
  Value gradient; ///< of the result; null for none
  /// What f is compared with, or its gradient multiplied by.
  Value other;
  AffineMap otherMap;
};

class StructuredRule {
public:
  StructuredRule(linalg::LinalgOp op, OpBuilder &builder,
                 Cotangents &cotangents)
      : op(op), b(op, builder), c(cotangents), body(op, b) {}

  LogicalResult run();

private:
  Output matchOutput(OpOperand &init);
  LogicalResult prepareOutputs();
  void shareAmongEqual(OpOperand &init, Output &output);
  void splitProduct(OpOperand &init, Output &output);
  LogicalResult findAccesses();
  LogicalResult findCaptured(Value captured);
  LogicalResult build(ArrayRef<ElementAccess> accesses);

  linalg::LinalgOp op;
  RuleBuilder b;
  Cotangents &c;
  StructuredBody body;
  SmallVector<Output> outputs;
  std::optional<ScanGradient> scan;
  SmallVector<ElementAccess> accesses;
};
} // namespace

Output StructuredRule::matchOutput(OpOperand &init) {
  unsigned number = init.getOperandNumber() - op.getNumDpsInputs();
  Output output;
  output.gradient = c.of(op.getTiedOpResult(&init));
  output.seed = op.getBlock()->getTerminator()->getOperand(number);
  if (op.getNumReductionLoops() == 0)
    return output;
  output.kind = Output::Scan;
  BlockArgument accumulator = op.getMatchingBlockArgument(&init);
  Operation *combine = output.seed.getDefiningOp();
  if (!combine || combine->getNumOperands() != 2 || !accumulator.hasOneUse() ||
      *accumulator.user_begin() != combine)
    return output;
  Value f = combine->getOperand(combine->getOperand(0) == accumulator);
  if (body.followsFromAccumulator(f))
    return output;
  Output::Kind kind = isa<arith::AddFOp>(combine)   ? Output::Sum
                      : isa<arith::MulFOp>(combine) ? Output::Product
                      : isa<arith::MaximumFOp, arith::MaxNumFOp,
                            arith::MinimumFOp, arith::MinNumFOp>(combine)
                          ? Output::Extremum
                          : Output::Scan;
  if (kind != Output::Scan) {
    output.kind = kind;
    output.seed = f;
  }
  return output;
}

// Equal extrema share the gradient: it is divided by how many there are. The
// init is one of them where its gradient is of use.
void StructuredRule::shareAmongEqual(OpOperand &init, Output &output) {
  Value result = op.getTiedOpResult(&init);
  AffineMap map = op.getMatchingIndexingMap(&init);
  Value zero = b.zero(result), start = zero, wins;
  if (c.wants(init.get())) {
    wins = b.compare(arith::CmpFPredicate::OEQ, init.get(), result);
    start = b.select(wins, b.constant(result, 1.0), zero);
  }
  auto counts = body.create(
      body.ownLoops(), start, map, StructuredBody::Input{result, map},
      [&](BodyCopy &copy) {
        Value f = copy.map.lookupOrDefault(output.seed);
        Value equal =
            copy.b.compare(arith::CmpFPredicate::OEQ, f, copy.extra[0]);
        Value one =
            copy.b.select(equal, copy.b.constant(f, 1.0), copy.b.zero(f));
        return SmallVector<Value>{copy.b.add(copy.totals[0], one)};
      });
  output.gradient = b.div(output.gradient, counts.getResult(0));
  output.other = result;
  output.otherMap = map;
  if (wins)
    c.add(init.get(), b.select(wins, output.gradient, zero));
}

void StructuredRule::splitProduct(OpOperand &init, Output &output) {
  output.other = buildOtherFactors(body, b, init, output.seed);
  output.otherMap = b.getMultiDimIdentityMap(op.getNumLoops());
  if (!c.wants(init.get()))
    return;
  Value product = buildProduct(body, b, init, output.seed);
  Value g = castElements(b, b.getLoc(), output.gradient,
                         getElementTypeOrSelf(product));
  c.add(init.get(), b.scale(g, product));
}

LogicalResult StructuredRule::prepareOutputs() {
  SmallVector<Value> scanned;
  bool scans = false;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    outputs.push_back(matchOutput(init));
    Output &output = outputs.back();
    bool isScan = output.kind == Output::Scan && output.gradient;
    scanned.push_back(isScan ? output.gradient : Value());
    scans |= isScan;
  }
  for (auto [init, output] : llvm::zip(op.getDpsInitsMutable(), outputs)) {
    if (!output.gradient)
      continue;
    if (output.kind == Output::Sum)
      c.add(init.get(), output.gradient);
    else if (output.kind == Output::Extremum)
      shareAmongEqual(init, output);
    else if (output.kind == Output::Product)
      splitProduct(init, output);
  }
  if (!scans)
    return success();
  scan.emplace(body, scanned);
  return failure(failed(scan->build(b)) || failed(scan->addToInits(b, c)));
}

// One linalg.generic for the gradients of what is read at one position.
LogicalResult StructuredRule::build(ArrayRef<ElementAccess> wanted) {
  AffineMap map = wanted.front().map;
  LoopView view = body.ownLoops();
  std::optional<ScatterLoops> scatter;
  if (!map || !map.isProjectedPermutation()) {
    scatter.emplace(body, wanted.front());
    view = scatter->getView();
    map = scatter->getResultMap();
  }
  bool sums = map.getNumResults() != view.numLoops;
  SmallVector<Value> inits;
  SmallVector<Type> elements;
  for (const ElementAccess &access : wanted) {
    Type element = getElementTypeOrSelf(access.target.getType());
    if (sums && element.getIntOrFloatBitWidth() < 32)
      element = b.getF32Type();
    elements.push_back(element);
    SmallVector<OpFoldResult> sizes;
    if (isa<RankedTensorType>(access.target.getType()))
      sizes = tensor::getMixedSizes(b, b.getLoc(), access.target);
    Value init = tensor::EmptyOp::create(b, sizes, element);
    if (sums) {
      Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
      init = linalg::FillOp::create(b, zero, init).getResult(0);
    }
    inits.push_back(init);
  }

  SmallVector<StructuredBody::Input> extra;
  for (auto [init, output] : llvm::zip(op.getDpsInitsMutable(), outputs)) {
    if (!output.gradient || output.kind == Output::Scan)
      continue;
    extra.push_back({output.gradient, op.getMatchingIndexingMap(&init)});
    if (output.other)
      extra.push_back({output.other, output.otherMap});
  }
  unsigned plain = extra.size();
  if (scan)
    llvm::append_range(extra, scan->getInputs());
  SmallVector<AffineMap> maps(wanted.size(), map);
  bool bad = false;
  auto emit = [&](BodyCopy &copy) {
    Cotangents inner(copy.b);
    inner.setOrigins(copy.origins);
    for (const ElementAccess &access : wanted)
      inner.activate(copy.map.lookupOrDefault(access.element));
    for (Operation *part : copy.ops)
      inner.propagate(part);
    unsigned next = 0;
    for (Output &output : outputs) {
      if (!output.gradient || output.kind == Output::Scan)
        continue;
      Value g = copy.extra[next++];
      Value seed = copy.map.lookupOrDefault(output.seed);
      if (output.kind == Output::Extremum) {
        Value equal =
            copy.b.compare(arith::CmpFPredicate::OEQ, seed, copy.extra[next++]);
        g = copy.b.select(equal, g, copy.b.zero(g));
      } else if (output.kind == Output::Product) {
        Value others = copy.extra[next++];
        g = castElements(copy.b, b.getLoc(), g, others.getType());
        g = copy.b.scale(g, others);
      }
      inner.add(seed, g);
    }
    if (scan)
      scan->seed(copy, ArrayRef(copy.extra).drop_front(plain), inner);
    for (Operation *part : llvm::reverse(copy.ops))
      bad |= failed(inner.visit(part));
    Value condition = scatter ? scatter->emitCondition(copy) : Value();
    SmallVector<Value> results;
    for (auto [access, element, total] :
         llvm::zip(wanted, elements, copy.totals)) {
      Value read = copy.map.lookupOrDefault(access.element);
      Value gradient = inner.sum(read);
      if (!gradient)
        gradient = copy.b.zero(read);
      gradient = castElements(copy.b, b.getLoc(), gradient, element);
      if (condition)
        gradient = copy.b.select(condition, gradient, copy.b.zero(gradient));
      results.push_back(sums ? copy.b.add(total, gradient) : gradient);
    }
    return results;
  };
  auto generic =
      body.create(view, inits, maps, extra, emit, [&](BodyCopy &copy) {
        if (scan)
          scan->bind(copy, ArrayRef(copy.extra).drop_front(plain));
      });
  if (bad)
    return failure();
  for (auto [access, result] : llvm::zip(wanted, generic.getResults())) {
    Value gradient = result;
    if (!isa<RankedTensorType>(access.target.getType()))
      gradient = tensor::ExtractOp::create(b, result, ValueRange{});
    c.add(access.target, gradient);
  }
  return success();
}

// A value from outside: a scalar, or a tensor of which elements are read.
LogicalResult StructuredRule::findCaptured(Value captured) {
  auto noLoops = AffineMap::get(op.getNumLoops(), 0, b.getContext());
  if (!isa<RankedTensorType>(captured.getType())) {
    accesses.push_back({captured, captured, noLoops, nullptr});
    return success();
  }
  for (Operation *user : captured.getUsers()) {
    if (!op->isProperAncestor(user) || isa<tensor::DimOp>(user))
      continue;
    auto extract = dyn_cast<tensor::ExtractOp>(user);
    if (!extract || user->getBlock() != op.getBlock())
      return user->emitOpError("is not differentiable in the body of a "
                               "structured op: expected tensor.extract of a "
                               "tensor from outside, but got this");
    accesses.push_back({captured, extract, AffineMap(), extract});
  }
  return success();
}

LogicalResult StructuredRule::findAccesses() {
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (!c.wants(operand.get()) || argument.use_empty() ||
        (op.isDpsInit(&operand) && op.getNumReductionLoops() != 0))
      continue;
    if (!isDifferentiable(operand.get().getType()))
      return op->emitOpError("is not differentiable: expected operands that "
                             "hold no bits of a differentiated value, but got "
                             "one of ")
             << operand.get().getType();
    accesses.push_back({operand.get(), argument,
                        op.getMatchingIndexingMap(&operand), nullptr});
  }
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    if (c.wants(value) && failed(findCaptured(value)))
      return failure();
  return success();
}

LogicalResult StructuredRule::run() {
  for (Operation &inner : *op.getBlock())
    if (inner.getNumRegions())
      return inner.emitOpError("is not differentiable in the body of a "
                               "structured op: expected arith.select for a "
                               "choice, but got control flow");
  if (failed(prepareOutputs()) || failed(findAccesses()))
    return failure();
  // Operands that share a map without reduction share a generic.
  SmallVector<SmallVector<ElementAccess>> groups;
  for (const ElementAccess &access : accesses) {
    auto group = llvm::find_if(groups, [&](ArrayRef<ElementAccess> g) {
      return access.map && access.map.isPermutation() &&
             g.front().map == access.map;
    });
    if (group != groups.end())
      group->push_back(access);
    else
      groups.push_back({access});
  }
  for (ArrayRef<ElementAccess> group : groups)
    if (failed(build(group)))
      return failure();
  return success();
}

LogicalResult moe::differentiateStructured(linalg::LinalgOp op,
                                           OpBuilder &builder,
                                           Cotangents &cotangents) {
  return StructuredRule(op, builder, cotangents).run();
}
