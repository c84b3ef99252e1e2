// RUN: moe-opt %s --moe-normalize-ops | FileCheck %s

// CHECK-LABEL: func.func @elementwise
// CHECK-NOT:     linalg.exp
// CHECK:         linalg.generic
// CHECK:           math.exp %{{.+}} : f32
// CHECK:         linalg.generic
// CHECK:           arith.addf %{{.+}}, %{{.+}} : f32
func.func @elementwise(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %z = arith.addf %x, %y : tensor<4xf32>
  return %z : tensor<4xf32>
}

// A maximum, exponentials, a sum, a quotient.
// CHECK-LABEL: func.func @softmax
// CHECK-NOT:     linalg.softmax
// CHECK:         iterator_types = ["parallel", "reduction"]
// CHECK:           arith.maxnumf
// CHECK:           math.exp
// CHECK:         iterator_types = ["parallel", "reduction"]
// CHECK:           arith.addf
// CHECK:           arith.divf
func.func @softmax(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%t) : tensor<?x8xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// Products of the matmul family keep their name; an integer one does not.
// CHECK-LABEL: func.func @products
// CHECK:         linalg.matmul ins(%{{.+}}, %{{.+}} : tensor<?x8xf32>, tensor<8x4xf32>)
// CHECK-NOT:     linalg.matmul
// CHECK:         linalg.generic
func.func @products(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>, %c: tensor<?x4xf32>, %i: tensor<4x8xi32>, %j: tensor<8x4xi32>, %k: tensor<4x4xi32>) -> (tensor<?x4xf32>, tensor<4x4xi32>) {
  %y = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>) outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  %z = linalg.matmul ins(%i, %j : tensor<4x8xi32>, tensor<8x4xi32>) outs(%k : tensor<4x4xi32>) -> tensor<4x4xi32>
  return %y, %z : tensor<?x4xf32>, tensor<4x4xi32>
}

// Transposed operands stay a product; a width that is only known at run time
// does not fit tiles.
// CHECK-LABEL: func.func @widths
// CHECK:         linalg.matmul indexing_maps = [{{.+}}] ins(%{{.+}}, %{{.+}} : tensor<8x?xf32>, tensor<4x8xf32>)
// CHECK-NOT:     linalg.matmul
// CHECK:         linalg.generic
func.func @widths(%a: tensor<8x?xf32>, %b: tensor<4x8xf32>, %c: tensor<?x4xf32>, %d: tensor<4x8xf32>, %e: tensor<8x?xf32>, %f: tensor<4x?xf32>) -> (tensor<?x4xf32>, tensor<4x?xf32>) {
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<8x?xf32>, tensor<4x8xf32>) outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  %z = linalg.matmul ins(%d, %e : tensor<4x8xf32>, tensor<8x?xf32>) outs(%f : tensor<4x?xf32>) -> tensor<4x?xf32>
  return %y, %z : tensor<?x4xf32>, tensor<4x?xf32>
}

// Sizes are those of arguments, so that no op lives on for its size alone.
// CHECK-LABEL: func.func @sizes
// CHECK-SAME:    %[[INDICES:.+]]: tensor<?x2xi32>
// CHECK:         %[[T:.+]] = tensor.dim %[[INDICES]]
// CHECK:         %[[R:.+]] = affine.apply {{.*}}%[[T]]
// CHECK:         tensor.empty(%[[R]])
func.func @sizes(%indices: tensor<?x2xi32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %offsets, %s2r, %r2s, %re = moe.plan %indices {experts = 4 : i64}
    : tensor<?x2xi32> -> tensor<5xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  %rows = tensor.dim %r2s, %c0 : tensor<?xi32>
  %e = tensor.empty(%rows) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// CHECK-LABEL: func.func @parts_of_a_tensor
// CHECK-SAME:    %[[X:.+]]: tensor<?x4xf32>, %[[A:.+]]: f32, %[[B:.+]]: f32, %[[I:.+]]: index
// CHECK:         %[[ONE:.+]] = tensor.splat %[[A]] : tensor<1x1xf32>
// CHECK:         %[[INSERTED:.+]] = tensor.insert_slice %[[ONE]] into %[[X]][%[[I]], 2] [1, 1] [1, 1]
// CHECK:         %[[PAIR:.+]] = tensor.empty() : tensor<1x2xf32>
// CHECK:         %[[FIRST:.+]] = tensor.insert_slice %{{.+}} into %[[PAIR]][0, 0] [1, 1] [1, 1]
// CHECK:         %[[OTHER:.+]] = tensor.splat %[[B]] : tensor<1x1xf32>
// CHECK:         %[[SECOND:.+]] = tensor.insert_slice %[[OTHER]] into %[[FIRST]][0, 1] [1, 1] [1, 1]
// CHECK:         %[[SCALAR:.+]] = tensor.splat %[[B]] : tensor<f32>
// CHECK:         %[[LEFT:.+]] = tensor.insert_slice %[[INSERTED]] into %{{.+}}[0, 0] [%{{.+}}, 4] [1, 1]
// CHECK:         %[[BOTH:.+]] = tensor.insert_slice %[[X]] into %[[LEFT]][0, 4] [%{{.+}}, 4] [1, 1]
// CHECK:         return %[[BOTH]], %[[SECOND]], %[[SCALAR]]
func.func @parts_of_a_tensor(%x: tensor<?x4xf32>, %a: f32, %b: f32, %i: index) -> (tensor<?x8xf32>, tensor<1x2xf32>, tensor<f32>) {
  %c2 = arith.constant 2 : index
  %inserted = tensor.insert %a into %x[%i, %c2] : tensor<?x4xf32>
  %pair = tensor.from_elements %a, %b : tensor<1x2xf32>
  %scalar = tensor.from_elements %b : tensor<f32>
  %both = tensor.concat dim(1) %inserted, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x8xf32>
  return %both, %pair, %scalar : tensor<?x8xf32>, tensor<1x2xf32>, tensor<f32>
}

// CHECK-LABEL: func.func @reshape
// CHECK:         %[[FLAT:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<?x6xf32> into tensor<?xf32>
// CHECK:         tensor.expand_shape %[[FLAT]] {{\[\[}}0, 1]] output_shape [%{{.*}}, 3] : tensor<?xf32> into tensor<?x3xf32>
func.func @reshape(%x: tensor<?x6xf32>, %n: index) -> tensor<?x3xf32> {
  %c3 = arith.constant 3 : index
  %s = tensor.from_elements %n, %c3 : tensor<2xindex>
  %y = tensor.reshape %x(%s) : (tensor<?x6xf32>, tensor<2xindex>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// CHECK-LABEL: func.func @pad
// CHECK:         %[[FILL:.*]] = linalg.fill
// CHECK:         tensor.insert_slice %{{.*}} into %[[FILL]][1] [4] [1]
func.func @pad(%x: tensor<4xf32>, %v: f32) -> tensor<7xf32> {
  %y = tensor.pad %x low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<7xf32>
  return %y : tensor<7xf32>
}
