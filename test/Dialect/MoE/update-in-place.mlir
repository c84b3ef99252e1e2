// RUN: moe-opt %s -split-input-file --moe-form-kernels --moe-update-in-place | FileCheck %s
// RUN: moe-opt %s -split-input-file --moe-form-kernels --moe-update-in-place --moe-update-in-place | FileCheck %s

#id = affine_map<(i) -> (i)>

// The kernel moves to the end, behind the other readers of the argument, and
// what reads its result goes with it.
// CHECK-LABEL: func.func @own_kernel
// CHECK-SAME:    (%[[W:.+]]: tensor<4xf32> {{.*}}, %[[G:.+]]: tensor<4xf32>)
// CHECK:         %[[OLD:.+]] = moe.kernel "elementwise" (%{{.+}} = %[[W]] : tensor<4xf32>) -> (tensor<4xf32>) {
// CHECK:         %[[NEXT:.+]] = moe.kernel "elementwise" (%{{.+}} = %[[W]] : tensor<4xf32>, %{{.+}} = %[[G]] : tensor<4xf32>)
// CHECK-SAME:      -> (tensor<4xf32>) updates [0] {
// CHECK:         %[[LATER:.+]] = moe.kernel "elementwise" (%{{.+}} = %[[NEXT]] : tensor<4xf32>) -> (tensor<4xf32>) {
// CHECK:         return %[[NEXT]], %[[LATER]], %[[OLD]]
func.func @own_kernel(%w: tensor<4xf32> {moe.aliases_result = 0 : i64}, %g: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %next = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%w, %g : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %later = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%next : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.absf %a : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %old = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.negf %a : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %next, %later, %old : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// One kernel updates both; the first result is of the second argument.
// CHECK-LABEL: func.func @two_states
// CHECK-SAME:    (%[[A:.+]]: tensor<4xf32> {{.*}}, %[[B:.+]]: tensor<4xf32> {{.*}})
// CHECK:         moe.kernel "elementwise" (%{{.+}} = %[[A]] : tensor<4xf32>, %{{.+}} = %[[B]] : tensor<4xf32>)
// CHECK-SAME:      -> (tensor<4xf32>, tensor<4xf32>) updates [1, 0] {
// CHECK-NOT:     moe.kernel
func.func @two_states(%a: tensor<4xf32> {moe.aliases_result = 1 : i64}, %b: tensor<4xf32> {moe.aliases_result = 0 : i64})
    -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %next:2 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e, %e : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32, %p: f32):
    %s = arith.addf %x, %y : f32
    %d = arith.subf %x, %y : f32
    linalg.yield %s, %d : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %next#0, %next#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A kernel that does not read the state is given it.
// CHECK-LABEL: func.func @state_that_is_not_read
// CHECK-SAME:    (%[[W:.+]]: tensor<4xf32> {{.*}}, %[[X:.+]]: tensor<4xf32>)
// CHECK:         moe.kernel "elementwise" (%{{.+}} = %[[X]] : tensor<4xf32>, %{{.+}} = %[[W]] : tensor<4xf32>)
// CHECK-SAME:      updates [1] {
// CHECK-NOT:     moe.kernel
func.func @state_that_is_not_read(%w: tensor<4xf32> {moe.aliases_result = 0 : i64}, %x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @returned_unchanged
// CHECK-SAME:    (%[[W:.+]]: tensor<f32> {{.*}})
// CHECK:         moe.kernel "elementwise" (%{{.+}} = %[[W]] : tensor<f32>) -> (tensor<f32>) updates [0] {
// CHECK-NOT:     moe.kernel
func.func @returned_unchanged(%w: tensor<f32> {moe.aliases_result = 0 : i64}) -> tensor<f32> {
  return %w : tensor<f32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// The state has the shape of a stack of one matrix, its gradient that of the
// matrix: position by position they are the same.
// CHECK-LABEL: func.func @reshaped
// CHECK-SAME:    (%[[W:.+]]: tensor<1x2x3xf32> {{.*}}, %[[G:.+]]: tensor<2x3xf32>)
// CHECK:         moe.kernel "elementwise" ({{.*}} = %[[W]] : tensor<1x2x3xf32>
// CHECK-SAME:      -> (tensor<1x2x3xf32>) updates [{{[01]}}] {
// CHECK:           tensor.collapse_shape
// CHECK:           %[[Y:.+]] = tensor.expand_shape
// CHECK-NEXT:      moe.yield %[[Y]]
// CHECK-NOT:     moe.kernel
func.func @reshaped(%w: tensor<1x2x3xf32> {moe.aliases_result = 0 : i64}, %g: tensor<2x3xf32>) -> tensor<1x2x3xf32> {
  %m = tensor.collapse_shape %w [[0, 1], [2]] : tensor<1x2x3xf32> into tensor<2x3xf32>
  %e = tensor.empty() : tensor<2x3xf32>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m, %g : tensor<2x3xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.subf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  %y = tensor.expand_shape %s [[0, 1], [2]] output_shape [1, 2, 3] : tensor<2x3xf32> into tensor<1x2x3xf32>
  return %y : tensor<1x2x3xf32>
}
