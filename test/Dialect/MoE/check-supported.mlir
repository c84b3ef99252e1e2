// RUN: moe-opt %s -split-input-file -verify-diagnostics --pass-pipeline="builtin.module(func.func(moe-check-supported))"

// expected-error @+1 {{expected argument 0 to be a ranked tensor of f32 or i32, but got 'tensor<?x64xf16>' (others have no lowering to the device yet)}}
func.func @f16_argument(%x: tensor<?x64xf16>) -> tensor<?x64xf16> {
  return %x : tensor<?x64xf16>
}

// -----

// expected-error @+1 {{expected argument 0 to be a ranked tensor of f32 or i32, but got 'tensor<4xbf16>'}}
func.func @bf16_argument(%x: tensor<4xbf16>) {
  return
}

// -----

// expected-error @+1 {{expected argument 0 to be a ranked tensor of f32 or i32, but got 'tensor<4xi64>'}}
func.func @i64_indices(%x: tensor<4xi64>) {
  return
}

// -----

func.func @f64_in_between(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected result 0 to be a ranked tensor of f32 or i32, but got 'tensor<4xf64>'}}
  %wide = arith.extf %x : tensor<4xf32> to tensor<4xf64>
  %narrow = arith.truncf %wide : tensor<4xf64> to tensor<4xf32>
  return %narrow : tensor<4xf32>
}

// -----

func.func @predicates_are_fine(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %less = arith.cmpf olt, %x, %y : tensor<4xf32>
  %least = arith.select %less, %x, %y : tensor<4xi1>, tensor<4xf32>
  return %least : tensor<4xf32>
}
