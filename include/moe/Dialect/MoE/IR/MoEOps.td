//===- MoEOps.td - Operations of the moe dialect ------------*- tablegen -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_DIALECT_MOE_IR_MOEOPS_TD
#define MOE_DIALECT_MOE_IR_MOEOPS_TD

include "moe/Dialect/MoE/IR/MoEAttrs.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class MoE_Op<string mnemonic, list<Trait> traits = []>
    : Op<MoE_Dialect, mnemonic, traits>;

// An op of the layer: infers its result types, reifies its result shapes. A
// declared result type may be more or less static than the inferred one.
class MoE_LayerOp<string mnemonic, list<Trait> traits = []>
    : MoE_Op<mnemonic, !listconcat(traits, [
        InferTypeOpAdaptorWithIsCompatible,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>])> {
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def MoE_Float : AnyTypeOf<[F32, F16, BF16], "f32, f16 or bf16">;
def MoE_FloatMatrix : RankedTensorOf<[F32, F16, BF16], [HasAnyRankOfPred<[2]>], "matrix of f32, f16 or bf16">;
def MoE_FloatMatrices : RankedTensorOf<[F32, F16, BF16], [HasAnyRankOfPred<[3]>], "stack of matrices of f32, f16 or bf16">;
def MoE_F32Matrix : RankedTensorOf<[F32], [HasAnyRankOfPred<[2]>], "matrix of f32">;
def MoE_F32Vector : RankedTensorOf<[F32], [HasAnyRankOfPred<[1]>], "vector of f32">;
def MoE_IndexMatrix : RankedTensorOf<[I32], [HasAnyRankOfPred<[2]>], "matrix of i32">;
def MoE_IndexVector : RankedTensorOf<[I32], [HasAnyRankOfPred<[1]>], "vector of i32">;

def MoE_RouteOp : MoE_LayerOp<"route", [Pure]> {
  let summary = "Selects the top-k experts of each token and their weights";
  let description = [{
    Scores are computed in f32. Without a bias and without groups the selection
    compares the logits themselves, widened to f32; otherwise it compares
    score + bias. A slot's weight is the score without the bias, divided by
    max(Σ + `epsilon`, `floor`) with the sum Σ over the selection when
    `renormalize` is set, then multiplied by `scale`. The quotient is right also
    where the scores themselves, or their sum, are below the range of an f32.
    Slots come in descending order of the selection value; ties, and +0 against
    −0, go to the lower expert id.

    With `groups`, experts form `groups` runs of E / groups; only the best
    `selected_groups` runs, by `group_score`, take part in the selection.

    Softmax: a row that holds NaN or +∞, or only −∞, gives the indices
    0 … K−1 and NaN weights. Sigmoid: an expert whose logit is NaN is selected
    last.

    * (C1) `dim(logits, 1)` is static: E, 1 ≤ E ≤ 1024
    * (C2) 1 ≤ `top_k` ≤ E
    * (C3) `bias` has E elements
    * (C4) `groups` divides E
    * (C5) 1 ≤ `selected_groups` ≤ `groups`
    * (C6) `top_k` ≤ selected_groups · E / groups
    * (C7) `group_score = top2_sum` needs E / groups ≥ 2
    * (C8) `scale` is finite and positive as an f32
    * (C9) `epsilon` and `floor` are, as an f32, 0 or positive and normal
    * (C10) `epsilon` and `floor` are 0 without `renormalize`

    Example:

    ```mlir
    %weights, %indices = moe.route %logits {top_k = 2 : i64, renormalize}
      : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
    ```
  }];
  let arguments = (ins
    MoE_FloatMatrix:$logits,
    Optional<MoE_F32Vector>:$bias,
    I64Attr:$top_k,
    DefaultValuedAttr<MoE_ScoringAttr, "::mlir::moe::Scoring::Softmax">:$scoring,
    UnitAttr:$renormalize,
    DefaultValuedAttr<F64Attr, "1.0">:$scale,
    DefaultValuedAttr<F64Attr, "0.0">:$epsilon,
    DefaultValuedAttr<F64Attr, "0.0">:$floor,
    DefaultValuedAttr<I64Attr, "1">:$groups,
    DefaultValuedAttr<I64Attr, "1">:$selected_groups,
    DefaultValuedAttr<MoE_GroupScoreAttr, "::mlir::moe::GroupScore::Max">:$group_score);
  let results = (outs MoE_F32Matrix:$weights, MoE_IndexMatrix:$indices);
  let assemblyFormat = [{
    $logits (`bias` $bias^)? attr-dict `:` type($logits) (`,` type($bias)^)?
    `->` type($weights) `,` type($indices)
  }];
}

def MoE_PlanOp : MoE_LayerOp<"plan", [
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Sorts the slots of all tokens by expert, stably";
  let description = [{
    A counting sort by (expert, token, slot). `offsets` is the exclusive prefix
    of the experts' counts: offsets[0] = 0 and offsets[E] is the number of kept
    slots; an empty expert repeats its offset. `slot_to_row` and `row_to_slot`
    are inverse bijections on kept slots and −1 elsewhere; `row_expert` of a
    row past offsets[E] is −1.

    An index outside [0, E) is not kept, and nothing is read or written out of
    bounds for it. With `out_of_range = error`, the default, it also ends the
    run with a status that names the first such token, slot and value, so the
    op is then not speculatable; with `drop` it is a mask, which is how a
    padded batch or one shard of the experts ignores foreign slots.

    * (C1) 1 ≤ `experts` ≤ 1024
    * (C2) `dim(indices, 1)` is static: K, 1 ≤ K ≤ 32

    Example:

    ```mlir
    %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 8 : i64}
      : tensor<?x2xi32> -> tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
    ```
  }];
  let arguments = (ins
    MoE_IndexMatrix:$indices,
    I64Attr:$experts,
    DefaultValuedAttr<MoE_OutOfRangeAttr, "::mlir::moe::OutOfRange::Error">:$out_of_range);
  let results = (outs MoE_IndexVector:$offsets, MoE_IndexMatrix:$slot_to_row,
                      MoE_IndexVector:$row_to_slot, MoE_IndexVector:$row_expert);
  let assemblyFormat = [{
    $indices attr-dict `:` type($indices)
    `->` type($offsets) `,` type($slot_to_row) `,` type($row_to_slot) `,` type($row_expert)
  }];
}

def MoE_CheckMapsOp : MoE_LayerOp<"check_maps", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Ends the run with a status unless two maps are each other's inverse";
  let description = [{
    Passes the maps between slots and rows on. On the device it checks both: an
    element of `slot_to_row` is −1 or a row whose `row_to_slot` is that slot,
    and an element of `row_to_slot` is −1 or a slot whose `slot_to_row` is that
    row. The first element of `slot_to_row` that is neither, else the first of
    `row_to_slot`, is named by the status of the run. Elements at fault become
    −1, so that the rest of the run stays inside its buffers.

    * (C1) `dim(slot_to_row, 1)` is static: K, K ≥ 1
    * (C2) `dim(row_to_slot, 0) = T·K`

    Example:

    ```mlir
    %to_row, %to_slot = moe.check_maps %slot_to_row, %row_to_slot : tensor<?x2xi32>, tensor<?xi32>
    ```
  }];
  let arguments = (ins MoE_IndexMatrix:$slot_to_row, MoE_IndexVector:$row_to_slot);
  let results = (outs MoE_IndexMatrix:$checked_slot_to_row,
                      MoE_IndexVector:$checked_row_to_slot);
  let assemblyFormat = [{
    $slot_to_row `,` $row_to_slot attr-dict `:` type($slot_to_row) `,` type($row_to_slot)
  }];
  let hasFolder = 1;
}

def MoE_CheckOffsetsOp : MoE_LayerOp<"check_offsets", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Ends the run with a status unless a vector is a prefix of row counts";
  let description = [{
    Passes `offsets` on. On the device it checks offsets[0] = 0,
    offsets[e] ≤ offsets[e + 1] and offsets[E] ≤ `dim(rows, 0)`; the first
    element that breaks a rule is named by the status of the run. Elements at
    fault are replaced by the nearest value that keeps every access in bounds,
    so that the rest of the run stays inside its buffers.

    * (C1) `offsets` has at least 2 elements

    Example:

    ```mlir
    %checked = moe.check_offsets %offsets, %rows : tensor<9xi32>, tensor<?x64xf32>
    ```
  }];
  let arguments = (ins MoE_IndexVector:$offsets, MoE_FloatMatrix:$rows);
  let results = (outs MoE_IndexVector:$checked);
  let assemblyFormat = "$offsets `,` $rows attr-dict `:` type($offsets) `,` type($rows)";
  let hasFolder = 1;
}

def MoE_DispatchOp : MoE_LayerOp<"dispatch", [Pure]> {
  let summary = "Gathers tokens into rows sorted by expert";
  let description = [{
    rows[r] = x[token(row_to_slot[r])], a copy of the bits; with `weights`,
    multiplied by weights[slot] in f32 and rounded once. Rows past offsets[E]
    are zero.

    * (C1) `dim(slot_to_row, 0) = dim(x, 0)`
    * (C2) `dim(row_to_slot, 0) = T·K`
    * (C3) `weights` has the shape of `slot_to_row`
    * (C4) `dim(x, 1)` is static and not 0
    * (C5) `offsets` has at least 2 elements

    Example:

    ```mlir
    %rows = moe.dispatch %x, %offsets, %slot_to_row, %row_to_slot
      : tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins MoE_FloatMatrix:$x, MoE_IndexVector:$offsets,
                       MoE_IndexMatrix:$slot_to_row, MoE_IndexVector:$row_to_slot,
                       Optional<MoE_F32Matrix>:$weights);
  let results = (outs MoE_FloatMatrix:$rows);
  let assemblyFormat = [{
    $x `,` $offsets `,` $slot_to_row `,` $row_to_slot (`weights` $weights^)? attr-dict
    `:` type($x) `,` type($offsets) `,` type($slot_to_row) `,` type($row_to_slot)
    (`,` type($weights)^)? `->` type($rows)
  }];
}

def MoE_GroupedMatmulOp : MoE_LayerOp<"grouped_matmul", [Pure]> {
  let summary = "Multiplies each expert's rows by that expert's matrix";
  let description = [{
    result[r, n] = round(Σ_c lhs[r, c] · rhs[e(r)][c, n] + bias[e(r), n]) with
    offsets[e] ≤ r < offsets[e + 1], accumulated in f32 and rounded once. With
    `transpose_rhs`, rhs is [E, N, C]. Rows past offsets[E] are zero, and their
    lhs is never read. With C = 0 the product is the bias, or 0.

    * (C1) `dim(rhs, 0)` is static: E, 1 ≤ E ≤ 1024
    * (C2) `offsets` has E + 1 elements
    * (C3) the contracted dimension of rhs is `dim(lhs, 1)`, both static
    * (C4) `bias` is [E, N]
    * (C5) lhs, rhs and bias have one element type
    * (C6) the result's element type is that of lhs, or f32
    * (C7) N is static and not 0

    Example:

    ```mlir
    %h = moe.grouped_matmul %rows, %w, %offsets {transpose_rhs}
      : tensor<?x64xf32>, tensor<8x256x64xf32>, tensor<9xi32> -> tensor<?x256xf32>
    ```
  }];
  let arguments = (ins MoE_FloatMatrix:$lhs, MoE_FloatMatrices:$rhs,
                       MoE_IndexVector:$offsets, Optional<MoE_FloatMatrix>:$bias,
                       UnitAttr:$transpose_rhs);
  let results = (outs MoE_FloatMatrix:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $offsets (`bias` $bias^)? attr-dict
    `:` type($lhs) `,` type($rhs) `,` type($offsets) (`,` type($bias)^)? `->` type($result)
  }];
  let extraClassDeclaration = [{
    int64_t getExperts() { return getRhs().getType().getDimSize(0); }
    int64_t getInputFeatures() { return getRhs().getType().getDimSize(getTransposeRhs() ? 2 : 1); }
    int64_t getOutputFeatures() { return getRhs().getType().getDimSize(getTransposeRhs() ? 1 : 2); }
  }];
}

def MoE_CombineOp : MoE_LayerOp<"combine", [Pure]> {
  let summary = "Adds each token's expert rows, weighted";
  let description = [{
    out[t] = Σ_j weights[t, j] · rows[slot_to_row[t, j]], without `weights` the
    plain sum. Each kept slot counts exactly once, also where a token names one
    expert twice; a dropped slot adds nothing, whatever its weight.

    `order = expert` adds in ascending slot_to_row, which is ascending expert
    id, then slot; `order = slot` adds in ascending j. `rounding = once` keeps
    f32 products and sums and rounds at the end; `stepwise` rounds each product
    and each sum to the type of the rows. Product and sum are separate
    operations, never contracted, and the accumulator starts at +0.

    * (C1) `dim(row_to_slot, 0) = dim(rows, 0) = T·K`
    * (C2) `weights` has the shape of `slot_to_row`
    * (C3) `dim(rows, 1)` is static and not 0
    * (C4) `dim(slot_to_row, 1)` is static: K, 1 ≤ K ≤ 32
    * (C5) `offsets` has at least 2 elements

    Example:

    ```mlir
    %out = moe.combine %y, %offsets, %slot_to_row, %row_to_slot weights %weights
      : tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?x2xf32> -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins MoE_FloatMatrix:$rows, MoE_IndexVector:$offsets,
                       MoE_IndexMatrix:$slot_to_row, MoE_IndexVector:$row_to_slot,
                       Optional<MoE_F32Matrix>:$weights,
                       DefaultValuedAttr<MoE_CombineOrderAttr, "::mlir::moe::CombineOrder::Expert">:$order,
                       DefaultValuedAttr<MoE_CombineRoundingAttr, "::mlir::moe::CombineRounding::Once">:$rounding);
  let results = (outs MoE_FloatMatrix:$result);
  let assemblyFormat = [{
    $rows `,` $offsets `,` $slot_to_row `,` $row_to_slot (`weights` $weights^)? attr-dict
    `:` type($rows) `,` type($offsets) `,` type($slot_to_row) `,` type($row_to_slot)
    (`,` type($weights)^)? `->` type($result)
  }];
}

#endif // MOE_DIALECT_MOE_IR_MOEOPS_TD
