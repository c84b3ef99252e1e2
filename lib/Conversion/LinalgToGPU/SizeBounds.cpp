//===- SizeBounds.cpp - How large dynamic sizes can be --------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What indices can become depends on sizes, which the arguments have. A binding
// has fewer than 2^32 bytes on every device, and the runtime refuses a run in
// which one has more: this bounds the sizes of all arguments that kernels bind
// as a whole. The sizes of others are asserted where a bound was made use of.
//
//===----------------------------------------------------------------------===//

#include "moe/Conversion/ProgramBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::moe;

// The bytes of a binding.
static constexpr int64_t largestBinding = std::numeric_limits<uint32_t>::max();

int64_t SymbolicDims::getLargestSize(unsigned symbol) {
  AffineExpr size = resolve(getAffineDimExpr(symbol, getContext()));
  int64_t least = std::numeric_limits<int32_t>::max();
  unsigned by = symbol;
  for (auto [number, other] : llvm::enumerate(symbols)) {
    if (resolve(getAffineDimExpr(number, getContext())) != size)
      continue;
    auto type = cast<RankedTensorType>(func.getArgumentTypes()[other.input]);
    int64_t bytes = 1;
    if (type.getElementType().isIntOrFloat())
      bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    for (int64_t length : type.getShape())
      if (!ShapedType::isDynamic(length) && length > 0)
        bytes *= length;
    if (largestBinding / bytes < least) {
      least = largestBinding / bytes;
      by = number;
    }
  }
  bounded.insert(by);
  return least;
}

void ProgramBuilder::requireAtMost(AffineExpr size, int64_t limit,
                                   const std::string &message) {
  sizeConditions.insert({{size, limit}, message});
}

// Whether the runtime refuses a run in which the argument is larger than a
// binding.
static bool isBound(Value buffer, RankedTensorType type) {
  return !llvm::is_contained(type.getShape(), 0) &&
         llvm::any_of(
             buffer.getUsers(),
             llvm::IsaPred<moe_rt::DispatchOp, moe_rt::DispatchIndirectOp>);
}

void ProgramBuilder::assertSizeBounds() {
  Location loc = func.getLoc();
  for (unsigned symbol :
       SmallVector<unsigned>(symbolicDims.getBoundedSymbols().getArrayRef())) {
    Value argument = func.getArgument(symbolicDims.getSymbols()[symbol].input);
    if (isBound(buffers.lookup(argument),
                cast<RankedTensorType>(argument.getType())))
      continue;
    AffineExpr size = getAffineDimExpr(symbol, func.getContext());
    requireAtMost(size, symbolicDims.getLargestSize(symbol),
                  symbolicDims.describe(size) +
                      " (which kernels compute with, and none reads)");
  }
  for (auto &[condition, message] : sizeConditions)
    moe_rt::AssertOp::create(
        commands, loc, materialize(condition.first), moe_rt::Relation::AtMost,
        materialize(symbolicDims.constant(condition.second)), message);
}
