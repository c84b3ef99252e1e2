// RUN: moe-opt %s -split-input-file --moe-differentiate | FileCheck %s

func.func @extract_slice(%x: tensor<?x8xf32>, %n: index) -> tensor<?x4xf32> {
  %y = tensor.extract_slice %x[0, 4] [%n, 4] [1, 1] : tensor<?x8xf32> to tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
// CHECK-LABEL: func.func @extract_slice_vjp(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x8xf32>, %[[N:[a-z0-9]+]]: index, %[[G:[a-z0-9]+]]: tensor<?x4xf32>)
// CHECK: %[[ZEROS:.*]] = tensor.splat
// CHECK: %[[DX:.*]] = tensor.insert_slice %[[G]] into %[[ZEROS]][0, 4] [%[[N]], 4] [1, 1]
// CHECK: return %{{.*}}, %[[DX]]

// -----

func.func @insert_slice(%x: tensor<4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %r = tensor.insert_slice %x into %y[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}
// CHECK-LABEL: func.func @insert_slice_vjp(
// CHECK-SAME: %[[G:[a-z0-9]+]]: tensor<8xf32>) -> (
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK: %[[DX:.*]] = tensor.extract_slice %[[G]][2] [4] [1]
// CHECK: %[[DY:.*]] = tensor.insert_slice %[[ZEROS]] into %[[G]][2] [4] [1]
// CHECK: return %{{.*}}, %[[DX]], %[[DY]]

// -----

func.func @collapse_shape(%x: tensor<?x2xf32>) -> tensor<?xf32> {
  %r = tensor.collapse_shape %x [[0, 1]] : tensor<?x2xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}
// CHECK-LABEL: func.func @collapse_shape_vjp(
// CHECK: %[[SIZE:.*]] = tensor.dim
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [%[[SIZE]], 2]

// -----

func.func @expand_shape(%x: tensor<6xf32>) -> tensor<3x2xf32> {
  %r = tensor.expand_shape %x [[0, 1]] output_shape [3, 2] : tensor<6xf32> into tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}
// CHECK-LABEL: func.func @expand_shape_vjp(
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<3x2xf32> into tensor<6xf32>

// -----

func.func @concat(%x: tensor<2x4xf32>, %y: tensor<?x4xf32>, %z: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = tensor.concat dim(0) %x, %y, %z : (tensor<2x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
// CHECK-LABEL: func.func @concat_vjp(
// CHECK-SAME: %[[Y:[a-z0-9]+]]: tensor<?x4xf32>, %[[Z:[a-z0-9]+]]: tensor<?x4xf32>, %[[G:[a-z0-9]+]]: tensor<?x4xf32>)
// CHECK: tensor.extract_slice %[[G]][0, 0] [2, 4] [1, 1]
// CHECK: %[[YS:.*]] = tensor.dim %[[Y]]
// CHECK: tensor.extract_slice %[[G]][2, 0] [%[[YS]], 4] [1, 1]
// CHECK: %[[AT:.*]] = arith.addi %[[YS]], %{{.*}}
// CHECK: %[[ZS:.*]] = tensor.dim %[[Z]]
// CHECK: tensor.extract_slice %[[G]][%[[AT]], 0] [%[[ZS]], 4] [1, 1]

// -----

func.func @splat(%x: f32) -> tensor<4xf32> {
  %r = tensor.splat %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
// CHECK-LABEL: func.func @splat_vjp(
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}}["reduction"]
// CHECK: %[[DX:.*]] = tensor.extract %[[SUM]][]
// CHECK: return %{{.*}}, %[[DX]]

// -----

// The shape of a gradient is that of its value.
func.func @cast(%x: tensor<?xf32>) -> tensor<4xf32> {
  %r = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
  return %r : tensor<4xf32>
}
// CHECK-LABEL: func.func @cast_vjp(
// CHECK: tensor.cast %{{.*}} : tensor<4xf32> to tensor<?xf32>
