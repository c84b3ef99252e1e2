//===- GenericBuilder.cpp - Builds parallel linalg.generic ops ------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Conversion/GenericBuilder.h"

using namespace mlir;
using namespace mlir::moe;

Value moe::emptyLike(ImplicitLocOpBuilder &b, RankedTensorType type, ValueRange sizes) {
  SmallVector<Value> dynamic;
  for (Value size : sizes)
    if (dynamic.size() < static_cast<size_t>(type.getNumDynamicDims()))
      dynamic.push_back(size);
  return tensor::EmptyOp::create(b, type, dynamic);
}

Value moe::createGeneric(ImplicitLocOpBuilder &b, ValueRange inputs, ArrayRef<AffineMap> maps,
                         Value init, unsigned loops,
                         function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body) {
  SmallVector<AffineMap> all(maps);
  all.push_back(b.getMultiDimIdentityMap(loops));
  SmallVector<utils::IteratorType> iterators(loops, utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      b, init.getType(), inputs, init, all, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        ImplicitLocOpBuilder inner(loc, nested);
        Value result = body(inner, args.drop_back());
        linalg::YieldOp::create(inner, result);
      });
  return op.getResult(0);
}

Value moe::toF32(ImplicitLocOpBuilder &b, Value value) {
  return value.getType().isF32() ? value
                                 : Value(arith::ExtFOp::create(b, b.getF32Type(), value));
}

Value moe::fromF32(ImplicitLocOpBuilder &b, Value value, Type type) {
  return type.isF32() ? value : Value(arith::TruncFOp::create(b, type, value));
}

Value moe::multiplyInF32(ImplicitLocOpBuilder &b, Value value, Value weight) {
  Value product = arith::MulFOp::create(b, toF32(b, value), weight);
  return fromF32(b, product, value.getType());
}
