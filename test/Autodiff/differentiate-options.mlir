// RUN: moe-opt %s -split-input-file --moe-differentiate="function=f wrt=1,0" | FileCheck %s

// The gradients come in the order that is asked for, behind the results.
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xi32>) {
  %ints = arith.constant dense<1> : tensor<2xi32>
  %p = arith.mulf %a, %b : tensor<4xf32>
  %r = arith.mulf %p, %c : tensor<4xf32>
  return %r, %ints : tensor<4xf32>, tensor<2xi32>
}
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<4xf32>, %[[B:[a-z0-9]+]]: tensor<4xf32>, %[[C:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>)
// CHECK: %[[P:.*]] = arith.mulf %[[A]], %[[B]]
// CHECK: %[[R:.*]] = arith.mulf %[[P]], %[[C]]
// CHECK: %[[DP:.*]] = arith.mulf %[[G]], %[[C]]
// CHECK: %[[DA:.*]] = arith.mulf %[[DP]], %[[B]]
// CHECK: %[[DB:.*]] = arith.mulf %[[DP]], %[[A]]
// CHECK-NOT: arith.mulf
// CHECK: return %[[R]], %{{.*}}, %[[DB]], %[[DA]]

// -----

// An argument that nothing depends on has a gradient of zeros.
func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %r = math.exp %b : tensor<?xf32>
  return %r : tensor<?xf32>
}
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<?xf32>, %[[B:[a-z0-9]+]]: tensor<?xf32>
// CHECK: %[[SIZE:.*]] = tensor.dim %[[A]]
// CHECK: %[[ZEROS:.*]] = tensor.splat %{{.*}}[%[[SIZE]]]
// CHECK: return %{{.*}}, %{{.*}}, %[[ZEROS]]

// -----

// Calls are inlined, in the derivative alone.
func.func private @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = arith.mulf %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %s = call @square(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %r = arith.addf %s, %b : tensor<4xf32>
  return %r : tensor<4xf32>
}
// CHECK-LABEL: func.func @f(
// CHECK: call @square
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<4xf32>, %{{.*}}: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>)
// CHECK-NOT: call
// CHECK: %[[ONCE:.*]] = arith.mulf %[[G]], %[[A]]
// CHECK: %[[DA:.*]] = arith.addf %[[ONCE]], %[[ONCE]]
// CHECK: return %{{.*}}, %[[G]], %[[DA]]

// -----

// The gradient of an f16 value is summed in f32.
func.func @f(%a: tensor<4xf16>, %b: tensor<4xf16>) -> tensor<4xf16> {
  %s = math.sin %a : tensor<4xf16>
  %p = arith.mulf %s, %b : tensor<4xf16>
  %r = arith.addf %p, %a : tensor<4xf16>
  return %r : tensor<4xf16>
}
// CHECK-LABEL: func.func @f_vjp(
// CHECK: %[[LEFT:.*]] = arith.extf %{{.*}} : tensor<4xf16> to tensor<4xf32>
// CHECK: %[[RIGHT:.*]] = arith.extf %{{.*}} : tensor<4xf16> to tensor<4xf32>
// CHECK: %[[SUM:.*]] = arith.addf %[[LEFT]], %[[RIGHT]] : tensor<4xf32>
// CHECK: %[[DA:.*]] = arith.truncf %[[SUM]]
// CHECK: return %{{.*}}, %{{.*}}, %[[DA]]
