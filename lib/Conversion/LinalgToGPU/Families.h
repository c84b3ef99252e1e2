//===- Families.h - The families of code a kernel is lowered by -*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// One function per family of #moe.schedule. Each reads the kernel's schedule,
// emits the device code, and appends the dispatches to the program.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_CONVERSION_LINALGTOGPU_FAMILIES_H
#define MOE_CONVERSION_LINALGTOGPU_FAMILIES_H

#include "moe/Conversion/ProgramBuilder.h"

namespace mlir::moe {

LogicalResult lowerElementwise(KernelOp kernel, ProgramBuilder &program);
LogicalResult lowerReduce(KernelOp kernel, ProgramBuilder &program);
LogicalResult lowerMatmul(KernelOp kernel, ProgramBuilder &program);

LogicalResult lowerCheckMaps(KernelOp kernel, CheckMapsOp op,
                             ProgramBuilder &program);
LogicalResult lowerCheckOffsets(KernelOp kernel, CheckOffsetsOp op,
                                ProgramBuilder &program);
LogicalResult lowerGroupedOuter(KernelOp kernel, GroupedOuterOp op,
                                ProgramBuilder &program);
LogicalResult lowerPlan(KernelOp kernel, PlanOp op, ProgramBuilder &program);
LogicalResult lowerRoute(KernelOp kernel, RouteOp op, ProgramBuilder &program);
LogicalResult lowerTiles(KernelOp kernel, TilesOp op, ProgramBuilder &program);

/// Checks that each argument that aliases a result is updated by one kernel,
/// which comes after all others that read it.
LogicalResult checkUpdates(func::FuncOp func);

} // namespace mlir::moe

#endif // MOE_CONVERSION_LINALGTOGPU_FAMILIES_H
