// RUN: moe-opt %s -split-input-file -verify-diagnostics --moe-form-kernels

// Whatever no kernel can hold would be lost silently later on.

func.func @op_without_a_lowering(%x: tensor<5x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{'tensor.pad' op has no lowering to the device: expected an op of moe or linalg, or a view of a tensor}}
  %0 = tensor.pad %x low[0, 0] high[3, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<5x8xf32> to tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func private @elsewhere(tensor<4xf32>)

func.func @call_of_an_external_function(%x: tensor<4xf32>) {
  // expected-error @+1 {{'func.call' op has no lowering to the device}}
  call @elsewhere(%x) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @buffers(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{'memref.alloc' op has no lowering to the device}}
  %m = memref.alloc() : memref<4xf32>
  linalg.fill ins(%zero : f32) outs(%m : memref<4xf32>)
  return %x : tensor<4xf32>
}

// -----

func.func @comparison_as_a_result(%x: tensor<4xf32>) -> tensor<4xi1> {
  %e = tensor.empty() : tensor<4xi1>
  // expected-error @+1 {{expected a result of f32 or i32 to store, but got 'tensor<4xi1>'}}
  %0 = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xi1>) {
  ^bb0(%a: f32, %out: i1):
    %c = arith.cmpf uno, %a, %a : f32
    linalg.yield %c : i1
  } -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

func.func @mask_of_different_values(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{expected a constant of f32 or i32 to store, but got 'tensor<2xi1>'}}
  %mask = arith.constant dense<[true, false]> : tensor<2xi1>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%mask : tensor<2xi1>) outs(%x : tensor<2xf32>) {
  ^bb0(%c: i1, %out: f32):
    %twice = arith.addf %out, %out : f32
    %v = arith.select %c, %twice, %out : f32
    linalg.yield %v : f32
  } -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
