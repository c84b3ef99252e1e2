// RUN: moe-opt %s --convert-gpu-to-spirv-kernels | FileCheck %s

// The serializer writes the id 0 for a value that comes round a loop from a
// loop or selection inside it; such a value is copied by a select first.

module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.5, [Shader], [SPV_KHR_storage_buffer_storage_class]>, #spirv.resource_limits<>>} {
gpu.module @kernels {
  gpu.func @nested(%x: memref<?xi32, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}) kernel attributes {moe_rt.push_constants = 2 : i32, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [8, 1, 1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %m = moe_rt.push_constant 0
    %n = moe_rt.push_constant 1
    %sum = scf.for %i = %c0 to %m step %c1 iter_args(%outer = %zero) -> (i32) {
      %row = scf.for %j = %c0 to %n step %c1 iter_args(%inner = %outer) -> (i32) {
        %v = memref.load %x[%j] : memref<?xi32, #spirv.storage_class<StorageBuffer>>
        %t = arith.addi %inner, %v : i32
        scf.yield %t : i32
      }
      scf.yield %row : i32
    }
    memref.store %sum, %x[%c0] : memref<?xi32, #spirv.storage_class<StorageBuffer>>
    gpu.return
  }
}
}

// CHECK-LABEL: spirv.func @nested
// CHECK:         %[[SUM:.+]] = spirv.mlir.loop -> i32
// CHECK:         ^[[OUTER:.+]](%{{.+}}: i32, %[[CARRIED:.+]]: i32):
// CHECK:           %[[ROW:.+]] = spirv.mlir.loop -> i32
// The inner loop begins with what the outer one carries.
// CHECK:             spirv.Branch ^[[INNER:.+]](%{{.+}}, %[[CARRIED]] : i32, i32)
// CHECK:           %[[COPY:.+]] = spirv.Select %{{.+}}, %[[ROW]], %[[ROW]]
// CHECK:           spirv.Branch ^[[OUTER]](%{{.+}}, %[[COPY]] : i32, i32)
// CHECK:         spirv.mlir.merge %[[CARRIED]]
// CHECK:         spirv.Store "StorageBuffer" %{{.+}}, %[[SUM]]
