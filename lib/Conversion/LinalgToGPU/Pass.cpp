//===- Pass.cpp - Functions of kernels -> gpu.func and moe_rt.program
//------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Positions.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "moe/Conversion/Passes.h"
#include "moe/Support/OneBlock.h"

namespace mlir::moe {
#define GEN_PASS_DEF_CONVERTLINALGTOGPUPASS
#include "moe/Conversion/Passes.h.inc"
} // namespace mlir::moe

using namespace mlir;
using namespace mlir::moe;

// The single kernel-level op of type OpTy in a kernel's body.
template <typename OpTy>
static LogicalResult lowerOnly(KernelOp kernel, ProgramBuilder &program,
                               LogicalResult (*lower)(KernelOp, OpTy,
                                                      ProgramBuilder &)) {
  auto ops = kernel.getBody().front().getOps<OpTy>();
  if (ops.empty())
    return kernel.emitOpError("expected a ")
           << OpTy::getOperationName() << " in its body";
  return lower(kernel, *ops.begin(), program);
}

static LogicalResult lowerKernel(KernelOp kernel, ProgramBuilder &program) {
  if (!kernel.getSchedule())
    return kernel.emitOpError(
        "expected a schedule, but got none: run --moe-select-schedule first");
  if (kernel.getNumResults() == 0)
    return kernel.emitOpError("expected at least one result, but got none");
  Family family = kernel.getSchedule()->getFamily();
  if (kernel.getUpdates() && family != Family::Elementwise)
    return kernel.emitOpError("expected a kernel that updates inputs to be of "
                              "family elementwise, but got ")
           << stringifyFamily(family);
  switch (family) {
  case Family::Elementwise:
    return lowerElementwise(kernel, program);
  case Family::Reduce:
    return lowerReduce(kernel, program);
  case Family::Matmul:
    return lowerMatmul(kernel, program);
  case Family::Route:
    return lowerOnly<RouteOp>(kernel, program, lowerRoute);
  case Family::Plan:
    return lowerOnly<PlanOp>(kernel, program, lowerPlan);
  case Family::Tiles:
    return lowerOnly<TilesOp>(kernel, program, lowerTiles);
  case Family::Outer:
    return lowerOnly<GroupedOuterOp>(kernel, program, lowerGroupedOuter);
  case Family::CheckOffsets:
    return lowerOnly<CheckOffsetsOp>(kernel, program, lowerCheckOffsets);
  case Family::CheckMaps:
    return lowerOnly<CheckMapsOp>(kernel, program, lowerCheckMaps);
  }
  llvm_unreachable("all families are handled");
}

// Sizes that the host must check before it submits anything.
static void addAsserts(ProgramBuilder &program, Location loc) {
  for (const SymbolicDims::Condition &condition :
       program.dims().getConditions())
    moe_rt::AssertOp::create(
        program.builder(), loc, program.materialize(condition.left),
        condition.relation, program.materialize(condition.right),
        condition.message);
}

// Arguments are tensors, and each result is one of a kernel's of its own.
static LogicalResult checkBoundary(func::FuncOp func) {
  if (failed(expectOneBlock(func)))
    return failure();
  for (auto [number, type] : llvm::enumerate(func.getArgumentTypes()))
    if (!isa<RankedTensorType>(type))
      return func.emitError("expected argument ")
             << number << " to be a ranked tensor, but got " << type;
  llvm::SmallDenseSet<Value> seen;
  for (OpOperand &result :
       func.getBody().front().getTerminator()->getOpOperands())
    if (!result.get().getDefiningOp<KernelOp>() ||
        !seen.insert(result.get()).second)
      return func.emitError("expected result ")
             << result.getOperandNumber()
             << " to be the result of a kernel and no other result of the "
                "function: run "
                "--moe-form-kernels first";
  return success();
}

static LogicalResult convertFunction(func::FuncOp func,
                                     gpu::GPUModuleOp kernels,
                                     ProgramBuilder::Device device) {
  if (failed(checkBoundary(func)) || failed(checkUpdates(func)))
    return failure();
  ProgramBuilder program(func, kernels, device);
  if (failed(program.dims().unify()))
    return failure();
  addAsserts(program, func.getLoc());
  // Inputs and results have buffers even where no kernel touches them.
  for (BlockArgument argument : func.getArguments())
    if (failed(program.getBuffer(argument)))
      return failure();
  Operation *terminator = func.getBody().front().getTerminator();
  for (Value result : terminator->getOperands())
    if (failed(program.getBuffer(result)))
      return failure();
  for (auto kernel : func.getBody().getOps<KernelOp>())
    if (failed(checkPositions(kernel, program)) ||
        failed(lowerKernel(kernel, program)))
      return failure();
  if (failed(program.finish()))
    return failure();
  func.erase();
  return success();
}

namespace {
struct ConvertLinalgToGPUPass
    : moe::impl::ConvertLinalgToGPUPassBase<ConvertLinalgToGPUPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> functions;
    for (auto func : module.getOps<func::FuncOp>())
      if (func.isPublic() && !func.isExternal())
        functions.push_back(func);
    if (functions.empty())
      return;
    OpBuilder builder(&getContext());
    auto kernels =
        gpu::GPUModuleOp::create(builder, module.getLoc(), "kernels");
    SymbolTable(module).insert(kernels); // a function may have the same name
    for (func::FuncOp func : functions)
      if (failed(
              convertFunction(func, kernels, {maxLoopIterations, shaderInt64})))
        return signalPassFailure();
  }
};
} // namespace
