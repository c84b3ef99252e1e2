// RUN: moe-opt %s --convert-gpu-to-spirv-kernels | FileCheck %s

// A loop of no iteration gives its initial value: results leave through the
// header's arguments, never through variables that only the body stores.

module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.5, [Shader], [SPV_KHR_storage_buffer_storage_class]>, #spirv.resource_limits<>>} {
gpu.module @kernels {
  gpu.func @sum(%x: memref<?xi32, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}) kernel attributes {moe_rt.push_constants = 1 : i32, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [8, 1, 1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %start = arith.constant 7 : i32
    %n = moe_rt.push_constant 0
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %start) -> (i32) {
      %v = memref.load %x[%i] : memref<?xi32, #spirv.storage_class<StorageBuffer>>
      %t = arith.addi %s, %v : i32
      scf.yield %t : i32
    }
    memref.store %sum, %x[%c0] : memref<?xi32, #spirv.storage_class<StorageBuffer>>
    gpu.return
  }
}
}

// CHECK-LABEL: spirv.func @sum
// CHECK-DAG:     %[[FROM:.+]] = spirv.Constant 0 : i32
// CHECK-DAG:     %[[START:.+]] = spirv.Constant 7 : i32
// CHECK-NOT:     spirv.Variable
// CHECK:         %[[RESULT:.+]] = spirv.mlir.loop -> i32 {
// CHECK:           spirv.Branch ^[[HEADER:.+]](%{{.+}}, %[[START]] : i32, i32)
// CHECK:         ^[[HEADER]](%[[I:.+]]: i32, %[[SUM:.+]]: i32):
// CHECK:           spirv.SLessThan %[[I]]
// CHECK:           %[[NEXT:.+]] = spirv.IAdd %[[SUM]]
// CHECK:           %[[STEP:.+]] = spirv.IAdd %[[I]]
// CHECK:           spirv.Branch ^[[HEADER]](%[[STEP]], %[[NEXT]] : i32, i32)
// CHECK:           spirv.mlir.merge %[[SUM]] : i32
// CHECK:         spirv.Store "StorageBuffer" %{{.+}}, %[[RESULT]]
