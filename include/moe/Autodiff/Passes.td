//===- Passes.td - Reverse-mode differentiation --------------*- tablegen -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_AUTODIFF_PASSES_TD
#define MOE_AUTODIFF_PASSES_TD

include "mlir/Pass/PassBase.td"

def DifferentiatePass : Pass<"moe-differentiate", "ModuleOp"> {
  let summary = "Adds the reverse-mode derivative of a function";
  let description = [{
    Asks each op for its rule (`DifferentiableOpInterface`), from the last to
    the first; the pass itself knows no op. Calls are inlined first. Gradients
    that `wrt` does not ask for are not built.

    `mode=joint` adds `@F_vjp`: it takes the arguments of `@F` and one gradient
    for each float result, and gives the results of `@F`, then the gradients of
    the arguments in `wrt`, in that order.

    `mode=split` adds two functions. `@F_fwd` takes the arguments of `@F` and
    gives its results, then residuals: the values that the backward reads.
    `@F_bwd` takes the arguments of `@F`, the residuals and the gradients of the
    float results, and gives the gradients of the arguments in `wrt`.

    With `save=minimal` rules avoid reading large intermediate values, and what
    is cheap to compute again is not saved.

    Takes one block of ops without side effects on memory; leaves the same.
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"",
           "The function to differentiate; the only public one when left out">,
    ListOption<"wrt", "wrt", "std::string",
               "Numbers of the arguments to differentiate for (default: all floats)">,
    Option<"mode", "mode", "::mlir::moe::DerivativeMode",
           /*default=*/"::mlir::moe::DerivativeMode::Joint", "What is added",
           [{::llvm::cl::values(
             clEnumValN(::mlir::moe::DerivativeMode::Joint, "joint",
                        "One function: @F_vjp"),
             clEnumValN(::mlir::moe::DerivativeMode::Split, "split",
                        "Two functions: @F_fwd and @F_bwd"))}]>,
    Option<"save", "save", "::mlir::moe::Save", /*default=*/"::mlir::moe::Save::All",
           "What the backward is given",
           [{::llvm::cl::values(
             clEnumValN(::mlir::moe::Save::All, "all",
                        "Every value that it reads"),
             clEnumValN(::mlir::moe::Save::Minimal, "minimal",
                        "As little as possible"))}]>,
  ];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "func::FuncDialect", "linalg::LinalgDialect",
                           "math::MathDialect", "tensor::TensorDialect"];
}

#endif // MOE_AUTODIFF_PASSES_TD
