//===- SumToScalar.h - The sum of a tensor's elements -----------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_AUTODIFF_RULES_SUMTOSCALAR_H
#define MOE_LIB_AUTODIFF_RULES_SUMTOSCALAR_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::moe {

/// The sum of all elements of a tensor, in f32 at least.
Value sumToScalar(ImplicitLocOpBuilder &b, Value tensor);

} // namespace mlir::moe

#endif // MOE_LIB_AUTODIFF_RULES_SUMTOSCALAR_H
