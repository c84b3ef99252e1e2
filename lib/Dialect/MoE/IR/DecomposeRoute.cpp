//===- DecomposeRoute.cpp - Routing weights as linalg ops -----------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// scores[t, e]   = softmax or sigmoid of the logits, in f32
// selected[t, k] = Σ_e (indices[t, k] = e ? scores[t, e] : 0)
// total[t]       = Σ_k selected[t, k]
// weights[t, k]  = scale · selected[t, k] (/ total[t])
//
// Elements are picked by comparison, not by indexing: every op is a sum or an
// elementwise op over loops alone, which has a derivative. An index outside
// [0, E) picks nothing.
//
//===----------------------------------------------------------------------===//

#include "moe/Dialect/MoE/IR/Decompose.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::moe;

using utils::IteratorType;

namespace {
/// Loops t, e, k of the ops that are built, and what they have in common.
class RouteDecomposition {
public:
  template <typename OpTy>
  RouteDecomposition(OpBuilder &builder, OpTy op)
      : b(op.getLoc(), builder), indices(op.getIndices()),
        renormalize(op.getRenormalize()), scoring(op.getScoring()),
        scale(op.getScale().convertToDouble()) {
    tokens = tensor::getMixedSize(b, b.getLoc(), op.getLogits(), 0);
    experts = b.getIndexAttr(op.getLogits().getType().getDimSize(1));
    choices = b.getIndexAttr(op.getIndices().getType().getDimSize(1));
    scores = computeScores(op.getLogits());
    selected = select(scores);
    if (renormalize)
      total = sum(selected, choices);
  }

  Value weights();
  Value gradient(Value dweights, Type element);

private:
  using Body = function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

  Value empty(ArrayRef<OpFoldResult> sizes, Type element) {
    return tensor::EmptyOp::create(b, sizes, element);
  }
  Value zeros(ArrayRef<OpFoldResult> sizes) {
    Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
    return linalg::FillOp::create(b, zero, empty(sizes, b.getF32Type()))
        .getResult(0);
  }
  AffineMap map(unsigned loops, ArrayRef<unsigned> dims) {
    return AffineMap::getMultiDimMapWithTargets(loops, dims, b.getContext());
  }
  /// A generic whose last map is that of `init`; loops it lacks are summed.
  Value generic(ValueRange inputs, Value init, ArrayRef<AffineMap> maps,
                Body body);
  /// Over [t, x] and, per token, [t].
  Value elementwise(ValueRange inputs, OpFoldResult size, Body body,
                    Type element = {});
  Value sum(Value matrix, OpFoldResult size);
  Value sumOfProducts(Value left, Value right);
  Value computeScores(Value logits);
  Value select(Value perExpert);
  Value collect(Value perChoice);
  Value isChosen(ImplicitLocOpBuilder &body, Value index, unsigned loop);
  Value isExpert(ImplicitLocOpBuilder &body, Value index);

  ImplicitLocOpBuilder b;
  Value indices;
  bool renormalize;
  Scoring scoring;
  double scale;
  OpFoldResult tokens, experts, choices;
  Value scores, selected, total;
};
} // namespace

static Value constant(ImplicitLocOpBuilder &b, double value) {
  return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
}

Value RouteDecomposition::generic(ValueRange inputs, Value init,
                                  ArrayRef<AffineMap> maps, Body body) {
  SmallVector<IteratorType> loops(maps.back().getNumDims(),
                                  IteratorType::reduction);
  for (AffineExpr expr : maps.back().getResults())
    loops[cast<AffineDimExpr>(expr).getPosition()] = IteratorType::parallel;
  return linalg::GenericOp::create(
             b, init.getType(), inputs, init, maps, loops,
             [&](OpBuilder &nested, Location loc, ValueRange args) {
               ImplicitLocOpBuilder inner(loc, nested);
               Value result = body(inner, args);
               linalg::YieldOp::create(inner, result);
             })
      .getResult(0);
}

Value RouteDecomposition::elementwise(ValueRange inputs, OpFoldResult size,
                                      Body body, Type element) {
  SmallVector<AffineMap> maps;
  for (Value input : inputs)
    maps.push_back(cast<RankedTensorType>(input.getType()).getRank() == 1
                       ? map(2, {0})
                       : map(2, {0, 1}));
  maps.push_back(map(2, {0, 1}));
  Value init = empty({tokens, size}, element ? element : b.getF32Type());
  return generic(inputs, init, maps, body);
}

Value RouteDecomposition::sum(Value matrix, OpFoldResult size) {
  return generic(
      matrix, zeros({tokens}), {map(2, {0, 1}), map(2, {0})},
      [](ImplicitLocOpBuilder &body, ValueRange args) {
        return arith::AddFOp::create(body, args[1], args[0]).getResult();
      });
}

Value RouteDecomposition::sumOfProducts(Value left, Value right) {
  return generic(
      {left, right}, zeros({tokens}),
      {map(2, {0, 1}), map(2, {0, 1}), map(2, {0})},
      [](ImplicitLocOpBuilder &body, ValueRange args) {
        Value term = arith::MulFOp::create(body, args[0], args[1]);
        return arith::AddFOp::create(body, args[2], term).getResult();
      });
}

Value RouteDecomposition::computeScores(Value logits) {
  bool narrow = !getElementTypeOrSelf(logits.getType()).isF32();
  auto widen = [](ImplicitLocOpBuilder &body, Value x) -> Value {
    return x.getType().isF32()
               ? x
               : Value(arith::ExtFOp::create(body, body.getF32Type(), x));
  };
  if (scoring == Scoring::Sigmoid)
    return elementwise(
        logits, experts, [&](ImplicitLocOpBuilder &body, ValueRange args) {
          Value x = widen(body, args[0]);
          Value minus = arith::NegFOp::create(body, x);
          Value power = math::ExpOp::create(body, minus);
          Value one = constant(body, 1.0);
          Value below = arith::AddFOp::create(body, power, one);
          return arith::DivFOp::create(body, one, below).getResult();
        });
  Value wide = logits;
  if (narrow)
    wide = elementwise(logits, experts,
                       [&](ImplicitLocOpBuilder &body, ValueRange args) {
                         return widen(body, args[0]);
                       });
  Value init = empty({tokens, experts}, b.getF32Type());
  if (init.getType() != wide.getType())
    wide = tensor::CastOp::create(b, init.getType(), wide);
  return linalg::SoftmaxOp::create(b, TypeRange{init.getType()}, wide, init,
                                   b.getI64IntegerAttr(1))
      .getResult()[0];
}

Value RouteDecomposition::isChosen(ImplicitLocOpBuilder &body, Value index,
                                   unsigned loop) {
  Value expert = arith::IndexCastOp::create(
      body, body.getI32Type(), linalg::IndexOp::create(body, loop));
  return arith::CmpIOp::create(body, arith::CmpIPredicate::eq, index, expert);
}

Value RouteDecomposition::isExpert(ImplicitLocOpBuilder &body, Value index) {
  int32_t count = cast<IntegerAttr>(cast<Attribute>(experts)).getInt();
  Value last = arith::ConstantOp::create(body, body.getI32IntegerAttr(count));
  return arith::CmpIOp::create(body, arith::CmpIPredicate::ult, index, last);
}

// [t, e] -> [t, k]: the value of the slot's expert.
Value RouteDecomposition::select(Value perExpert) {
  return generic(
      {indices, perExpert}, zeros({tokens, choices}),
      {map(3, {0, 1}), map(3, {0, 2}), map(3, {0, 1})},
      [&](ImplicitLocOpBuilder &body, ValueRange args) {
        Value term = arith::SelectOp::create(body, isChosen(body, args[0], 2),
                                             args[1], constant(body, 0.0));
        return arith::AddFOp::create(body, args[2], term).getResult();
      });
}

// [t, k] -> [t, e]: the sum over the slots of the expert.
Value RouteDecomposition::collect(Value perChoice) {
  return generic(
      {indices, perChoice}, zeros({tokens, experts}),
      {map(3, {0, 2}), map(3, {0, 2}), map(3, {0, 1})},
      [&](ImplicitLocOpBuilder &body, ValueRange args) {
        Value term = arith::SelectOp::create(body, isChosen(body, args[0], 1),
                                             args[1], constant(body, 0.0));
        return arith::AddFOp::create(body, args[2], term).getResult();
      });
}

Value RouteDecomposition::weights() {
  auto scaled = [&](ImplicitLocOpBuilder &body, Value w) {
    return scale == 1.0 ? w
                        : arith::MulFOp::create(body, w, constant(body, scale));
  };
  if (!renormalize) {
    if (scale == 1.0)
      return selected;
    return elementwise(selected, choices,
                       [&](ImplicitLocOpBuilder &body, ValueRange args) {
                         return scaled(body, args[0]);
                       });
  }
  // A slot without an expert has weight 0, also where no slot has one.
  return elementwise(
      {indices, selected, total}, choices,
      [&](ImplicitLocOpBuilder &body, ValueRange args) -> Value {
        Value kept = isExpert(body, args[0]);
        Value share = arith::DivFOp::create(body, args[1], args[2]);
        return arith::SelectOp::create(body, kept, scaled(body, share),
                                       constant(body, 0.0));
      });
}

// ds[t, k]      = scale · (g[t, k] - Σ_l g[t, l] · selected[t, l] / total[t])
//                 / total[t] over the slots l with an expert, or scale · g[t,
//                 k]
// a[t, e]       = Σ_k (indices[t, k] = e ? ds[t, k] : 0)
// dlogits[t, e] = s · (a - Σ_f s · a), or s · (1 - s) · a
Value RouteDecomposition::gradient(Value dweights, Type element) {
  Value ds = dweights;
  if (renormalize) {
    // A slot without an expert stays out, even where its gradient is NaN.
    Value mean =
        generic({indices, dweights, selected}, zeros({tokens}),
                {map(2, {0, 1}), map(2, {0, 1}), map(2, {0, 1}), map(2, {0})},
                [&](ImplicitLocOpBuilder &body, ValueRange args) {
                  Value term = arith::MulFOp::create(body, args[1], args[2]);
                  Value kept = arith::SelectOp::create(
                      body, isExpert(body, args[0]), term, constant(body, 0.0));
                  return arith::AddFOp::create(body, args[3], kept).getResult();
                });
    ds = elementwise(
        {dweights, mean, total}, choices,
        [&](ImplicitLocOpBuilder &body, ValueRange args) -> Value {
          Value share = arith::DivFOp::create(body, args[1], args[2]);
          Value rest = arith::SubFOp::create(body, args[0], share);
          if (scale != 1.0)
            rest = arith::MulFOp::create(body, rest, constant(body, scale));
          return arith::DivFOp::create(body, rest, args[2]);
        });
  } else if (scale != 1.0) {
    ds = elementwise(dweights, choices,
                     [&](ImplicitLocOpBuilder &body, ValueRange args) -> Value {
                       return arith::MulFOp::create(body, args[0],
                                                    constant(body, scale));
                     });
  }
  Value a = collect(ds);
  auto round = [&](ImplicitLocOpBuilder &body, Value x) -> Value {
    return element.isF32() ? x
                           : Value(arith::TruncFOp::create(body, element, x));
  };
  if (scoring == Scoring::Sigmoid)
    return elementwise(
        {scores, a}, experts,
        [&](ImplicitLocOpBuilder &body, ValueRange args) -> Value {
          Value rest =
              arith::SubFOp::create(body, constant(body, 1.0), args[0]);
          Value slope = arith::MulFOp::create(body, args[0], rest);
          return round(body, arith::MulFOp::create(body, slope, args[1]));
        },
        element);
  Value mean = sumOfProducts(scores, a);
  return elementwise(
      {scores, a, mean}, experts,
      [&](ImplicitLocOpBuilder &body, ValueRange args) -> Value {
        Value rest = arith::SubFOp::create(body, args[1], args[2]);
        return round(body, arith::MulFOp::create(body, args[0], rest));
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
