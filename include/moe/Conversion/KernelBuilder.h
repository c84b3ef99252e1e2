//===- KernelBuilder.h - Emits the body of one device kernel ----*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A thin layer over ImplicitLocOpBuilder for code inside a gpu.func: index
// arithmetic, structured control flow, buffers, subgroup exchange.
//
// Buffers are rank-1 memrefs in storage class StorageBuffer. Each is offered
// as a scalar view and as a view of 4-element vectors (`vector.load` on a
// scalar memref becomes an invalid pointer bitcast in MLIR 22); both views
// share one binding. Views that the body never uses disappear in `finish`.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_CONVERSION_KERNELBUILDER_H
#define MOE_CONVERSION_KERNELBUILDER_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::moe {

/// How a kernel uses a buffer; also the order of the bindings.
enum class BufferUse { Read, Write, Update };

/// A buffer parameter of a kernel that is being built.
struct KernelBuffer {
  BufferUse use;
  Value scalars; ///< memref<?xT>
  Value vectors; ///< memref<?xvector<4xT>>
};

class KernelBuilder : public ImplicitLocOpBuilder {
public:
  /// Starts kernel `name` in `module` with one-dimensional workgroups of
  /// `workgroupSize` invocations. The insertion point is in its body.
  /// The device leaves loops after `maxLoopIterations` iterations of all loops
  /// of an invocation together (0: never).
  KernelBuilder(Location loc, gpu::GPUModuleOp module, StringRef name,
                int64_t workgroupSize, int64_t maxLoopIterations = 0);

  /// Declares a buffer of `elementType`. All buffers come before the body.
  KernelBuffer &addBuffer(BufferUse use, Type elementType);

  /// What `finish` leaves: the function, and for each binding in order the
  /// number (in order of `addBuffer`) of its buffer.
  struct Finished {
    gpu::GPUFuncOp func;
    SmallVector<unsigned> bindings;
  };

  /// Ends the body, drops unused buffers, numbers the bindings (reads, writes,
  /// updates), hoists loop-invariant code and loads from buffers that are only
  /// read. `numPushConstants` is recorded on the function.
  Finished finish(unsigned numPushConstants);

  int64_t getWorkgroupSize() const { return workgroupSize; }

  // Constants.
  Value idx(int64_t value);
  Value i32(int32_t value);
  Value f32(float value);
  Value boolean(bool value);
  Value constantLike(Value like, int64_t value); ///< of the same type

  // Arithmetic on index, i32 or i64 values; division and remainder are
  // unsigned, since every size and position here is non-negative.
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value div(Value a, Value b);
  Value rem(Value a, Value b);
  Value ceilDiv(Value a, int64_t b);
  Value min(Value a, Value b); ///< signed
  Value max(Value a, Value b); ///< signed
  Value add(Value a, int64_t b) { return add(a, constantLike(a, b)); }
  Value sub(Value a, int64_t b) { return sub(a, constantLike(a, b)); }
  Value mul(Value a, int64_t b) { return mul(a, constantLike(a, b)); }
  Value div(Value a, int64_t b) { return div(a, constantLike(a, b)); }
  Value rem(Value a, int64_t b) { return rem(a, constantLike(a, b)); }

  // Comparisons: i1. Integers compare signed.
  Value cmp(arith::CmpIPredicate predicate, Value a, Value b);
  Value cmp(arith::CmpFPredicate predicate, Value a, Value b);
  Value lt(Value a, Value b) { return cmp(arith::CmpIPredicate::slt, a, b); }
  Value ge(Value a, Value b) { return cmp(arith::CmpIPredicate::sge, a, b); }
  Value eq(Value a, Value b) { return cmp(arith::CmpIPredicate::eq, a, b); }
  Value ne(Value a, Value b) { return cmp(arith::CmpIPredicate::ne, a, b); }
  Value logicalAnd(Value a, Value b);
  Value logicalOr(Value a, Value b);
  Value select(Value condition, Value a, Value b);

  /// index <-> i32; both are 32 bits on the device.
  Value toIndex(Value i32);
  Value toI32(Value index);

  /// An index as i64, element by element of a vector; an i64 stays as it is.
  Value toWide(Value value);
  /// The opposite, for a value that fits 32 bits; an index stays as it is.
  Value toNarrow(Value value);
  /// All as i64 if one is.
  void matchWidths(ArrayRef<Value *> values);

  // Memory.
  Value load(Value memref, Value position);
  void store(Value value, Value memref, Value position);
  /// Workgroup memory of `count` elements.
  Value shared(Type elementType, int64_t count);

  // Position in the grid, as index.
  Value workgroupId(gpu::Dimension dimension = gpu::Dimension::x);
  Value workgroupCount(gpu::Dimension dimension = gpu::Dimension::x);
  Value threadId();
  Value globalId(); ///< workgroupId(x) * workgroup size + threadId
  /// The push constant at `position`, as index.
  Value pushConstant(unsigned position);

  // Control flow. A body gets values and returns the values of the next
  // iteration, or of its branch.
  //
  // Every loop states `trips`, the most iterations of it that one invocation
  // makes at a time, as an expression of sizes; it may be left out where from,
  // to and step are constants. The builder adds them up: see getLoopIterations.
  using LoopBody = function_ref<SmallVector<Value>(Value iv, ValueRange args)>;
  SmallVector<Value> forLoop(Value from, Value to, Value step, ValueRange inits,
                             LoopBody body, AffineExpr trips = {});
  void forLoop(Value from, Value to, Value step,
               function_ref<void(Value iv)> body, AffineExpr trips = {});
  /// A loop over a range that may be long. Where that is too long for the
  /// device, each of its iterations makes several, in the same order, and a
  /// second loop makes the rest: bits do not depend on how many. `unroll` is
  /// that number where the range is dynamic.
  SmallVector<Value> longLoop(Value from, Value to, Value step,
                              ValueRange inits, AffineExpr trips,
                              int64_t unroll, LoopBody body);
  using Branch = function_ref<SmallVector<Value>()>;
  SmallVector<Value> ifElse(Value condition, Branch then, Branch otherwise);
  void ifThen(Value condition, function_ref<void()> then);
  /// while (condition of the values) values = body(values).
  SmallVector<Value>
  whileLoop(ValueRange inits, function_ref<Value(ValueRange)> condition,
            function_ref<SmallVector<Value>(ValueRange)> body,
            AffineExpr trips);

  /// The most iterations of all loops so far that one invocation makes, with
  /// one for the end of each; null when a loop has not said how many it makes.
  AffineExpr getLoopIterations() const { return loopIterations; }

  /// All invocations of the workgroup wait, and see each other's writes to
  /// workgroup memory.
  void barrier();

  /// The value of invocation `lane` of the subgroup (a constant is fastest on
  /// every device; lane ids are those of the subgroup). Scalars of 32 bits.
  Value shuffle(Value value, Value lane);
  /// The value of the invocation whose lane id differs by `mask`.
  Value shuffleXor(Value value, int64_t mask);
  /// This invocation's lane id within its subgroup, as index.
  Value laneId();

  /// A float multiplication or addition that a driver may contract to an FMA.
  /// Plain arith ops are never contracted.
  Value contractableMul(Value a, Value b);
  Value contractableAdd(Value a, Value b);

private:
  /// Counts a loop around what `emit` builds.
  void countLoop(AffineExpr trips, function_ref<void()> emit);

  gpu::GPUFuncOp func;
  int64_t workgroupSize, maxLoopIterations;
  AffineExpr loopIterations;
  SmallVector<std::unique_ptr<KernelBuffer>> buffers;
};

} // namespace mlir::moe

#endif // MOE_CONVERSION_KERNELBUILDER_H
