//===- KernelInterface.h - What a kernel binds and is pushed ----*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A kernel and all its dispatches, taken apart so that bindings and push
// constants can be changed on both sides at once, and put together again.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_CONVERSION_FITINTERFACES_KERNELINTERFACE_H
#define MOE_LIB_CONVERSION_FITINTERFACES_KERNELINTERFACE_H

#include "moe/Conversion/KernelBuilder.h"

namespace mlir::moe {

/// What the device allows a kernel.
struct InterfaceLimits {
  unsigned bindings;
  unsigned pushConstants; ///< of 32 bits
};

/// A binding of a kernel.
struct KernelBinding {
  BufferUse use;
  SmallVector<BlockArgument> views; ///< of the kernel
  SmallVector<Value> buffers;       ///< one for each dispatch
};

struct KernelInterface {
  gpu::GPUFuncOp func;
  SmallVector<Operation *> dispatches;
  SmallVector<KernelBinding> bindings;
  /// The values of each push constant, one for each dispatch.
  SmallVector<SmallVector<Value>> pushes;

  /// Takes a kernel and its dispatches apart; an error where they do not bind
  /// and push alike.
  static FailureOr<KernelInterface> read(gpu::GPUFuncOp func,
                                         ArrayRef<Operation *> dispatches);

  /// Writes everything back: bindings are numbered anew, and views that are not
  /// a binding's any more leave the kernel.
  void write();

  /// The view of `binding` whose elements are of `type`, added if there is
  /// none.
  BlockArgument getView(KernelBinding &binding, Type type);

  /// One more push constant: its value in the kernel, and in each dispatch.
  Value push(OpBuilder &kernel, ArrayRef<Value> values);
};

/// The number of buffers that a dispatch of either kind binds.
unsigned countBindings(Operation *dispatch);
unsigned countPushConstants(Operation *dispatch);

/// A buffer with the contents of several bindings of a kernel, which has one
/// binding.
class SharedBuffer {
public:
  /// Picks the bindings of `kernel` that cost least to put into one buffer, so
  /// that `limit` bindings are left with it. `reservedBytes` at its start are
  /// for others. An error at the dispatch where too few bindings can be shared.
  static FailureOr<SharedBuffer> plan(KernelInterface &kernel, unsigned limit,
                                      int64_t reservedBytes);

  /// The push constants that tell where its parts begin.
  unsigned countPushConstants() const;

  /// Replaces the bindings by one; emits what copies their contents before each
  /// dispatch, and back after it. Returns the number of the new binding.
  unsigned apply(KernelInterface &kernel);

private:
  struct Part {
    unsigned binding;
    SmallVector<Value> bytes;           ///< one for each dispatch
    std::optional<int64_t> staticBytes; ///< where they are the same constant
    std::optional<int64_t> start;       ///< where it is the same constant
  };
  SmallVector<Part> parts;
  int64_t reservedBytes = 0;
};

/// Moves the push constants of `kernel` from number `first` on to the start of
/// the buffer of `binding`, or to a buffer of their own if there is none. Emits
/// what writes them before each dispatch.
void moveSizesToBuffer(KernelInterface &kernel, unsigned first,
                       std::optional<unsigned> binding,
                       const InterfaceLimits &limits);

} // namespace mlir::moe

#endif // MOE_LIB_CONVERSION_FITINTERFACES_KERNELINTERFACE_H
