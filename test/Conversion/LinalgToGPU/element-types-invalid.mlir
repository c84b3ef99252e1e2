// RUN: moe-opt %s -split-input-file -verify-diagnostics --convert-linalg-to-gpu
// RUN: not moe-opt %s -split-input-file --moe-compile-pipeline=stop-after=gpu 2>&1 | FileCheck %s --implicit-check-not="PLEASE submit"

// What no buffer holds is an error at the tensor.

// CHECK: expected argument 0 to be a ranked tensor of f32 or i32, but got 'tensor<4xvector<2xf32>>'
// expected-error @+1 {{expected a ranked tensor of f32 or i32 to store, but got 'tensor<4xvector<2xf32>>'}}
func.func @vectors(%x: tensor<4xvector<2xf32>>) -> tensor<4xvector<2xf32>> {
  %0 = moe.kernel "copy" (%a = %x : tensor<4xvector<2xf32>>) -> (tensor<4xvector<2xf32>>) schedule(#moe.schedule<elementwise, workgroup = 64>) {
    moe.yield %a : tensor<4xvector<2xf32>>
  }
  return %0 : tensor<4xvector<2xf32>>
}

// -----

// CHECK: expected argument 0 to be a ranked tensor of f32 or i32, but got 'tensor<4xcomplex<f32>>'
// expected-error @+1 {{expected a ranked tensor of f32 or i32 to store, but got 'tensor<4xcomplex<f32>>'}}
func.func @complex_numbers(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = moe.kernel "copy" (%a = %x : tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>) schedule(#moe.schedule<elementwise, workgroup = 64>) {
    moe.yield %a : tensor<4xcomplex<f32>>
  }
  return %0 : tensor<4xcomplex<f32>>
}

// -----

// CHECK: expected argument 0 to be a ranked tensor of f32 or i32, but got 'tensor<4xindex>'
// expected-error @+1 {{expected a ranked tensor of f32 or i32 to store, but got 'tensor<4xindex>'}}
func.func @indices(%x: tensor<4xindex>) -> tensor<4xindex> {
  %0 = moe.kernel "copy" (%a = %x : tensor<4xindex>) -> (tensor<4xindex>) schedule(#moe.schedule<elementwise, workgroup = 64>) {
    moe.yield %a : tensor<4xindex>
  }
  return %0 : tensor<4xindex>
}

// -----

// In between, where nothing is stored: in the pipeline, before kernels are formed.
#id = affine_map<(d0) -> (d0)>
// CHECK: expected result 0 to be a ranked tensor of f32 or i32, but got 'tensor<4xcomplex<f32>>'
func.func @complex_in_a_kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = moe.kernel "magnitude" (%a = %x : tensor<4xf32>) -> (tensor<4xf32>) schedule(#moe.schedule<elementwise, workgroup = 64>) {
    %wide = tensor.empty() : tensor<4xcomplex<f32>>
    // expected-error @+1 {{'linalg.generic' op expected a ranked tensor of numbers in a kernel, but got 'tensor<4xcomplex<f32>>'}}
    %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%wide : tensor<4xcomplex<f32>>) {
    ^bb0(%e: f32, %o: complex<f32>):
      %c = complex.create %e, %e : complex<f32>
      linalg.yield %c : complex<f32>
    } -> tensor<4xcomplex<f32>>
    %init = tensor.empty() : tensor<4xf32>
    %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%z : tensor<4xcomplex<f32>>) outs(%init : tensor<4xf32>) {
    ^bb0(%c: complex<f32>, %o: f32):
      %m = complex.abs %c : complex<f32>
      linalg.yield %m : f32
    } -> tensor<4xf32>
    moe.yield %y : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @complex_in_a_body(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = moe.kernel "magnitude" (%a = %x : tensor<4xf32>) -> (tensor<4xf32>) schedule(#moe.schedule<elementwise, workgroup = 64, vector = 4>) {
    %init = tensor.empty() : tensor<4xf32>
    %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%init : tensor<4xf32>) {
    ^bb0(%e: f32, %o: f32):
      // expected-error @+1 {{'complex.create' op expected integers, indices or floats in the body of a kernel, but got 'complex<f32>'}}
      %c = complex.create %e, %e : complex<f32>
      %m = complex.abs %c : complex<f32>
      linalg.yield %m : f32
    } -> tensor<4xf32>
    moe.yield %y : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
