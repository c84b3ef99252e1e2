//===- RouteLoops.h - linalg ops over tokens, slots and experts -*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What the formulas of routing weights are written in. Elements are picked by
// comparison, not by indexing: every op is a sum or an elementwise op over
// loops alone, which has a derivative. An index outside [0, E) picks nothing.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_DIALECT_MOE_IR_ROUTELOOPS_H
#define MOE_LIB_DIALECT_MOE_IR_ROUTELOOPS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::moe::route {

/// Short names for the scalars of a body.
class Body : public ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  Value f32(double value) {
    return arith::ConstantOp::create(*this, getF32FloatAttr(value));
  }
  Value i32(int32_t value) {
    return arith::ConstantOp::create(*this, getI32IntegerAttr(value));
  }
  Value add(Value a, Value b) { return arith::AddFOp::create(*this, a, b); }
  Value sub(Value a, Value b) { return arith::SubFOp::create(*this, a, b); }
  Value mul(Value a, Value b) { return arith::MulFOp::create(*this, a, b); }
  Value div(Value a, Value b) { return arith::DivFOp::create(*this, a, b); }
  Value neg(Value a) { return arith::NegFOp::create(*this, a); }
  Value exp(Value a) { return math::ExpOp::create(*this, a); }
  Value less(Value a, Value b) {
    return arith::CmpFOp::create(*this, arith::CmpFPredicate::OLT, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(*this, condition, a, b);
  }
  Value widen(Value x) {
    return x.getType().isF32() ? x
                               : arith::ExtFOp::create(*this, getF32Type(), x);
  }
  Value narrow(Value x, Type element) {
    return element.isF32() ? x : arith::TruncFOp::create(*this, element, x);
  }
  Value scale(Value x, double factor) {
    return factor == 1.0 ? x : mul(x, f32(factor));
  }

  /// The integer key of an f32: keys are ordered as floats are, with NaN as the
  /// highest. And the f32 of a key. There is no derivative through a key.
  Value key(Value x);
  Value ofKey(Value key);
  /// Whether the key is that of −inf, or below all keys.
  Value isLowest(Value key);
  /// Whether the key is that of −inf, +inf or NaN, or below all keys.
  Value isNotFinite(Value key);
};

/// Builds linalg ops over some of the loops t (tokens), k (slots), e (experts).
class Loops {
public:
  using BodyFn = function_ref<Value(Body &, ValueRange)>;
  enum Axis { Slots, Experts };

  Loops(OpBuilder &builder, Location loc, Value logits, Value indices);

  /// [t, axis] of values that are [t, axis] or [t].
  Value elementwise(Axis axis, ValueRange inputs, BodyFn body,
                    Type element = {});
  /// [t] of values that are [t].
  Value perToken(ValueRange inputs, BodyFn body);
  /// [t]: the sum of the terms over the second dim of the inputs.
  Value sum(ValueRange inputs, BodyFn term);
  /// [t]: the highest of the keys over it, or the lowest i32.
  Value highestKey(ValueRange inputs, BodyFn key);
  /// [t, k]: the sum over a second slot l. `own` are [t, k]; `others` [t, l].
  Value sumOverPairs(ValueRange own, ValueRange others, BodyFn term);

  /// [t, e] -> [t, k] as f32: the value of the slot's expert, 0 for none.
  Value select(Value perExpert);
  /// [t, k] -> [t, e]: the sum over the slots of the expert.
  Value collect(Value perSlot);
  /// [t, e] as f32: the softmax over e.
  Value softmax(Value logits);
  /// Whether the index is that of an expert.
  Value isExpert(Body &body, Value index);

  Value getIndices() const { return indices; }

private:
  Value empty(ArrayRef<OpFoldResult> sizes, Type element);
  Value zeros(ArrayRef<OpFoldResult> sizes);
  OpFoldResult sizeOf(Axis axis) { return axis == Slots ? slots : experts; }
  AffineMap map(unsigned loops, ArrayRef<unsigned> dims);
  /// Over t and another loop: the map of a [t, ·] or a [t].
  AffineMap mapOf(Value value);
  /// A generic whose last map is that of `init`; loops it lacks are reduced.
  Value generic(ValueRange inputs, Value init, ArrayRef<AffineMap> maps,
                BodyFn body);
  Value reduce(ValueRange inputs, Value init, BodyFn body);
  Value isChosen(Body &body, Value index, unsigned loop);

  ImplicitLocOpBuilder b;
  Value indices;
  OpFoldResult tokens, experts, slots;
};

} // namespace mlir::moe::route

#endif // MOE_LIB_DIALECT_MOE_IR_ROUTELOOPS_H
