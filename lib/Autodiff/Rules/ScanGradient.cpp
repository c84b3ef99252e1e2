//===- ScanGradient.cpp - Reductions by any body --------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The loops of a state are those of the op, of which the reduced ones say the
// step t, and as many more for the steps s that lead to it.
//
//===----------------------------------------------------------------------===//

#include "ScanGradient.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::moe;

using arith::CmpIPredicate;

static SmallVector<unsigned> getReducedLoops(linalg::LinalgOp op) {
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  return loops;
}

// The op's body at step s.
static LoopView getStepView(StructuredBody &body) {
  LoopView view = body.ownLoops();
  for (unsigned loop : getReducedLoops(body.getOp()))
    view.loops[loop] =
        getAffineDimExpr(view.numLoops++, body.getOp().getContext());
  return view;
}

// The loops that say the result, and t.
static AffineMap getStateMap(StructuredBody &body) {
  LoopView view = getStepView(body);
  return AffineMap::getMultiDimIdentityMap(view.numLoops,
                                           body.getOp().getContext())
      .getMajorSubMap(body.getOp().getNumLoops());
}

static SmallVector<OpFoldResult> getLoopSizes(StructuredBody &body) {
  SmallVector<OpFoldResult> sizes;
  for (unsigned loop = 0; loop < body.getOp().getNumLoops(); ++loop)
    sizes.push_back(body.getLoopSize(loop));
  return sizes;
}

// Whether s is before t, after it, or another.
static Value emitOrder(BodyCopy &copy, linalg::LinalgOp op,
                       CmpIPredicate order) {
  RuleBuilder &b = copy.b;
  unsigned next = op.getNumLoops();
  SmallVector<std::pair<Value, Value>> indices;
  for (unsigned loop : getReducedLoops(op))
    indices.push_back(
        {linalg::IndexOp::create(b, next++), linalg::IndexOp::create(b, loop)});
  Value result;
  for (auto [s, t] : llvm::reverse(indices)) {
    Value here = arith::CmpIOp::create(b, order, s, t);
    if (!result) {
      result = here;
      continue;
    }
    if (order != CmpIPredicate::ne) {
      Value same = arith::CmpIOp::create(b, CmpIPredicate::eq, s, t);
      result = arith::AndIOp::create(b, same, result);
    }
    result = arith::OrIOp::create(b, here, result);
  }
  return result;
}

static Type widened(Type element, OpBuilder &b) {
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32
             ? b.getF32Type()
             : element;
}

static Value fill(RuleBuilder &b, ArrayRef<OpFoldResult> sizes, Type element,
                  double number) {
  Value empty = tensor::EmptyOp::create(b, sizes, element);
  Value value = arith::ConstantOp::create(b, b.getFloatAttr(element, number));
  return linalg::FillOp::create(b, value, empty).getResult(0);
}

// An init for all loops of the op.
static Value broadcast(StructuredBody &body, RuleBuilder &b, OpOperand &init,
                       Type element) {
  linalg::LinalgOp op = body.getOp();
  Value empty = tensor::EmptyOp::create(b, getLoopSizes(body), element);
  SmallVector<AffineMap> maps{op.getMatchingIndexingMap(&init),
                              b.getMultiDimIdentityMap(op.getNumLoops())};
  SmallVector<utils::IteratorType> loops(op.getNumLoops(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, empty.getType(), init.get(), empty, maps, loops,
             [&](OpBuilder &nested, Location loc, ValueRange args) {
               Value value = args[0];
               if (isa<FloatType>(element))
                 value = castElements(nested, loc, value, element);
               linalg::YieldOp::create(nested, loc, value);
             })
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Value moe::buildOtherFactors(StructuredBody &body, RuleBuilder &b,
                             OpOperand &init, Value factor) {
  Type element = widened(getElementTypeOrSelf(init.get().getType()), b);
  Value start = broadcast(body, b, init, element);
  return body
      .create(getStepView(body), start, getStateMap(body), {},
              [&](BodyCopy &copy) {
                Value f =
                    castElements(copy.b, b.getLoc(),
                                 copy.map.lookupOrDefault(factor), element);
                Value other = emitOrder(copy, body.getOp(), CmpIPredicate::ne);
                f = copy.b.select(other, f, copy.b.constant(f, 1.0));
                return SmallVector<Value>{copy.b.mul(copy.totals[0], f)};
              })
      .getResult(0);
}

Value moe::buildProduct(StructuredBody &body, RuleBuilder &b, OpOperand &init,
                        Value factor) {
  Type element = widened(getElementTypeOrSelf(init.get().getType()), b);
  Value one =
      fill(b, tensor::getMixedSizes(b, b.getLoc(), init.get()), element, 1.0);
  return body
      .create(
          body.ownLoops(), one, body.getOp().getMatchingIndexingMap(&init), {},
          [&](BodyCopy &copy) {
            Value f = castElements(copy.b, b.getLoc(),
                                   copy.map.lookupOrDefault(factor), element);
            return SmallVector<Value>{copy.b.mul(copy.totals[0], f)};
          })
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Any body
//===----------------------------------------------------------------------===//

// Those that the gradients follow from.
void ScanGradient::findAccumulators() {
  llvm::SmallSetVector<unsigned, 4> found;
  for (auto [number, gradient] : llvm::enumerate(gradients))
    if (gradient)
      found.insert(number);
  Block *block = op.getBlock();
  for (unsigned next = 0; next < found.size(); ++next) {
    SmallVector<Value> pending{block->getTerminator()->getOperand(found[next])};
    llvm::SmallDenseSet<Value> seen;
    while (!pending.empty()) {
      Value value = pending.pop_back_val();
      if (!seen.insert(value).second || value.getParentBlock() != block)
        continue;
      if (auto argument = dyn_cast<BlockArgument>(value)) {
        if (argument.getArgNumber() >= op.getNumDpsInputs())
          found.insert(argument.getArgNumber() - op.getNumDpsInputs());
        continue;
      }
      llvm::append_range(pending, value.getDefiningOp()->getOperands());
    }
  }
  accumulators = llvm::to_vector(found);
  llvm::sort(accumulators);
  for (unsigned number : accumulators)
    if (isDifferentiable(op->getResult(number).getType()))
      floats.push_back(number);
}

void ScanGradient::bind(BodyCopy &copy, ArrayRef<Value> elements) {
  for (auto [number, element] : llvm::zip(accumulators, elements))
    copy.map.map(op.getRegionOutputArgs()[number], element);
}

LogicalResult ScanGradient::buildStates(RuleBuilder &b) {
  SmallVector<Value> starts;
  for (unsigned number : accumulators) {
    OpOperand *init = op.getDpsInitOperand(number);
    starts.push_back(
        broadcast(body, b, *init, getElementTypeOrSelf(init->get().getType())));
  }
  SmallVector<AffineMap> maps(starts.size(), getStateMap(body));
  auto generic = body.create(
      getStepView(body), starts, maps, {},
      [&](BodyCopy &copy) {
        Value before = emitOrder(copy, op, CmpIPredicate::slt);
        SmallVector<Value> results;
        for (auto [number, total] : llvm::zip(accumulators, copy.totals)) {
          Value next = copy.map.lookupOrDefault(
              op.getBlock()->getTerminator()->getOperand(number));
          results.push_back(copy.b.select(before, next, total));
        }
        return results;
      },
      [&](BodyCopy &copy) { bind(copy, copy.totals); });
  llvm::append_range(states, generic.getResults());
  return success();
}

// Products of ∂F/∂a: over all steps, or those after t.
FailureOr<SmallVector<Value>>
ScanGradient::buildSlopes(RuleBuilder &b, bool all, const LoopView &view,
                          AffineMap map, ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> starts;
  for (unsigned i : floats)
    for (unsigned j : floats)
      starts.push_back(
          fill(b, sizes,
               widened(getElementTypeOrSelf(op->getResult(i).getType()), b),
               i == j));
  SmallVector<AffineMap> maps(starts.size(), map);
  SmallVector<StructuredBody::Input> extra;
  for (Value state : states)
    extra.push_back({state, b.getMultiDimIdentityMap(op.getNumLoops())});
  bool bad = false;
  unsigned count = floats.size();
  auto emit = [&](BodyCopy &copy) {
    Value later = all ? Value() : emitOrder(copy, op, CmpIPredicate::sgt);
    auto yielded = [&](unsigned number) {
      return copy.map.lookupOrDefault(
          op.getBlock()->getTerminator()->getOperand(number));
    };
    // The slopes of this step, null where they are 0.
    SmallVector<Value> step;
    for (unsigned i : floats) {
      Cotangents inner(copy.b);
      inner.setOrigins(copy.origins);
      for (unsigned j : floats)
        inner.activate(copy.map.lookup(op.getRegionOutputArgs()[j]));
      for (Operation *part : copy.ops)
        inner.propagate(part);
      Value result = yielded(i);
      inner.add(result, copy.b.constant(result, 1.0));
      for (Operation *part : llvm::reverse(copy.ops))
        bad |= failed(inner.visit(part));
      for (unsigned j : floats)
        step.push_back(inner.sum(copy.map.lookup(op.getRegionOutputArgs()[j])));
    }
    SmallVector<Value> results;
    for (unsigned i = 0; i < count; ++i)
      for (unsigned j = 0; j < count; ++j) {
        Value old = copy.totals[i * count + j], sum;
        Type element = old.getType();
        if (count == 1) { // a product
          Value factor =
              step[0] ? castElements(copy.b, b.getLoc(), step[0], element)
                      : copy.b.zero(old);
          if (later)
            factor = copy.b.select(later, factor, copy.b.constant(old, 1.0));
          results.push_back(copy.b.mul(old, factor));
          continue;
        }
        for (unsigned l = 0; l < count; ++l) {
          if (!step[i * count + l])
            continue;
          Value factor =
              castElements(copy.b, b.getLoc(), step[i * count + l], element);
          Value total = castElements(copy.b, b.getLoc(),
                                     copy.totals[l * count + j], element);
          Value term = copy.b.mul(factor, total);
          sum = sum ? copy.b.add(sum, term) : term;
        }
        sum = sum ? sum : copy.b.zero(old);
        results.push_back(later ? copy.b.select(later, sum, old) : sum);
      }
    return results;
  };
  auto generic = body.create(view, starts, maps, extra, emit,
                             [&](BodyCopy &copy) { bind(copy, copy.extra); });
  if (bad)
    return failure();
  return SmallVector<Value>(generic.getResults());
}

LogicalResult ScanGradient::build(RuleBuilder &b) {
  findAccumulators();
  FailureOr<SmallVector<Value>> built;
  if (failed(buildStates(b)) ||
      failed(built = buildSlopes(b, /*all=*/false, getStepView(body),
                                 getStateMap(body), getLoopSizes(body))))
    return failure();
  slopes = *built;
  return success();
}

SmallVector<StructuredBody::Input> ScanGradient::getInputs() {
  SmallVector<StructuredBody::Input> inputs;
  AffineMap all =
      AffineMap::getMultiDimIdentityMap(op.getNumLoops(), op.getContext());
  for (Value state : states)
    inputs.push_back({state, all});
  for (Value slope : slopes)
    inputs.push_back({slope, all});
  for (unsigned number : floats)
    if (gradients[number])
      inputs.push_back({gradients[number], op.getMatchingIndexingMap(
                                               op.getDpsInitOperand(number))});
  return inputs;
}

void ScanGradient::seed(BodyCopy &copy, ArrayRef<Value> elements,
                        Cotangents &inner) {
  unsigned count = floats.size();
  ArrayRef<Value> slopes = elements.slice(states.size(), count * count);
  ArrayRef<Value> given = elements.drop_front(states.size() + count * count);
  for (unsigned j = 0; j < count; ++j) {
    Value total;
    unsigned next = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (!gradients[floats[i]])
        continue;
      Value slope = slopes[i * count + j];
      Value g =
          castElements(copy.b, slope.getLoc(), given[next++], slope.getType());
      Value term = copy.b.scale(g, slope);
      if (total)
        term = castElements(copy.b, slope.getLoc(), term, total.getType());
      total = total ? copy.b.add(total, term) : term;
    }
    inner.add(copy.map.lookupOrDefault(
                  op.getBlock()->getTerminator()->getOperand(floats[j])),
              total);
  }
}

LogicalResult ScanGradient::addToInits(RuleBuilder &b, Cotangents &cotangents) {
  SmallVector<OpOperand *> inits;
  for (unsigned number : floats)
    inits.push_back(op.getDpsInitOperand(number));
  if (llvm::none_of(inits, [&](OpOperand *init) {
        return cotangents.wants(init->get());
      }))
    return success();
  AffineMap map = op.getMatchingIndexingMap(inits.front());
  for (OpOperand *init : inits)
    if (op.getMatchingIndexingMap(init) != map)
      return op->emitOpError("has no derivative in its inits: expected results "
                             "that share a map, but got ")
             << AffineMapAttr::get(map) << " and "
             << AffineMapAttr::get(op.getMatchingIndexingMap(init));
  FailureOr<SmallVector<Value>> whole =
      buildSlopes(b, /*all=*/true, body.ownLoops(), map,
                  tensor::getMixedSizes(b, b.getLoc(), inits.front()->get()));
  if (failed(whole))
    return failure();
  unsigned count = floats.size();
  for (unsigned j = 0; j < count; ++j)
    for (unsigned i = 0; i < count; ++i)
      if (Value g = gradients[floats[i]]) {
        Value slope = (*whole)[i * count + j];
        g = castElements(b, b.getLoc(), g, getElementTypeOrSelf(slope));
        cotangents.add(inits[j]->get(), b.scale(g, slope));
      }
  return success();
}
