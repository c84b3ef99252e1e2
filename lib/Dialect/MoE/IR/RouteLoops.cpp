//===- RouteLoops.cpp - linalg ops over tokens, slots and experts ---------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "RouteLoops.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::moe::route;

using utils::IteratorType;

//===----------------------------------------------------------------------===//
// Body
//===----------------------------------------------------------------------===//

static constexpr int32_t magnitudeBits = 0x7fffffff;
static constexpr int32_t infinityKey = 0x7f800000;

static Value compare(Body &b, arith::CmpIPredicate predicate, Value x,
                     int32_t y) {
  return arith::CmpIOp::create(b, predicate, x, b.i32(y));
}

Value Body::key(Value x) {
  Value bits = arith::BitcastOp::create(*this, getI32Type(), x);
  Value magnitude = arith::AndIOp::create(*this, bits, i32(magnitudeBits));
  Value negative = compare(*this, arith::CmpIPredicate::slt, bits, 0);
  Value key = select(negative, arith::SubIOp::create(*this, i32(0), magnitude),
                     magnitude);
  Value isNaN =
      compare(*this, arith::CmpIPredicate::sgt, magnitude, infinityKey);
  return select(isNaN, i32(magnitudeBits), key);
}

Value Body::ofKey(Value key) {
  Value magnitude = arith::SubIOp::create(*this, i32(0), key);
  Value negative = arith::OrIOp::create(*this, magnitude, i32(~magnitudeBits));
  Value bits =
      select(compare(*this, arith::CmpIPredicate::slt, key, 0), negative, key);
  return arith::BitcastOp::create(*this, getF32Type(), bits);
}

Value Body::isLowest(Value key) {
  return compare(*this, arith::CmpIPredicate::sle, key, -infinityKey);
}

Value Body::isNotFinite(Value key) {
  return arith::OrIOp::create(
      *this, isLowest(key),
      compare(*this, arith::CmpIPredicate::sge, key, infinityKey));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Loops::Loops(OpBuilder &builder, Location loc, Value logits, Value indices)
    : b(loc, builder), indices(indices) {
  auto sizeOfDim1 = [&](Value value) {
    return b.getIndexAttr(
        cast<RankedTensorType>(value.getType()).getDimSize(1));
  };
  tokens = tensor::getMixedSize(b, loc, logits, 0);
  experts = sizeOfDim1(logits);
  slots = sizeOfDim1(indices);
}

Value Loops::empty(ArrayRef<OpFoldResult> sizes, Type element) {
  return tensor::EmptyOp::create(b, sizes, element);
}

Value Loops::zeros(ArrayRef<OpFoldResult> sizes) {
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
  return linalg::FillOp::create(b, zero, empty(sizes, b.getF32Type()))
      .getResult(0);
}

AffineMap Loops::map(unsigned loops, ArrayRef<unsigned> dims) {
  return AffineMap::getMultiDimMapWithTargets(loops, dims, b.getContext());
}

AffineMap Loops::mapOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank() == 1
             ? map(2, {0})
             : map(2, {0, 1});
}

Value Loops::generic(ValueRange inputs, Value init, ArrayRef<AffineMap> maps,
                     BodyFn body) {
  SmallVector<IteratorType> loops(maps.back().getNumDims(),
                                  IteratorType::reduction);
  for (AffineExpr expr : maps.back().getResults())
    loops[cast<AffineDimExpr>(expr).getPosition()] = IteratorType::parallel;
  return linalg::GenericOp::create(
             b, init.getType(), inputs, init, maps, loops,
             [&](OpBuilder &nested, Location loc, ValueRange args) {
               Body inner(loc, nested);
               Value result = body(inner, args);
               linalg::YieldOp::create(inner, result);
             })
      .getResult(0);
}

Value Loops::elementwise(Axis axis, ValueRange inputs, BodyFn body,
                         Type element) {
  SmallVector<AffineMap> maps;
  for (Value input : inputs)
    maps.push_back(mapOf(input));
  maps.push_back(map(2, {0, 1}));
  Value init =
      empty({tokens, sizeOf(axis)}, element ? element : b.getF32Type());
  return generic(inputs, init, maps, body);
}

Value Loops::perToken(ValueRange inputs, BodyFn body) {
  SmallVector<AffineMap> maps(inputs.size() + 1, map(1, {0}));
  return generic(inputs, empty({tokens}, b.getF32Type()), maps, body);
}

Value Loops::reduce(ValueRange inputs, Value init, BodyFn body) {
  SmallVector<AffineMap> maps;
  for (Value input : inputs)
    maps.push_back(mapOf(input));
  maps.push_back(map(2, {0}));
  return generic(inputs, init, maps, body);
}

Value Loops::sum(ValueRange inputs, BodyFn term) {
  return reduce(inputs, zeros({tokens}), [&](Body &body, ValueRange args) {
    return body.add(args.back(), term(body, args.drop_back()));
  });
}

Value Loops::highestKey(ValueRange inputs, BodyFn key) {
  Value lowest = arith::ConstantOp::create(
      b, b.getI32IntegerAttr(std::numeric_limits<int32_t>::min()));
  Value init =
      linalg::FillOp::create(b, lowest, empty({tokens}, b.getI32Type()))
          .getResult(0);
  return reduce(inputs, init, [&](Body &body, ValueRange args) -> Value {
    return arith::MaxSIOp::create(body, args.back(),
                                  key(body, args.drop_back()));
  });
}

Value Loops::sumOverPairs(ValueRange own, ValueRange others, BodyFn term) {
  SmallVector<Value> inputs(own);
  SmallVector<AffineMap> maps(own.size(), map(3, {0, 1}));
  llvm::append_range(inputs, others);
  maps.append(others.size(), map(3, {0, 2}));
  maps.push_back(map(3, {0, 1}));
  return generic(inputs, zeros({tokens, slots}), maps,
                 [&](Body &body, ValueRange args) {
                   return body.add(args.back(), term(body, args.drop_back()));
                 });
}

Value Loops::isChosen(Body &body, Value index, unsigned loop) {
  Value expert = arith::IndexCastOp::create(
      body, body.getI32Type(), linalg::IndexOp::create(body, loop));
  return arith::CmpIOp::create(body, arith::CmpIPredicate::eq, index, expert);
}

Value Loops::isExpert(Body &body, Value index) {
  int32_t count = cast<IntegerAttr>(cast<Attribute>(experts)).getInt();
  return compare(body, arith::CmpIPredicate::ult, index, count);
}

Value Loops::select(Value perExpert) {
  return generic({indices, perExpert}, zeros({tokens, slots}),
                 {map(3, {0, 1}), map(3, {0, 2}), map(3, {0, 1})},
                 [&](Body &body, ValueRange args) {
                   Value term = body.select(isChosen(body, args[0], 2),
                                            body.widen(args[1]), body.f32(0));
                   return body.add(args[2], term);
                 });
}

Value Loops::collect(Value perSlot) {
  return generic({indices, perSlot}, zeros({tokens, experts}),
                 {map(3, {0, 2}), map(3, {0, 2}), map(3, {0, 1})},
                 [&](Body &body, ValueRange args) {
                   Value term = body.select(isChosen(body, args[0], 1), args[1],
                                            body.f32(0));
                   return body.add(args[2], term);
                 });
}

Value Loops::softmax(Value logits) {
  Value wide = logits;
  if (!getElementTypeOrSelf(logits.getType()).isF32())
    wide = elementwise(Experts, logits, [](Body &body, ValueRange args) {
      return body.widen(args[0]);
    });
  Value init = empty({tokens, experts}, b.getF32Type());
  if (init.getType() != wide.getType())
    wide = tensor::CastOp::create(b, init.getType(), wide);
  return linalg::SoftmaxOp::create(b, TypeRange{init.getType()}, wide, init,
                                   b.getI64IntegerAttr(1))
      .getResult()[0];
}
