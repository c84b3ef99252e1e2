//===- ExportProgram.cpp - A moe_rt.program as a program of a bundle ------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "BundleWriter.h"
#include "ConstantData.h"
#include "ExprWriter.h"
#include "moe/Support/TargetInfo.h"

#include "llvm/ADT/TypeSwitch.h"
#include <map>

using namespace mlir;
using namespace mlir::moe;
namespace fb = ::moe::bundle;

static_assert(int(moe_rt::BufferKind::Status) == int(fb::BufferKind::Status) &&
                  int(moe_rt::Relation::AtLeast) == int(fb::Relation::AtLeast),
              "the numbers of the enums are those of the schema");

namespace {
template <typename T> using Offsets = std::vector<flatbuffers::Offset<T>>;
using ExprOffset = ExprWriter::ExprOffset;

class ProgramWriter {
public:
  ProgramWriter(flatbuffers::FlatBufferBuilder &builder,
                const WrittenKernels &kernels)
      : builder(builder), exprs(builder), kernels(kernels) {}

  FailureOr<flatbuffers::Offset<fb::Program>> write(moe_rt::ProgramOp program);

private:
  struct Range {
    uint32_t buffer;
    ExprOffset offset, bytes;
  };
  /// What both kinds of dispatch have.
  struct DispatchParts {
    uint32_t kernel;
    Offsets<fb::Binding> bindings;
    Offsets<fb::Expr> push;
    ExprOffset flops, bytes;
    flatbuffers::Offset<flatbuffers::String> label;
  };

  LogicalResult writeOp(Operation *op);
  LogicalResult writeBuffer(moe_rt::BufferOp op);
  LogicalResult writeTensor(moe_rt::TensorOp op);
  LogicalResult writeAssert(moe_rt::AssertOp op);
  void writeFaultSite(moe_rt::FaultSiteOp op);
  LogicalResult writeDispatch(moe_rt::DispatchOp op);
  LogicalResult writeDispatchIndirect(moe_rt::DispatchIndirectOp op);
  LogicalResult writeFill(moe_rt::FillOp op);
  LogicalResult writeCopy(moe_rt::CopyOp op);

  FailureOr<Range> writeRange(Value value);
  LogicalResult writeBindings(ValueRange buffers, fb::Access access,
                              Offsets<fb::Binding> &bindings);
  LogicalResult writeExprs(ValueRange sizes, Offsets<fb::Expr> &written);
  /// Leaves a null offset for a null size.
  LogicalResult writeOptional(Value size, ExprOffset &written);
  template <typename DispatchTy>
  FailureOr<DispatchParts> writeParts(DispatchTy op);
  FailureOr<Offsets<fb::Tensor>>
  inOrder(moe_rt::ProgramOp program, moe_rt::BufferKind kind,
          const std::map<int64_t, flatbuffers::Offset<fb::Tensor>> &tensors);
  template <typename T>
  void addCommand(fb::Command type, flatbuffers::Offset<T> command) {
    commandTypes.push_back(type);
    commands.push_back(command.Union());
  }

  flatbuffers::FlatBufferBuilder &builder;
  ExprWriter exprs;
  const WrittenKernels &kernels;
  DenseMap<Operation *, uint32_t> bufferNumbers;
  Offsets<fb::Buffer> buffers;
  std::map<int64_t, flatbuffers::Offset<fb::Tensor>> inputs, outputs;
  Offsets<fb::Assert> asserts;
  Offsets<fb::FaultSite> faultSites;
  Offsets<fb::Alias> aliases;
  ExprOffset arena;
  std::vector<fb::Command> commandTypes;
  Offsets<void> commands;
};
} // namespace

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

LogicalResult ProgramWriter::writeBuffer(moe_rt::BufferOp op) {
  bool isTransient = op.getKind() == moe_rt::BufferKind::Transient;
  if (isTransient && !op.getOffset())
    return op.emitOpError("expected an offset in the arena, but got none: "
                          "moe-rt-plan-memory has not run");
  FailureOr<ExprOffset> bytes = exprs.write(op.getBytes());
  ExprOffset offset;
  if (failed(bytes) || failed(writeOptional(op.getOffset(), offset)))
    return failure();
  flatbuffers::Offset<flatbuffers::Vector<uint8_t>> dataOffset;
  if (op.getData()) {
    FailureOr<std::vector<uint8_t>> data = getConstantData(op);
    if (failed(data))
      return failure();
    dataOffset = builder.CreateVector(*data);
  }
  bufferNumbers[op] = buffers.size();
  buffers.push_back(fb::CreateBuffer(
      builder, builder.CreateString(op.getName().str()),
      fb::BufferKind(op.getKind()), *bytes, offset, dataOffset));
  return success();
}

LogicalResult ProgramWriter::writeTensor(moe_rt::TensorOp op) {
  std::optional<ElementKind> type = getElementKind(op.getElementType());
  if (!type)
    return op.emitOpError("expected an element type that a bundle can name, "
                          "but got ")
           << op.getElementType();
  Offsets<fb::Expr> shape;
  FailureOr<Range> range = writeRange(op.getBuffer());
  if (failed(range) || failed(writeExprs(op.getShape(), shape)))
    return failure();
  auto name = moe_rt::getUnderlyingBuffer(op.getBuffer()).getName();
  auto tensor = fb::CreateTensor(builder, builder.CreateString(name.str()),
                                 fb::ElementType(*type),
                                 builder.CreateVector(shape), range->buffer);
  auto &list = op.getKind() == moe_rt::BufferKind::Input ? inputs : outputs;
  if (!list.try_emplace(op.getPosition(), tensor).second)
    return op.emitOpError("expected one tensor for each position, but got a "
                          "second one for ")
           << stringifyBufferKind(op.getKind()) << ' ' << op.getPosition();
  return success();
}

LogicalResult ProgramWriter::writeAssert(moe_rt::AssertOp op) {
  FailureOr<ExprOffset> left = exprs.write(op.getLeft());
  FailureOr<ExprOffset> right = exprs.write(op.getRight());
  if (failed(left) || failed(right))
    return failure();
  asserts.push_back(
      fb::CreateAssert(builder, *left, fb::Relation(op.getRelation()), *right,
                       builder.CreateString(op.getMessage().str())));
  return success();
}

void ProgramWriter::writeFaultSite(moe_rt::FaultSiteOp op) {
  faultSites.push_back(fb::CreateFaultSite(
      builder, builder.CreateString(op.getKernel().str()),
      op.getSlotsPerToken(), builder.CreateString(op.getMessage().str())));
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

FailureOr<ProgramWriter::Range> ProgramWriter::writeRange(Value value) {
  moe_rt::BufferOp buffer = moe_rt::getUnderlyingBuffer(value);
  SmallVector<Value> offsets;
  Value size = buffer.getBytes();
  if (auto slice = value.getDefiningOp<moe_rt::SliceOp>())
    size = slice.getBytes();
  while (auto slice = value.getDefiningOp<moe_rt::SliceOp>()) {
    offsets.push_back(slice.getOffset());
    value = slice.getBuffer();
  }
  FailureOr<ExprOffset> offset = exprs.writeSum(offsets);
  FailureOr<ExprOffset> bytes = exprs.write(size);
  if (failed(offset) || failed(bytes))
    return failure();
  return Range{bufferNumbers.lookup(buffer), *offset, *bytes};
}

LogicalResult ProgramWriter::writeBindings(ValueRange values, fb::Access access,
                                           Offsets<fb::Binding> &bindings) {
  for (Value value : values) {
    FailureOr<Range> range = writeRange(value);
    if (failed(range))
      return failure();
    bindings.push_back(fb::CreateBinding(builder, range->buffer, range->offset,
                                         range->bytes, access));
  }
  return success();
}

LogicalResult ProgramWriter::writeExprs(ValueRange sizes,
                                        Offsets<fb::Expr> &written) {
  for (Value size : sizes) {
    FailureOr<ExprOffset> expr = exprs.write(size);
    if (failed(expr))
      return failure();
    written.push_back(*expr);
  }
  return success();
}

LogicalResult ProgramWriter::writeOptional(Value size, ExprOffset &written) {
  if (!size)
    return success();
  FailureOr<ExprOffset> expr = exprs.write(size);
  if (succeeded(expr))
    written = *expr;
  return expr;
}

template <typename DispatchTy>
FailureOr<ProgramWriter::DispatchParts>
ProgramWriter::writeParts(DispatchTy op) {
  auto kernel = kernels.find(op.getKernel());
  if (kernel == kernels.end())
    return op.emitOpError("expected a spirv.module with kernel '")
           << op.getKernel() << "', but got none";
  const WrittenKernel &expected = kernel->second;
  DispatchParts parts{expected.index, {}, {}, {}, {}, {}};
  if (failed(writeBindings(op.getReads(), fb::Access::Read, parts.bindings)) ||
      failed(
          writeBindings(op.getWrites(), fb::Access::Write, parts.bindings)) ||
      failed(writeBindings(op.getUpdates(), fb::Access::ReadWrite,
                           parts.bindings)) ||
      failed(writeExprs(op.getPush(), parts.push)) ||
      failed(writeOptional(op.getFlops(), parts.flops)) ||
      failed(writeOptional(op.getBytes(), parts.bytes)))
    return failure();
  if (parts.bindings.size() != expected.numBindings)
    return op.emitOpError("expected ")
           << expected.numBindings << " buffers for kernel '" << op.getKernel()
           << "', but got " << parts.bindings.size();
  if (parts.push.size() != expected.numPushConstants)
    return op.emitOpError("expected ")
           << expected.numPushConstants << " push constants for kernel '"
           << op.getKernel() << "', but got " << parts.push.size();
  if (op.getLabel())
    parts.label = builder.CreateString(op.getLabel()->str());
  return parts;
}

LogicalResult ProgramWriter::writeDispatch(moe_rt::DispatchOp op) {
  FailureOr<DispatchParts> parts = writeParts(op);
  Offsets<fb::Expr> grid;
  if (failed(parts) ||
      failed(writeExprs({op.getGridX(), op.getGridY(), op.getGridZ()}, grid)))
    return failure();
  addCommand(fb::Command::Dispatch,
             fb::CreateDispatch(builder, parts->kernel,
                                builder.CreateVector(grid),
                                builder.CreateVector(parts->bindings),
                                builder.CreateVector(parts->push), parts->flops,
                                parts->bytes, parts->label));
  return success();
}

LogicalResult
ProgramWriter::writeDispatchIndirect(moe_rt::DispatchIndirectOp op) {
  FailureOr<DispatchParts> parts = writeParts(op);
  if (failed(parts))
    return failure();
  // The grid may lie in a slice: its offset counts from the buffer.
  SmallVector<Value> offsets = {op.getGridOffset()};
  for (Value value = op.getGrid();
       auto slice = value.getDefiningOp<moe_rt::SliceOp>();
       value = slice.getBuffer())
    offsets.push_back(slice.getOffset());
  FailureOr<ExprOffset> offset = exprs.writeSum(offsets);
  if (failed(offset))
    return failure();
  uint32_t grid =
      bufferNumbers.lookup(moe_rt::getUnderlyingBuffer(op.getGrid()));
  addCommand(fb::Command::DispatchIndirect,
             fb::CreateDispatchIndirect(builder, parts->kernel, grid, *offset,
                                        builder.CreateVector(parts->bindings),
                                        builder.CreateVector(parts->push),
                                        parts->flops, parts->bytes,
                                        parts->label));
  return success();
}

LogicalResult ProgramWriter::writeFill(moe_rt::FillOp op) {
  FailureOr<Range> range = writeRange(op.getBuffer());
  if (failed(range))
    return failure();
  addCommand(fb::Command::Fill,
             fb::CreateFill(builder, range->buffer, range->offset, range->bytes,
                            op.getValue()));
  return success();
}

LogicalResult ProgramWriter::writeCopy(moe_rt::CopyOp op) {
  FailureOr<Range> source = writeRange(op.getSource());
  FailureOr<Range> destination = writeRange(op.getDestination());
  if (failed(source) || failed(destination))
    return failure();
  addCommand(fb::Command::Copy,
             fb::CreateCopy(builder, source->buffer, source->offset,
                            destination->buffer, destination->offset,
                            source->bytes));
  return success();
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

LogicalResult ProgramWriter::writeOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](moe_rt::BufferOp op) { return writeBuffer(op); })
      .Case([&](moe_rt::TensorOp op) { return writeTensor(op); })
      .Case([&](moe_rt::AssertOp op) { return writeAssert(op); })
      .Case([&](moe_rt::ArenaOp op) {
        return writeOptional(op.getBytes(), arena);
      })
      .Case([&](moe_rt::FaultSiteOp op) {
        writeFaultSite(op);
        return success();
      })
      .Case([&](moe_rt::AliasOp op) {
        aliases.push_back(
            fb::CreateAlias(builder, op.getInput(), op.getOutput()));
        return success();
      })
      .Case([&](moe_rt::DispatchOp op) { return writeDispatch(op); })
      .Case([&](moe_rt::DispatchIndirectOp op) {
        return writeDispatchIndirect(op);
      })
      .Case([&](moe_rt::BarrierOp) {
        addCommand(fb::Command::Barrier, fb::CreateBarrier(builder));
        return success();
      })
      .Case([&](moe_rt::FillOp op) { return writeFill(op); })
      .Case([&](moe_rt::CopyOp op) { return writeCopy(op); })
      .Default([](Operation *op) -> LogicalResult {
        if (isPure(op)) // sizes and slices are written where they are used
          return success();
        return op->emitOpError("expected an op of a host program, but got "
                               "this");
      });
}

FailureOr<Offsets<fb::Tensor>> ProgramWriter::inOrder(
    moe_rt::ProgramOp program, moe_rt::BufferKind kind,
    const std::map<int64_t, flatbuffers::Offset<fb::Tensor>> &tensors) {
  Offsets<fb::Tensor> ordered;
  for (const auto &[position, tensor] : tensors) {
    if (position != int64_t(ordered.size()))
      return program.emitOpError("expected ")
             << stringifyBufferKind(kind) << ' ' << ordered.size()
             << " to be declared before " << position << ", but got none";
    ordered.push_back(tensor);
  }
  return ordered;
}

FailureOr<flatbuffers::Offset<fb::Program>>
ProgramWriter::write(moe_rt::ProgramOp program) {
  for (Operation &op : program.getBody().front())
    if (failed(writeOp(&op)))
      return failure();
  auto orderedInputs = inOrder(program, moe_rt::BufferKind::Input, inputs);
  auto orderedOutputs = inOrder(program, moe_rt::BufferKind::Output, outputs);
  if (failed(orderedInputs) || failed(orderedOutputs))
    return failure();
  if (arena.IsNull())
    return program.emitOpError("expected the size of the arena, but got none: "
                               "moe-rt-plan-memory has not run");
  auto name = builder.CreateString(program.getSymName().str());
  auto symbols = builder.CreateVector(exprs.writeSymbols());
  return fb::CreateProgram(
      builder, name, symbols, builder.CreateVector(*orderedInputs),
      builder.CreateVector(*orderedOutputs), builder.CreateVector(asserts),
      builder.CreateVector(buffers), arena, builder.CreateVector(commandTypes),
      builder.CreateVector(commands), builder.CreateVector(faultSites),
      builder.CreateVector(aliases));
}

FailureOr<flatbuffers::Offset<fb::Program>>
mlir::moe::writeProgram(flatbuffers::FlatBufferBuilder &builder,
                        moe_rt::ProgramOp program,
                        const WrittenKernels &kernels) {
  return ProgramWriter(builder, kernels).write(program);
}
