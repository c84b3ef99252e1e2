//===- Passes.td - Passes that stay inside the moe dialect --*- tablegen -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_DIALECT_MOE_TRANSFORMS_PASSES_TD
#define MOE_DIALECT_MOE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

// Keep alphabetical.

def CheckOperandsPass : Pass<"moe-check-operands", "func::FuncOp"> {
  let summary = "Inserts the checks of data and sizes that layer ops rely on";
  let description = [{
    `moe.grouped_matmul` and its derivatives trust their offsets. A prefix made by the `moe.plan` of
    its own rows is right by construction; any other goes through
    `moe.check_offsets` first, so that wrong data ends the run with a status
    instead of reading out of bounds. The maps between slots and rows that
    `moe.dispatch`, `moe.combine` and `moe.combine_weight_grad` read go through
    `moe.check_maps` likewise, once for each pair, unless one `moe.plan` made
    both. Dynamic sizes that an op needs to be equal are compared by
    `cf.assert`, which becomes a check on the host.

    Takes layer ops on tensors; leaves the same, with the checks.
  }];
  let dependentDialects = ["moe::MoEDialect", "affine::AffineDialect", "arith::ArithDialect",
                           "cf::ControlFlowDialect", "tensor::TensorDialect"];
}

def CheckSupportedPass : Pass<"moe-check-supported", "func::FuncOp"> {
  let summary = "Rejects what later stages would have to miscompile";
  let description = [{
    The device stages handle f32 values and i32 indices. Any other element type
    of a tensor (f16, bf16, f64, i64, …) is an error at the op that has it, as
    is an op with regions of control flow at the level of tensors.

    Takes and leaves tensor IR.
  }];
}

def FormKernelsPass : Pass<"moe-form-kernels", "func::FuncOp"> {
  let summary = "Groups the ops of a function into kernels";
  let description = [{
    Every op that computes (the root) gets one `moe.kernel`; slices, reshapes,
    casts, fills and constants it reads move in with it and are never stored,
    `moe.dispatch` moves into the `moe.grouped_matmul` that reads it, so the
    gathered rows never exist in memory, and comparisons move into the `linalg`
    ops that read them. Results of the function that are no kernel's result (an
    argument, a constant, a view) are copied by a kernel, and so are views that
    route, plan, check_maps or check_offsets read.

    Takes moe, linalg and tensor ops on tensors; leaves only kernels, constants,
    sizes and assertions on sizes. Anything else is an error.

    ```mlir-fragment
    %0 = linalg.generic … ins(%x) …        ⇒  %0 = moe.kernel "generic" (%a = %x) … { linalg.generic … }
    ```
  }];
  let dependentDialects = ["moe::MoEDialect", "linalg::LinalgDialect", "tensor::TensorDialect"];
  let options = [Option<"fuseDispatch", "fuse-dispatch", "bool", "true",
                        "move moe.dispatch into the product that reads its rows; off where a "
                        "device allows too few storage buffers">];
}

def FuseElementwisePass : Pass<"moe-fuse-elementwise", "func::FuncOp"> {
  let summary = "Fuses elementwise ops whose kernel fits the device";
  let description = [{
    An elementwise `linalg.generic` with one reader that is one too becomes a part
    of it, by upstream's patterns, if the kernel that will hold both binds no more
    storage buffers than the device allows: the tensors that its inputs and the
    views of it are read from, each once, and its results. What does not fit
    stays a kernel of its own. Reshapes move out of the way.

    Takes and leaves linalg on tensors.
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "linalg::LinalgDialect",
                           "tensor::TensorDialect"];
  let options = [Option<"maxStorageBuffers", "max-storage-buffers", "uint32_t", "32",
                        "the target's limit of storage buffers of a stage">];
}

def InlineKernelsPass : Pass<"moe-inline-kernels", "func::FuncOp"> {
  let summary = "Dissolves kernels into their function";
  let description = [{
    The inverse of forming kernels, for looking at or executing a stage's code
    through upstream passes alone.
  }];
  let dependentDialects = ["moe::MoEDialect"];
}

def NormalizeOpsPass : Pass<"moe-normalize-ops", "func::FuncOp"> {
  let summary = "Brings upstream ops to the few forms that kernels are made of";
  let description = [{
    Elementwise arith and math ops on tensors, and every named linalg op but
    `linalg.fill` and f32 matrix products of static width, become
    `linalg.generic`; `linalg.softmax` becomes its reductions and elementwise
    steps, as do `moe.route_weights` and `moe.route_grad`. A product that sums
    over a dynamic number of tokens becomes `moe.grouped_outer` of one expert.
    What `tensor.concat`, `tensor.insert`, `tensor.from_elements` and `tensor.pad`
    put together becomes insertions of slices, `tensor.reshape` two views.

    Takes and leaves tensor IR.
  }];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect", "math::MathDialect",
                           "moe::MoEDialect", "tensor::TensorDialect"];
}

def UpdateInPlacePass : Pass<"moe-update-in-place", "func::FuncOp"> {
  let summary = "Lets the results that arguments alias take their memory";
  let description = [{
    Takes kernels, and a function whose arguments may have the attribute
    `moe.aliases_result`. Leaves each such result computed by a kernel with
    `updates`, which comes after all other readers of the argument and after all
    kernels that can find a fault in data: state changes only in a run that has
    found none.

    A kernel that already computes the result element by element updates the
    argument itself, and moves to the end of the function together with what
    reads its results. Where that cannot be (the old value is still read, the
    result is a product or a sum), a last kernel copies the result. Kernels that
    have `updates` already are checked to read the argument only where they write.

    ```mlir-fragment
    func.func @f(%w: tensor<4xf32> {moe.aliases_result = 0 : i64}, %g: tensor<4xf32>) -> tensor<4xf32>
      %0 = moe.kernel "elementwise" (%a = %w, %b = %g) …      ⇒  … updates [0] …
    ```
  }];
  let dependentDialects = ["moe::MoEDialect", "linalg::LinalgDialect"];
}

#endif // MOE_DIALECT_MOE_TRANSFORMS_PASSES_TD
