//===- SharedBuffer.cpp - One buffer for several bindings -----------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A kernel that binds more buffers than the device allows gets some of them as
// parts of one transient. They are copied into it before each dispatch, and
// those that the kernel writes are copied back after it, so neither the values
// nor their order of computation depend on it. The parts are those that cost
// the least bytes to copy: tables, offsets and biases rather than matrices.
//
// A kernel may write fewer elements than a buffer has, or none, where its grid
// is read from memory; so what it writes is copied in as well, unless nothing
// has been written there before.
//
//===----------------------------------------------------------------------===//

#include "KernelInterface.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "moe/Dialect/MoERT/IR/MoERT.h"

using namespace mlir;
using namespace mlir::moe;

// Parts begin at whole vectors of four elements.
static constexpr int64_t vectorBytes = 16;
// What an unknown size counts as where costs are compared.
static constexpr int64_t typicalSize = 4096;

static int64_t roundUp(int64_t bytes) {
  return llvm::divideCeil(bytes, vectorBytes) * vectorBytes;
}

static Value getBytes(Value range) {
  if (auto slice = range.getDefiningOp<moe_rt::SliceOp>())
    return slice.getBytes();
  return range.getDefiningOp<moe_rt::BufferOp>().getBytes();
}

// A size with `typicalSize` in the place of each dynamic dimension.
static int64_t estimate(Value size) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return *known;
  auto fold = [&](AffineMap map, ValueRange operands) {
    Builder builder(map.getContext());
    SmallVector<Attribute> values, results;
    for (Value operand : operands)
      values.push_back(builder.getIndexAttr(estimate(operand)));
    if (failed(map.constantFold(values, results)))
      return typicalSize;
    int64_t least = std::numeric_limits<int64_t>::max();
    for (Attribute result : results)
      least = std::min(least, cast<IntegerAttr>(result).getInt());
    return least;
  };
  if (auto apply = size.getDefiningOp<affine::AffineApplyOp>())
    return fold(apply.getAffineMap(), apply.getMapOperands());
  if (auto least = size.getDefiningOp<affine::AffineMinOp>())
    return fold(least.getAffineMap(), least.getMapOperands());
  return typicalSize;
}

// Whether the kernel touches the binding in no other way than by loads and
// stores of elements of 32 bits or vectors of four.
static bool canMove(const KernelBinding &binding) {
  return llvm::all_of(binding.views, [](BlockArgument view) {
    auto memref = dyn_cast<MemRefType>(view.getType());
    if (!memref || memref.getRank() != 1 || !memref.getLayout().isIdentity())
      return false;
    Type type = memref.getElementType();
    if (auto vector = dyn_cast<VectorType>(type)) {
      if (vector.getShape() != ArrayRef<int64_t>{4})
        return false;
      type = vector.getElementType();
    }
    return type.isIntOrFloat() && type.getIntOrFloatBitWidth() == 32 &&
           llvm::all_of(view.getUsers(), [](Operation *user) {
             return isa<memref::LoadOp, memref::StoreOp>(user);
           });
  });
}

// Whether another binding writes the same memory.
static bool isWrittenTwice(const KernelInterface &kernel,
                           const KernelBinding &binding) {
  return llvm::any_of(kernel.bindings, [&](const KernelBinding &other) {
    if (&other == &binding || other.use == BufferUse::Read ||
        binding.use == BufferUse::Read)
      return false;
    return llvm::any_of(
        llvm::zip(other.buffers, binding.buffers), [](auto pair) {
          return moe_rt::getUnderlyingBuffer(std::get<0>(pair)) ==
                 moe_rt::getUnderlyingBuffer(std::get<1>(pair));
        });
  });
}

// Whether `range` holds anything when the dispatch begins.
static bool holdsValues(Operation *dispatch, Value range) {
  moe_rt::BufferOp buffer = moe_rt::getUnderlyingBuffer(range);
  if (buffer.getKind() != moe_rt::BufferKind::Transient &&
      buffer.getKind() != moe_rt::BufferKind::Output)
    return true;
  for (Operation *op = dispatch->getPrevNode(); op; op = op->getPrevNode())
    for (const moe_rt::BufferAccess &access : moe_rt::getBufferAccesses(op))
      if (access.writes && moe_rt::getUnderlyingBuffer(access.buffer) == buffer)
        return true;
  return false;
}

FailureOr<SharedBuffer> SharedBuffer::plan(KernelInterface &kernel,
                                           unsigned limit,
                                           int64_t reservedBytes) {
  SmallVector<std::pair<int64_t, unsigned>> costs;
  for (auto [number, binding] : llvm::enumerate(kernel.bindings)) {
    if (!canMove(binding) || isWrittenTwice(kernel, binding))
      continue;
    int64_t cost = 0;
    for (Value buffer : binding.buffers)
      cost = std::max(cost, estimate(getBytes(buffer)));
    costs.emplace_back(binding.use == BufferUse::Read ? cost : 2 * cost,
                       number);
  }
  llvm::sort(costs);
  unsigned wanted = kernel.bindings.size() - (limit - 1);
  if (costs.size() < wanted)
    return kernel.dispatches.front()->emitOpError("expected kernel '")
           << kernel.func.getName() << "' to have " << wanted
           << " bindings that can share a buffer, so that it binds at most "
           << limit << ", but got " << costs.size();

  SharedBuffer shared;
  shared.reservedBytes = roundUp(reservedBytes);
  for (auto [cost, number] : ArrayRef(costs).take_front(wanted)) {
    Part part{number, {}, {}, {}};
    for (Value buffer : kernel.bindings[number].buffers)
      part.bytes.push_back(getBytes(buffer));
    part.staticBytes = getConstantIntValue(part.bytes.front());
    for (Value bytes : part.bytes)
      if (getConstantIntValue(bytes) != part.staticBytes)
        part.staticBytes = std::nullopt;
    shared.parts.push_back(std::move(part));
  }
  // Those of known size first: the more parts begin at constants.
  llvm::sort(shared.parts, [](const Part &a, const Part &b) {
    return std::make_pair(!a.staticBytes, a.binding) <
           std::make_pair(!b.staticBytes, b.binding);
  });
  std::optional<int64_t> start = shared.reservedBytes;
  for (Part &part : shared.parts) {
    part.start = start;
    if (start && part.staticBytes)
      start = *start + roundUp(*part.staticBytes);
    else
      start = std::nullopt;
  }
  return shared;
}

unsigned SharedBuffer::countPushConstants() const {
  return llvm::count_if(parts, [](const Part &part) { return !part.start; });
}

// Turns the accesses of `from` into those of `to`, `begin` vectors behind.
static void moveAccesses(OpBuilder &b, BlockArgument from, BlockArgument to,
                         Value begin) {
  Location loc = from.getLoc();
  Type type = cast<MemRefType>(from.getType()).getElementType();
  if (!isa<VectorType>(type)) {
    Value four = arith::ConstantIndexOp::create(b, loc, 4);
    begin = b.createOrFold<arith::MulIOp>(loc, begin, four);
  }
  auto move = [&](auto access) {
    OpBuilder here(access);
    Value position = access.getIndices().front();
    access.getIndicesMutable().assign(
        here.createOrFold<arith::AddIOp>(access.getLoc(), position, begin));
    access.getMemrefMutable().assign(to);
  };
  for (Operation *user : llvm::make_early_inc_range(from.getUsers())) {
    if (auto load = dyn_cast<memref::LoadOp>(user))
      move(load);
    else
      move(cast<memref::StoreOp>(user));
  }
}

unsigned SharedBuffer::apply(KernelInterface &kernel) {
  KernelBinding shared{BufferUse::Read, {}, {}};
  SmallVector<SmallVector<Value>> starts(parts.size()); // in vectors
  MLIRContext *context = kernel.func.getContext();
  AffineExpr d0 = getAffineDimExpr(0, context),
             d1 = getAffineDimExpr(1, context);
  for (auto [number, dispatch] : llvm::enumerate(kernel.dispatches)) {
    OpBuilder before(dispatch), after(context);
    after.setInsertionPointAfter(dispatch);
    Location loc = dispatch->getLoc();
    auto apply = [&](AffineExpr expr, ArrayRef<OpFoldResult> operands) {
      return affine::makeComposedFoldedAffineApply(
          before, loc, AffineMap::get(operands.size(), 0, expr), operands);
    };
    auto toValue = [&](OpFoldResult size) {
      return getValueOrCreateConstantIndexOp(before, loc, size);
    };
    OpFoldResult end = before.getIndexAttr(reservedBytes / vectorBytes);
    for (auto [part, start] : llvm::zip(parts, starts)) {
      start.push_back(toValue(end));
      end = apply(d0 + d1.ceilDiv(vectorBytes),
                  {end, OpFoldResult(part.bytes[number])});
    }
    Value buffer = moe_rt::BufferOp::create(
        before, loc, moe_rt::BufferType::get(context),
        (kernel.func.getName() + " shared").str(),
        moe_rt::BufferKind::Transient, toValue(apply(d0 * vectorBytes, {end})),
        /*offset=*/Value(), /*data=*/nullptr);
    shared.buffers.push_back(buffer);
    for (auto [part, start] : llvm::zip(parts, starts)) {
      const KernelBinding &binding = kernel.bindings[part.binding];
      Value own = binding.buffers[number];
      Value offset =
          toValue(apply(d0 * vectorBytes, {getAsOpFoldResult(start.back())}));
      Value slice = moe_rt::SliceOp::create(before, loc, buffer.getType(),
                                            buffer, offset, part.bytes[number]);
      if (binding.use == BufferUse::Read || holdsValues(dispatch, own))
        moe_rt::CopyOp::create(before, loc, own, slice);
      if (binding.use != BufferUse::Read)
        moe_rt::CopyOp::create(after, loc, slice, own);
    }
  }

  OpBuilder b = OpBuilder::atBlockBegin(&kernel.func.getBody().front());
  for (auto [part, start] : llvm::zip(parts, starts)) {
    const KernelBinding &binding = kernel.bindings[part.binding];
    if (binding.use != BufferUse::Read)
      shared.use = BufferUse::Update;
    Value begin =
        part.start ? arith::ConstantIndexOp::create(b, kernel.func.getLoc(),
                                                    *part.start / vectorBytes)
                   : kernel.push(b, start);
    for (BlockArgument view : binding.views) {
      Type type = cast<MemRefType>(view.getType()).getElementType();
      moveAccesses(b, view, kernel.getView(shared, type), begin);
    }
  }
  SmallVector<KernelBinding> left;
  for (auto [number, binding] : llvm::enumerate(kernel.bindings))
    if (llvm::none_of(parts, [number = number](const Part &part) {
          return part.binding == number;
        }))
      left.push_back(std::move(binding));
  left.push_back(std::move(shared));
  kernel.bindings = std::move(left);
  return kernel.bindings.size() - 1;
}
