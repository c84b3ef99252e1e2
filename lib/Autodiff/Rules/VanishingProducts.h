//===- VanishingProducts.h - Where 0 · ∞ may come up ------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A gradient is exactly 0 where a select did not keep a value. If that value is
// a product one of whose factors is infinite there, as x · log x at 0, the
// other factor gets 0 · ∞, which has to be 0. Most products are none of these,
// and are to cost nothing more: both sides are looked up in what they are
// computed from.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_AUTODIFF_RULES_VANISHINGPRODUCTS_H
#define MOE_LIB_AUTODIFF_RULES_VANISHINGPRODUCTS_H

#include "AttachRule.h"

namespace mlir::moe {

/// g · factor; 0 where g is 0 for that something was not kept, whatever the
/// factor.
Value multiplyGradient(RuleBuilder &b, Cotangents &cotangents, Value g,
                       Value factor);

} // namespace mlir::moe

#endif // MOE_LIB_AUTODIFF_RULES_VANISHINGPRODUCTS_H
