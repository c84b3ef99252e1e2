//===- Expr.h - Expressions of the dynamic dimensions -----------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_RUNTIME_SUPPORT_EXPR_H
#define MOE_RUNTIME_SUPPORT_EXPR_H

#include "Support/Status.h"
#include "moe-bundle/bundle_generated.h"

#include <cstdint>
#include <vector>

namespace moe::runtime {

/// Checks what can be checked without values: the operators, the symbols'
/// indices, and that the stack ends with exactly one value.
Status checkExpr(const bundle::Expr &expr, size_t numSymbols);

/// True when the value depends on no symbol.
bool isConstant(const bundle::Expr &expr);

/// The value of a checked expression. Overflow of 64 bits and division by zero
/// are errors.
Expected<int64_t> evaluate(const bundle::Expr &expr,
                           const std::vector<int64_t> &symbols);

} // namespace moe::runtime

#endif // MOE_RUNTIME_SUPPORT_EXPR_H
