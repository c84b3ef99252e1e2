// RUN: moe-opt %s | moe-opt | FileCheck %s

// CHECK-LABEL: @softmax
func.func @softmax(%logits: tensor<?x8xf32>, %indices: tensor<?x2xi32>) -> tensor<?x2xf32> {
  // CHECK: moe.route_weights %arg0, %arg1 : tensor<?x8xf32>, tensor<?x2xi32> -> tensor<?x2xf32>
  %weights = moe.route_weights %logits, %indices {scoring = #moe.scoring<softmax>, scale = 1.0 : f64}
    : tensor<?x8xf32>, tensor<?x2xi32> -> tensor<?x2xf32>
  return %weights : tensor<?x2xf32>
}

// CHECK-LABEL: @every_attribute
func.func @every_attribute(%logits: tensor<4x8xf16>, %indices: tensor<4x2xi32>) -> tensor<4x2xf32> {
  // CHECK: moe.route_weights %arg0, %arg1 {epsilon = 2.500000e-01 : f64, floor = 5.000000e-01 : f64, renormalize, scale = 2.500000e+00 : f64, scoring = #moe.scoring<sigmoid>}
  %weights = moe.route_weights %logits, %indices {
      scoring = #moe.scoring<sigmoid>, renormalize, scale = 2.5 : f64, epsilon = 0.25 : f64, floor = 0.5 : f64}
    : tensor<4x8xf16>, tensor<4x2xi32> -> tensor<4x2xf32>
  return %weights : tensor<4x2xf32>
}
