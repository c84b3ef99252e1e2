//===- Rules.h - The derivative rules of the project ------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_AUTODIFF_RULES_H
#define MOE_AUTODIFF_RULES_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::moe {

/// The rules of one dialect's ops, as external models.
void registerArithDerivativeRules(DialectRegistry &registry);
void registerLinalgDerivativeRules(DialectRegistry &registry);
void registerMathDerivativeRules(DialectRegistry &registry);
void registerMoEDerivativeRules(DialectRegistry &registry);
void registerTensorDerivativeRules(DialectRegistry &registry);

/// All of them.
void registerDerivativeRules(DialectRegistry &registry);

} // namespace mlir::moe

#endif // MOE_AUTODIFF_RULES_H
