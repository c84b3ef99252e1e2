// RUN: moe-opt %s -split-input-file -verify-diagnostics --moe-form-kernels --moe-select-schedule=target=lavapipe | FileCheck %s

// Matrices beyond the storage range are bound a slice of experts at a time.

// 1536 x 1024 x 4 bytes are 6 MiB an expert: 21 of 40 fit 128 MiB.
// CHECK-LABEL: func.func @granite_3b
// CHECK:         slice = 21>
func.func @granite_3b(%rows: tensor<?x1536xf32>, %w: tensor<40x1024x1536xf32>, %offsets: tensor<41xi32>) -> tensor<?x1024xf32> {
  %y = moe.grouped_matmul %rows, %w, %offsets {transpose_rhs} : tensor<?x1536xf32>, tensor<40x1024x1536xf32>, tensor<41xi32> -> tensor<?x1024xf32>
  return %y : tensor<?x1024xf32>
}

// -----

// Exactly 128 MiB: no slices.
// CHECK-LABEL: func.func @granite_1b
// CHECK:         schedule(#moe.schedule<matmul
// CHECK-NOT:     slice
// CHECK:         moe.yield
func.func @granite_1b(%rows: tensor<?x1024xf32>, %w: tensor<32x1024x1024xf32>, %offsets: tensor<33xi32>) -> tensor<?x1024xf32> {
  %y = moe.grouped_matmul %rows, %w, %offsets {transpose_rhs} : tensor<?x1024xf32>, tensor<32x1024x1024xf32>, tensor<33xi32> -> tensor<?x1024xf32>
  return %y : tensor<?x1024xf32>
}

// -----

// 16 GiB, 2^32 elements: slices of 2^25 elements, which 32 bits can index.
// CHECK-LABEL: func.func @beyond_32_bits
// CHECK:         slice = 4>
func.func @beyond_32_bits(%rows: tensor<?x4096xf32>, %w: tensor<512x2048x4096xf32>, %offsets: tensor<513xi32>) -> tensor<?x2048xf32> {
  %y = moe.grouped_matmul %rows, %w, %offsets {transpose_rhs} : tensor<?x4096xf32>, tensor<512x2048x4096xf32>, tensor<513xi32> -> tensor<?x2048xf32>
  return %y : tensor<?x2048xf32>
}

// -----

func.func @one_expert_beyond_the_range(%rows: tensor<?x8192xf32>, %w: tensor<2x8192x8192xf32>, %offsets: tensor<3xi32>) -> tensor<?x8192xf32> {
  // expected-error @+1 {{expected 1 matrices of 'tensor<2x8192x8192xf32>' to fit the target's storage range of 134217728 bytes, but got 268435456}}
  %y = moe.grouped_matmul %rows, %w, %offsets : tensor<?x8192xf32>, tensor<2x8192x8192xf32>, tensor<3xi32> -> tensor<?x8192xf32>
  return %y : tensor<?x8192xf32>
}
