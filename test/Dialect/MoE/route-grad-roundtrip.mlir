// RUN: moe-opt %s | moe-opt | FileCheck %s

// CHECK-LABEL: @softmax
func.func @softmax(%logits: tensor<?x8xf16>, %indices: tensor<?x2xi32>,
    %dweights: tensor<?x2xf32>) -> tensor<?x8xf16> {
  // CHECK: moe.route_grad %arg0, %arg1, %arg2 {renormalize}
  // CHECK-SAME: : tensor<?x8xf16>, tensor<?x2xi32>, tensor<?x2xf32> -> tensor<?x8xf16>
  %dlogits = moe.route_grad %logits, %indices, %dweights {renormalize}
    : tensor<?x8xf16>, tensor<?x2xi32>, tensor<?x2xf32> -> tensor<?x8xf16>
  return %dlogits : tensor<?x8xf16>
}

// CHECK-LABEL: @every_attribute
func.func @every_attribute(%logits: tensor<?x8xf32>, %indices: tensor<?x2xi32>,
    %dweights: tensor<?x2xf32>) -> tensor<?x8xf32> {
  // CHECK: moe.route_grad %arg0, %arg1, %arg2 {epsilon = 2.500000e-01 : f64, floor = 5.000000e-01 : f64, renormalize, scale = 2.500000e+00 : f64, scoring = #moe.scoring<sigmoid>}
  %dlogits = moe.route_grad %logits, %indices, %dweights {
      scoring = #moe.scoring<sigmoid>, renormalize, scale = 2.5 : f64, epsilon = 0.25 : f64, floor = 0.5 : f64}
    : tensor<?x8xf32>, tensor<?x2xi32>, tensor<?x2xf32> -> tensor<?x8xf32>
  return %dlogits : tensor<?x8xf32>
}
