//===- MoE.td - The moe dialect, complete -------------------*- tablegen -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_DIALECT_MOE_IR_MOE_TD
#define MOE_DIALECT_MOE_IR_MOE_TD

include "moe/Dialect/MoE/IR/MoEGradientOps.td"
include "moe/Dialect/MoE/IR/MoEKernelOps.td"
include "moe/Dialect/MoE/IR/MoEOps.td"

#endif // MOE_DIALECT_MOE_IR_MOE_TD
