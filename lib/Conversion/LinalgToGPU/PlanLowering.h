//===- PlanLowering.h - The stable counting sort of the slots ---*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The steps of Plan.cpp, which says how they fit together. The prefixes are in
// PlanScan.cpp, what follows them in PlanScatter.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_CONVERSION_LINALGTOGPU_PLANLOWERING_H
#define MOE_CONVERSION_LINALGTOGPU_PLANLOWERING_H

#include "KernelResults.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::moe {

class PlanLowering {
public:
  PlanLowering(KernelOp kernel, PlanOp op, ProgramBuilder &program)
      : kernel(kernel), op(op), program(program), dims(program.dims()),
        experts(op.getExperts()), columns(llvm::divideCeil(experts, 4)),
        workgroup(kernel.getSchedule()->getWorkgroup()),
        chunks(std::max<int64_t>(1, kernel.getSchedule()->getChunks())),
        i32Type(IntegerType::get(op.getContext(), 32)),
        fourType(VectorType::get({4}, i32Type)) {}

  LogicalResult run();

private:
  using Values = SmallVector<Value>;
  /// Slots [begin, end) of a chunk; `begin` is aligned unless there are none.
  struct Chunk {
    Value begin, end;
  };
  using SlotsBody = function_ref<Values(Value first, ArrayRef<Value> experts,
                                        ValueRange args)>;

  LogicalResult count();
  LogicalResult sumBlocks();
  LogicalResult scan();
  LogicalResult startChunks();
  LogicalResult scatter();
  LogicalResult fillRuns();

  void layOutScratch();
  KernelBuffer &bindScratch(DispatchBuilder &d, BufferUse use) {
    return *d.buffer(use, scratch, i32Type);
  }

  /// P, which is 0 when there are no slots.
  Value pushChunks(DispatchBuilder &d);
  Chunk getChunk(KernelBuilder &b, Value chunk, Value numChunks, Value slots);
  /// Calls `body` for the slots of a chunk in order, many at a time while whole
  /// vectors hold them.
  Values walk(KernelBuilder &b, KernelBuffer &indices, Chunk chunk,
              ValueRange inits, SlotsBody body);
  /// An array of the invocation's own: a row of the histogram, and a last
  /// element for what is out of range.
  Value makePrivateRow(KernelBuilder &b);
  void forEachPrivateColumn(KernelBuilder &b, Value numChunks,
                            function_ref<void(Value column)> body);
  /// The element of such an array that counts `expert`.
  Value getBin(KernelBuilder &b, Value expert);
  /// Calls `body` in one invocation for each block of chunks and each vector of
  /// experts, with the block's range of rows of the histogram.
  void forEachColumn(
      DispatchBuilder &d,
      function_ref<void(Value block, Value column, Value from, Value to)> body);
  /// The most groups of rows of the histogram in a block.
  int64_t groupsPerBlock() {
    return llvm::divideCeil(chunks, blocks * rowsAtOnce);
  }
  /// Slots of a vector of experts in the first `count` blocks.
  Value addBlocks(KernelBuilder &b, KernelBuffer &memory, Value count,
                  Value column);
  LogicalResult reportFault(DispatchBuilder &d, KernelBuffer &memory,
                            Value numChunks);
  LogicalResult dispatchChunks(DispatchBuilder &d);
  LogicalResult dispatchColumns(DispatchBuilder &d);

  bool reportsFaults() { return op.getOutOfRange() == OutOfRange::Error; }
  Value zeros(KernelBuilder &b) {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(fourType, b.getI32IntegerAttr(0)));
  }
  Value pack(KernelBuilder &b, ArrayRef<Value> four) {
    return vector::FromElementsOp::create(b, fourType, four);
  }
  Values unpack(KernelBuilder &b, Value four) {
    Values values;
    for (int64_t i = 0; i < 4; ++i)
      values.push_back(vector::ExtractOp::create(b, four, i));
    return values;
  }

  /// Rows of the histogram that are loaded before the first is used.
  static constexpr int64_t rowsAtOnce = 4;
  static constexpr int32_t noFault = std::numeric_limits<int32_t>::max();

  KernelOp kernel;
  PlanOp op;
  ProgramBuilder &program;
  SymbolicDims &dims;
  int64_t experts, columns; ///< columns: vectors of experts in a row
  int64_t workgroup, chunks, blocks = 1;
  int64_t slotsAtOnce = 8; ///< per iteration of a walk
  Type i32Type;
  VectorType fourType;
  AffineExpr slots;
  Value scratch;
  // Places in the scratch, in vectors; the faults are single words.
  int64_t baseAt = 0, sumsAt = 0, histAt = 0, faultsAt = 0;
};

} // namespace mlir::moe

#endif // MOE_CONVERSION_LINALGTOGPU_PLANLOWERING_H
