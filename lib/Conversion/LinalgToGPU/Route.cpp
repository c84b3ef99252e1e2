//===- Route.cpp - Top-k selection and routing weights --------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// `lanes` invocations of one subgroup serve one token. Its logits are loaded
// once and stay in registers: E / lanes values a lane. The k-th selection finds
// the best (value, id) after the (k-1)-th: each lane looks through its
// registers, then log2(lanes) exchanges leave the winner in every lane. Lane j
// keeps the winner of slot j, so that the weights of a token are computed, and
// stored, all at once.
//
// Values are compared as integers whose order is that of the floats, with NaN
// lowest and -0 equal to +0. A driver may assume that floats are never NaN;
// about integers it cannot assume anything.
//
// Experts are dealt so that a group of experts belongs to one cluster of lanes:
// a group's score is then an exchange within the cluster, and every lane knows
// the scores of exactly the groups whose experts it holds.
//
// The order of every sum depends on `lanes` and the shape alone.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "KernelResults.h"
#include "RouteSelection.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::moe;

namespace {
class RouteLowering {
public:
  RouteLowering(KernelOp kernel, RouteOp op, ProgramBuilder &program)
      : kernel(kernel), op(op), dims(program.dims()),
        experts(op.getLogits().getType().getDimSize(1)), topK(op.getTopK()),
        lanes(kernel.getSchedule()->getLanes()),
        d(program, op.getLoc(), "route", /*workgroupSize=*/lanes),
        b(d.kernel()), deal(b, experts, op.getGroups(), lanes) {}

  LogicalResult run();

private:
  /// What the weight of a slot follows from.
  struct Denominator {
    Value max, sum; ///< softmax
    Value bad;      ///< i1: the row has no scores; null where that cannot be
  };
  struct State {
    Value key, id; ///< the last selection
    Value total;   ///< of the scores selected so far
  };

  LogicalResult bind();
  void lowerToken(Value token);
  Denominator getDenominator(ArrayRef<Value> logits,
                             MutableArrayRef<Value> keys);
  void addBias(ArrayRef<Value> logits, const Denominator &row,
               MutableArrayRef<Value> keys);
  Value getScore(Value logit, const Denominator &row);
  State selectRound(Value token, Value first, Value count,
                    ArrayRef<Candidate> candidates, const Denominator &row,
                    State state, bool isLast);
  void normalize(Value token, Value total, const Denominator &row);
  Value finishWeight(Value score, Value total, const Denominator &row);

  bool isSoftmax() { return op.getScoring() == Scoring::Softmax; }
  /// Whether experts are compared by score (+ bias) rather than by logit.
  bool comparesScores() { return op.getBias() || op.getGroups() > 1; }
  int64_t slotsPerRound() { return std::min(lanes, topK); }
  int64_t rounds() { return llvm::divideCeil(topK, lanes); }

  KernelOp kernel;
  RouteOp op;
  SymbolicDims &dims;
  int64_t experts, topK, lanes;
  DispatchBuilder d;
  KernelBuilder &b;
  ExpertDeal deal;
  KernelBuffer *logits = nullptr, *bias = nullptr;
  KernelBuffer *weights = nullptr,
               *indices = nullptr; ///< null: nobody wants it
};
} // namespace

LogicalResult RouteLowering::bind() {
  if (failed(expectOnlyOp(kernel, op)))
    return failure();
  FailureOr<KernelBuffer *> input = d.read(op.getLogits());
  if (failed(input))
    return failure();
  logits = *input;
  if (op.getBias()) {
    FailureOr<KernelBuffer *> added = d.read(op.getBias());
    if (failed(added))
      return failure();
    bias = *added;
  }
  if (Value result = getYieldedResult(kernel, op.getWeights())) {
    FailureOr<Value> buffer = d.program().getBuffer(result);
    if (failed(buffer))
      return failure();
    // Scores wait in the result for their sum when a lane has several slots.
    bool reads = op.getRenormalize() && rounds() > 1;
    weights = d.buffer(reads ? BufferUse::Update : BufferUse::Write, *buffer,
                       b.getF32Type());
  }
  FailureOr<KernelBuffer *> output = writeIfYielded(d, kernel, op.getIndices());
  if (failed(output))
    return failure();
  indices = *output;
  return success();
}

LogicalResult RouteLowering::run() {
  if (!llvm::isPowerOf2_64(lanes))
    return kernel.emitOpError("expected a power of two of lanes, but got ")
           << lanes;
  if (failed(bind()))
    return failure();
  AffineExpr tokens = dims.getDim(op.getLogits(), 0);
  Value numTokens = d.push(tokens);
  deal.emitIds();
  b.forLoop(
      b.workgroupId(), numTokens, b.workgroupCount(),
      [&](Value token) { lowerToken(token); }, tokens.ceilDiv(65535));
  d.setLabel("route");
  d.setLanes(lanes > 1 ? lanes : 0);
  d.setWork(nullptr, tokens * (4 * experts + 8 * topK));
  return d.dispatch({{tokens, dims.constant(65535)}});
}

void RouteLowering::lowerToken(Value token) {
  SmallVector<Value> values = deal.load(*logits, b.mul(token, experts));
  SmallVector<Value> keys;
  for (Value value : values)
    keys.push_back(getKey(b, value, isSoftmax() ? nanHighest : nanLowest));
  Denominator row;
  if (isSoftmax())
    row = getDenominator(values, keys);
  if (comparesScores())
    addBias(values, row, keys);
  // All NaN: the lower ids win.
  if (row.bad)
    for (Value &key : keys)
      key = b.select(row.bad, b.i32(nanLowest), key);
  SmallVector<Candidate> candidates = deal.getCandidates(keys);
  if (op.getSelectedGroups() < op.getGroups())
    deal.keepBestGroups(candidates, op.getSelectedGroups(), op.getGroupScore());

  State state{b.i32(std::numeric_limits<int32_t>::max()), b.i32(-1), b.f32(0)};
  if (rounds() == 1) {
    selectRound(token, b.idx(0), b.idx(topK), candidates, row, state,
                /*isLast=*/true);
    return;
  }
  SmallVector<Value> last = b.forLoop(
      b.idx(0), b.idx(topK), b.idx(lanes), {state.key, state.id, state.total},
      [&](Value first, ValueRange args) -> SmallVector<Value> {
        Value count = b.min(b.sub(b.idx(topK), first), b.idx(lanes));
        State next =
            selectRound(token, first, count, candidates, row,
                        {args[0], args[1], args[2]}, !op.getRenormalize());
        return {next.key, next.id, next.total};
      });
  if (weights && op.getRenormalize())
    normalize(token, last[2], row);
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

// The maximum and the sum of a softmax. `keys` have NaN highest here, so the
// maximum alone tells a row without scores: NaN, +inf, or all -inf.
RouteLowering::Denominator
RouteLowering::getDenominator(ArrayRef<Value> values,
                              MutableArrayRef<Value> keys) {
  Value highest = b.i32(notACandidate);
  for (auto [key, isExpert] : llvm::zip(keys, deal.getValid()))
    highest =
        b.max(highest,
              isExpert ? b.select(isExpert, key, b.i32(notACandidate)) : key);
  highest = exchange(b, highest, 1, lanes,
                     [&](Value x, Value y) { return b.max(x, y); });
  Denominator row;
  row.bad = b.logicalOr(b.ge(highest, b.i32(infinityKey)),
                        b.ge(b.i32(-infinityKey), highest));
  row.max = getFloat(b, highest);
  row.sum = b.f32(0);
  for (auto [value, isExpert] : llvm::zip(values, deal.getValid())) {
    Value power =
        math::ExpOp::create(b, arith::SubFOp::create(b, value, row.max));
    if (isExpert)
      power = b.select(isExpert, power, b.f32(0));
    row.sum = arith::AddFOp::create(b, row.sum, power);
  }
  row.sum = exchange(b, row.sum, 1, lanes, [&](Value x, Value y) -> Value {
    return arith::AddFOp::create(b, x, y);
  });
  return row;
}

Value RouteLowering::getScore(Value logit, const Denominator &row) {
  if (isSoftmax())
    return arith::DivFOp::create(
        b, math::ExpOp::create(b, arith::SubFOp::create(b, logit, row.max)),
        row.sum);
  Value power = math::ExpOp::create(b, arith::NegFOp::create(b, logit));
  Value one = b.f32(1);
  Value score =
      arith::DivFOp::create(b, one, arith::AddFOp::create(b, one, power));
  // A NaN logit is its own score, whatever the driver's exp makes of it.
  Value isNaN = b.eq(getKey(b, logit, nanLowest), b.i32(nanLowest));
  return b.select(isNaN, logit, score);
}

void RouteLowering::addBias(ArrayRef<Value> values, const Denominator &row,
                            MutableArrayRef<Value> keys) {
  SmallVector<Value> added;
  if (bias)
    added = deal.load(*bias, b.idx(0));
  for (auto [i, value] : llvm::enumerate(values)) {
    Value score = getScore(value, row);
    if (bias)
      score = arith::AddFOp::create(b, score, added[i]);
    keys[i] = getKey(b, score, nanLowest);
  }
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

// Selects `count` slots, one for each of the first lanes, and stores them.
RouteLowering::State RouteLowering::selectRound(Value token, Value first,
                                                Value count,
                                                ArrayRef<Candidate> candidates,
                                                const Denominator &row,
                                                State state, bool isLast) {
  Value lane = b.threadId();
  SmallVector<Value> selected = b.forLoop(
      b.idx(0), count, b.idx(1), {state.key, state.id, b.i32(0)},
      [&](Value slot, ValueRange args) -> SmallVector<Value> {
        Candidate best = selectNext(b, candidates, {args[0], args[1]}, lanes);
        return {best.key, best.id,
                b.select(b.eq(lane, slot), best.id, args[2])};
      },
      dims.constant(slotsPerRound()));
  state.key = selected[0];
  state.id = selected[1];

  Value expert = selected[2];
  Value isSlot = b.lt(lane, count);
  Value at = b.add(b.add(b.mul(token, topK), first), lane);
  Value score;
  if (weights) {
    Value logit = b.load(logits->scalars,
                         b.add(b.mul(token, experts), b.toIndex(expert)));
    score = b.select(isSlot, getScore(logit, row), b.f32(0));
    if (op.getRenormalize())
      for (int64_t slot = 0; slot < slotsPerRound(); ++slot)
        state.total = arith::AddFOp::create(
            b, state.total, lanes > 1 ? b.shuffle(score, b.i32(slot)) : score);
    if (isLast)
      score = finishWeight(score, state.total, row);
  }
  b.ifThen(isSlot, [&] {
    if (weights)
      b.store(score, weights->scalars, at);
    if (indices)
      b.store(expert, indices->scalars, at);
  });
  return state;
}

Value RouteLowering::finishWeight(Value score, Value total,
                                  const Denominator &row) {
  Value weight = score;
  if (op.getRenormalize())
    weight = arith::DivFOp::create(b, weight, total);
  float scale = op.getScale().convertToDouble();
  if (scale != 1)
    weight = arith::MulFOp::create(b, weight, b.f32(scale));
  return row.bad ? b.select(row.bad, getNaN(b), weight) : weight;
}

// Divides the scores that this lane has stored by their sum.
void RouteLowering::normalize(Value token, Value total,
                              const Denominator &row) {
  b.forLoop(
      b.threadId(), b.idx(topK), b.idx(lanes),
      [&](Value slot) {
        Value at = b.add(b.mul(token, topK), slot);
        b.store(finishWeight(b.load(weights->scalars, at), total, row),
                weights->scalars, at);
      },
      dims.constant(rounds()));
}

LogicalResult moe::lowerRoute(KernelOp kernel, RouteOp op,
                              ProgramBuilder &program) {
  return RouteLowering(kernel, op, program).run();
}
