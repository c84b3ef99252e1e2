//===- ExpandRoute.cpp - moe.route -> loops on tensors --------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// For each token: the scores of all experts, the values they are selected by,
// the experts that may be selected, and K times the best of those.
//
//===----------------------------------------------------------------------===//

#include "ExpandBuilder.h"
#include "moe/Conversion/ExpandKernelOps.h"
#include "moe/Conversion/GenericBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::moe;

using Values = ExpandBuilder::Values;

namespace {
class RouteExpansion {
public:
  RouteExpansion(RewriterBase &rewriter, RouteOp op)
      : op(op), b(op.getLoc(), rewriter),
        experts(op.getLogits().getType().getDimSize(1)),
        groups(op.getGroups()) {}

  Values run();

private:
  Values expandToken(Value token, ValueRange results);
  Value getScores(Value logits);
  Value getSelectionValues(Value logits, Value scores);
  Value getAvailable(Value values);
  Value getGroupScores(Value values);
  Value pickBest(Value values, Value available, Value from, Value to);

  Value isNaN(Value x) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
  }
  Value addF(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value exp(Value x) { return math::ExpOp::create(b, x); }
  Value forEachExpert(function_ref<Value(Value expert)> element);

  RouteOp op;
  ExpandBuilder b;
  int64_t experts, groups;
};
} // namespace

// A vector with one f32 of each expert.
Value RouteExpansion::forEachExpert(function_ref<Value(Value)> element) {
  Value init = b.filled(ArrayRef<int64_t>{experts}, b.f32(0));
  return b.forLoop(b.idx(experts), init,
                   [&](Value expert, ValueRange args) -> Values {
                     return {b.insert(element(expert), args[0], expert)};
                   })[0];
}

Value RouteExpansion::getScores(Value logits) {
  if (op.getScoring() == Scoring::Sigmoid)
    return forEachExpert([&](Value expert) -> Value {
      Value x = b.extract(logits, expert);
      Value power = exp(arith::NegFOp::create(b, x));
      return arith::DivFOp::create(b, b.f32(1), addF(b.f32(1), power));
    });

  // NaN, +inf and all -inf make every quotient NaN, as they should.
  Value lowest = b.f32(-std::numeric_limits<float>::infinity());
  Value max = b.forLoop(
      b.idx(experts), lowest, [&](Value expert, ValueRange args) -> Values {
        return {
            arith::MaximumFOp::create(b, args[0], b.extract(logits, expert))};
      })[0];
  Value powers = forEachExpert([&](Value expert) {
    return exp(arith::SubFOp::create(b, b.extract(logits, expert), max));
  });
  Value sum = b.forLoop(b.idx(experts), b.f32(0),
                        [&](Value expert, ValueRange args) -> Values {
                          return {addF(args[0], b.extract(powers, expert))};
                        })[0];
  return forEachExpert([&](Value expert) -> Value {
    return arith::DivFOp::create(b, b.extract(powers, expert), sum);
  });
}

Value RouteExpansion::getSelectionValues(Value logits, Value scores) {
  return forEachExpert([&](Value expert) -> Value {
    Value score = b.extract(scores, expert);
    if (op.getBias())
      return addF(score, b.extract(op.getBias(), expert));
    if (groups > 1)
      return score;
    // The logits themselves; a softmax without scores prefers no expert.
    Value logit = b.extract(logits, expert);
    if (op.getScoring() == Scoring::Softmax)
      return b.select(isNaN(score), score, logit);
    return logit;
  });
}

// The first of the available elements [from, to) that no other one exceeds;
// NaN is exceeded by everything else.
Value RouteExpansion::pickBest(Value values, Value available, Value from,
                               Value to) {
  Values best = b.forLoop(
      from, to, b.idx(1), {from, b.f32(0), b.boolean(false)},
      [&](Value position, ValueRange args) -> Values {
        Value value = b.extract(values, position);
        Value greater =
            arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, value, args[1]);
        Value overNaN = b.both(
            isNaN(args[1]),
            arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, value, value));
        Value isFirst = arith::XOrIOp::create(b, args[2], b.boolean(true));
        Value better = b.either(isFirst, b.either(greater, overNaN));
        better = b.both(better, b.extract(available, position));
        return {b.select(better, position, args[0]),
                b.select(better, value, args[1]), b.either(args[2], better)};
      });
  return best[0];
}

Value RouteExpansion::getGroupScores(Value values) {
  Value size = b.idx(experts / groups),
        all = b.filled(ArrayRef<int64_t>{experts}, b.boolean(true));
  Value init = b.filled(ArrayRef<int64_t>{groups}, b.f32(0));
  return b.forLoop(
      b.idx(groups), init, [&](Value group, ValueRange args) -> Values {
        Value from = b.mul(group, size), to = b.add(from, size);
        Value first = pickBest(values, all, from, to);
        Value score = b.extract(values, first);
        if (op.getGroupScore() == GroupScore::Top2Sum) {
          Value others = b.insert(b.boolean(false), all, first);
          score = addF(score,
                       b.extract(values, pickBest(values, others, from, to)));
        }
        return {b.insert(score, args[0], group)};
      })[0];
}

// Which experts the selection may take: those of the best groups.
Value RouteExpansion::getAvailable(Value values) {
  Value unlimited =
      b.boolean(static_cast<int64_t>(op.getSelectedGroups()) == groups);
  Value available = b.filled(ArrayRef<int64_t>{experts}, unlimited);
  if (static_cast<int64_t>(op.getSelectedGroups()) == groups)
    return available;
  Value scores = getGroupScores(values), size = b.idx(experts / groups);
  Value free = b.filled(ArrayRef<int64_t>{groups}, b.boolean(true));
  return b.forLoop(
      b.idx(op.getSelectedGroups()), {available, free},
      [&](Value, ValueRange args) -> Values {
        Value group = pickBest(scores, args[1], b.idx(0), b.idx(groups));
        Value from = b.mul(group, size), to = b.add(from, size);
        Value members =
            b.forLoop(from, to, b.idx(1), args[0],
                      [&](Value expert, ValueRange inner) -> Values {
                        return {b.insert(b.boolean(true), inner[0], expert)};
                      })[0];
        return {members, b.insert(b.boolean(false), args[1], group)};
      })[0];
}

Values RouteExpansion::expandToken(Value token, ValueRange results) {
  Value logits = forEachExpert([&](Value expert) {
    return toF32(b, b.extract(op.getLogits(), {token, expert}));
  });
  Value scores = getScores(logits);
  Value values = getSelectionValues(logits, scores);
  Value topK = b.idx(op.getTopK());
  Values selected =
      b.forLoop(topK, {results[1], getAvailable(values), b.f32(0)},
                [&](Value slot, ValueRange args) -> Values {
                  Value best =
                      pickBest(values, args[1], b.idx(0), b.idx(experts));
                  return {b.insert(b.toI32(best), args[0], {token, slot}),
                          b.insert(b.boolean(false), args[1], best),
                          addF(args[2], b.extract(scores, best))};
                });
  Value indices = selected[0], total = selected[2];
  Value weights =
      b.forLoop(topK, results[0], [&](Value slot, ValueRange args) -> Values {
        Value expert = b.toIndex(b.extract(indices, {token, slot}));
        Value weight = b.extract(scores, expert);
        if (op.getRenormalize())
          weight = arith::DivFOp::create(b, weight, total);
        Value scale = b.f32(op.getScale().convertToDouble());
        return {b.insert(arith::MulFOp::create(b, weight, scale), args[0],
                         {token, slot})};
      })[0];
  return {weights, indices};
}

Values RouteExpansion::run() {
  Value tokens = b.size(op.getLogits(), 0), topK = b.idx(op.getTopK());
  Value weights = b.filled(op.getWeights().getType(), {tokens, topK}, b.f32(0));
  Value indices = b.filled(op.getIndices().getType(), {tokens, topK}, b.i32(0));
  return b.forLoop(
      tokens, {weights, indices},
      [&](Value token, ValueRange args) { return expandToken(token, args); });
}

LogicalResult moe::expandRoute(RewriterBase &rewriter, RouteOp op) {
  rewriter.replaceOp(op, RouteExpansion(rewriter, op).run());
  return success();
}
