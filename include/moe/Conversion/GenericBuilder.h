//===- GenericBuilder.h - Builds parallel linalg.generic ops ----*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_CONVERSION_GENERICBUILDER_H
#define MOE_CONVERSION_GENERICBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "moe/Support/PositionMarks.h"

namespace mlir::moe {

/// A tensor.empty of `type`, whose dynamic dimensions, in order, are `sizes`.
Value emptyLike(ImplicitLocOpBuilder &b, RankedTensorType type,
                ValueRange sizes);

/// A linalg.generic over the `loops` dimensions of `init`, all parallel and
/// indexed by identity; input i is indexed by `maps[i]`. `body` gets the
/// inputs' elements and returns the result's.
Value createGeneric(
    ImplicitLocOpBuilder &b, ValueRange inputs, ArrayRef<AffineMap> maps,
    Value init, unsigned loops,
    function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body);

/// The same with a result for each point of the last map, `init`'s; loops that
/// it lacks are reductions. `body` also gets the result so far, as last.
Value createReduction(
    ImplicitLocOpBuilder &b, ValueRange inputs, Value init,
    ArrayRef<AffineMap> maps,
    function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body);
/// A reduction that adds up what `body` returns.
Value createSum(ImplicitLocOpBuilder &b, ValueRange inputs, Value init,
                ArrayRef<AffineMap> maps,
                function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body);

/// A tensor of zeros, with sizes as for emptyLike.
Value zeros(ImplicitLocOpBuilder &b, RankedTensorType type, ValueRange sizes);

/// A tensor.extract that is marked as in range, so that nothing checks it on
/// the device: of positions that follow from loops, tables of tiles, or maps
/// and offsets that have been checked.
Value extractInRange(ImplicitLocOpBuilder &b, Value tensor, ValueRange indices);
Value extractInRange(OpBuilder &b, Location loc, Value tensor,
                     ValueRange indices);

/// In a body: whether the index of loop `row` is a row of the expert that is
/// the index of loop `expert`.
Value isInSegment(ImplicitLocOpBuilder &b, Value offsets, int64_t expert,
                  int64_t row);
/// condition ? value : 0.
Value selectOrZero(ImplicitLocOpBuilder &b, Value condition, Value value);

/// value (of any float type) times an f32, in f32, rounded once to the type of
/// value.
Value multiplyInF32(ImplicitLocOpBuilder &b, Value value, Value weight);
/// A float as f32, and back to `type`.
Value toF32(ImplicitLocOpBuilder &b, Value value);
Value fromF32(ImplicitLocOpBuilder &b, Value value, Type type);

} // namespace mlir::moe

#endif // MOE_CONVERSION_GENERICBUILDER_H
