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
