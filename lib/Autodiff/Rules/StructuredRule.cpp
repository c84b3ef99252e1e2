//===- StructuredRule.cpp - Derivatives of linalg by their body -----------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "StructuredRule.h"

#include "AttachRule.h"
#include "SumToScalar.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
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
    Value_,  ///< the yielded value
    Sum,     ///< init + f over the reduced loops
    Extremum ///< max or min of init and f over them
  } kind = Value_;
  Value seed;     ///< in the op's body: what the gradient flows into
  Value gradient; ///< of the result; null for none
};

class StructuredRule {
public:
  StructuredRule(linalg::LinalgOp op, OpBuilder &builder,
                 Cotangents &cotangents)
      : op(op), b(op, builder), c(cotangents) {}

  LogicalResult run();

private:
  LogicalResult matchOutput(OpOperand &init, Output &output);
  bool isAccumulator(OpOperand &init);
  void shareAmongEqual(OpOperand &init, Output &output);
  LogicalResult build(ArrayRef<OpOperand *> wanted);
  linalg::GenericOp createGeneric(
      ArrayRef<Value> inits, ArrayRef<AffineMap> maps,
      function_ref<SmallVector<Value>(RuleBuilder &, IRMapping &, ValueRange)>
          body);

  AffineMap mapOf(OpOperand &operand) {
    return op.getMatchingIndexingMap(&operand);
  }

  linalg::LinalgOp op;
  RuleBuilder b;
  Cotangents &c;
  SmallVector<Output> outputs;
  /// Operands that the derivative reads beside the op's own inputs.
  SmallVector<std::pair<Value, AffineMap>> extra;
};
} // namespace

// Reads an init only to combine it with what the loops give.
bool StructuredRule::isAccumulator(OpOperand &init) {
  return op.getNumReductionLoops() != 0 &&
         !op.getMatchingBlockArgument(&init).use_empty();
}

LogicalResult StructuredRule::matchOutput(OpOperand &init, Output &output) {
  unsigned number = init.getOperandNumber() - op.getNumDpsInputs();
  Value yielded = op.getBlock()->getTerminator()->getOperand(number);
  output.seed = yielded;
  if (!isAccumulator(init))
    return success();
  BlockArgument accumulator = op.getMatchingBlockArgument(&init);
  Operation *combine = yielded.getDefiningOp();
  bool plain = combine && combine->getNumOperands() == 2 &&
               accumulator.hasOneUse() && *accumulator.user_begin() == combine;
  if (plain) {
    output.seed = combine->getOperand(combine->getOperand(0) == accumulator);
    if (isa<arith::AddFOp>(combine)) {
      output.kind = Output::Sum;
      return success();
    }
    if (isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MinimumFOp,
            arith::MinNumFOp>(combine)) {
      output.kind = Output::Extremum;
      return success();
    }
  }
  return op->emitOpError("is not differentiable yet: expected a reduction by "
                         "sum, maximum or minimum, but got another body");
}

// A linalg.generic over the op's loops whose body starts as a copy of the op's.
// Operands that the result does not read are left out.
linalg::GenericOp StructuredRule::createGeneric(
    ArrayRef<Value> inits, ArrayRef<AffineMap> initMaps,
    function_ref<SmallVector<Value>(RuleBuilder &, IRMapping &, ValueRange)>
        body) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<BlockArgument> sources; // block arguments of the op, for inputs
  for (OpOperand *operand : op.getDpsInputOperands()) {
    inputs.push_back(operand->get());
    maps.push_back(mapOf(*operand));
    sources.push_back(op.getMatchingBlockArgument(operand));
  }
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!isAccumulator(init) &&
        !op.getMatchingBlockArgument(&init).use_empty()) {
      inputs.push_back(init.get());
      maps.push_back(mapOf(init));
      sources.push_back(op.getMatchingBlockArgument(&init));
    }
  for (auto [value, map] : extra) {
    inputs.push_back(value);
    maps.push_back(map);
  }

  SmallVector<IteratorType> loops(op.getNumLoops(), IteratorType::reduction);
  for (AffineExpr expr : initMaps.front().getResults())
    loops[llvm::cast<AffineDimExpr>(expr).getPosition()] =
        IteratorType::parallel;

  Block scratch;
  SmallVector<Location> locations(inputs.size(), b.getLoc());
  SmallVector<Type> types;
  for (Value input : inputs)
    types.push_back(getElementTypeOrSelf(input.getType()));
  scratch.addArguments(types, locations);
  for (Value init : inits)
    scratch.addArgument(getElementTypeOrSelf(init.getType()), b.getLoc());
  OpBuilder nested(b.getContext());
  nested.setInsertionPointToStart(&scratch);
  IRMapping map;
  for (auto [source, argument] : llvm::zip(sources, scratch.getArguments()))
    map.map(source, argument);
  for (Operation &inner : op.getBlock()->without_terminator()) {
    // Combining is what the new op does in its own way.
    bool combines = llvm::any_of(inner.getOperands(), [&](Value v) {
      return v.getParentBlock() == op.getBlock() && !map.contains(v);
    });
    if (!combines)
      nested.clone(inner, map);
  }
  RuleBuilder inner(op, nested);
  SmallVector<Value> results =
      body(inner, map,
           ValueRange(scratch.getArguments()).drop_front(sources.size()));
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
  for (unsigned i = inputs.size(); i-- > 0;) {
    if (inversePermutation(concatAffineMaps(keptMaps(), b.getContext())))
      break;
    keep[i] = true;
  }
  SmallVector<Value> kept;
  for (auto [input, kept_] : llvm::zip(inputs, keep))
    if (kept_)
      kept.push_back(input);
  for (unsigned i = inputs.size(); i-- > 0;)
    if (!keep[i])
      scratch.eraseArgument(i);

  auto generic = linalg::GenericOp::create(b, TypeRange(ValueRange(inits)),
                                           kept, inits, keptMaps(), loops);
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

// Equal extrema share the gradient: it is divided by how many there are. The
// init is one of them where its gradient is of use.
void StructuredRule::shareAmongEqual(OpOperand &init, Output &output) {
  Value result = op.getTiedOpResult(&init);
  extra = {{result, mapOf(init)}};
  Value zero = b.zero(result), start = zero, wins;
  if (c.wants(init.get())) {
    wins = b.compare(arith::CmpFPredicate::OEQ, init.get(), result);
    start = b.select(wins, b.constant(result, 1.0), zero);
  }
  auto counts = createGeneric(
      {start}, {mapOf(init)},
      [&](RuleBuilder &body, IRMapping &map, ValueRange args) {
        Value f = map.lookup(output.seed);
        Value equal = body.compare(arith::CmpFPredicate::OEQ, f, args[0]);
        Value one = body.select(equal, body.constant(f, 1.0), body.zero(f));
        return SmallVector<Value>{body.add(args[1], one)};
      });
  extra.clear();
  output.gradient = b.div(output.gradient, counts.getResult(0));
  if (wins)
    c.add(init.get(), b.select(wins, output.gradient, zero));
}

// One linalg.generic for the gradients of operands that share a map.
LogicalResult StructuredRule::build(ArrayRef<OpOperand *> wanted) {
  AffineMap map = mapOf(*wanted.front());
  bool sums = map.getNumResults() != op.getNumLoops();
  SmallVector<Value> inits;
  SmallVector<Type> elements;
  for (OpOperand *operand : wanted) {
    auto type = dyn_cast<RankedTensorType>(operand->get().getType());
    Type element = getElementTypeOrSelf(operand->get().getType());
    if (sums && element.getIntOrFloatBitWidth() < 32)
      element = b.getF32Type();
    elements.push_back(element);
    SmallVector<OpFoldResult> sizes;
    if (type)
      sizes = tensor::getMixedSizes(b, b.getLoc(), operand->get());
    Value init = tensor::EmptyOp::create(b, sizes, element);
    if (sums) {
      Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
      init = linalg::FillOp::create(b, zero, init).getResult(0);
    }
    inits.push_back(init);
  }

  extra.clear();
  for (auto [init, output] : llvm::zip(op.getDpsInitsMutable(), outputs)) {
    if (!output.gradient)
      continue;
    extra.push_back({output.gradient, mapOf(init)});
    if (output.kind == Output::Extremum)
      extra.push_back({op.getTiedOpResult(&init), mapOf(init)});
  }
  SmallVector<AffineMap> maps(wanted.size(), map);
  bool bad = false;
  linalg::GenericOp generic = createGeneric(
      inits, maps, [&](RuleBuilder &body, IRMapping &mapping, ValueRange args) {
        // The ops of the body, before the derivative adds to them.
        SmallVector<Operation *> ops;
        for (Operation &inner : *body.getInsertionBlock())
          ops.push_back(&inner);
        Cotangents inner(body);
        for (OpOperand *operand : wanted)
          inner.activate(
              mapping.lookup(Value(op.getMatchingBlockArgument(operand))));
        for (Operation *part : ops)
          inner.propagate(part);
        unsigned next = 0;
        for (Output &output : outputs) {
          if (!output.gradient)
            continue;
          Value g = args[next++], seed = mapping.lookupOrDefault(output.seed);
          if (output.kind == Output::Extremum) {
            Value equal =
                body.compare(arith::CmpFPredicate::OEQ, seed, args[next++]);
            g = body.select(equal, g, body.zero(g));
          }
          inner.add(seed, g);
        }
        for (Operation *part : llvm::reverse(ops))
          bad |= failed(inner.visit(part));
        SmallVector<Value> results;
        for (auto [operand, element, accumulator] :
             llvm::zip(wanted, elements, args.take_back(wanted.size()))) {
          Value argument =
              mapping.lookup(Value(op.getMatchingBlockArgument(operand)));
          Value gradient = inner.sum(argument);
          if (!gradient)
            gradient = body.zero(argument);
          gradient = castElements(body, body.getLoc(), gradient, element);
          results.push_back(sums ? body.add(accumulator, gradient) : gradient);
        }
        return results;
      });
  if (bad)
    return failure();
  for (auto [operand, result] : llvm::zip(wanted, generic.getResults())) {
    Value gradient = result;
    if (!isa<RankedTensorType>(operand->get().getType()))
      gradient = tensor::ExtractOp::create(b, result, ValueRange{});
    c.add(operand->get(), gradient);
  }
  return success();
}

LogicalResult StructuredRule::run() {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    if (c.wants(value))
      return op->emitOpError(
                 "is not differentiable yet: expected a body that "
                 "reads differentiated values through operands, but "
                 "got one that captures ")
             << value.getType();

  for (OpOperand &init : op.getDpsInitsMutable()) {
    Output output;
    output.gradient = c.of(op.getTiedOpResult(&init));
    if (output.gradient && failed(matchOutput(init, output)))
      return failure();
    outputs.push_back(output);
  }
  for (auto [init, output] : llvm::zip(op.getDpsInitsMutable(), outputs)) {
    if (!output.gradient)
      continue;
    if (output.kind == Output::Sum)
      c.add(init.get(), output.gradient);
    else if (output.kind == Output::Extremum)
      shareAmongEqual(init, output);
  }

  // Operands that share a map without reduction share a generic.
  SmallVector<SmallVector<OpOperand *>> groups;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (!c.wants(operand.get()) || argument.use_empty() ||
        (op.isDpsInit(&operand) && isAccumulator(operand)))
      continue;
    AffineMap map = mapOf(operand);
    if (!map.isProjectedPermutation())
      return op->emitOpError("is not differentiable yet: expected operands "
                             "indexed by loops alone, but got ")
             << AffineMapAttr::get(map);
    auto group = llvm::find_if(groups, [&](ArrayRef<OpOperand *> g) {
      return map.isPermutation() && mapOf(*g.front()) == map;
    });
    if (group != groups.end())
      group->push_back(&operand);
    else
      groups.push_back({&operand});
  }
  for (ArrayRef<OpOperand *> group : groups)
    if (failed(build(group)))
      return failure();
  return success();
}

LogicalResult moe::differentiateStructured(linalg::LinalgOp op,
                                           OpBuilder &builder,
                                           Cotangents &cotangents) {
  return StructuredRule(op, builder, cotangents).run();
}
