// RUN: moe-opt %s -split-input-file --moe-form-kernels | FileCheck %s

#id = affine_map<(i) -> (i)>

// A kernel yields an elementwise result in the shape in which it is returned.
// CHECK-LABEL: func.func @expanded
// CHECK:         %[[Y:.+]] = moe.kernel "elementwise" ({{.*}}) -> (tensor<2x3xf32>) {
// CHECK:           %[[FLAT:.+]] = linalg.generic
// CHECK:           %[[SHAPED:.+]] = tensor.expand_shape %[[FLAT]]
// CHECK-NEXT:      moe.yield %[[SHAPED]] : tensor<2x3xf32>
// CHECK-NOT:     moe.kernel
// CHECK-NOT:     tensor.expand_shape
// CHECK:         return %[[Y]]
func.func @expanded(%x: tensor<6xf32>) -> tensor<2x3xf32> {
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%x : tensor<6xf32>) {
  ^bb0(%a: f32):
    %r = arith.negf %a : f32
    linalg.yield %r : f32
  } -> tensor<6xf32>
  %y = tensor.expand_shape %0 [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// Each of two results may have a shape of its own.
// CHECK-LABEL: func.func @one_of_two_results
// CHECK:         %[[Y:.+]]:2 = moe.kernel "elementwise" ({{.*}}) -> (tensor<2x3xf32>, tensor<6xf32>) {
// CHECK:           %[[BOTH:.+]]:2 = linalg.generic
// CHECK:           %[[FLAT:.+]] = tensor.collapse_shape %[[BOTH]]#1
// CHECK-NEXT:      moe.yield %[[BOTH]]#0, %[[FLAT]] : tensor<2x3xf32>, tensor<6xf32>
// CHECK-NOT:     moe.kernel
// CHECK:         return %[[Y]]#0, %[[Y]]#1
func.func @one_of_two_results(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<6xf32>) {
  %e = tensor.empty() : tensor<2x3xf32>
  %0:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x3xf32>) outs(%e, %e : tensor<2x3xf32>, tensor<2x3xf32>) {
  ^bb0(%a: f32, %p: f32, %q: f32):
    %n = arith.negf %a : f32
    %s = arith.addf %a, %a : f32
    linalg.yield %n, %s : f32, f32
  } -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %y = tensor.collapse_shape %0#1 [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  return %0#0, %y : tensor<2x3xf32>, tensor<6xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// What is read in both shapes is stored in one and copied into the other.
// CHECK-LABEL: func.func @returned_in_both_shapes
// CHECK:         %[[FLAT:.+]] = moe.kernel "elementwise" ({{.*}}) -> (tensor<6xf32>) {
// CHECK:         %[[COPY:.+]] = moe.kernel "elementwise" (%{{.+}} = %[[FLAT]] : tensor<6xf32>) -> (tensor<2x3xf32>) {
// CHECK:           tensor.expand_shape
// CHECK:         return %[[COPY]], %[[FLAT]]
func.func @returned_in_both_shapes(%x: tensor<6xf32>) -> (tensor<2x3xf32>, tensor<6xf32>) {
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%x : tensor<6xf32>) {
  ^bb0(%a: f32):
    %r = arith.negf %a : f32
    linalg.yield %r : f32
  } -> tensor<6xf32>
  %y = tensor.expand_shape %0 [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
  return %y, %0 : tensor<2x3xf32>, tensor<6xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// Sizes of a shape with a dynamic dimension would be computed in the kernel.
// CHECK-LABEL: func.func @dynamic
// CHECK:         %[[FLAT:.+]] = moe.kernel "elementwise" ({{.*}}) -> (tensor<?xf32>) {
// CHECK:         moe.kernel "elementwise" ({{.*}}%[[FLAT]] : tensor<?xf32>{{.*}}) -> (tensor<?x3xf32>) {
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %rows = arith.divui %n, %c3 : index
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%x : tensor<?xf32>) {
  ^bb0(%a: f32):
    %r = arith.negf %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %y = tensor.expand_shape %0 [[0, 1]] output_shape [%rows, 3] : tensor<?xf32> into tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

// A product stores whole rows: its view is copied.
// CHECK-LABEL: func.func @product
// CHECK:         %[[PRODUCT:.+]] = moe.kernel "matmul" ({{.*}}) -> (tensor<4x4xf32>) {
// CHECK:         moe.kernel "elementwise" ({{.*}}%[[PRODUCT]] : tensor<4x4xf32>{{.*}}) -> (tensor<16xf32>) {
func.func @product(%x: tensor<4x4xf32>) -> tensor<16xf32> {
  %0 = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = tensor.collapse_shape %0 [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  return %y : tensor<16xf32>
}
