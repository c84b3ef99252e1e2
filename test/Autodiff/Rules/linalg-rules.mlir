// RUN: moe-opt %s -split-input-file --moe-differentiate | FileCheck %s

// Gradients that share a map share an op; the body is computed again.
func.func @elementwise(%x: tensor<?x4xf32>, %z: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %x, %c0 : tensor<?x4xf32>
  %empty = tensor.empty(%size) : tensor<?x4xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %z : tensor<?x4xf32>, tensor<?x4xf32>) outs(%empty : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32, %init: f32):
    %t = math.tanh %a : f32
    %p = arith.mulf %t, %b : f32
    linalg.yield %p : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
// CHECK-LABEL: func.func @elementwise_vjp(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x4xf32>, %[[Z:[a-z0-9]+]]: tensor<?x4xf32>, %[[G:[a-z0-9]+]]: tensor<?x4xf32>)
// CHECK: %[[Y:.*]] = linalg.generic
// CHECK: %[[D:.*]]:2 = linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]} ins(%[[X]], %[[Z]], %[[G]] :
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[IN:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-DAG: %[[T:.*]] = math.tanh %[[A]]
// CHECK-DAG: %[[DT:.*]] = arith.mulf %[[IN]], %[[B]]
// CHECK-DAG: %[[DB:.*]] = arith.mulf %[[IN]], %[[T]]
// CHECK: %[[DA:.*]] = arith.mulf %[[DT]]
// CHECK: linalg.yield %[[DA]], %[[DB]]
// CHECK: return %[[Y]], %[[D]]#0, %[[D]]#1

// -----

#all = affine_map<(i, j) -> (i, j)>
#columns = affine_map<(i, j) -> (j)>

// What was repeated is summed; operands that are not read are left out.
func.func @bias(%x: tensor<3x4xf32>, %b: tensor<4xf32>) -> tensor<3x4xf32> {
  %empty = tensor.empty() : tensor<3x4xf32>
  %y = linalg.generic {indexing_maps = [#all, #columns, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<3x4xf32>, tensor<4xf32>) outs(%empty : tensor<3x4xf32>) {
  ^bb0(%a: f32, %c: f32, %init: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
// CHECK-LABEL: func.func @bias_vjp(
// CHECK-SAME: %[[G:[a-z0-9]+]]: tensor<3x4xf32>)
// CHECK: linalg.generic
// CHECK: %[[DX:.*]] = linalg.generic {{.*}}["parallel", "parallel"]} ins(%[[G]] : tensor<3x4xf32>)
// CHECK: %[[DB:.*]] = linalg.generic {{.*}}["reduction", "parallel"]} ins(%[[G]] : tensor<3x4xf32>)
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[SUM:.*]]: f32):
// CHECK-NEXT: arith.addf %[[SUM]], %[[IN]]
// CHECK: return %{{.*}}, %[[DX]], %[[DB]]

// -----

// A product gives products; each operand keeps its layout.
func.func @matmul_transposed(%x: tensor<?x4xf32>, %w: tensor<2x4xf32>, %c: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %y = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %w : tensor<?x4xf32>, tensor<2x4xf32>) outs(%c : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
// CHECK-DAG: #[[$KM:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[$KN:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[$MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @matmul_transposed_vjp(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x4xf32>, %[[W:[a-z0-9]+]]: tensor<2x4xf32>, %{{.*}}: tensor<?x2xf32>, %[[G:[a-z0-9]+]]: tensor<?x2xf32>)
// CHECK: linalg.matmul indexing_maps
// CHECK: %[[DX:.*]] = linalg.matmul ins(%[[G]], %[[W]]
// CHECK: %[[DW:.*]] = linalg.matmul indexing_maps = [#[[$KM]], #[[$KN]], #[[$MN]]] ins(%[[G]], %[[X]]
// CHECK: return %{{.*}}, %[[DX]], %[[DW]], %[[G]]

// -----

func.func @softmax(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %x, %c0 : tensor<?x4xf32>
  %empty = tensor.empty(%size) : tensor<?x4xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<?x4xf32>) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
// CHECK-LABEL: func.func @softmax_vjp(
// CHECK: %[[Y:.*]] = linalg.softmax
// CHECK: %[[SUMS:.*]]:3 = linalg.generic {{.*}}["parallel", "reduction"]} ins(%[[Y]], %[[G:[a-z0-9]+]] :
// CHECK: linalg.generic {{.*}}["parallel", "parallel"]} ins(%[[Y]], %[[G]], %[[SUMS]]#0, %[[SUMS]]#1, %[[SUMS]]#2 :
// Where y is near 1, the difference of the others' sums; else g - Σ y · g.
// CHECK: %[[PRODUCT:.*]] = arith.mulf
// CHECK-NEXT: %[[NEAR:.*]] = arith.subf %[[PRODUCT]]
// CHECK-NEXT: %[[FAR:.*]] = arith.subf
// CHECK-NEXT: %[[LARGE:.*]] = arith.cmpf ogt
// CHECK-NEXT: %[[SLOPE:.*]] = arith.select %[[LARGE]], %[[NEAR]], %[[FAR]]
// CHECK-NEXT: arith.mulf %{{.*}}, %[[SLOPE]]

// -----

// Where the init is the maximum itself, it has its share of the gradient.
func.func @maximum(%x: tensor<?x4xf32>, %start: tensor<?xf32>) -> tensor<?xf32> {
  %y = linalg.reduce { arith.maximumf } ins(%x : tensor<?x4xf32>) outs(%start : tensor<?xf32>) dimensions = [1]
  return %y : tensor<?xf32>
}
// CHECK-LABEL: func.func @maximum_vjp(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x4xf32>, %[[START:[a-z0-9]+]]: tensor<?xf32>, %[[G:[a-z0-9]+]]: tensor<?xf32>)
// CHECK: %[[Y:.*]] = linalg.reduce
// CHECK: %[[WINS:.*]] = arith.cmpf oeq, %[[START]], %[[Y]]
// CHECK: %[[COUNT:.*]] = linalg.generic
// CHECK: %[[SHARE:.*]] = arith.divf %[[G]], %[[COUNT]]
// CHECK: %[[DSTART:.*]] = arith.select %[[WINS]], %[[SHARE]]
// CHECK: %[[DX:.*]] = linalg.generic
// CHECK: return %[[Y]], %[[DX]], %[[DSTART]]
