//===- Patterns.h - Own patterns and finishing for SPIR-V -------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_CONVERSION_GPUTOSPIRV_PATTERNS_H
#define MOE_LIB_CONVERSION_GPUTOSPIRV_PATTERNS_H

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"

namespace mlir::moe {

/// Push constants, uncontracted float arithmetic, what upstream lacks.
void populateOwnSPIRVPatterns(const SPIRVTypeConverter &converter,
                              RewritePatternSet &patterns);

/// scf.for whose results are right also when it runs no iteration.
void populateLoopPatterns(const SPIRVTypeConverter &converter,
                          RewritePatternSet &patterns);

/// Names an op of arith or math that has no form in SPIR-V, or types that the
/// target does not compute with.
LogicalResult checkOps(Operation *module, const SPIRVTypeConverter &converter);

/// Gives `module` its version, capabilities and extensions, and
/// marks variables that share a binding as aliased.
LogicalResult finishModule(spirv::ModuleOp module, spirv::TargetEnvAttr target);

} // namespace mlir::moe

#endif // MOE_LIB_CONVERSION_GPUTOSPIRV_PATTERNS_H
