//===- MoERT.td - The moe_rt dialect: host programs ---------*- tablegen -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_DIALECT_MOERT_IR_MOERT_TD
#define MOE_DIALECT_MOERT_IR_MOERT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def MoERT_Dialect : Dialect {
  let name = "moe_rt";
  let cppNamespace = "::mlir::moe_rt";
  let summary = "The host program of a compiled function";
  let description = [{
    The compiler's only view of the host. A `moe_rt.program` is a straight list
    of device commands over buffers; sizes are `index` arithmetic (`affine.apply`,
    `affine.min`, `arith`) over the dynamic dimensions of the inputs, so that
    one program serves every size. Barriers, memory planning and the hazard
    check are passes on this form. A bundle is this form written down.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect"];
}

class MoERT_Op<string mnemonic, list<Trait> traits = []> : Op<MoERT_Dialect, mnemonic, traits>;

def MoERT_BufferType : TypeDef<MoERT_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "a range of device memory";
}

def MoERT_BufferKind : I32EnumAttr<"BufferKind", "what a buffer is for", [
  I32EnumAttrCase<"Input", 0, "input">,
  I32EnumAttrCase<"Output", 1, "output">,
  I32EnumAttrCase<"Transient", 2, "transient">,
  I32EnumAttrCase<"Constant", 3, "constant">,
  I32EnumAttrCase<"Status", 4, "status">]> {
  let cppNamespace = "::mlir::moe_rt";
  let genSpecializedAttr = 0;
}
def MoERT_BufferKindAttr : EnumAttr<MoERT_Dialect, MoERT_BufferKind, "kind"> {
  let assemblyFormat = "`<` $value `>`";
}

def MoERT_ProgramOp : MoERT_Op<"program", [
    Symbol, IsolatedFromAbove, NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "The host program of one entry function";
  let description = [{
    Commands run in program order; only `moe_rt.barrier` makes the effects of
    earlier commands visible to later ones.

    * (C1) a buffer is a `moe_rt.buffer` or a `moe_rt.slice` of one

    Example:

    ```mlir
    moe_rt.program @double {
      %t = moe_rt.dim 0, 0 : "t"
      %bytes = affine.apply affine_map<(d0) -> (d0 * 4)>(%t)
      %x = moe_rt.buffer "x" <input> bytes %bytes
      %y = moe_rt.buffer "y" <output> bytes %bytes
      moe_rt.tensor %x <input> 0 : f32[%t]
      moe_rt.tensor %y <output> 0 : f32[%t]
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let hasRegionVerifier = 1;
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
}

def MoERT_DimOp : MoERT_Op<"dim", [Pure]> {
  let summary = "A dynamic dimension of an input";
  let description = [{
    Example:

    ```mlir
    moe_rt.program @p { %t = moe_rt.dim 0, 0 : "t" }
    ```
  }];
  let arguments = (ins I64Attr:$input, I64Attr:$dim, StrAttr:$name);
  let results = (outs Index:$result);
  let assemblyFormat = "$input `,` $dim `:` $name attr-dict";
}

def MoERT_BufferOp : MoERT_Op<"buffer", [MemoryEffects<[MemAlloc]>]> {
  let summary = "A buffer of the program";
  let description = [{
    A transient buffer lies in the program's arena at `offset`, which memory
    planning fills in; its memory may serve several buffers whose lifetimes do
    not overlap. A constant holds `data`.

    * (C1) only a constant has data
    * (C2) only a transient has an offset

    Example:

    ```mlir
    moe_rt.program @p {
      %bytes = arith.constant 64 : index
      %b = moe_rt.buffer "scratch" <transient> bytes %bytes
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, MoERT_BufferKindAttr:$kind, Index:$bytes,
                       Optional<Index>:$offset, OptionalAttr<ElementsAttr>:$data);
  let results = (outs MoERT_BufferType:$result);
  let assemblyFormat = "$name $kind `bytes` $bytes (`at` $offset^)? (`data` $data^)? attr-dict";
  let hasVerifier = 1;
}

def MoERT_ArenaOp : MoERT_Op<"arena"> {
  let summary = "The size of the arena that holds the transient buffers";
  let description = [{
    Example:

    ```mlir
    moe_rt.program @p {
      %bytes = arith.constant 4096 : index
      moe_rt.arena %bytes
    }
    ```
  }];
  let arguments = (ins Index:$bytes);
  let assemblyFormat = "$bytes attr-dict";
}

def MoERT_SliceOp : MoERT_Op<"slice", [Pure]> {
  let summary = "A range of a buffer";
  let description = [{
    Example:

    ```mlir
    moe_rt.program @p {
      %bytes = arith.constant 512 : index
      %half = arith.constant 256 : index
      %b = moe_rt.buffer "w" <input> bytes %bytes
      %upper = moe_rt.slice %b at %half bytes %half
    }
    ```
  }];
  let arguments = (ins MoERT_BufferType:$buffer, Index:$offset, Index:$bytes);
  let results = (outs MoERT_BufferType:$result);
  let assemblyFormat = "$buffer `at` $offset `bytes` $bytes attr-dict";
}

def MoERT_TensorOp : MoERT_Op<"tensor"> {
  let summary = "Declares an input or output tensor and its buffer";
  let description = [{
    Inputs and outputs are numbered in the order of the function's arguments
    and results.

    Example:

    ```mlir
    moe_rt.program @p {
      %t = moe_rt.dim 0, 0 : "t"
      %bytes = affine.apply affine_map<(d0) -> (d0 * 4)>(%t)
      %x = moe_rt.buffer "x" <input> bytes %bytes
      moe_rt.tensor %x <input> 0 : f32[%t]
    }
    ```
  }];
  let arguments = (ins MoERT_BufferType:$buffer, MoERT_BufferKindAttr:$kind, I64Attr:$position,
                       TypeAttr:$element_type, Variadic<Index>:$shape);
  let assemblyFormat = "$buffer $kind $position `:` $element_type `[` $shape `]` attr-dict";
}

def MoERT_AliasOp : MoERT_Op<"alias"> {
  let summary = "Says that an input is state, which a result updates in place";
  let description = [{
    Both are declared before, on one buffer. After a run without a fault the
    input's memory holds the result; after a run with one, what it held before.

    * (C1) input and output are declared before, on the same buffer

    Example:

    ```mlir
    moe_rt.program @p {
      %c4 = arith.constant 4 : index
      %c16 = arith.constant 16 : index
      %w = moe_rt.buffer "w" <input> bytes %c16
      moe_rt.tensor %w <input> 0 : f32[%c4]
      moe_rt.tensor %w <output> 0 : f32[%c4]
      moe_rt.alias 0, 0
    }
    ```
  }];
  let arguments = (ins I64Attr:$input, I64Attr:$output);
  let assemblyFormat = "$input `,` $output attr-dict";
  let hasVerifier = 1;
}

def MoERT_Relation : I32EnumAttr<"Relation", "how two sizes are compared", [
  I32EnumAttrCase<"Equal", 0, "equal">,
  I32EnumAttrCase<"AtMost", 1, "at_most">,
  I32EnumAttrCase<"AtLeast", 2, "at_least">]> {
  let cppNamespace = "::mlir::moe_rt";
  let genSpecializedAttr = 0;
}
def MoERT_RelationAttr : EnumAttr<MoERT_Dialect, MoERT_Relation, "relation"> {
  let assemblyFormat = "`<` $value `>`";
}

def MoERT_AssertOp : MoERT_Op<"assert"> {
  let summary = "A condition on sizes, checked before anything is submitted";
  let description = [{
    `message` is a noun phrase that names the left side, then in parentheses
    the right one.

    Example:

    ```mlir
    moe_rt.program @p {
      %a = moe_rt.dim 0, 0 : "t"
      %b = moe_rt.dim 1, 0 : "t1"
      moe_rt.assert %b <equal> %a, "dim 0 of input 1 (dim 0 of input 0)"
    }
    ```
  }];
  let arguments = (ins Index:$left, MoERT_RelationAttr:$relation, Index:$right, StrAttr:$message);
  let assemblyFormat = "$left $relation $right `,` $message attr-dict";
}

def MoERT_FaultSiteOp : MoERT_Op<"fault_site"> {
  let summary = "A place that can find a fault in data at run time";
  let description = [{
    A kernel that finds a fault writes {code, site, slot, value} to the status
    buffer unless an earlier one has. `message` may hold `{slot}`, `{token}`,
    `{choice}` (token = slot / slots_per_token, choice = the remainder) and
    `{value}`. Sites are numbered in program order.

    Example:

    ```mlir
    moe_rt.program @p {
      moe_rt.fault_site "plan_0", 2, "expected an expert in [0, 8), but got {value} at token {token}, slot {choice}"
    }
    ```
  }];
  let arguments = (ins StrAttr:$kernel, I64Attr:$slots_per_token, StrAttr:$message);
  let assemblyFormat = "$kernel `,` $slots_per_token `,` $message attr-dict";
}

// The buffers a command reads and writes, for barriers, lifetimes and hazards.
class MoERT_Command<string mnemonic, list<Trait> traits = []>
    : MoERT_Op<mnemonic, traits>;

def MoERT_DispatchOp : MoERT_Command<"dispatch", [AttrSizedOperandSegments]> {
  let summary = "Runs a kernel over a grid of workgroups";
  let description = [{
    The kernel's bindings are `reads`, then `writes`, then `updates` (read and
    written), numbered from 0; its push constants are `push`, 32 bits each. A
    grid with a zero is skipped. `flops` and `bytes` describe the useful work,
    for profiles.

    Example:

    ```mlir
    moe_rt.program @p {
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %x = moe_rt.buffer "x" <input> bytes %c64
      %y = moe_rt.buffer "y" <output> bytes %c64
      moe_rt.dispatch @double grid(%c1, %c1, %c1) reads(%x) writes(%y)
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Index:$grid_x, Index:$grid_y, Index:$grid_z,
                       Variadic<Index>:$push, Variadic<MoERT_BufferType>:$reads,
                       Variadic<MoERT_BufferType>:$writes, Variadic<MoERT_BufferType>:$updates,
                       Optional<Index>:$flops, Optional<Index>:$bytes, OptionalAttr<StrAttr>:$label);
  let assemblyFormat = [{
    $kernel `grid` `(` $grid_x `,` $grid_y `,` $grid_z `)` (`push` `(` $push^ `)`)?
    (`reads` `(` $reads^ `)`)? (`writes` `(` $writes^ `)`)? (`updates` `(` $updates^ `)`)?
    (`flops` $flops^)? (`bytes` $bytes^)? (`label` $label^)? attr-dict
  }];
}

def MoERT_DispatchIndirectOp : MoERT_Command<"dispatch_indirect", [AttrSizedOperandSegments]> {
  let summary = "Runs a kernel over a grid that is read from a buffer";
  let description = [{
    `grid` holds three 32-bit words at `grid_offset`, written by an earlier
    command. Upstream has no such launch: it exists only here.

    Example:

    ```mlir
    moe_rt.program @p {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %g = moe_rt.buffer "grid" <transient> bytes %c64
      %y = moe_rt.buffer "y" <output> bytes %c64
      moe_rt.dispatch_indirect @double grid(%g at %c0) writes(%y)
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, MoERT_BufferType:$grid, Index:$grid_offset,
                       Variadic<Index>:$push, Variadic<MoERT_BufferType>:$reads,
                       Variadic<MoERT_BufferType>:$writes, Variadic<MoERT_BufferType>:$updates,
                       Optional<Index>:$flops, Optional<Index>:$bytes, OptionalAttr<StrAttr>:$label);
  let assemblyFormat = [{
    $kernel `grid` `(` $grid `at` $grid_offset `)` (`push` `(` $push^ `)`)?
    (`reads` `(` $reads^ `)`)? (`writes` `(` $writes^ `)`)? (`updates` `(` $updates^ `)`)?
    (`flops` $flops^)? (`bytes` $bytes^)? (`label` $label^)? attr-dict
  }];
}

def MoERT_BarrierOp : MoERT_Command<"barrier"> {
  let summary = "Orders all earlier commands before all later ones";
  let description = [{
    Example:

    ```mlir
    moe_rt.program @p { moe_rt.barrier }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def MoERT_FillOp : MoERT_Command<"fill"> {
  let summary = "Fills a buffer with a repeated 32-bit word";
  let description = [{
    Example:

    ```mlir
    moe_rt.program @p {
      %c16 = arith.constant 16 : index
      %s = moe_rt.buffer "status" <status> bytes %c16
      moe_rt.fill %s with 0
    }
    ```
  }];
  let arguments = (ins MoERT_BufferType:$buffer, I32Attr:$value);
  let assemblyFormat = "$buffer `with` $value attr-dict";
}

def MoERT_CopyOp : MoERT_Command<"copy"> {
  let summary = "Copies one buffer to another of the same size";
  let description = [{
    Example:

    ```mlir
    moe_rt.program @p {
      %c64 = arith.constant 64 : index
      %x = moe_rt.buffer "x" <input> bytes %c64
      %y = moe_rt.buffer "y" <output> bytes %c64
      moe_rt.copy %x to %y
    }
    ```
  }];
  let arguments = (ins MoERT_BufferType:$source, MoERT_BufferType:$destination);
  let assemblyFormat = "$source `to` $destination attr-dict";
}

def MoERT_PushConstantOp : MoERT_Op<"push_constant", [Pure]> {
  let summary = "A push constant of the dispatch, inside a kernel";
  let description = [{
    The kernel's side of `push`: constant number `position`, a 32-bit unsigned
    integer. Vulkan guarantees 128 bytes of push constants, so 32 of them.

    Example:

    ```mlir
    func.func @kernel_body() -> index {
      %tokens = moe_rt.push_constant 0
      return %tokens : index
    }
    ```
  }];
  let arguments = (ins I64Attr:$position);
  let results = (outs Index:$result);
  let assemblyFormat = "$position attr-dict";
}

#endif // MOE_DIALECT_MOERT_IR_MOERT_TD
