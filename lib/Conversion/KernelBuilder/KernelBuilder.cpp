//===- KernelBuilder.cpp - Emits the body of one device kernel ------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Conversion/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "moe/Dialect/MoERT/IR/MoERT.h"

using namespace mlir;
using namespace mlir::moe;

static Attribute storageClass(MLIRContext *context, spirv::StorageClass value) {
  return spirv::StorageClassAttr::get(context, value);
}

KernelBuilder::KernelBuilder(Location loc, gpu::GPUModuleOp module,
                             StringRef name, int64_t workgroupSize,
                             int64_t maxLoopIterations)
    : ImplicitLocOpBuilder(loc, module.getContext()),
      workgroupSize(workgroupSize), maxLoopIterations(maxLoopIterations),
      loopIterations(getAffineConstantExpr(0)) {
  setInsertionPointToEnd(module.getBody());
  func = gpu::GPUFuncOp::create(*this, name, getFunctionType({}, {}));
  func->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), getUnitAttr());
  func->setAttr(spirv::getEntryPointABIAttrName(),
                spirv::getEntryPointABIAttr(
                    getContext(), {static_cast<int32_t>(workgroupSize), 1, 1}));
  setInsertionPointToEnd(&func.getBody().front());
}

KernelBuffer &KernelBuilder::addBuffer(BufferUse use, Type elementType) {
  Attribute space =
      storageClass(getContext(), spirv::StorageClass::StorageBuffer);
  auto addView = [&](Type type) {
    Type view = MemRefType::get({ShapedType::kDynamic}, type,
                                MemRefLayoutAttrInterface{}, space);
    unsigned position = func.getNumArguments();
    (void)func.insertArgument(position, view, {}, getLoc());
    return func.getArgument(position);
  };
  auto buffer = std::make_unique<KernelBuffer>();
  buffer->use = use;
  buffer->scalars = addView(elementType);
  buffer->vectors = addView(VectorType::get({4}, elementType));
  buffers.push_back(std::move(buffer));
  return *buffers.back();
}

// Hoists pure ops, and loads from buffers that this kernel only reads, out of
// loops. Loads are emitted in bounds, so executing one early is harmless.
static void hoistInvariants(gpu::GPUFuncOp func,
                            const llvm::SmallDenseSet<Value> &readOnly) {
  func.walk([&](LoopLikeOpInterface loop) {
    moveLoopInvariantCode(
        loop.getLoopRegions(),
        [&](Value value, Region *) {
          return loop.isDefinedOutsideOfLoop(value);
        },
        [&](Operation *op, Region *) {
          if (auto load = dyn_cast<memref::LoadOp>(op))
            return readOnly.contains(load.getMemRef());
          return isMemoryEffectFree(op) && isSpeculatable(op) &&
                 !isa<spirv::GroupNonUniformShuffleOp>(op);
        },
        [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
  });
}

KernelBuilder::Finished KernelBuilder::finish(unsigned numPushConstants) {
  gpu::ReturnOp::create(*this);
  llvm::SmallDenseSet<Value> readOnly;
  for (auto &buffer : buffers)
    if (buffer->use == BufferUse::Read)
      readOnly.insert_range(ArrayRef<Value>{buffer->scalars, buffer->vectors});
  hoistInvariants(func, readOnly);

  Finished result{func, {}};
  for (BufferUse use : {BufferUse::Read, BufferUse::Write, BufferUse::Update})
    for (auto [number, buffer] : llvm::enumerate(buffers)) {
      if (buffer->use != use ||
          (buffer->scalars.use_empty() && buffer->vectors.use_empty()))
        continue;
      auto abi = spirv::getInterfaceVarABIAttr(0, result.bindings.size(),
                                               std::nullopt, getContext());
      for (Value view : {buffer->scalars, buffer->vectors})
        func.setArgAttr(cast<BlockArgument>(view).getArgNumber(),
                        spirv::getInterfaceVarABIAttrName(), abi);
      result.bindings.push_back(number);
    }
  llvm::BitVector unused(func.getNumArguments());
  for (BlockArgument argument : func.getArguments())
    if (argument.use_empty())
      unused.set(argument.getArgNumber());
  (void)func.eraseArguments(unused);
  func->setAttr("moe_rt.push_constants", getI32IntegerAttr(numPushConstants));
  return result;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value KernelBuilder::idx(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}
Value KernelBuilder::i32(int32_t value) {
  return arith::ConstantOp::create(*this, getI32IntegerAttr(value));
}
Value KernelBuilder::f32(float value) {
  return arith::ConstantOp::create(*this, getF32FloatAttr(value));
}
Value KernelBuilder::boolean(bool value) {
  return arith::ConstantOp::create(*this, getBoolAttr(value));
}
Value KernelBuilder::constantLike(Value like, int64_t value) {
  Type type = like.getType();
  if (type.isIndex())
    return idx(value);
  return arith::ConstantOp::create(*this, getIntegerAttr(type, value));
}

Value KernelBuilder::add(Value a, Value b) {
  return createOrFold<arith::AddIOp>(a, b);
}
Value KernelBuilder::sub(Value a, Value b) {
  return createOrFold<arith::SubIOp>(a, b);
}
Value KernelBuilder::mul(Value a, Value b) {
  return createOrFold<arith::MulIOp>(a, b);
}
Value KernelBuilder::div(Value a, Value b) {
  return createOrFold<arith::DivUIOp>(a, b);
}
Value KernelBuilder::rem(Value a, Value b) {
  return createOrFold<arith::RemUIOp>(a, b);
}
Value KernelBuilder::ceilDiv(Value a, int64_t b) {
  return div(add(a, b - 1), b);
}
Value KernelBuilder::min(Value a, Value b) {
  return createOrFold<arith::MinSIOp>(a, b);
}
Value KernelBuilder::max(Value a, Value b) {
  return createOrFold<arith::MaxSIOp>(a, b);
}
Value KernelBuilder::cmp(arith::CmpIPredicate predicate, Value a, Value b) {
  return createOrFold<arith::CmpIOp>(predicate, a, b);
}
Value KernelBuilder::cmp(arith::CmpFPredicate predicate, Value a, Value b) {
  return createOrFold<arith::CmpFOp>(predicate, a, b);
}
Value KernelBuilder::logicalAnd(Value a, Value b) {
  return createOrFold<arith::AndIOp>(a, b);
}
Value KernelBuilder::logicalOr(Value a, Value b) {
  return createOrFold<arith::OrIOp>(a, b);
}
Value KernelBuilder::select(Value condition, Value a, Value b) {
  // Before SPIR-V 1.4 a selection of vectors needs a vector of conditions.
  if (auto vector = dyn_cast<VectorType>(a.getType());
      vector && !isa<VectorType>(condition.getType()))
    condition = vector::BroadcastOp::create(
        *this, vector.clone(condition.getType()), condition);
  return createOrFold<arith::SelectOp>(condition, a, b);
}
Value KernelBuilder::toIndex(Value value) {
  return createOrFold<arith::IndexCastOp>(getIndexType(), value);
}
Value KernelBuilder::toI32(Value value) {
  return createOrFold<arith::IndexCastOp>(getI32Type(), value);
}

// `type` with elements of `element` where they are of `from`.
static Type withElement(Type type, Type from, Type element) {
  if (getElementTypeOrSelf(type) != from)
    return type;
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}
Value KernelBuilder::toWide(Value value) {
  Type type = withElement(value.getType(), getIndexType(), getI64Type());
  return type == value.getType()
             ? value
             : createOrFold<arith::IndexCastOp>(type, value);
}
Value KernelBuilder::toNarrow(Value value) {
  Type type = withElement(value.getType(), getI64Type(), getIndexType());
  return type == value.getType()
             ? value
             : createOrFold<arith::IndexCastOp>(type, value);
}

Value KernelBuilder::contractableMul(Value a, Value b) {
  return arith::MulFOp::create(*this, a, b, arith::FastMathFlags::contract);
}
Value KernelBuilder::contractableAdd(Value a, Value b) {
  return arith::AddFOp::create(*this, a, b, arith::FastMathFlags::contract);
}

void KernelBuilder::matchWidths(ArrayRef<Value *> values) {
  if (llvm::any_of(values, [](Value *value) {
        return getElementTypeOrSelf(value->getType()).isInteger(64);
      }))
    for (Value *value : values)
      *value = toWide(*value);
}

//===----------------------------------------------------------------------===//
// Memory and position
//===----------------------------------------------------------------------===//

Value KernelBuilder::load(Value memref, Value position) {
  return memref::LoadOp::create(*this, memref, position);
}
void KernelBuilder::store(Value value, Value memref, Value position) {
  memref::StoreOp::create(*this, value, memref, position);
}
Value KernelBuilder::shared(Type elementType, int64_t count) {
  Attribute space = storageClass(getContext(), spirv::StorageClass::Workgroup);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(&func.getBody().front());
  return memref::AllocOp::create(
      *this, MemRefType::get({count}, elementType, MemRefLayoutAttrInterface{},
                             space));
}
Value KernelBuilder::workgroupId(gpu::Dimension dimension) {
  return gpu::BlockIdOp::create(*this, dimension);
}
Value KernelBuilder::workgroupCount(gpu::Dimension dimension) {
  return gpu::GridDimOp::create(*this, dimension);
}
Value KernelBuilder::threadId() {
  return gpu::ThreadIdOp::create(*this, gpu::Dimension::x);
}
Value KernelBuilder::globalId() {
  return add(mul(workgroupId(), workgroupSize), threadId());
}
Value KernelBuilder::pushConstant(unsigned position) {
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(&func.getBody().front());
  return moe_rt::PushConstantOp::create(*this, getIndexType(), position);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

SmallVector<Value> KernelBuilder::ifElse(Value condition, Branch then,
                                         Branch otherwise) {
  auto branch = [&](Branch emit) {
    return [this, emit](OpBuilder &nested, Location) {
      OpBuilder::InsertionGuard guard(*this);
      setInsertionPoint(nested.getInsertionBlock(), nested.getInsertionPoint());
      SmallVector<Value> values = emit();
      scf::YieldOp::create(*this, values);
    };
  };
  auto op =
      scf::IfOp::create(*this, condition, branch(then), branch(otherwise));
  return SmallVector<Value>(op.getResults());
}

void KernelBuilder::ifThen(Value condition, function_ref<void()> then) {
  auto op = scf::IfOp::create(*this, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  then();
}

void KernelBuilder::barrier() { gpu::BarrierOp::create(*this); }

//===----------------------------------------------------------------------===//
// Subgroups
//===----------------------------------------------------------------------===//

static spirv::ScopeAttr subgroupScope(MLIRContext *context) {
  return spirv::ScopeAttr::get(context, spirv::Scope::Subgroup);
}

Value KernelBuilder::shuffle(Value value, Value lane) {
  Value id = lane.getType().isIndex() ? toI32(lane) : lane;
  return spirv::GroupNonUniformShuffleOp::create(
      *this, value.getType(), subgroupScope(getContext()), value, id);
}

Value KernelBuilder::shuffleXor(Value value, int64_t mask) {
  return spirv::GroupNonUniformShuffleXorOp::create(
      *this, value.getType(), subgroupScope(getContext()), value, i32(mask));
}

Value KernelBuilder::laneId() {
  return gpu::LaneIdOp::create(*this, /*upper_bound=*/IntegerAttr());
}
