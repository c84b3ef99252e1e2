//===- ExpandBuilder.h - Loops on tensors -----------------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Short names for the handful of ops that the expansions are written in.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_CONVERSION_MOETOLINALG_EXPANDBUILDER_H
#define MOE_LIB_CONVERSION_MOETOLINALG_EXPANDBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::moe {

class ExpandBuilder : public ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;
  using Values = SmallVector<Value>;

  Value idx(int64_t value) {
    return arith::ConstantIndexOp::create(*this, value);
  }
  Value i32(int32_t value) {
    return arith::ConstantOp::create(*this, getI32IntegerAttr(value));
  }
  Value f32(float value) {
    return arith::ConstantOp::create(*this, getF32FloatAttr(value));
  }
  Value boolean(bool value) {
    return arith::ConstantOp::create(*this, getBoolAttr(value));
  }
  Value toIndex(Value i32) {
    return arith::IndexCastOp::create(*this, getIndexType(), i32);
  }
  Value toI32(Value index) {
    return arith::IndexCastOp::create(*this, getI32Type(), index);
  }

  Value add(Value a, Value b) { return arith::AddIOp::create(*this, a, b); }
  Value mul(Value a, Value b) { return arith::MulIOp::create(*this, a, b); }
  Value lt(Value a, Value b) {
    return arith::CmpIOp::create(*this, arith::CmpIPredicate::slt, a, b);
  }
  Value ge(Value a, Value b) {
    return arith::CmpIOp::create(*this, arith::CmpIPredicate::sge, a, b);
  }
  Value both(Value a, Value b) { return arith::AndIOp::create(*this, a, b); }
  Value either(Value a, Value b) { return arith::OrIOp::create(*this, a, b); }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(*this, condition, a, b);
  }

  Value size(Value tensor, int64_t dim) {
    return tensor::DimOp::create(*this, tensor, dim);
  }
  Value extract(Value tensor, ValueRange at) {
    return tensor::ExtractOp::create(*this, tensor, at);
  }
  Value insert(Value value, Value tensor, ValueRange at) {
    return tensor::InsertOp::create(*this, value, tensor, at);
  }
  /// A tensor of `type`, filled with `value`. `sizes` has all its sizes; those
  /// that the type states are not used.
  Value filled(RankedTensorType type, ValueRange sizes, Value value) {
    Values dynamic;
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (type.isDynamicDim(dim))
        dynamic.push_back(size);
    Value empty = tensor::EmptyOp::create(*this, type, dynamic);
    return linalg::FillOp::create(*this, value, empty).getResult(0);
  }
  Value filled(ArrayRef<int64_t> shape, Value value) {
    return filled(RankedTensorType::get(shape, value.getType()),
                  Values(shape.size()), value);
  }

  /// for (iv = from; iv < to; iv += step) values = body(iv, values).
  Values forLoop(Value from, Value to, Value step, ValueRange inits,
                 function_ref<Values(Value, ValueRange)> body) {
    auto loop = scf::ForOp::create(
        *this, from, to, step, inits,
        [&](OpBuilder &nested, Location, Value iv, ValueRange args) {
          InsertionGuard guard(*this);
          setInsertionPoint(nested.getInsertionBlock(),
                            nested.getInsertionPoint());
          scf::YieldOp::create(*this, body(iv, args));
        });
    return Values(loop.getResults());
  }
  Values forLoop(Value to, ValueRange inits,
                 function_ref<Values(Value, ValueRange)> body) {
    return forLoop(idx(0), to, idx(1), inits, body);
  }

  /// condition ? then() : otherwise.
  Values ifThen(Value condition, ValueRange otherwise,
                function_ref<Values()> then) {
    auto branch = scf::IfOp::create(
        *this, condition,
        [&](OpBuilder &nested, Location) {
          InsertionGuard guard(*this);
          setInsertionPoint(nested.getInsertionBlock(),
                            nested.getInsertionPoint());
          scf::YieldOp::create(*this, then());
        },
        [&](OpBuilder &nested, Location loc) {
          scf::YieldOp::create(nested, loc, otherwise);
        });
    return Values(branch.getResults());
  }
};

} // namespace mlir::moe

#endif // MOE_LIB_CONVERSION_MOETOLINALG_EXPANDBUILDER_H
