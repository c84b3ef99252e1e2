//===- SizesBuffer.cpp - Sizes in a buffer where push constants end -------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Sizes are known to the host alone, and reach a kernel as push constants.
// Those that do not fit are written to memory by small kernels in front of it,
// which take as many at a time as push constants hold.
//
//===----------------------------------------------------------------------===//

#include "KernelInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "moe/Dialect/MoERT/IR/MoERT.h"

using namespace mlir;
using namespace mlir::moe;

// A kernel beside `func` that stores its `count` push constants to its buffer
// from word `start` on.
static StringRef createWriter(gpu::GPUFuncOp func, unsigned start,
                              unsigned count) {
  auto module = func->getParentOfType<gpu::GPUModuleOp>();
  // A later stage gives each kernel a module beside the functions.
  auto isTaken = [&](StringRef name) {
    return SymbolTable::lookupSymbolIn(module, name) ||
           SymbolTable::lookupSymbolIn(module->getParentOp(), name);
  };
  std::string base = (func.getName() + "_sizes").str(), name = base;
  for (unsigned suffix = 1; isTaken(name); ++suffix)
    name = base + "_" + std::to_string(suffix);
  KernelBuilder b(func.getLoc(), module, name, /*workgroupSize=*/1);
  KernelBuffer &sizes = b.addBuffer(BufferUse::Write, b.getI32Type());
  for (unsigned i = 0; i < count; ++i)
    b.store(b.toI32(b.pushConstant(i)), sizes.scalars, b.idx(start + i));
  return b.finish(count).func.getName();
}

void moe::moveSizesToBuffer(KernelInterface &kernel, unsigned first,
                            std::optional<unsigned> binding,
                            const InterfaceLimits &limits) {
  unsigned total = kernel.pushes.size() - first;
  Location loc = kernel.func.getLoc();
  if (!binding) {
    KernelBinding own{BufferUse::Read, {}, {}};
    for (Operation *dispatch : kernel.dispatches) {
      OpBuilder b(dispatch);
      own.buffers.push_back(moe_rt::BufferOp::create(
          b, loc, moe_rt::BufferType::get(b.getContext()),
          (kernel.func.getName() + " sizes").str(),
          moe_rt::BufferKind::Transient,
          arith::ConstantIndexOp::create(b, loc, total * sizeof(int32_t)),
          /*offset=*/Value(), /*data=*/nullptr));
    }
    kernel.bindings.push_back(std::move(own));
    binding = kernel.bindings.size() - 1;
  }

  for (unsigned start = 0; start < total; start += limits.pushConstants) {
    unsigned count = std::min(total - start, limits.pushConstants);
    std::string writer = createWriter(kernel.func, start, count).str();
    for (auto [number, dispatch] : llvm::enumerate(kernel.dispatches)) {
      OpBuilder b(dispatch);
      SmallVector<Value> pushed;
      for (ArrayRef<Value> values :
           ArrayRef(kernel.pushes).slice(first + start, count))
        pushed.push_back(values[number]);
      Value one = arith::ConstantIndexOp::create(b, loc, 1);
      Value bytes =
          arith::ConstantIndexOp::create(b, loc, total * sizeof(int32_t));
      Value zero = arith::ConstantIndexOp::create(b, loc, 0);
      Value buffer = kernel.bindings[*binding].buffers[number];
      Value slice = moe_rt::SliceOp::create(b, loc, buffer.getType(), buffer,
                                            zero, bytes);
      moe_rt::DispatchOp::create(
          b, loc, writer, one, one, one, pushed, /*reads=*/ValueRange(),
          /*writes=*/ValueRange(slice), /*updates=*/ValueRange(),
          /*flops=*/Value(), /*bytes=*/Value(), b.getStringAttr("sizes"));
    }
  }

  BlockArgument view =
      kernel.getView(kernel.bindings[*binding],
                     IntegerType::get(kernel.func.getContext(), 32));
  SmallVector<moe_rt::PushConstantOp> moved;
  kernel.func.walk([&](moe_rt::PushConstantOp push) {
    if (push.getPosition() >= first)
      moved.push_back(push);
  });
  for (moe_rt::PushConstantOp push : moved) {
    OpBuilder b(push);
    Value position = arith::ConstantIndexOp::create(b, push.getLoc(),
                                                    push.getPosition() - first);
    Value word = memref::LoadOp::create(b, push.getLoc(), view, position);
    push.replaceAllUsesWith(Value(
        arith::IndexCastOp::create(b, push.getLoc(), b.getIndexType(), word)));
    push.erase();
  }
  kernel.pushes.resize(first);
}
