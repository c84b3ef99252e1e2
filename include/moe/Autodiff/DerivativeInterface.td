//===- DerivativeInterface.td - How an op is differentiated -*- tablegen -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_AUTODIFF_DERIVATIVEINTERFACE_TD
#define MOE_AUTODIFF_DERIVATIVEINTERFACE_TD

include "mlir/IR/OpBase.td"

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::mlir::moe";
  let description = [{
    The derivative rule of one op in reverse mode: given the gradients of its
    results (the cotangents), it builds those of its operands.

    `--moe-differentiate` knows no op; it asks this interface. Another compiler
    makes its own ops differentiable by implementing it, or by attaching an
    external model, as lib/Autodiff/Rules does for upstream dialects.

    A rule may use the op's operands and results, which stay in place. It builds
    ops on values; it must not change or erase what is there. Gradients that
    nobody wants (`Cotangents::wants`) are not to be built.
  }];
  let methods = [
    InterfaceMethod<[{
        Builds, at the builder's insertion point, the vector-Jacobian product of
        this op. `cotangents.of(result)` is the gradient of a result, or null
        where there is none; `cotangents.add(operand, gradient)` hands one on.
        On failure, the rule has emitted an error that says why.
      }],
      "::llvm::LogicalResult", "buildVJP",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::moe::Cotangents &":$cotangents)>,
    InterfaceMethod<[{
        Whether a backward function had better compute the results again than
        be given them, when it is to save little memory.
      }],
      "bool", "isCheapToRecompute", (ins), /*methodBody=*/"",
      /*defaultImplementation=*/"return false;">,
  ];
}

#endif // MOE_AUTODIFF_DERIVATIVEINTERFACE_TD
