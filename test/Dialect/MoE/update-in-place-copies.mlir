// RUN: moe-opt %s -split-input-file --moe-form-kernels --moe-update-in-place | FileCheck %s
// RUN: moe-opt %s -split-input-file --moe-form-kernels --moe-update-in-place --moe-update-in-place | FileCheck %s

// Where the kernel of a result cannot write it over the old value, a last one
// copies it.

// CHECK-LABEL: func.func @exchanged
// CHECK-SAME:    (%[[A:.+]]: tensor<4xf32> {{.*}}, %[[B:.+]]: tensor<4xf32> {{.*}})
// CHECK:         %[[OLD_B:.+]] = moe.kernel "elementwise" (%{{.+}} = %[[B]] : tensor<4xf32>) -> (tensor<4xf32>) {
// CHECK:         %[[NEXT_B:.+]] = moe.kernel "elementwise" (%{{.+}} = %[[A]] : tensor<4xf32>, %{{.+}} = %[[B]] : tensor<4xf32>)
// CHECK-SAME:      updates [1] {
// CHECK:         %[[NEXT_A:.+]] = moe.kernel "update" (%[[NEXT:.+]] = %[[OLD_B]] : tensor<4xf32>, %[[OLD:.+]] = %[[A]] : tensor<4xf32>)
// CHECK-SAME:      -> (tensor<4xf32>) updates [1] {
// CHECK:           linalg.generic {{.*}} ins(%[[NEXT]] : tensor<4xf32>) outs(%[[OLD]] : tensor<4xf32>)
// CHECK:         return %[[NEXT_A]], %[[NEXT_B]]
func.func @exchanged(%a: tensor<4xf32> {moe.aliases_result = 0 : i64}, %b: tensor<4xf32> {moe.aliases_result = 1 : i64})
    -> (tensor<4xf32>, tensor<4xf32>) {
  return %b, %a : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @product
// CHECK-SAME:    (%[[W:.+]]: tensor<4x4xf32> {{.*}}, %{{.+}}: tensor<4x4xf32>)
// CHECK:         %[[PRODUCT:.+]] = moe.kernel "matmul" {{.*}} -> (tensor<4x4xf32>) {
// CHECK:         moe.kernel "update" (%{{.+}} = %[[PRODUCT]] : tensor<4x4xf32>, %{{.+}} = %[[W]] : tensor<4x4xf32>)
// CHECK-SAME:      updates [1] {
func.func @product(%w: tensor<4x4xf32> {moe.aliases_result = 0 : i64}, %x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%w : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: func.func @sum
// CHECK:         %[[SUM:.+]] = moe.kernel "reduce" {{.*}} -> (tensor<f32>) {
// CHECK:         moe.kernel "update" (%{{.+}} = %[[SUM]] : tensor<f32>, {{.*}}) -> (tensor<f32>) updates [1] {
func.func @sum(%w: tensor<f32> {moe.aliases_result = 0 : i64}, %x: tensor<4xf32>) -> tensor<f32> {
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%w : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#swapped = affine_map<(i, j) -> (j, i)>

// CHECK-LABEL: func.func @read_transposed
// CHECK:         %[[NEXT:.+]] = moe.kernel "elementwise" {{.*}} -> (tensor<4x4xf32>) {
// CHECK:         moe.kernel "update" (%{{.+}} = %[[NEXT]] {{.*}} updates [1] {
func.func @read_transposed(%w: tensor<4x4xf32> {moe.aliases_result = 0 : i64}) -> tensor<4x4xf32> {
  %y = linalg.generic {indexing_maps = [#swapped, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<4x4xf32>) outs(%w : tensor<4x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

// The body reads any element.
// CHECK-LABEL: func.func @read_in_a_body
// CHECK:         %[[NEXT:.+]] = moe.kernel "elementwise" {{.*}} -> (tensor<4xf32>) {
// CHECK:         moe.kernel "update" (%{{.+}} = %[[NEXT]] {{.*}} updates [1] {
func.func @read_in_a_body(%w: tensor<4xf32> {moe.aliases_result = 0 : i64}) -> tensor<4xf32> {
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = arith.subi %c3, %i : index
    %r = tensor.extract %w[%j] : tensor<4xf32>
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// The plan may find a fault, and it reads the next value.
// CHECK-LABEL: func.func @fault_after_it
// CHECK-SAME:    (%[[W:.+]]: tensor<2x2xi32> {{.*}}, %{{.+}}: tensor<2x2xi32>)
// CHECK:         %[[NEXT:.+]] = moe.kernel "elementwise" {{.*}} -> (tensor<2x2xi32>) {
// CHECK:         moe.kernel "plan" (%{{.+}} = %[[NEXT]]
// CHECK:         moe.kernel "update" (%{{.+}} = %[[NEXT]] {{.*}} = %[[W]] {{.*}} updates [1] {
func.func @fault_after_it(%w: tensor<2x2xi32> {moe.aliases_result = 0 : i64}, %x: tensor<2x2xi32>)
    -> (tensor<2x2xi32>, tensor<5xi32>) {
  %offsets, %slots, %rows, %experts = moe.plan %x {experts = 4 : i64}
    : tensor<2x2xi32> -> tensor<5xi32>, tensor<2x2xi32>, tensor<?xi32>, tensor<?xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%w : tensor<2x2xi32>) {
  ^bb0(%o: i32):
    %r = arith.addi %o, %o : i32
    linalg.yield %r : i32
  } -> tensor<2x2xi32>
  %o, %s, %r, %e = moe.plan %y {experts = 4 : i64}
    : tensor<2x2xi32> -> tensor<5xi32>, tensor<2x2xi32>, tensor<?xi32>, tensor<?xi32>
  return %y, %o : tensor<2x2xi32>, tensor<5xi32>
}
