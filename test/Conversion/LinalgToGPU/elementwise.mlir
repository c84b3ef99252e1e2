// RUN: moe-opt %s --convert-linalg-to-gpu --canonicalize --cse | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#by4 = #moe.schedule<elementwise, workgroup = 64, vector = 4>
#by1 = #moe.schedule<elementwise, workgroup = 64>

// Four neighbours an invocation, and a loop over the grid. A slice at a multiple
// of 4 is read as vectors; one at another offset by elements.

// CHECK-LABEL: gpu.func @slices
// CHECK-SAME:    (%[[SCALARS:.+]]: memref<?xf32, {{.*}}<(0, 0)>}, %[[VECTORS:.+]]: memref<?xvector<4xf32>, {{.*}}<(0, 0)>}, %[[OUT:.+]]: memref<?xvector<4xf32>, {{.*}}<(0, 1)>})
// CHECK-SAME:    workgroup_size = [64, 1, 1]
// CHECK:         %[[COUNT:.+]] = moe_rt.push_constant 0
// CHECK:         %[[GROUPS:.+]] = gpu.grid_dim x
// CHECK:         %[[STRIDE:.+]] = arith.muli %[[GROUPS]], %c64
// CHECK:         scf.for %[[I:.+]] = %{{.+}} to %[[COUNT]] step %[[STRIDE]]
// CHECK:           %[[UP:.+]] = memref.load %[[VECTORS]]
// CHECK-COUNT-4:   memref.load %[[SCALARS]]
// CHECK:           %[[ODD:.+]] = vector.from_elements
// CHECK:           %[[PRODUCT:.+]] = arith.mulf %[[UP]], %[[ODD]] : vector<4xf32>
// CHECK:           memref.store %[[PRODUCT]], %[[OUT]][%[[I]]]
func.func @f(%h: tensor<?x16xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %h, %c0 : tensor<?x16xf32>
  %0 = moe.kernel "slices" (%a = %h : tensor<?x16xf32>, %n = %t : index) -> (tensor<?x8xf32>) schedule(#by4) {
    %up = tensor.extract_slice %a[0, 8] [%n, 8] [1, 1] : tensor<?x16xf32> to tensor<?x8xf32>
    %odd = tensor.extract_slice %a[0, 1] [%n, 8] [1, 1] : tensor<?x16xf32> to tensor<?x8xf32>
    %e = tensor.empty(%n) : tensor<?x8xf32>
    %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%up, %odd : tensor<?x8xf32>, tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
    ^bb0(%p: f32, %q: f32, %out: f32):
      %product = arith.mulf %p, %q : f32
      linalg.yield %product : f32
    } -> tensor<?x8xf32>
    moe.yield %y : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// Rows of 6: one element an invocation. The output's old value is read where
// the body uses it.

// CHECK-LABEL: gpu.func @rows_of_six
// CHECK-NOT:     vector
// CHECK-DAG:     %[[P:.+]] = memref.load %arg0
// CHECK-DAG:     %[[Q:.+]] = memref.load %arg1
// CHECK:         %[[SUM:.+]] = arith.addf %[[P]], %[[Q]] : f32
// CHECK:         memref.store %[[SUM]], %arg2
func.func @g(%x: tensor<?x6xf32>, %y: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %0 = moe.kernel "rows_of_six" (%a = %x : tensor<?x6xf32>, %b = %y : tensor<?x6xf32>) -> (tensor<?x6xf32>) schedule(#by1) {
    %y0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<?x6xf32>) outs(%b : tensor<?x6xf32>) {
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    } -> tensor<?x6xf32>
    moe.yield %y0 : tensor<?x6xf32>
  }
  return %0 : tensor<?x6xf32>
}

// Two results of one size and different shape: each has indices of its own. All
// is read before anything is written.

// CHECK-LABEL: gpu.func @transposed_as_well
// CHECK:         %[[COLUMN:.+]] = arith.remui %[[I:.+]], %c8
// CHECK:         %[[ROW:.+]] = arith.divui %[[I]], %c8
// CHECK:         %[[SUM:.+]] = arith.addf
// CHECK:         %[[OTHER_ROW:.+]] = arith.remui %[[I]], %c4
// CHECK:         %[[OTHER_COLUMN:.+]] = arith.divui %[[I]], %c4
// CHECK:         %[[START:.+]] = arith.muli %[[OTHER_ROW]], %c8
// CHECK:         %[[AT:.+]] = arith.addi %[[START]], %[[OTHER_COLUMN]]
// CHECK:         %[[VALUE:.+]] = memref.load %arg0[%[[AT]]]
// CHECK:         memref.store %[[SUM]], %arg1[%[[I]]]
// CHECK:         memref.store %[[VALUE]], %arg2[%[[I]]]
func.func @h(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8x4xf32>) {
  %0:2 = moe.kernel "transposed_as_well" (%a = %x : tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8x4xf32>) schedule(#by1) {
    %e = tensor.empty() : tensor<4x8xf32>
    %f = tensor.empty() : tensor<8x4xf32>
    %y:2 = linalg.generic {indexing_maps = [#id, #id, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<4x8xf32>) outs(%e, %f : tensor<4x8xf32>, tensor<8x4xf32>) {
    ^bb0(%p: f32, %q: f32, %r: f32):
      %s = arith.addf %p, %p : f32
      linalg.yield %s, %p : f32, f32
    } -> (tensor<4x8xf32>, tensor<8x4xf32>)
    moe.yield %y#0, %y#1 : tensor<4x8xf32>, tensor<8x4xf32>
  }
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<8x4xf32>
}
