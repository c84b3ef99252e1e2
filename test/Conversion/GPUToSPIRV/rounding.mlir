// RUN: moe-opt %s --convert-gpu-to-spirv-kernels | FileCheck %s

// Arithmetic is rounded where the program says, unless it may be contracted.

module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.5, [Shader], [SPV_KHR_storage_buffer_storage_class]>, #spirv.resource_limits<>>} {
gpu.module @kernels {
  gpu.func @rounding(%x: memref<?xf32, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}) kernel attributes {moe_rt.push_constants = 0 : i32, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [8, 1, 1]>} {
    %c0 = arith.constant 0 : index
    %a = memref.load %x[%c0] : memref<?xf32, #spirv.storage_class<StorageBuffer>>
    %product = arith.mulf %a, %a : f32
    %sum = arith.addf %product, %a : f32
    %difference = arith.subf %sum, %product : f32
    %free_product = arith.mulf %difference, %a fastmath<contract> : f32
    %free_sum = arith.addf %free_product, %a fastmath<contract> : f32
    memref.store %free_sum, %x[%c0] : memref<?xf32, #spirv.storage_class<StorageBuffer>>
    gpu.return
  }
}
}

// CHECK-LABEL: spirv.func @rounding
// CHECK:         spirv.FMul %{{.+}} {no_contraction} : f32
// CHECK:         spirv.FAdd %{{.+}} {no_contraction} : f32
// CHECK:         spirv.FSub %{{.+}} {no_contraction} : f32
// CHECK:         spirv.FMul %{{[0-9]+}}, %{{[0-9]+}} : f32
// CHECK:         spirv.FAdd %{{[0-9]+}}, %{{[0-9]+}} : f32
