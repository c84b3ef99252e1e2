//===- MoEGradientOps.td - What derivatives of a layer need -*- tablegen -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// With these ops the derivative of every op of a layer is made of ops of the
// dialect, so that derivatives can be differentiated again.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_DIALECT_MOE_IR_MOEGRADIENTOPS_TD
#define MOE_DIALECT_MOE_IR_MOEGRADIENTOPS_TD

include "moe/Dialect/MoE/IR/MoEOps.td"

def MoE_GroupedOuterOp : MoE_LayerOp<"grouped_outer", [Pure]> {
  let summary = "Adds the outer products of each expert's rows";
  let description = [{
    result[e] = Σ_r lhs[r]ᵀ · rhs[r] over offsets[e] ≤ r < offsets[e + 1], plus
    init[e]: the gradient of an expert's matrix. Products and sums are taken in
    f32, in an order that shapes and offsets alone fix, and rounded once. An
    expert without rows gives init, or exact zeros. Rows past offsets[E] are
    never read.

    * (C1) `dim(offsets, 0)` is static: E + 1, 1 ≤ E ≤ 1024
    * (C2) `dim(rhs, 0) = dim(lhs, 0)`
    * (C3) `dim(lhs, 1)` and `dim(rhs, 1)`, M and N, are static and not 0
    * (C4) lhs and rhs have one element type
    * (C5) `init` is [E, M, N], with the result's element type
    * (C6) the result's element type is f32, or that of lhs

    Example:

    ```mlir
    %dw = moe.grouped_outer %dy, %rows, %offsets
      : tensor<?x256xf32>, tensor<?x64xf32>, tensor<9xi32> -> tensor<8x256x64xf32>
    ```
  }];
  let arguments = (ins MoE_FloatMatrix:$lhs, MoE_FloatMatrix:$rhs, MoE_IndexVector:$offsets,
                       Optional<MoE_FloatMatrices>:$init);
  let results = (outs MoE_FloatMatrices:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $offsets (`init` $init^)? attr-dict
    `:` type($lhs) `,` type($rhs) `,` type($offsets) (`,` type($init)^)? `->` type($result)
  }];
  let extraClassDeclaration = [{
    int64_t getExperts() { return getOffsets().getType().getDimSize(0) - 1; }
  }];
}

def MoE_GroupedReduceOp : MoE_LayerOp<"grouped_reduce", [Pure]> {
  let summary = "Adds the rows of each expert";
  let description = [{
    result[e, n] = Σ_r rows[r, n] over offsets[e] ≤ r < offsets[e + 1]: the
    gradient of a bias. Sums are taken in f32, in an order that shapes and
    offsets alone fix. An expert without rows gives exact zeros. Rows past
    offsets[E] are never read.

    * (C1) `dim(offsets, 0)` is static: E + 1, 1 ≤ E ≤ 1024
    * (C2) `dim(rows, 1)` is static and not 0

    Example:

    ```mlir
    %db = moe.grouped_reduce %dy, %offsets
      : tensor<?x256xf32>, tensor<9xi32> -> tensor<8x256xf32>
    ```
  }];
  let arguments = (ins MoE_FloatMatrix:$rows, MoE_IndexVector:$offsets);
  let results = (outs MoE_F32Matrix:$result);
  let assemblyFormat = [{
    $rows `,` $offsets attr-dict `:` type($rows) `,` type($offsets) `->` type($result)
  }];
  let extraClassDeclaration = [{
    int64_t getExperts() { return getOffsets().getType().getDimSize(0) - 1; }
  }];
}

def MoE_CombineWeightGradOp : MoE_LayerOp<"combine_weight_grad", [Pure]> {
  let summary = "Multiplies each slot's row by the gradient of its token";
  let description = [{
    result[t, j] = Σ_w grad[t, w] · rows[slot_to_row[t, j], w] in f32: the
    gradient of the weights of a `moe.combine`. A dropped slot gives 0.

    `strategy = tree`, the default, is a parallel reduction whose shape depends
    on W alone, never on the device. `serial` adds products in ascending w,
    product and sum as separate operations, never contracted.

    * (C1) `dim(row_to_slot, 0) = dim(rows, 0) = T·K`
    * (C2) `dim(slot_to_row, 0) = dim(grad, 0)`
    * (C3) `dim(rows, 1) = dim(grad, 1)`, static and not 0
    * (C4) `dim(slot_to_row, 1)` is static: K, 1 ≤ K ≤ 32
    * (C5) `offsets` has at least 2 elements
    * (C6) grad and rows have one element type

    Example:

    ```mlir
    %dw = moe.combine_weight_grad %dout, %y, %offsets, %slot_to_row, %row_to_slot
      : tensor<?x64xf32>, tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>
      -> tensor<?x2xf32>
    ```
  }];
  let arguments = (ins
    MoE_FloatMatrix:$grad, MoE_FloatMatrix:$rows, MoE_IndexVector:$offsets,
    MoE_IndexMatrix:$slot_to_row, MoE_IndexVector:$row_to_slot,
    DefaultValuedAttr<MoE_DotStrategyAttr, "::mlir::moe::DotStrategy::Tree">:$strategy);
  let results = (outs MoE_F32Matrix:$result);
  let assemblyFormat = [{
    $grad `,` $rows `,` $offsets `,` $slot_to_row `,` $row_to_slot attr-dict
    `:` type($grad) `,` type($rows) `,` type($offsets) `,` type($slot_to_row) `,`
    type($row_to_slot) `->` type($result)
  }];
}

def MoE_RouteWeightsOp : MoE_LayerOp<"route_weights", [Pure]> {
  let summary = "Computes the weights of experts that are already selected";
  let description = [{
    What `moe.route` gives as weights, for a selection that is given: the score
    of the slot's expert, divided by max(Σ + `epsilon`, `floor`) with the sum Σ
    over the token's slots when `renormalize` is set, times `scale`. An expert
    that is named twice counts twice. A slot whose index is not in [0, E), as −1, has weight 0 and stays
    out of the sum.

    * (C1) `dim(logits, 1)` is static: E, 1 ≤ E ≤ 1024
    * (C2) `dim(indices, 1)` is static: K, 1 ≤ K ≤ 1024
    * (C3) `dim(indices, 0) = dim(logits, 0)`
    * (C4) `scale` is finite and positive as an f32
    * (C5) `epsilon` and `floor` are, as an f32, 0 or positive and normal
    * (C6) `epsilon` and `floor` are 0 without `renormalize`

    Example:

    ```mlir
    %weights = moe.route_weights %logits, %indices {renormalize}
      : tensor<?x8xf32>, tensor<?x2xi32> -> tensor<?x2xf32>
    ```
  }];
  let arguments = (ins
    MoE_FloatMatrix:$logits, MoE_IndexMatrix:$indices,
    DefaultValuedAttr<MoE_ScoringAttr, "::mlir::moe::Scoring::Softmax">:$scoring,
    UnitAttr:$renormalize,
    DefaultValuedAttr<F64Attr, "1.0">:$scale,
    DefaultValuedAttr<F64Attr, "0.0">:$epsilon,
    DefaultValuedAttr<F64Attr, "0.0">:$floor);
  let results = (outs MoE_F32Matrix:$weights);
  let assemblyFormat = [{
    $logits `,` $indices attr-dict `:` type($logits) `,` type($indices) `->` type($weights)
  }];
}

def MoE_RouteGradOp : MoE_LayerOp<"route_grad", [Pure]> {
  let summary = "Gives the gradient of the logits from that of the weights";
  let description = [{
    The derivative of `moe.route_weights` with respect to the logits, times
    `dweights`. With s the scores, D = max(Σ_l s[i_l] + ε, φ) for ε = `epsilon`
    and φ = `floor`, r_j = s[i_j] / D, g = dweights, and ρ the part of D that
    does not depend on the logits, ε / D, or 1 where φ is the larger:

    * with `renormalize`: c_j = scale · r_j · (ρ · g_j + Σ_l (g_j − g_l) · r_l),
      without the sum where φ is the larger; and M = scale · ρ · Σ_l g_l · r_l
    * else c_j = scale · s[i_j] · g_j; and M = Σ_j c_j
    * softmax: dlogits_e = Σ c_j − s_e · M over the slots j whose expert is e
    * sigmoid: dlogits_e = σ(−x_e) · Σ c_j

    No 1 − s, and no difference of sums, takes digits away: s may be next to 1.
    A softmax without `renormalize` subtracts from every g the g of the expert
    with s > 1/2, if there is one, which leaves the derivative what it is.

    Computed in f32 and rounded once to the type of the logits. A slot whose
    index is not in [0, E) takes part in nothing.

    * (C1) `dim(logits, 1)` is static: E, 1 ≤ E ≤ 1024
    * (C2) `dim(indices, 1)` is static: K, 1 ≤ K ≤ 1024
    * (C3) `dim(indices, 0) = dim(logits, 0)`
    * (C4) `scale` is finite and positive as an f32
    * (C5) `dweights` has the shape of `indices`
    * (C6) `epsilon` and `floor` are, as an f32, 0 or positive and normal
    * (C7) `epsilon` and `floor` are 0 without `renormalize`

    Example:

    ```mlir
    %dlogits = moe.route_grad %logits, %indices, %dweights {renormalize}
      : tensor<?x8xf32>, tensor<?x2xi32>, tensor<?x2xf32> -> tensor<?x8xf32>
    ```
  }];
  let arguments = (ins
    MoE_FloatMatrix:$logits, MoE_IndexMatrix:$indices, MoE_F32Matrix:$dweights,
    DefaultValuedAttr<MoE_ScoringAttr, "::mlir::moe::Scoring::Softmax">:$scoring,
    UnitAttr:$renormalize,
    DefaultValuedAttr<F64Attr, "1.0">:$scale,
    DefaultValuedAttr<F64Attr, "0.0">:$epsilon,
    DefaultValuedAttr<F64Attr, "0.0">:$floor);
  let results = (outs MoE_FloatMatrix:$dlogits);
  let assemblyFormat = [{
    $logits `,` $indices `,` $dweights attr-dict
    `:` type($logits) `,` type($indices) `,` type($dweights) `->` type($dlogits)
  }];
}

#endif // MOE_DIALECT_MOE_IR_MOEGRADIENTOPS_TD
