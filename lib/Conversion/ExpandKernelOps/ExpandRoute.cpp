//===- ExpandRoute.cpp - moe.route -> loops on tensors --------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// For each token: the scores of all experts, the values they are selected by,
// the experts that may be selected, and K times the best of those. Scores that
// are divided by their sum are first multiplied by a common factor e^-shift, so
// that the largest of them is about 1 (see DecomposeRoute.cpp).
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
  /// The maximum and the sum of a softmax; null for a sigmoid.
  struct Row {
    Value max, sum;
  };
  Row getRow(Value logits);
  Value getScores(Value logits, const Row &row);
  Value getSelectionValues(Value logits, Value scores);
  Value getAvailable(Value values);
  Value getGroupScores(Value values);
  Value pickBest(Value values, Value available, Value from, Value to);
  Value getShift(Value highest, const Row &row);
  Value getTerm(Value logit, Value shift);
  Value getDivisor(Value total, Value shift, const Row &row);
  Value getWeights(Value token, Value logits, Value scores, const Row &row,
                   Value indices, Value weights);

  Value isNaN(Value x) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
  }
  Value addF(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value exp(Value x) { return math::ExpOp::create(b, x); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mulF(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value neg(Value x) { return arith::NegFOp::create(b, x); }
  Value below(Value x, Value y) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, y);
  }
  bool isSoftmax() { return op.getScoring() == Scoring::Softmax; }
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

static constexpr float infinity = std::numeric_limits<float>::infinity();

// NaN, +inf and all -inf make the sum NaN, as they should.
RouteExpansion::Row RouteExpansion::getRow(Value logits) {
  Row row;
  if (!isSoftmax())
    return row;
  row.max = b.forLoop(b.idx(experts), b.f32(-infinity),
                      [&](Value expert, ValueRange args) -> Values {
                        return {arith::MaximumFOp::create(
                            b, args[0], b.extract(logits, expert))};
                      })[0];
  row.sum = b.forLoop(b.idx(experts), b.f32(0),
                      [&](Value expert, ValueRange args) -> Values {
                        Value x = b.extract(logits, expert);
                        return {addF(args[0], exp(sub(x, row.max)))};
                      })[0];
  return row;
}

Value RouteExpansion::getScores(Value logits, const Row &row) {
  return forEachExpert([&](Value expert) {
    Value x = b.extract(logits, expert);
    return isSoftmax() ? div(exp(sub(x, row.max)), row.sum)
                       : div(b.f32(1), addF(b.f32(1), exp(neg(x))));
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
  Row row = getRow(logits);
  Value scores = getScores(logits, row);
  Value values = getSelectionValues(logits, scores);
  Value indices =
      b.forLoop(b.idx(op.getTopK()), {results[1], getAvailable(values)},
                [&](Value slot, ValueRange args) -> Values {
                  Value best =
                      pickBest(values, args[1], b.idx(0), b.idx(experts));
                  return {b.insert(b.toI32(best), args[0], {token, slot}),
                          b.insert(b.boolean(false), args[1], best)};
                })[0];
  return {getWeights(token, logits, scores, row, indices, results[0]), indices};
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

// Finite, unless the largest logit is +inf or NaN; then so are the scores.
Value RouteExpansion::getShift(Value highest, const Row &row) {
  Value isLowest = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, highest,
                                         b.f32(-infinity));
  if (isSoftmax())
    return b.select(isLowest, row.max, highest);
  Value negative = b.select(below(highest, b.f32(0)), highest, b.f32(0));
  return b.select(isLowest, b.f32(0), negative);
}

Value RouteExpansion::getTerm(Value logit, Value shift) {
  if (isSoftmax())
    return exp(sub(logit, shift));
  Value negative = below(logit, b.f32(0));
  Value power = exp(b.select(negative, logit, neg(logit)));
  Value low = b.select(negative, logit, b.f32(0));
  return div(exp(sub(low, shift)), addF(power, b.f32(1)));
}

Value RouteExpansion::getDivisor(Value total, Value shift, const Row &row) {
  double epsilon = op.getEpsilon().convertToDouble();
  double floor = op.getFloor().convertToDouble();
  if (isSoftmax()) // no scores, no weights
    total = b.select(isNaN(row.sum), row.sum, total);
  if (epsilon == 0 && floor == 0)
    return total;
  Value half = mulF(isSoftmax() ? sub(row.max, shift) : neg(shift), b.f32(0.5));
  Value root = exp(b.select(below(b.f32(88), half), b.f32(88), half));
  auto guard = [&](double value) {
    Value g = b.f32(value);
    return mulF(mulF(isSoftmax() ? mulF(g, row.sum) : g, root), root);
  };
  if (epsilon != 0)
    total = addF(total, guard(epsilon));
  if (floor != 0)
    total = arith::MaximumFOp::create(b, guard(floor), total);
  return total;
}

Value RouteExpansion::getWeights(Value token, Value logits, Value scores,
                                 const Row &row, Value indices, Value weights) {
  Value topK = b.idx(op.getTopK()),
        scale = b.f32(op.getScale().convertToDouble());
  auto select = [&](Value values, Value slot) {
    return b.extract(values, b.toIndex(b.extract(indices, {token, slot})));
  };
  auto store = [&](Value weight, Value slot, Value result) -> Values {
    return {b.insert(mulF(weight, scale), result, {token, slot})};
  };
  if (!op.getRenormalize())
    return b.forLoop(topK, weights, [&](Value slot, ValueRange args) {
      return store(select(scores, slot), slot, args[0]);
    })[0];
  Value highest = b.forLoop(
      topK, b.f32(-infinity), [&](Value slot, ValueRange args) -> Values {
        return {arith::MaximumFOp::create(b, args[0], select(logits, slot))};
      })[0];
  Value shift = getShift(highest, row);
  Value total =
      b.forLoop(topK, b.f32(0), [&](Value slot, ValueRange args) -> Values {
        return {addF(args[0], getTerm(select(logits, slot), shift))};
      })[0];
  Value divisor = getDivisor(total, shift, row);
  return b.forLoop(topK, weights, [&](Value slot, ValueRange args) {
    Value term = getTerm(select(logits, slot), shift);
    return store(div(term, divisor), slot, args[0]);
  })[0];
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
