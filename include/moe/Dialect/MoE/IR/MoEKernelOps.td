//===- MoEKernelOps.td - Kernels and what schedules need ----*- tablegen -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_DIALECT_MOE_IR_MOEKERNELOPS_TD
#define MOE_DIALECT_MOE_IR_MOEKERNELOPS_TD

include "moe/Dialect/MoE/IR/MoEOps.td"
include "mlir/IR/RegionKindInterface.td"

def MoE_KernelOp : MoE_Op<"kernel", [
    IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let summary = "One device kernel: ops on tensors that are computed together";
  let description = [{
    The body computes the results from the inputs and nothing else. What may be
    fused is decided when kernels are formed; how the kernel is laid out on the
    device is the `schedule`, decided later and only read after that. An input
    is a tensor or a size (`index`).

    `updates` has a number for each result: that of the input whose memory the
    result takes, or −1. Such a kernel reads an element of that input only to
    compute the same element of a result, and runs only when no fault in data
    has been found before it.

    * (C1) the body has one argument per input, of the same type
    * (C2) the terminator yields one value per result, of the same type
    * (C3) `updates` has one number per result, and each is −1 or that of an
      input of the result's type, which is static, and of no other result

    Example:

    ```mlir
    %y = moe.kernel "scale" (%a = %x : tensor<?x64xf32>) -> (tensor<?x64xf32>) {
      %0 = arith.addf %a, %a : tensor<?x64xf32>
      moe.yield %0 : tensor<?x64xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$inputs,
                       OptionalAttr<DenseI64ArrayAttr>:$updates,
                       OptionalAttr<MoE_ScheduleAttr>:$schedule);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let builders = [
    OpBuilder<(ins "TypeRange":$resultTypes, "StringRef":$name, "ValueRange":$inputs), [{
      build($_builder, $_state, resultTypes, $_builder.getStringAttr(name), inputs,
            DenseI64ArrayAttr(), ScheduleAttr());
    }]>
  ];
  let extraClassDeclaration = [{
    /// The input whose memory a result of the kernel takes, or null.
    Value getUpdatedInput(OpResult result);
    /// Whether a result takes the memory of the input of this number.
    bool isUpdated(unsigned input);
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def MoE_YieldOp : MoE_Op<"yield", [Pure, Terminator, ReturnLike, HasParent<"KernelOp">]> {
  let summary = "Ends a kernel's body and gives its results";
  let description = [{
    Example:

    ```mlir
    %y = moe.kernel "copy" (%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
      moe.yield %a : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ /* yields nothing */ }]>];
}

def MoE_TilesOp : MoE_LayerOp<"tiles", [Pure]> {
  let summary = "Cuts each expert's rows into tiles that never straddle experts";
  let description = [{
    Row i of `table` is (expert, first row, number of rows) of tile i, in
    ascending order of rows; every tile but the last of its expert has `rows`
    rows. Rows past offsets[E], up to `total`, form tiles of expert −1. Unused
    entries hold (−1, 0, 0). `count` is the number of tiles in use, and `grid`
    the size (1, min(count, 65535), 1) of a dispatch with one workgroup a tile.

    The table has ⌈R / rows⌉ + E entries, which always suffices: the E
    experts and the tail are E + 1 runs of rows, and when R is a multiple of
    `rows` their remainders fill at least one whole tile.

    * (C1) `rows` ≥ 1
    * (C2) `offsets` has at least 2 elements
    * (C3) `table` is [⌈R / rows⌉ + E, 3]

    Example:

    ```mlir
    %table, %count, %grid = moe.tiles %offsets, %total {rows = 16 : i64}
      : tensor<9xi32> -> tensor<?x3xi32>, tensor<1xi32>, tensor<3xi32>
    ```
  }];
  let arguments = (ins MoE_IndexVector:$offsets, Index:$total, I64Attr:$rows);
  let results = (outs MoE_IndexMatrix:$table, MoE_IndexVector:$count, MoE_IndexVector:$grid);
  let assemblyFormat = [{
    $offsets `,` $total attr-dict `:` type($offsets)
    `->` type($table) `,` type($count) `,` type($grid)
  }];
}

#endif // MOE_DIALECT_MOE_IR_MOEKERNELOPS_TD
