//===- DecomposeRoute.cpp - Routing weights as linalg ops -----------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// weights[t, k] = scale · s[i] / D with i = indices[t, k]; D = max(Σ s + ε, φ)
// with `renormalize`, else 1.
//
// A renormalized weight may be large where the scores are below the range of an
// f32. So numerator and denominator are multiplied by e^-shift, where shift
// follows from the largest selected logit and is but a number: the quotient
// does not depend on it, and there is no derivative through it.
//
//                softmax                          sigmoid
// shift          max x over the slots             min(max x over the slots, 0)
// u = s e^-shift e^(x - shift), up to a factor    e^(min(x, 0) - shift) /
//                that all have                      (1 + e^-|x|)
//
//===----------------------------------------------------------------------===//

#include "RouteLoops.h"

#include "moe/Dialect/MoE/IR/Decompose.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace mlir::moe;

using route::Body;
using route::Loops;

namespace {
class RouteDecomposition {
public:
  template <typename OpTy>
  RouteDecomposition(OpBuilder &builder, OpTy op)
      : loops(builder, op.getLoc(), op.getLogits(), op.getIndices()),
        logits(op.getLogits()), indices(op.getIndices()),
        renormalize(op.getRenormalize()),
        isSoftmax(op.getScoring() == Scoring::Softmax),
        scale(op.getScale().convertToDouble()),
        epsilon(op.getEpsilon().convertToDouble()),
        floor(op.getFloor().convertToDouble()) {
    if (renormalize)
      computeShares();
  }

  Value weights();
  Value gradient(Value dweights, Type element);

private:
  /// The parts of the denominator of a token, all times e^-shift.
  struct Denominator {
    Value epsilon, floor; ///< null where they are 0
    Value sum;            ///< Σ u + epsilon
  };

  bool isGuarded() const { return epsilon != 0 || floor != 0; }
  Value computeScores();
  void computeShares();
  Value getShift(Body &body, Value chosenKey, Value rowKey);
  SmallVector<Value> getDenominatorInputs();
  Denominator getDenominator(Body &body, ValueRange args);
  void computeRest();
  Value gradientOfShares(Value dweights, Type element);
  Value gradientOfScores(Value dweights, Type element);

  Loops loops;
  Value logits, indices;
  bool renormalize, isSoftmax;
  double scale, epsilon, floor;

  Value rowKey;    ///< softmax: the key of the largest logit, [t]
  Value chosenKey; ///< that of the largest selected one, [t]
  Value total;     ///< Σ u, [t]
  Value powers;    ///< softmax, guarded: Σ e^(x - max x) over all experts, [t]
  Value shares;    ///< s / D, [t, k]
  Value rest;      ///< guarded: the part of D that no logit is in, / D, [t]
  Value isSummed;  ///< with a floor: 1, or 0 where D is the floor, [t]
};
} // namespace

static Value negatedMagnitude(Body &b, Value x) {
  return b.select(b.less(x, b.f32(0)), x, b.neg(x));
}

// σ(x) e^-shift for shift <= 0, and for shift = 0 where x > 0.
static Value scaledSigmoid(Body &b, Value x, Value shift) {
  Value low = b.select(b.less(x, b.f32(0)), x, b.f32(0));
  Value below = b.add(b.exp(negatedMagnitude(b, x)), b.f32(1));
  return b.div(b.exp(shift ? b.sub(low, shift) : low), below);
}

Value RouteDecomposition::computeScores() {
  if (isSoftmax)
    return loops.softmax(logits);
  return loops.elementwise(Loops::Experts, logits,
                           [](Body &b, ValueRange args) {
                             Value power = b.exp(b.neg(b.widen(args[0])));
                             return b.div(b.f32(1), b.add(power, b.f32(1)));
                           });
}

// Where nothing is selected, or only −inf, any finite number will do.
Value RouteDecomposition::getShift(Body &b, Value chosenKey, Value rowKey) {
  Value highest = b.ofKey(chosenKey);
  if (isSoftmax)
    return b.select(b.isLowest(chosenKey), b.ofKey(rowKey), highest);
  Value low = b.select(b.less(highest, b.f32(0)), highest, b.f32(0));
  return b.select(b.isLowest(chosenKey), b.f32(0), low);
}

SmallVector<Value> RouteDecomposition::getDenominatorInputs() {
  SmallVector<Value> inputs{total, chosenKey};
  if (isSoftmax)
    inputs.push_back(rowKey);
  if (powers)
    inputs.push_back(powers);
  return inputs;
}

// A guard g is g e^-shift: for a softmax g · powers · e^(max x - shift), as its
// scores are e^(x - max x) / powers. By halves, since e^-shift alone may be
// beyond an f32 where the product is not.
RouteDecomposition::Denominator
RouteDecomposition::getDenominator(Body &b, ValueRange args) {
  Denominator d;
  d.sum = args[0];
  if (!isGuarded())
    return d;
  Value shift = getShift(b, args[1], isSoftmax ? args[2] : Value());
  Value gap = isSoftmax ? b.sub(b.ofKey(args[2]), shift) : b.neg(shift);
  Value half = b.mul(gap, b.f32(0.5));
  half = b.select(b.less(b.f32(88), half), b.f32(88), half);
  Value root = b.exp(half);
  auto guard = [&](double value) {
    Value g = b.f32(value);
    if (isSoftmax)
      g = b.mul(g, args[3]);
    return b.mul(b.mul(g, root), root);
  };
  if (epsilon != 0) {
    d.epsilon = guard(epsilon);
    d.sum = b.add(d.sum, d.epsilon);
  }
  if (floor != 0)
    d.floor = guard(floor);
  return d;
}

void RouteDecomposition::computeShares() {
  if (isSoftmax)
    rowKey = loops.highestKey(logits, [](Body &b, ValueRange args) {
      return b.key(b.widen(args[0]));
    });
  Value chosen = loops.select(logits);
  chosenKey =
      loops.highestKey({indices, chosen}, [&](Body &b, ValueRange args) {
        return b.select(loops.isExpert(b, args[0]), b.key(args[1]),
                        b.i32(std::numeric_limits<int32_t>::min()));
      });
  SmallVector<Value> inputs{indices, chosen, chosenKey};
  if (isSoftmax)
    inputs.push_back(rowKey);
  Value terms =
      loops.elementwise(Loops::Slots, inputs, [&](Body &b, ValueRange args) {
        Value shift = getShift(b, args[2], isSoftmax ? args[3] : Value());
        Value term = isSoftmax ? b.exp(b.sub(args[1], shift))
                               : scaledSigmoid(b, args[1], shift);
        return b.select(loops.isExpert(b, args[0]), term, b.f32(0));
      });
  total = loops.sum(terms, [](Body &, ValueRange args) { return args[0]; });
  if (isSoftmax && isGuarded())
    powers = loops.sum({logits, rowKey}, [](Body &b, ValueRange args) {
      return b.exp(b.sub(b.widen(args[0]), b.ofKey(args[1])));
    });
  Value divisor = total;
  if (isSoftmax || isGuarded())
    divisor =
        loops.perToken(getDenominatorInputs(), [&](Body &b, ValueRange args) {
          Denominator d = getDenominator(b, args);
          Value result = d.sum;
          if (d.floor)
            result = arith::MaximumFOp::create(b, d.floor, d.sum);
          // A softmax with NaN, +inf or only −inf has no scores.
          return isSoftmax ? b.select(b.isNotFinite(args[2]),
                                      b.f32(std::nan("")), result)
                           : result;
        });
  shares = loops.elementwise(
      Loops::Slots, {terms, divisor},
      [](Body &b, ValueRange args) { return b.div(args[0], args[1]); });
}

void RouteDecomposition::computeRest() {
  // 1 / (Σ u / ε + 1): ε may be infinite when it is scaled.
  rest = loops.perToken(getDenominatorInputs(), [&](Body &b, ValueRange args) {
    Denominator d = getDenominator(b, args);
    Value one = b.f32(1), part = b.f32(0);
    if (d.epsilon)
      part = b.div(one, b.add(b.div(args[0], d.epsilon), one));
    return d.floor ? b.select(b.less(d.sum, d.floor), one, part) : part;
  });
  if (floor != 0)
    isSummed =
        loops.perToken(getDenominatorInputs(), [&](Body &b, ValueRange args) {
          Denominator d = getDenominator(b, args);
          return b.select(b.less(d.sum, d.floor), b.f32(0), b.f32(1));
        });
}

Value RouteDecomposition::weights() {
  if (!renormalize) {
    Value selected = loops.select(computeScores());
    if (scale == 1.0)
      return selected;
    return loops.elementwise(
        Loops::Slots, selected,
        [&](Body &b, ValueRange args) { return b.scale(args[0], scale); });
  }
  // A slot without an expert has weight 0, also where no slot has one.
  return loops.elementwise(Loops::Slots, {indices, shares},
                           [&](Body &b, ValueRange args) {
                             return b.select(loops.isExpert(b, args[0]),
                                             b.scale(args[1], scale), b.f32(0));
                           });
}

Value RouteDecomposition::gradient(Value dweights, Type element) {
  return renormalize ? gradientOfShares(dweights, element)
                     : gradientOfScores(dweights, element);
}

// With r = s / D, g = dweights, and ρ the part of D that no logit is in, / D:
//
// c[t, k] = scale · r · (ρ g + Σ_l (g - g_l) r_l), the sum only where D has one
// M[t]    = scale · ρ · Σ_l g_l r_l
// softmax: dlogits[t, e] = Σ c over the slots of e - s · M
// sigmoid: dlogits[t, e] = σ(-x) · Σ c over the slots of e
//
// This is g - Σ g_l r_l without a difference of numbers that may be alike, as
// Σ r + ρ = 1.
Value RouteDecomposition::gradientOfShares(Value dweights, Type element) {
  if (isGuarded())
    computeRest();
  // A slot without an expert stays out, even where its gradient is NaN.
  Value pairs = loops.sumOverPairs(
      {dweights}, {indices, dweights, shares}, [&](Body &b, ValueRange args) {
        Value term = b.mul(b.sub(args[0], args[2]), args[3]);
        return b.select(loops.isExpert(b, args[1]), term, b.f32(0));
      });
  SmallVector<Value> inputs{dweights, shares, pairs};
  if (rest)
    inputs.push_back(rest);
  if (isSummed)
    inputs.push_back(isSummed);
  Value perSlot =
      loops.elementwise(Loops::Slots, inputs, [&](Body &b, ValueRange args) {
        Value inner = args[2];
        if (isSummed)
          inner = b.mul(inner, args[4]);
        if (rest)
          inner = b.add(b.mul(args[0], args[3]), inner);
        return b.scale(b.mul(args[1], inner), scale);
      });
  Value collected = loops.collect(perSlot);
  if (!isSoftmax)
    return loops.elementwise(
        Loops::Experts, {logits, collected},
        [&](Body &b, ValueRange args) {
          Value x = b.neg(b.widen(args[0]));
          return b.narrow(b.mul(scaledSigmoid(b, x, {}), args[1]), element);
        },
        element);
  if (!isGuarded())
    return loops.elementwise(
        Loops::Experts, {collected, rowKey},
        [&](Body &b, ValueRange args) {
          Value result =
              b.select(b.isNotFinite(args[1]), b.f32(std::nan("")), args[0]);
          return b.narrow(result, element);
        },
        element);
  Value mean =
      loops.sum({indices, dweights, shares}, [&](Body &b, ValueRange args) {
        return b.select(loops.isExpert(b, args[0]), b.mul(args[1], args[2]),
                        b.f32(0));
      });
  return loops.elementwise(
      Loops::Experts, {logits, collected, rowKey, powers, mean, rest},
      [&](Body &b, ValueRange args) {
        Value power = b.exp(b.sub(b.widen(args[0]), b.ofKey(args[2])));
        Value score = b.div(power, args[3]);
        Value lost = b.scale(b.mul(args[4], args[5]), scale);
        Value result = b.sub(args[1], b.mul(score, lost));
        result = b.select(b.isNotFinite(args[2]), b.f32(std::nan("")), result);
        return b.narrow(result, element);
      },
      element);
}

// a[t, e]       = Σ scale · g over the slots of e
// dlogits[t, e] = s (a - Σ_f s a), or σ(x) σ(-x) a
//
// An s next to 1 would take the digits of a - Σ_f s a away. Both terms are
// taken relative to the a of the expert with s > 1/2, if there is one.
Value RouteDecomposition::gradientOfScores(Value dweights, Type element) {
  Value ds = dweights;
  if (scale != 1.0)
    ds = loops.elementwise(
        Loops::Slots, dweights,
        [&](Body &b, ValueRange args) { return b.scale(args[0], scale); });
  Value a = loops.collect(ds);
  if (!isSoftmax)
    return loops.elementwise(
        Loops::Experts, {logits, a},
        [&](Body &b, ValueRange args) {
          Value power = b.exp(negatedMagnitude(b, b.widen(args[0])));
          Value below = b.add(power, b.f32(1));
          Value slope = b.div(b.div(power, below), below);
          return b.narrow(b.mul(slope, args[1]), element);
        },
        element);
  Value scores = computeScores();
  Value pivot = loops.sum({scores, a}, [](Body &b, ValueRange args) {
    return b.select(b.less(b.f32(0.5), args[0]), args[1], b.f32(0));
  });
  Value mean = loops.sum({scores, a, pivot}, [](Body &b, ValueRange args) {
    return b.mul(args[0], b.sub(args[1], args[2]));
  });
  return loops.elementwise(
      Loops::Experts, {scores, a, pivot, mean},
      [&](Body &b, ValueRange args) {
        Value own = b.sub(args[1], args[2]);
        return b.narrow(b.mul(args[0], b.sub(own, args[3])), element);
      },
      element);
}

static Value castTo(OpBuilder &builder, Type type, Value value) {
  if (value.getType() == type)
    return value;
  return tensor::CastOp::create(builder, value.getLoc(), type, value);
}

Value moe::decomposeRouteWeights(OpBuilder &builder, RouteWeightsOp op) {
  return castTo(builder, op.getType(),
                RouteDecomposition(builder, op).weights());
}

Value moe::decomposeRouteGrad(OpBuilder &builder, RouteGradOp op) {
  Value result = RouteDecomposition(builder, op)
                     .gradient(op.getDweights(), op.getType().getElementType());
  return castTo(builder, op.getType(), result);
}

namespace {
template <typename OpTy, Value (*decompose)(OpBuilder &, OpTy)>
struct Decompose final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, decompose(rewriter, op));
    return success();
  }
};
} // namespace

void moe::populateDecomposeRoutePatterns(RewritePatternSet &patterns) {
  patterns.add<Decompose<RouteGradOp, decomposeRouteGrad>,
               Decompose<RouteWeightsOp, decomposeRouteWeights>>(
      patterns.getContext());
}
