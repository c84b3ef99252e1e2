// RUN: not moe-opt %s --moe-form-kernels 2>&1 | FileCheck %s
// RUN: not moe-opt %s --moe-update-in-place 2>&1 | FileCheck %s
// RUN: not moe-opt %s --convert-linalg-to-gpu 2>&1 | FileCheck %s
// RUN: not moe-opt %s --pass-pipeline="builtin.module(func.func(moe-check-supported))" 2>&1 | FileCheck %s

// Passes that read a function from its first op to its last one.

// CHECK: error: expected a function of one block, but got 2
func.func @two_blocks(%x: tensor<4xf32> {moe.aliases_result = 0 : i64}) -> tensor<4xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<4xf32>
}
