//===- MoEDialect.td - The moe dialect ----------------------*- tablegen -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_DIALECT_MOE_IR_MOEDIALECT_TD
#define MOE_DIALECT_MOE_IR_MOEDIALECT_TD

include "mlir/IR/OpBase.td"

def MoE_Dialect : Dialect {
  let name = "moe";
  let cppNamespace = "::mlir::moe";
  let summary = "Mixture-of-experts layers: routing, dispatch, grouped matmul, combine";
  let description = [{
    The ops of a mixture-of-experts (MoE) layer that upstream dialects cannot
    say without giving up structure: which expert takes which token, the stable
    order of the rows, products whose right operand changes from one group of
    rows to the next. Everything else of a layer (router projection,
    activations, residuals) is upstream IR.

    Letters used throughout: T tokens (dynamic), K experts per token (top-k),
    E experts, R = T·K slots and rows, H hidden width, C input features, N
    output features. Slot `s = t·K + j`; `token(s) = s div K`.

    Index-like tensors hold signless `i32` in 0 … 2³¹−1, or −1 for "none".

    Arguments of functions may have two attributes. `moe.name` is a string for
    listings and profiles. `moe.aliases_result = N : i64` says that the argument
    is state: after a run without a fault in data, its memory holds result N,
    which has the same static type; after a run with one, it holds what it held
    before. No two arguments name the same result.
  }];
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    /// The attribute of a function's argument that names the result whose value
    /// the argument's memory takes.
    static constexpr StringLiteral getAliasesResultAttrName() {
      return StringLiteral("moe.aliases_result");
    }
    static constexpr StringLiteral getNameAttrName() {
      return StringLiteral("moe.name");
    }
  }];
  let useDefaultAttributePrinterParser = 1;
  // What canonicalization and reified shapes are made of.
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // MOE_DIALECT_MOE_IR_MOEDIALECT_TD
