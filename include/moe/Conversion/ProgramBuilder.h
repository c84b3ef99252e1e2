//===- ProgramBuilder.h - Builds the host program of a function -*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Collects buffers and commands of one moe_rt.program while the kernels of a
// function are lowered. Kernel families (Elementwise.cpp, Matmul.cpp, …) use
// it through a DispatchBuilder: declare buffers, emit the body, finish.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_CONVERSION_PROGRAMBUILDER_H
#define MOE_CONVERSION_PROGRAMBUILDER_H

#include "moe/Conversion/KernelBuilder.h"
#include "moe/Conversion/SymbolicDims.h"
#include "moe/Dialect/MoE/IR/MoE.h"
#include "moe/Dialect/MoERT/IR/MoERT.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::moe {

class ProgramBuilder {
public:
  /// What lowering needs to know of a device.
  struct Device {
    /// It leaves loops after as many iterations (0: never).
    int64_t maxLoopIterations;
    /// Whether it computes in 64 bits.
    bool hasInt64;
  };

  /// Starts the program of `func` next to it, with kernels in `kernels`.
  ProgramBuilder(func::FuncOp func, gpu::GPUModuleOp kernels, Device device);

  SymbolicDims &dims() { return symbolicDims; }
  moe_rt::ProgramOp getProgram() { return program; }
  gpu::GPUModuleOp getKernels() { return kernels; }

  /// The buffer that holds `tensor`, a value of the function or of a kernel
  /// (a kernel's argument is its input, a yielded value its result). Created
  /// on first use as input, output, constant or transient.
  FailureOr<Value> getBuffer(Value tensor);

  /// A transient of `bytes` for use between the dispatches of one kernel.
  Value addScratch(StringRef name, AffineExpr bytes);

  /// The status buffer; created, and zeroed at the start, on first use.
  Value getStatus();

  /// Registers a fault site and returns its number. See moe_rt.fault_site.
  int32_t addFaultSite(StringRef kernel, int64_t slotsPerToken,
                       StringRef message);

  /// Whether a kernel before this point can find a fault in data.
  bool canFault() const { return numFaultSites != 0; }

  /// A size as a value of the program. `minimumOf` gives the smallest.
  Value materialize(AffineExpr size);
  Value minimumOf(ArrayRef<AffineExpr> sizes);

  /// Names for kernels are unique in the module: "plan", then "plan_1", ….
  std::string uniqueName(StringRef base);

  OpBuilder &builder() { return commands; }

  int64_t getMaxLoopIterations() const { return device.maxLoopIterations; }
  bool hasInt64() const { return device.hasInt64; }
  /// Sees to it that `kernel` never makes more iterations of loops than the
  /// device does, if one invocation makes at most `iterations` (LoopLimit.cpp):
  /// emits an error, or collects an assert. Returns what remains possible.
  FailureOr<int64_t> limitLoops(Location loc, StringRef kernel,
                                AffineExpr iterations);

  /// Has the host refuse sizes by which `size` is above `limit`, in the words
  /// "expected `message` to be at most `limit`".
  void requireAtMost(AffineExpr size, int64_t limit,
                     const std::string &message);

  /// Ends the program: emits what decides about the dispatches that a fault
  /// cancels (GuardUpdates.cpp).
  LogicalResult finish();

private:
  friend class DispatchBuilder;
  /// The buffer that holds the grids of the dispatches that a fault cancels,
  /// and the place in it of one more grid.
  std::pair<Value, Value> guardGrid(ArrayRef<int32_t> grid);
  void declareTensor(Value tensor, Value buffer, moe_rt::BufferKind kind,
                     int64_t position);
  void assertLoopLimits();
  void assertSizeBounds();
  /// The buffer of a result that takes the memory of an argument.
  FailureOr<Value> getUpdatedBuffer(OpResult result, Value argument);
  Value createBuffer(Location loc, StringRef name, moe_rt::BufferKind kind,
                     Value bytes, ElementsAttr data = nullptr);

  func::FuncOp func;
  gpu::GPUModuleOp kernels;
  moe_rt::ProgramOp program;
  SymbolicDims symbolicDims;
  OpBuilder commands; ///< appends to the program
  DenseMap<Value, Value> buffers;
  llvm::StringMap<unsigned> bufferNames;
  Value status;
  int32_t numFaultSites = 0;
  Value guardedGrids;
  Operation *guardPoint = nullptr; ///< the guard follows it
  const Device device;
  /// The largest size of a symbol that all loops allow, and the first kernel
  /// that allows no more.
  struct SizeLimit {
    int64_t largest;
    std::string kernel;
  };
  llvm::MapVector<unsigned, SizeLimit> sizeLimits;
  /// Iterations of a kernel that depend on several symbols.
  SmallVector<std::pair<std::string, AffineExpr>> iterationLimits;
  llvm::MapVector<std::pair<AffineExpr, int64_t>, std::string> sizeConditions;
  int32_t guardedSites = 0; ///< the fault sites before it
  SmallVector<int32_t> guardedWords;
};

/// One dispatch and its kernel. Typical use:
///
///   DispatchBuilder d(program, loc, "double", /*workgroupSize=*/64);
///   KernelBuffer &x = *d.read(input);          // tensors ...
///   KernelBuffer &s = d.buffer(BufferUse::Write, scratch, i32Type); // ... or
///   buffers Value n = d.push(program.dims().getDim(input, 0));
///   ... d.kernel() emits the body ...
///   d.dispatch({gridX, gridY, gridZ});
class DispatchBuilder {
public:
  DispatchBuilder(ProgramBuilder &program, Location loc, StringRef name,
                  int64_t workgroupSize);

  KernelBuilder &kernel() { return builder; }
  ProgramBuilder &program() { return owner; }
  StringRef getName() const { return name; }

  /// Binds the buffer of a tensor; the same tensor and use binds once.
  FailureOr<KernelBuffer *> read(Value tensor);
  FailureOr<KernelBuffer *> write(Value tensor);
  FailureOr<KernelBuffer *> update(Value tensor);
  KernelBuffer *buffer(BufferUse use, Value buffer, Type elementType);

  /// A size as a push constant (an index value of the kernel); constants are
  /// folded, equal sizes share one constant. There may be more than the device
  /// has: --moe-fit-interfaces finds a place for the rest.
  Value push(AffineExpr size);
  /// One that may not fit 32 bits, in two push constants, as an i64.
  Value pushWide(AffineExpr size);
  Value pushMinimum(ArrayRef<AffineExpr> sizes);
  /// Two push constants whose values differ from one dispatch of this kernel
  /// to the next (see dispatchSlices).
  std::pair<Value, Value> pushRange();

  /// Useful work of the dispatch, for profiles.
  void setWork(AffineExpr flops, AffineExpr bytes);
  void setLabel(StringRef text) { label = text.str(); }
  /// Subgroup lanes that exchange values; recorded for the runtime's check.
  void setLanes(int64_t count) { lanes = count; }

  /// The dispatch does nothing once a fault in data has been found. Its grid
  /// must not depend on dynamic sizes.
  void skipAfterFaults() { guarded = true; }

  /// Finishes the kernel and appends the dispatch. Each grid size is the
  /// smallest of its expressions (so a limit such as 65535 can be given).
  LogicalResult dispatch(ArrayRef<SmallVector<AffineExpr>> grid);

  /// One slice of a buffer that is bound in parts.
  struct Slice {
    int64_t begin, end;       ///< range pushed by pushRange
    AffineExpr offset, bytes; ///< of the buffer
  };
  /// Like dispatch, once for each slice of all of `sliced` (buffer values).
  LogicalResult dispatchSlices(ArrayRef<SmallVector<AffineExpr>> grid,
                               ArrayRef<Value> sliced, ArrayRef<Slice> slices);

private:
  FailureOr<KernelBuffer *> bindTensor(BufferUse use, Value tensor);
  struct Binding {
    BufferUse use;
    Value buffer;
    KernelBuffer *view;
  };
  ProgramBuilder &owner;
  std::string name;
  KernelBuilder builder;
  SmallVector<Binding> bindings;
  SmallVector<SmallVector<AffineExpr>> pushes;
  int rangePosition = -1;
  AffineExpr flops, bytes;
  std::string label;
  int64_t lanes = 0;
  bool guarded = false;
};

} // namespace mlir::moe

#endif // MOE_CONVERSION_PROGRAMBUILDER_H
