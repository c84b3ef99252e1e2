//===- Reduce.cpp - Reductions with a fixed tree --------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// One workgroup computes one output element: invocation i combines elements
// i, i + W, i + 2W, … of the reduced space in order, then a tree over
// workgroup memory combines the W partial results. The tree depends on W
// alone: never on the device or its subgroup size.
//
// A device that leaves loops early gets several elements an iteration, in the
// same order (KernelBuilder::longLoop).
//
// A body that is not `combine(accumulator, f(inputs))` with an associative
// combiner is computed by one invocation, in order.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "TensorReader.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::moe;

static constexpr int64_t maxWorkgroups = 65535;
// Elements of one iteration where a device leaves loops early and their number
// is dynamic: a tree of 64 takes 33 million.
static constexpr int64_t unrollOfDynamicSizes = 8;

namespace {
/// The combiner of one result: yielded = combine(accumulator, element).
struct Combiner {
  Operation *op = nullptr;
  Value element; ///< the operand that is not the accumulator
  TypedAttr identity;
};
} // namespace

static TypedAttr floatIdentity(Type type, double value) {
  return FloatAttr::get(type, value);
}

// The neutral element of a combiner, or null when the op is none. Additions
// of floats start at -0.0 (x + -0.0 = x for every x, also -0.0).
static TypedAttr identityOf(Operation *op) {
  Type type = op->getResult(0).getType();
  if (!type.isSignlessInteger() && !isa<FloatType>(type))
    return nullptr;
  double infinity = std::numeric_limits<double>::infinity();
  if (isa<arith::AddFOp>(op))
    return floatIdentity(type, -0.0);
  if (isa<arith::MulFOp>(op))
    return floatIdentity(type, 1.0);
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op))
    return floatIdentity(type, -infinity);
  if (isa<arith::MinimumFOp, arith::MinNumFOp>(op))
    return floatIdentity(type, infinity);
  if (isa<FloatType>(type))
    return nullptr;
  unsigned bits = type.getIntOrFloatBitWidth();
  if (isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(op))
    return IntegerAttr::get(type, 0);
  if (isa<arith::MulIOp>(op))
    return IntegerAttr::get(type, 1);
  if (isa<arith::AndIOp, arith::MinUIOp>(op))
    return IntegerAttr::get(type, APInt::getAllOnes(bits));
  if (isa<arith::MaxSIOp>(op))
    return IntegerAttr::get(type, APInt::getSignedMinValue(bits));
  if (isa<arith::MinSIOp>(op))
    return IntegerAttr::get(type, APInt::getSignedMaxValue(bits));
  return nullptr;
}

// Whether `value` follows from one of the accumulators.
static bool followsFromAccumulators(Value value, linalg::GenericOp op) {
  llvm::SmallDenseSet<Value> seen;
  SmallVector<Value> pending{value};
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (llvm::is_contained(op.getRegionOutputArgs(), next))
      return true;
    if (Operation *producer = next.getDefiningOp();
        producer && producer->getBlock() == op.getBody())
      llvm::append_range(pending, producer->getOperands());
  }
  return false;
}

// All results' combiners, or none when one of them is not a plain reduction.
static SmallVector<Combiner> matchCombiners(linalg::GenericOp op) {
  SmallVector<Combiner> combiners;
  for (auto [accumulator, yielded] :
       llvm::zip(op.getRegionOutputArgs(),
                 op.getBody()->getTerminator()->getOperands())) {
    Operation *combine = yielded.getDefiningOp();
    if (!combine || combine->getNumOperands() != 2)
      return {};
    unsigned other = combine->getOperand(0) == accumulator ? 1 : 0;
    if (combine->getOperand(1 - other) != accumulator ||
        !accumulator.hasOneUse())
      return {};
    Value element = combine->getOperand(other);
    if (followsFromAccumulators(element, op))
      return {};
    TypedAttr identity = identityOf(combine);
    if (!identity)
      return {};
    combiners.push_back({combine, element, identity});
  }
  return combiners;
}

// Combines two values as `combiner` does.
static Value combine(KernelBuilder &b, const Combiner &combiner, Value left,
                     Value right) {
  IRMapping map;
  unsigned other = combiner.op->getOperand(0) == combiner.element ? 0 : 1;
  Operation *copy = b.clone(*combiner.op);
  copy->setOperand(1 - other, left);
  copy->setOperand(other, right);
  return copy->getResult(0);
}

namespace {
/// What the two strategies share: the loops of the op split into those of the
/// output element and those that are reduced.
class ReduceLowering {
public:
  ReduceLowering(KernelOp kernel, linalg::GenericOp op, ProgramBuilder &program)
      : kernel(kernel), op(op), combiners(matchCombiners(op)),
        width(combiners.empty() ? 1 : kernel.getSchedule()->getWorkgroup()),
        d(program, kernel.getLoc(), kernel.getName(), width), b(d.kernel()),
        dims(program.dims()), reader(d) {}

  LogicalResult run();

private:
  LogicalResult findLoops();
  FailureOr<SmallVector<Value>> accumulate(ArrayRef<Value> outer,
                                           ValueRange inits);
  SmallVector<Value> tree(SmallVector<Value> partial);
  LogicalResult computeElement(Value position);

  KernelOp kernel;
  linalg::GenericOp op;
  SmallVector<Combiner> combiners;
  int64_t width;
  DispatchBuilder d;
  KernelBuilder &b;
  SymbolicDims &dims;
  TensorReader reader;
  SmallVector<AffineExpr> extents;
  SmallVector<unsigned> parallel, reduced;
  SmallVector<KernelBuffer *> outputs;
  SmallVector<Value> scratch;
};
} // namespace

LogicalResult ReduceLowering::findLoops() {
  extents.resize(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    for (auto [dim, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr);
          loop && !extents[loop.getPosition()])
        extents[loop.getPosition()] = dims.getDim(operand.get(), dim);
  }
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (!extents[loop])
      return op.emitOpError(
                 "expected each loop to be the size of an operand, but loop ")
             << loop << " is none";
    (type == utils::IteratorType::parallel ? parallel : reduced)
        .push_back(loop);
  }
  return success();
}

// Combines this invocation's share of the reduced space, in order.
FailureOr<SmallVector<Value>> ReduceLowering::accumulate(ArrayRef<Value> outer,
                                                         ValueRange inits) {
  AffineExpr total = dims.constant(1);
  for (unsigned loop : reduced)
    total = total * extents[loop];
  bool bad = false;
  SmallVector<Value> result = b.longLoop(
      b.threadId(), d.push(total), b.idx(width), inits, total.ceilDiv(width),
      unrollOfDynamicSizes, [&](Value position, ValueRange args) {
        SmallVector<Value> loops(outer);
        for (unsigned loop : llvm::reverse(reduced)) {
          if (loop == reduced.front()) {
            loops[loop] = position;
            break;
          }
          Value extent = d.push(extents[loop]);
          loops[loop] = b.rem(position, extent);
          position = b.div(position, extent);
        }
        FailureOr<SmallVector<Value>> values =
            reader.emitBody(op, loops, -1, 1, SmallVector<Value>(args));
        bad |= failed(values);
        return bad ? SmallVector<Value>(args) : *values;
      });
  if (bad)
    return failure();
  return result;
}

SmallVector<Value> ReduceLowering::tree(SmallVector<Value> partial) {
  Value thread = b.threadId();
  for (auto [memory, value] : llvm::zip(scratch, partial))
    b.store(value, memory, thread);
  for (int64_t half = width / 2; half > 0; half /= 2) {
    b.barrier();
    b.ifThen(b.lt(thread, b.idx(half)), [&] {
      for (auto [memory, combiner] : llvm::zip(scratch, combiners)) {
        Value left = b.load(memory, thread);
        Value right = b.load(memory, b.add(thread, half));
        b.store(combine(b, combiner, left, right), memory, thread);
      }
    });
  }
  b.barrier();
  SmallVector<Value> totals;
  for (Value memory : scratch)
    totals.push_back(b.load(memory, b.idx(0)));
  b.barrier(); // the next element of this workgroup overwrites the memory
  return totals;
}

LogicalResult ReduceLowering::computeElement(Value position) {
  // The output's position -> its parallel loops.
  SmallVector<Value> loops(op.getNumLoops());
  Value rest = position;
  for (unsigned loop : llvm::reverse(parallel)) {
    if (loop == parallel.front()) {
      loops[loop] = rest;
      break;
    }
    Value extent = d.push(extents[loop]);
    loops[loop] = b.rem(rest, extent);
    rest = b.div(rest, extent);
  }
  SmallVector<Value> inits, positions;
  SmallVector<SmallVector<Value>> indices;
  for (auto [number, init] : llvm::enumerate(op.getDpsInits())) {
    SmallVector<Value> at;
    for (AffineExpr expr :
         op.getIndexingMapMatchingResult(op->getResult(number)).getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || !loops[dim.getPosition()])
        return op.emitOpError(
            "expected outputs indexed by parallel loops alone");
      at.push_back(loops[dim.getPosition()]);
    }
    FailureOr<Value> value = reader.read(init, at, 1);
    if (failed(value))
      return failure();
    inits.push_back(*value);
    positions.push_back(reader.linearize(init, at));
    indices.push_back(at);
  }
  SmallVector<Value> starts(inits);
  if (!combiners.empty())
    for (auto [start, combiner] : llvm::zip(starts, combiners))
      start = arith::ConstantOp::create(b, combiner.identity);
  FailureOr<SmallVector<Value>> totals = accumulate(loops, starts);
  if (failed(totals))
    return failure();
  if (!combiners.empty()) {
    totals = tree(*totals);
    for (auto [total, combiner, init] : llvm::zip(*totals, combiners, inits))
      total = combine(b, combiner, init, total);
  }
  b.ifThen(b.eq(b.threadId(), b.idx(0)), [&] {
    for (auto [total, output, at] : llvm::zip(*totals, outputs, positions))
      b.store(total, output->scalars, at);
  });
  return success();
}

LogicalResult ReduceLowering::run() {
  if (failed(reader.bind(kernel)) || failed(findLoops()))
    return failure();
  for (Value result : kernel.getResults()) {
    FailureOr<KernelBuffer *> buffer = d.write(result);
    if (failed(buffer))
      return failure();
    outputs.push_back(*buffer);
  }
  for (const Combiner &combiner : combiners)
    scratch.push_back(b.shared(combiner.identity.getType(), width));

  AffineExpr count = dims.constant(1);
  for (unsigned loop : parallel)
    count = count * extents[loop];
  bool bad = false;
  b.forLoop(
      b.workgroupId(), d.push(count), b.workgroupCount(),
      [&](Value position) { bad |= failed(computeElement(position)); },
      count.ceilDiv(maxWorkgroups));
  if (bad)
    return failure();
  AffineExpr bytes = dims.constant(0);
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      if (AffineExpr size = dims.getBytes(argument))
        bytes = bytes + size;
  d.setLabel(kernel.getName());
  d.setWork(nullptr, bytes);
  return d.dispatch({{count, dims.constant(maxWorkgroups)}});
}

LogicalResult moe::lowerReduce(KernelOp kernel, ProgramBuilder &program) {
  Operation *yield = kernel.getBody().front().getTerminator();
  auto op = yield->getOperand(0).getDefiningOp<linalg::GenericOp>();
  if (!op || !llvm::equal(op->getResults(), yield->getOperands()))
    return kernel.emitOpError(
        "expected a reduction kernel to yield all results of "
        "one linalg.generic");
  return ReduceLowering(kernel, op, program).run();
}
