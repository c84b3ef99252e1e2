// RUN: moe-opt %s -split-input-file -verify-diagnostics --moe-normalize-ops

func.func @softmax_of_integers(%x: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %init = tensor.empty() : tensor<4x8xi32>
  // expected-error @+1 {{'linalg.softmax' op expected floats of one type, but got 'tensor<4x8xi32>' and 'tensor<4x8xi32>'}}
  %y = linalg.softmax dimension(1) ins(%x : tensor<4x8xi32>) outs(%init : tensor<4x8xi32>) -> tensor<4x8xi32>
  return %y : tensor<4x8xi32>
}
