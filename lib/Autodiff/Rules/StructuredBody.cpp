//===- StructuredBody.cpp - The body of a linalg op in another ------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "StructuredBody.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "moe/Support/PositionMarks.h"

using namespace mlir;
using namespace mlir::moe;

using utils::IteratorType;

LoopView StructuredBody::ownLoops() {
  LoopView view{op.getNumLoops(), {}, {}};
  for (unsigned loop = 0; loop < view.numLoops; ++loop)
    view.loops.push_back(b.getAffineDimExpr(loop));
  return view;
}

bool StructuredBody::isAccumulator(OpOperand &init) {
  return op.getNumReductionLoops() != 0 &&
         !op.getMatchingBlockArgument(&init).use_empty();
}

bool StructuredBody::followsFromAccumulator(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == op.getBlock() &&
           argument.getArgNumber() >= op.getNumDpsInputs() &&
           op.getNumReductionLoops() != 0;
  Operation *producer = value.getDefiningOp();
  return producer->getBlock() == op.getBlock() &&
         llvm::any_of(producer->getOperands(),
                      [&](Value v) { return followsFromAccumulator(v); });
}

// An operand, and its dimension, of which the loop is the index.
std::pair<Value, unsigned> StructuredBody::findLoop(unsigned loop) {
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (expr == b.getAffineDimExpr(loop))
        return {operand.get(), dim};
  llvm_unreachable("the maps of a structured op are invertible");
}

OpFoldResult StructuredBody::getLoopSize(unsigned loop) {
  auto [value, dim] = findLoop(loop);
  return tensor::getMixedSize(b, b.getLoc(), value, dim);
}

int64_t StructuredBody::getStaticLoopSize(unsigned loop) {
  return op.getStaticLoopRanges()[loop];
}

SmallVector<Value> moe::emitMap(RuleBuilder &b, AffineMap map,
                                ValueRange loops) {
  SmallVector<Value> values;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      values.push_back(loops[dim.getPosition()]);
    else if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      values.push_back(arith::ConstantIndexOp::create(b, constant.getValue()));
    else
      values.push_back(affine::AffineApplyOp::create(
          b, AffineMap::get(map.getNumDims(), 0, expr), loops));
  }
  return values;
}

Value StructuredBody::readAt(BodyCopy &copy, Value tensor, AffineMap map) {
  auto element = tensor::ExtractOp::create(copy.b, tensor,
                                           emitMap(copy.b, map, copy.loops));
  element->setAttr(inRangeOrEmptyAttrName, copy.b.getUnitAttr());
  return element;
}

// Combining with an accumulator is what the new op does in its own way.
void StructuredBody::copy(const LoopView &view, BodyCopy &copy) {
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      copy.map.map(index.getResult(), copy.loops[index.getDim()]);
      continue;
    }
    bool combines = llvm::any_of(inner.getOperands(), [&](Value v) {
      return v.getParentBlock() == op.getBlock() && !copy.map.contains(v);
    });
    if (!combines)
      copy.b.clone(inner, copy.map);
  }
}

linalg::GenericOp
StructuredBody::create(const LoopView &view, ArrayRef<Value> inits,
                       ArrayRef<AffineMap> initMaps, ArrayRef<Input> extra,
                       function_ref<SmallVector<Value>(BodyCopy &)> body,
                       function_ref<void(BodyCopy &)> bind) {
  MLIRContext *context = b.getContext();
  SmallVector<Input> all;
  SmallVector<BlockArgument> sources; // of the op, for its own inputs
  auto add = [&](OpOperand &operand) {
    all.push_back({operand.get(), op.getMatchingIndexingMap(&operand)});
    sources.push_back(op.getMatchingBlockArgument(&operand));
  };
  for (OpOperand *operand : op.getDpsInputOperands())
    add(*operand);
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!isAccumulator(init) && !op.getMatchingBlockArgument(&init).use_empty())
      add(init);
  unsigned own = all.size();
  llvm::append_range(all, extra);

  // Inputs whose positions are among the new loops, and the others.
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<int> argumentOf(all.size(), -1);
  for (auto [number, input] : llvm::enumerate(all)) {
    bool computed = false;
    for (auto [loop, expr] : llvm::enumerate(view.loops))
      computed |= !expr && input.second.isFunctionOfDim(loop);
    if (computed)
      continue;
    SmallVector<AffineExpr> loops(view.loops);
    for (AffineExpr &expr : loops)
      expr = expr ? expr : b.getAffineConstantExpr(0); // it does not depend
    argumentOf[number] = inputs.size();
    inputs.push_back(input.first);
    maps.push_back(
        input.second.replaceDimsAndSymbols(loops, {}, view.numLoops, 0));
  }

  SmallVector<IteratorType> iterators(view.numLoops, IteratorType::reduction);
  for (AffineExpr expr : initMaps.front().getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      iterators[dim.getPosition()] = IteratorType::parallel;

  Block scratch;
  for (Value input : inputs)
    scratch.addArgument(getElementTypeOrSelf(input.getType()), b.getLoc());
  for (Value init : inits)
    scratch.addArgument(getElementTypeOrSelf(init.getType()), b.getLoc());
  OpBuilder nested(context);
  nested.setInsertionPointToStart(&scratch);
  RuleBuilder inner(op, nested);
  BodyCopy copied(inner);
  for (AffineExpr expr : view.loops)
    copied.loops.push_back(
        expr ? Value(linalg::IndexOp::create(
                   inner, cast<AffineDimExpr>(expr).getPosition()))
             : Value());
  if (view.compute)
    view.compute(inner, copied.loops);
  for (auto [number, input] : llvm::enumerate(all)) {
    bool read = number >= own || !sources[number].use_empty();
    Value element = argumentOf[number] >= 0
                        ? Value(scratch.getArgument(argumentOf[number]))
                    : read ? readAt(copied, input.first, input.second)
                           : Value();
    if (element)
      copied.origins[element] = input.first;
    if (number >= own)
      copied.extra.push_back(element);
    else if (element)
      copied.map.map(sources[number], element);
  }
  llvm::append_range(
      copied.totals,
      ValueRange(scratch.getArguments()).take_back(inits.size()));
  bind(copied);
  copy(view, copied);
  for (Operation &each : scratch)
    copied.ops.push_back(&each);
  SmallVector<Value> results = body(copied);
  linalg::YieldOp::create(inner, results);
  for (Operation &dead : llvm::make_early_inc_range(llvm::reverse(scratch)))
    if (isOpTriviallyDead(&dead))
      dead.erase();

  // Keep what is read, and what else the sizes of all loops need.
  SmallVector<bool> keep;
  for (unsigned i = 0; i < inputs.size(); ++i)
    keep.push_back(!scratch.getArgument(i).use_empty());
  auto keptMaps = [&] {
    SmallVector<AffineMap> kept;
    for (auto [map, kept_] : llvm::zip(maps, keep))
      if (kept_)
        kept.push_back(map);
    kept.append(initMaps.begin(), initMaps.end());
    return kept;
  };
  auto isComplete = [&](ArrayRef<AffineMap> some) {
    return bool(inversePermutation(concatAffineMaps(some, context)));
  };
  SmallVector<AffineMap> every(maps);
  every.append(initMaps.begin(), initMaps.end());
  if (isComplete(every))
    for (unsigned i = inputs.size(); i-- > 0 && !isComplete(keptMaps());)
      keep[i] = true;
  auto isSizeOf = [](AffineExpr loop) {
    return [loop](AffineMap map) {
      return llvm::is_contained(map.getResults(), loop);
    };
  };
  for (AffineExpr loop : view.loops)
    if (loop && llvm::none_of(keptMaps(), isSizeOf(loop)))
      if (auto found = llvm::find_if(maps, isSizeOf(loop)); found != maps.end())
        keep[found - maps.begin()] = true;
  for (unsigned i = inputs.size(); i-- > 0;)
    if (!keep[i])
      scratch.eraseArgument(i);
  SmallVector<Value> kept;
  for (auto [input, kept_] : llvm::zip(inputs, keep))
    if (kept_)
      kept.push_back(input);
  SmallVector<AffineMap> allMaps = keptMaps();
  // Where all that has a loop is read by tensor.extract, nothing says its size.
  for (auto [loop, expr] : llvm::enumerate(view.loops)) {
    if (!expr || llvm::any_of(allMaps, isSizeOf(expr)))
      continue;
    Type element = b.getF32Type();
    Value sized = tensor::EmptyOp::create(b, getLoopSize(loop), element);
    scratch.insertArgument(kept.size(), element, b.getLoc());
    allMaps.insert(allMaps.begin() + kept.size(),
                   AffineMap::get(view.numLoops, 0, expr));
    kept.push_back(sized);
  }

  auto generic = linalg::GenericOp::create(b, TypeRange(ValueRange(inits)),
                                           kept, inits, allMaps, iterators);
  Block *target = b.createBlock(
      &generic.getRegion(), {}, scratch.getArgumentTypes(),
      SmallVector<Location>(scratch.getNumArguments(), b.getLoc()));
  for (auto [from, to] :
       llvm::zip(scratch.getArguments(), target->getArguments()))
    from.replaceAllUsesWith(to);
  target->getOperations().splice(target->end(), scratch.getOperations());
  b.setInsertionPointAfter(generic);
  return generic;
}
