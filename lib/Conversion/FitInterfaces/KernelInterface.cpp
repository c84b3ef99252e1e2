//===- KernelInterface.cpp - What a kernel binds and is pushed ------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelInterface.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "moe/Dialect/MoERT/IR/MoERT.h"

using namespace mlir;
using namespace mlir::moe;

// Calls `body` with the dispatch of either kind.
template <typename Body> static auto withDispatch(Operation *op, Body body) {
  if (auto indirect = dyn_cast<moe_rt::DispatchIndirectOp>(op))
    return body(indirect);
  return body(cast<moe_rt::DispatchOp>(op));
}

unsigned moe::countBindings(Operation *dispatch) {
  return withDispatch(dispatch, [](auto op) {
    return op.getReads().size() + op.getWrites().size() +
           op.getUpdates().size();
  });
}

unsigned moe::countPushConstants(Operation *dispatch) {
  return withDispatch(dispatch, [](auto op) { return op.getPush().size(); });
}

// The bindings of a dispatch, in their order.
static SmallVector<std::pair<BufferUse, Value>> getBound(Operation *dispatch) {
  SmallVector<std::pair<BufferUse, Value>> bound;
  auto add = [&](BufferUse use, ValueRange buffers) {
    for (Value buffer : buffers)
      bound.emplace_back(use, buffer);
  };
  withDispatch(dispatch, [&](auto op) {
    add(BufferUse::Read, op.getReads());
    add(BufferUse::Write, op.getWrites());
    add(BufferUse::Update, op.getUpdates());
  });
  return bound;
}

static bool isBuffer(Value range) {
  while (auto slice = range.getDefiningOp<moe_rt::SliceOp>())
    range = slice.getBuffer();
  return range.getDefiningOp<moe_rt::BufferOp>() != nullptr;
}

FailureOr<KernelInterface>
KernelInterface::read(gpu::GPUFuncOp func, ArrayRef<Operation *> dispatches) {
  KernelInterface kernel;
  kernel.func = func;
  kernel.dispatches.assign(dispatches.begin(), dispatches.end());
  for (auto [use, buffer] : getBound(dispatches.front()))
    kernel.bindings.push_back({use, {}, {}});
  kernel.pushes.resize(countPushConstants(dispatches.front()));
  for (Operation *dispatch : dispatches) {
    SmallVector<std::pair<BufferUse, Value>> bound = getBound(dispatch);
    for (auto [use, buffer] : bound)
      if (!isBuffer(buffer))
        return dispatch->emitOpError("expected to bind buffers and slices of "
                                     "them, but got another value");
    bool alike = bound.size() == kernel.bindings.size() &&
                 countPushConstants(dispatch) == kernel.pushes.size();
    for (unsigned i = 0; alike && i < bound.size(); ++i)
      alike = bound[i].first == kernel.bindings[i].use;
    if (!alike)
      return dispatch->emitOpError("expected to bind and push as the first "
                                   "dispatch of kernel '")
             << func.getName() << "' does, but got others";
    for (auto [binding, pair] : llvm::zip(kernel.bindings, bound))
      binding.buffers.push_back(pair.second);
    withDispatch(dispatch, [&](auto op) {
      for (auto [values, value] : llvm::zip(kernel.pushes, op.getPush()))
        values.push_back(value);
    });
  }
  for (BlockArgument view : func.getArguments()) {
    auto abi = func.getArgAttrOfType<spirv::InterfaceVarABIAttr>(
        view.getArgNumber(), spirv::getInterfaceVarABIAttrName());
    if (!abi || abi.getBinding() >= kernel.bindings.size())
      return func.emitOpError("expected argument ")
             << view.getArgNumber() << " to have a binding below "
             << kernel.bindings.size() << " (those of its dispatches), but got "
             << (abi ? std::to_string(abi.getBinding()) : "none");
    kernel.bindings[abi.getBinding()].views.push_back(view);
  }
  return kernel;
}

void KernelInterface::write() {
  SmallVector<KernelBinding> ordered;
  for (BufferUse use : {BufferUse::Read, BufferUse::Write, BufferUse::Update})
    for (KernelBinding &binding : bindings)
      if (binding.use == use)
        ordered.push_back(std::move(binding));
  bindings = std::move(ordered);
  MLIRContext *context = func.getContext();
  llvm::SmallDenseSet<Value> kept;
  for (auto [number, binding] : llvm::enumerate(bindings))
    for (BlockArgument view : binding.views) {
      kept.insert(view);
      func.setArgAttr(
          view.getArgNumber(), spirv::getInterfaceVarABIAttrName(),
          spirv::getInterfaceVarABIAttr(0, number, std::nullopt, context));
    }
  llvm::BitVector dropped(func.getNumArguments());
  for (BlockArgument view : func.getArguments())
    if (!kept.contains(view))
      dropped.set(view.getArgNumber());
  (void)func.eraseArguments(dropped);
  Builder builder(context);
  func->setAttr("moe_rt.push_constants",
                builder.getI32IntegerAttr(pushes.size()));

  for (auto [number, dispatch] : llvm::enumerate(dispatches)) {
    SmallVector<Value> bound[3], pushed;
    for (const KernelBinding &binding : bindings)
      bound[static_cast<int>(binding.use)].push_back(binding.buffers[number]);
    for (ArrayRef<Value> values : pushes)
      pushed.push_back(values[number]);
    withDispatch(dispatch, [&](auto op) {
      op.getReadsMutable().assign(bound[0]);
      op.getWritesMutable().assign(bound[1]);
      op.getUpdatesMutable().assign(bound[2]);
      op.getPushMutable().assign(pushed);
    });
  }
}

BlockArgument KernelInterface::getView(KernelBinding &binding, Type type) {
  for (BlockArgument view : binding.views)
    if (auto memref = dyn_cast<MemRefType>(view.getType());
        memref && memref.getElementType() == type)
      return view;
  auto space = spirv::StorageClassAttr::get(func.getContext(),
                                            spirv::StorageClass::StorageBuffer);
  auto view = MemRefType::get({ShapedType::kDynamic}, type,
                              MemRefLayoutAttrInterface{}, space);
  unsigned position = func.getNumArguments();
  (void)func.insertArgument(position, view, {}, func.getLoc());
  binding.views.push_back(func.getArgument(position));
  return binding.views.back();
}

Value KernelInterface::push(OpBuilder &kernel, ArrayRef<Value> values) {
  Value pushed = moe_rt::PushConstantOp::create(
      kernel, func.getLoc(), kernel.getIndexType(), pushes.size());
  pushes.emplace_back(values);
  return pushed;
}
