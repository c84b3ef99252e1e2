//===- MoEAttrs.td - Attributes of the moe dialect ----------*- tablegen -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_DIALECT_MOE_IR_MOEATTRS_TD
#define MOE_DIALECT_MOE_IR_MOEATTRS_TD

include "moe/Dialect/MoE/IR/MoEDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class MoE_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::moe";
  let genSpecializedAttr = 0;
}

class MoE_EnumAttr<EnumAttrInfo info, string mnemonic>
    : EnumAttr<MoE_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def MoE_Scoring : MoE_I32Enum<"Scoring", "how a router turns logits into scores", [
  I32EnumAttrCase<"Softmax", 0, "softmax">,
  I32EnumAttrCase<"Sigmoid", 1, "sigmoid">]>;
def MoE_ScoringAttr : MoE_EnumAttr<MoE_Scoring, "scoring">;

def MoE_GroupScore : MoE_I32Enum<"GroupScore", "the score of a group of experts", [
  I32EnumAttrCase<"Max", 0, "max">,
  I32EnumAttrCase<"Top2Sum", 1, "top2_sum">]>;
def MoE_GroupScoreAttr : MoE_EnumAttr<MoE_GroupScore, "group_score">;

def MoE_OutOfRange : MoE_I32Enum<"OutOfRange", "what becomes of an index outside [0, E)", [
  I32EnumAttrCase<"Error", 0, "error">,
  I32EnumAttrCase<"Drop", 1, "drop">]>;
def MoE_OutOfRangeAttr : MoE_EnumAttr<MoE_OutOfRange, "out_of_range">;

def MoE_CombineOrder : MoE_I32Enum<"CombineOrder", "in which order a token's rows are added", [
  I32EnumAttrCase<"Expert", 0, "expert">,
  I32EnumAttrCase<"Slot", 1, "slot">]>;
def MoE_CombineOrderAttr : MoE_EnumAttr<MoE_CombineOrder, "combine_order">;

def MoE_CombineRounding : MoE_I32Enum<"CombineRounding", "where a combine rounds to the row type", [
  I32EnumAttrCase<"Once", 0, "once">,
  I32EnumAttrCase<"Stepwise", 1, "stepwise">]>;
def MoE_CombineRoundingAttr : MoE_EnumAttr<MoE_CombineRounding, "combine_rounding">;

def MoE_DotStrategy : MoE_I32Enum<"DotStrategy", "in which order a dot product is added up", [
  I32EnumAttrCase<"Tree", 0, "tree">,
  I32EnumAttrCase<"Serial", 1, "serial">]>;
def MoE_DotStrategyAttr : MoE_EnumAttr<MoE_DotStrategy, "dot_strategy">;

def MoE_Family : MoE_I32Enum<"Family", "the family of code a kernel is lowered by", [
  I32EnumAttrCase<"Elementwise", 0, "elementwise">,
  I32EnumAttrCase<"Reduce", 1, "reduce">,
  I32EnumAttrCase<"Matmul", 2, "matmul">,
  I32EnumAttrCase<"Route", 3, "route">,
  I32EnumAttrCase<"Plan", 4, "plan">,
  I32EnumAttrCase<"Tiles", 5, "tiles">,
  I32EnumAttrCase<"CheckOffsets", 6, "check_offsets">,
  I32EnumAttrCase<"Outer", 7, "outer">,
  I32EnumAttrCase<"CheckMaps", 8, "check_maps">]>;

def MoE_ScheduleAttr : AttrDef<MoE_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "how one kernel is laid out on the device";
  let description = [{
    Parameters only; the passes that lower a kernel read them and decide
    nothing themselves. A schedule written by hand is kept: the selector fills
    in kernels that have none.

    | parameter | family | meaning |
    |---|---|---|
    | `workgroup` | all | invocations per workgroup |
    | `lanes` | matmul, outer, route | invocations that exchange values through subgroup shuffles; at most the subgroup size |
    | `rows` | matmul, outer, tiles | rows of an output tile |
    | `columns` | matmul, outer | columns of an output tile |
    | `vector` | elementwise, matmul | elements per load: 1 or 4 |
    | `chunks` | check_maps, plan | the most pieces the slots are cut into, each the work of one invocation |
    | `slice` | matmul, outer | experts of the right operand, or of the result, bound at a time; 0 binds all |

    Example: `#moe.schedule<matmul, workgroup = 8, lanes = 8, rows = 16, columns = 32, vector = 4>`
  }];
  let parameters = (ins
    EnumParameter<MoE_Family>:$family,
    DefaultValuedParameter<"int64_t", "1">:$workgroup,
    DefaultValuedParameter<"int64_t", "1">:$lanes,
    DefaultValuedParameter<"int64_t", "1">:$rows,
    DefaultValuedParameter<"int64_t", "1">:$columns,
    DefaultValuedParameter<"int64_t", "1">:$vector,
    DefaultValuedParameter<"int64_t", "0">:$chunks,
    DefaultValuedParameter<"int64_t", "0">:$slice
  );
  let assemblyFormat = "`<` $family (`,` struct($workgroup, $lanes, $rows, $columns, $vector, $chunks, $slice)^)? `>`";
  let genVerifyDecl = 1;
}

#endif // MOE_DIALECT_MOE_IR_MOEATTRS_TD
