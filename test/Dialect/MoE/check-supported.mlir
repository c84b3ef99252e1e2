// RUN: moe-opt %s -split-input-file -verify-diagnostics --pass-pipeline="builtin.module(func.func(moe-check-supported))"

// expected-error @+1 {{expected argument 0 to be a ranked tensor of f32 or i32, but got 'tensor<?x64xf16>' (others have no lowering to the device yet): convert it before}}
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

// -----

// Comparisons live between ops; the function's boundary has buffers.
// expected-error @+1 {{expected argument 0 to be a ranked tensor of f32 or i32, but got 'tensor<4xi1>'}}
func.func @mask_argument(%mask: tensor<4xi1>) {
  return
}

// -----

// expected-error @+1 {{expected result 0 to be a ranked tensor of f32 or i32, but got 'tensor<?xi1>'}}
func.func @mask_result(%x: tensor<?xf32>) -> tensor<?xi1> {
  %nan = arith.cmpf uno, %x, %x : tensor<?xf32>
  return %nan : tensor<?xi1>
}

// -----

// expected-error @+1 {{expected argument 1 to be a ranked tensor of f32 or i32, but got 'f32'}}
func.func @scalar_argument(%x: tensor<4xf32>, %scale: f32) {
  return
}

// -----

// expected-error @+1 {{expected argument 0 to be a ranked tensor of f32 or i32, but got 'tensor<*xf32>'}}
func.func @unranked_argument(%x: tensor<*xf32>) {
  return
}

// -----

// expected-error @+1 {{expected result 0 to be a ranked tensor of f32 or i32, but got 'index'}}
func.func @size_result(%x: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?xf32>
  return %t : index
}

// -----

// expected-error @+1 {{expected a function of one block, but got 2}}
func.func @two_blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^end
^end:
  return %x : tensor<4xf32>
}

// -----

func.func @loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  // expected-error @+1 {{control flow between tensors has no lowering to the device yet}}
  %0 = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    scf.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func private @declarations_are_fine(tensor<4xf16>)
