//===- Passes.h - Reverse-mode differentiation ------------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_AUTODIFF_PASSES_H
#define MOE_AUTODIFF_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "moe/Autodiff/Cotangents.h"

namespace mlir::moe {

/// Whether forward and backward are one function.
enum class DerivativeMode { Joint, Split };

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "moe/Autodiff/Passes.h.inc"

} // namespace mlir::moe

#endif // MOE_AUTODIFF_PASSES_H
