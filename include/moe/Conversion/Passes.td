//===- Passes.td - Conversion passes -------------------------*- tablegen -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_CONVERSION_PASSES_TD
#define MOE_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

// Keep alphabetical.

def ConvertGPUToSPIRVKernelsPass
    : Pass<"convert-gpu-to-spirv-kernels", "ModuleOp"> {
  let summary = "Converts gpu.func kernels to one spirv.module each";
  let description = [{
    Collects upstream's gpu, arith, math, memref, scf and vector patterns and
    adds what they lack: push constants; `NoContraction` on every float
    addition, subtraction and multiplication without the `contract` flag, so
    that drivers round where the program rounds; the version, capabilities and
    extensions that the code really needs.

    Types that the target cannot store are an error (upstream's emulation would
    store f16 with a stride of 4 bytes), and so are ops of math that have no form
    in SPIR-V: `--moe-expand-math` has to run before, which also makes the others
    as exact as the table of accuracy says.

    Takes gpu.func in a gpu.module and a target from `spirv.target_env`; leaves
    spirv.module, one for each kernel, named after it.
  }];
  let dependentDialects = ["spirv::SPIRVDialect"];
}

def ConvertLinalgToGPUPass : Pass<"convert-linalg-to-gpu", "ModuleOp"> {
  let summary = "Converts functions of scheduled kernels to gpu.func and moe_rt.program";
  let description = [{
    Lowers every `moe.kernel` by the family its schedule names, and the function
    around them to a `moe_rt.program`: one buffer a tensor, one or more
    dispatches a kernel, sizes as expressions of the arguments' dynamic
    dimensions. Barriers and memory planning are later passes on that program.

    A device may leave loops without a word after a number of iterations, which
    it counts over all loops of an invocation: `max-loop-iterations`. A kernel
    whose loops make more whatever the sizes are is an error; where that depends
    on sizes, a `moe_rt.assert` has the host refuse those that are too large.
    Long sums make several additions in an iteration, in the same order.

    An `index` has 64 bits in what a program means, and 32 on the device. By the
    ranges of loops, sizes and constants, index arithmetic that fits 32 bits is
    emitted on `index`, the rest on `i64`. Without `shader-int64` the rest is an
    error at the op.

    Takes functions whose body is kernels on tensors, with only linalg, tensor,
    scf.forall and kernel-level moe ops (route, plan, tiles, check_maps,
    check_offsets) inside; leaves a gpu.module `kernels` and one program a function.
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "gpu::GPUDialect",
                           "math::MathDialect", "memref::MemRefDialect", "moe_rt::MoERTDialect",
                           "scf::SCFDialect", "spirv::SPIRVDialect", "vector::VectorDialect"];
  let options = [Option<"maxLoopIterations", "max-loop-iterations", "uint32_t", "65535",
                        "the target's limit of iterations of all loops of an invocation; 0: none">,
                 Option<"shaderInt64", "shader-int64", "bool", "true",
                        "whether the target computes in 64 bits">];
}

def ConvertMoEToLinalgPass : Pass<"convert-moe-to-linalg", "func::FuncOp"> {
  let summary = "Converts layer ops to linalg, by their kernel's schedule";
  let description = [{
    `moe.dispatch`, `moe.combine` and the ops of their derivatives become
    linalg.generic. A product in a
    kernel that is scheduled as tiles becomes an scf.forall over tiles of one
    expert each; without a schedule, `moe.grouped_matmul` and
    `moe.grouped_outer` become slow forms that are obviously right and run
    anywhere.

    `moe.route`, `moe.plan`, `moe.tiles`, `moe.check_maps` and
    `moe.check_offsets` need more than linalg can say on the device and stay; `--moe-expand-kernel-ops` turns them
    into loops for the CPU.
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "gpu::GPUDialect",
                           "linalg::LinalgDialect", "math::MathDialect", "scf::SCFDialect",
                           "tensor::TensorDialect"];
}

def ExpandKernelOpsPass : Pass<"moe-expand-kernel-ops", "func::FuncOp"> {
  let summary = "Expands route, plan, tiles and the checks of data to loops on tensors";
  let description = [{
    The slow forms, for executing a stage's output through upstream CPU passes
    and for comparison. There is no status on the CPU: faults in data are
    treated as the device treats them (a bad index is dropped), but not
    reported.
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "linalg::LinalgDialect",
                           "math::MathDialect", "scf::SCFDialect", "tensor::TensorDialect"];
}

def ExpandMathPass : Pass<"moe-expand-math", "gpu::GPUModuleOp"> {
  let summary = "Expands ops whose device instruction is inexact, or missing";
  let description = [{
    Functions of f32 become additions and multiplications that are rounded one
    by one, and integer ops on the bits: the same bits on every device, within
    the bounds of the table of accuracy, and right for NaN, infinities, signed
    zeros and denormals. So do `remf`, minima and maxima, the kinds of floats
    (`isnan` and so on), `cmpf` of NaN alone, `remsi`, `ipowi`, `ctpop`, `cttz`,
    shifts by the width or more, which leave 0 or the sign, and arithmetic with a
    constant zero, which drivers simplify.

    Takes arith and math on scalars and vectors in a gpu.module; leaves of the
    functions above `sqrt` and `floor` alone.
  }];
  let dependentDialects = ["arith::ArithDialect", "math::MathDialect", "scf::SCFDialect",
                           "vector::VectorDialect"];
}

def FitInterfacesPass : Pass<"moe-fit-interfaces", "ModuleOp"> {
  let summary = "Fits kernels to a device's storage buffers and push constants";
  let description = [{
    A kernel that binds more buffers than the device allows a stage gets the ones
    that are cheapest to copy as parts of one transient: `moe_rt.copy` fills it
    before each dispatch, and takes what the kernel writes back after it. Where a
    part begins is a constant, or one more push constant.

    Sizes beyond the push constants of the device are written to a buffer by
    small kernels in front of the dispatch, and read from there.

    Values do not depend on either. Kernels that fit are left alone.

    Takes and leaves gpu.func and the `moe_rt.program`s that dispatch them, before
    barriers are placed.
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "gpu::GPUDialect",
                           "memref::MemRefDialect", "moe_rt::MoERTDialect", "spirv::SPIRVDialect"];
  let options = [Option<"maxStorageBuffers", "max-storage-buffers", "uint32_t", "32",
                        "the target's limit of storage buffers of a stage">,
                 Option<"maxPushConstants", "max-push-constants", "uint32_t", "128",
                        "the target's limit of push constants, in bytes">];
}

#endif // MOE_CONVERSION_PASSES_TD
