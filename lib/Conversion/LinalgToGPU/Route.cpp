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
// A renormalized weight is a quotient of scores times e^-shift, with a shift
// that makes the largest of them about 1: the scores alone may be below the
// range of an f32. Where a lane has several slots, their logits wait in the
// result until all of them are known, and with them the shift.
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
    Value highest; ///< renormalized: the key of the largest logit so far
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
  void renormalize(Value token, Value highest, const Denominator &row);
  Value getHighest(Value highest, Value logit, Value isSlot);
  Value getShift(Value highest, const Denominator &row);
  Value getTerm(Value logit, Value shift);
  Value addTerms(Value total, Value term);
  Value getDivisor(Value total, Value shift, const Denominator &row);
  Value finishWeight(Value weight, const Denominator &row);

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
    // Logits wait in the result for their sum when a lane has several slots.
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

  State state{b.i32(std::numeric_limits<int32_t>::max()), b.i32(-1),
              b.i32(notACandidate)};
  if (rounds() == 1) {
    selectRound(token, b.idx(0), b.idx(topK), candidates, row, state,
                /*isLast=*/true);
    return;
  }
  SmallVector<Value> last = b.forLoop(
      b.idx(0), b.idx(topK), b.idx(lanes), {state.key, state.id, state.highest},
      [&](Value first, ValueRange args) -> SmallVector<Value> {
        Value count = b.min(b.sub(b.idx(topK), first), b.idx(lanes));
        State next =
            selectRound(token, first, count, candidates, row,
                        {args[0], args[1], args[2]}, !op.getRenormalize());
        return {next.key, next.id, next.highest};
      });
  if (weights && op.getRenormalize())
    renormalize(token, last[2], row);
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
    if (!op.getRenormalize()) {
      score = finishWeight(getScore(logit, row), row);
    } else {
      state.highest = getHighest(state.highest, logit, isSlot);
      score = logit;
      if (isLast) {
        Value shift = getShift(state.highest, row);
        Value term = b.select(isSlot, getTerm(logit, shift), b.f32(0));
        Value total = addTerms(b.f32(0), term);
        score = finishWeight(
            arith::DivFOp::create(b, term, getDivisor(total, shift, row)), row);
      }
    }
  }
  b.ifThen(isSlot, [&] {
    if (weights)
      b.store(score, weights->scalars, at);
    if (indices)
      b.store(expert, indices->scalars, at);
  });
  return state;
}

Value RouteLowering::finishWeight(Value weight, const Denominator &row) {
  float scale = op.getScale().convertToDouble();
  if (scale != 1)
    weight = arith::MulFOp::create(b, weight, b.f32(scale));
  return row.bad ? b.select(row.bad, getNaN(b), weight) : weight;
}

//===----------------------------------------------------------------------===//
// Renormalization
//===----------------------------------------------------------------------===//

// The highest key of the logits of all lanes' slots; NaN is the lowest.
Value RouteLowering::getHighest(Value highest, Value logit, Value isSlot) {
  Value key =
      b.select(isSlot, getKey(b, logit, nanLowest), b.i32(notACandidate));
  key =
      exchange(b, key, 1, lanes, [&](Value x, Value y) { return b.max(x, y); });
  return b.max(highest, key);
}

// Finite, also where nothing but -inf or NaN is selected.
Value RouteLowering::getShift(Value highest, const Denominator &row) {
  if (!isSoftmax()) // where the largest score is not small, there is none
    highest = b.select(b.lt(highest, b.i32(0)), highest, b.i32(0));
  Value shift = getFloat(b, highest);
  return b.select(b.ge(b.i32(-infinityKey), highest),
                  isSoftmax() ? row.max : b.f32(0), shift);
}

// The score of a slot times e^-shift, for a softmax up to what all scores of
// the row have in common.
Value RouteLowering::getTerm(Value logit, Value shift) {
  if (isSoftmax())
    return math::ExpOp::create(b, arith::SubFOp::create(b, logit, shift));
  Value isNegative = b.lt(getKey(b, logit, nanLowest), b.i32(0));
  Value minus = arith::NegFOp::create(b, logit);
  Value power = math::ExpOp::create(b, b.select(isNegative, logit, minus));
  Value low = b.select(isNegative, logit, b.f32(0));
  Value above = math::ExpOp::create(b, arith::SubFOp::create(b, low, shift));
  Value term = arith::DivFOp::create(b, above,
                                     arith::AddFOp::create(b, power, b.f32(1)));
  // A NaN logit is its own score, whatever the driver's exp makes of it.
  Value isNaN = b.eq(getKey(b, logit, nanLowest), b.i32(nanLowest));
  return b.select(isNaN, logit, term);
}

// In the order of the selection.
Value RouteLowering::addTerms(Value total, Value term) {
  for (int64_t slot = 0; slot < slotsPerRound(); ++slot)
    total = arith::AddFOp::create(
        b, total, lanes > 1 ? b.shuffle(term, b.i32(slot)) : term);
  return total;
}

// max(total + epsilon, floor), all times e^-shift. The scores of a softmax are
// e^(x - max) / sum, so that a guard is multiplied by sum · e^(max - shift); by
// halves, since the power alone may be beyond an f32.
Value RouteLowering::getDivisor(Value total, Value shift,
                                const Denominator &row) {
  float epsilon = op.getEpsilon().convertToDouble();
  float floor = op.getFloor().convertToDouble();
  if (epsilon == 0 && floor == 0)
    return total;
  Value gap = isSoftmax() ? arith::SubFOp::create(b, row.max, shift).getResult()
                          : arith::NegFOp::create(b, shift).getResult();
  Value half = arith::MulFOp::create(b, gap, b.f32(0.5));
  half = b.select(
      b.lt(getKey(b, b.f32(88), nanLowest), getKey(b, half, nanLowest)),
      b.f32(88), half);
  Value root = math::ExpOp::create(b, half);
  auto guard = [&](float value) -> Value {
    Value g = b.f32(value);
    if (isSoftmax())
      g = arith::MulFOp::create(b, g, row.sum);
    return arith::MulFOp::create(b, arith::MulFOp::create(b, g, root), root);
  };
  if (epsilon != 0)
    total = arith::AddFOp::create(b, total, guard(epsilon));
  if (floor == 0)
    return total;
  // NaN is the highest: a sum that is NaN stays.
  Value low = guard(floor);
  Value isLower =
      b.lt(getKey(b, total, nanHighest), getKey(b, low, nanHighest));
  return b.select(isLower, low, total);
}

// This lane has stored the logits of its slots: those are replaced by terms,
// and the terms, once their sum is known, by weights.
void RouteLowering::renormalize(Value token, Value highest,
                                const Denominator &row) {
  Value start = b.mul(token, b.idx(topK));
  Value shift = getShift(highest, row);
  Value total = b.forLoop(
      b.idx(0), b.idx(topK), b.idx(lanes), {b.f32(0)},
      [&](Value first, ValueRange args) -> SmallVector<Value> {
        Value slot = b.add(first, b.threadId());
        Value isSlot = b.lt(slot, b.idx(topK));
        // Some slot of this lane, where it has none in this round.
        Value at = b.add(start, b.select(isSlot, slot, b.threadId()));
        Value logit = b.load(weights->scalars, at);
        Value term = b.select(isSlot, getTerm(logit, shift), b.f32(0));
        b.ifThen(isSlot, [&] { b.store(term, weights->scalars, at); });
        return {addTerms(args[0], term)};
      })[0];
  Value divisor = getDivisor(total, shift, row);
  b.forLoop(
      b.threadId(), b.idx(topK), b.idx(lanes),
      [&](Value slot) {
        Value at = b.add(start, slot);
        Value term = b.load(weights->scalars, at);
        b.store(finishWeight(arith::DivFOp::create(b, term, divisor), row),
                weights->scalars, at);
      },
      dims.constant(rounds()));
}

LogicalResult moe::lowerRoute(KernelOp kernel, RouteOp op,
                              ProgramBuilder &program) {
  return RouteLowering(kernel, op, program).run();
}
