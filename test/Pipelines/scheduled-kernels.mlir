// RUN: split-file %s %t
// RUN: not moe-opt %t/slices.mlir --moe-compile-pipeline=reference 2>&1 | FileCheck %s --check-prefix=OFFSETS --implicit-check-not="PLEASE submit"
// RUN: not moe-opt %t/slices.mlir --moe-compile-pipeline=stop-after=gpu 2>&1 | FileCheck %s --check-prefix=OFFSETS
// RUN: not moe-opt %t/gather.mlir --moe-compile-pipeline="reference stop-after=gpu" 2>&1 | FileCheck %s --check-prefix=MAPS
// RUN: moe-opt %t/slices.mlir --convert-moe-to-linalg --moe-normalize-ops --canonicalize --cse --convert-linalg-to-gpu | FileCheck %s --check-prefix=SIMPLE

// Kernels by hand, with schedules, in a module that is compiled from its first
// stage on. Offsets and maps that must be checked cannot be in a kernel already.

// OFFSETS: 'moe.grouped_matmul' op expected no kernel around an op whose offsets must be checked, by 'moe.check_offsets': kernels are formed behind the checks
// MAPS: 'moe.dispatch' op expected no kernel around an op whose maps must be checked, by 'moe.check_maps': kernels are formed behind the checks

// What is left of a tile when positions have been folded is lowered all the same.
// SIMPLE: gpu.func @up

//--- slices.mlir
func.func @f(%x: tensor<?x8xf32>, %w: tensor<5x8x16xf32>, %table: tensor<?x3xi32>, %offsets: tensor<6xi32>) -> tensor<?x16xf32> {
  %0 = moe.kernel "up" (%a = %x : tensor<?x8xf32>, %m = %w : tensor<5x8x16xf32>, %o = %offsets : tensor<6xi32>, %t = %table : tensor<?x3xi32>) -> (tensor<?x16xf32>) schedule(#moe.schedule<matmul, workgroup = 4, lanes = 4, rows = 4, columns = 16, vector = 4, slice = 2>) {
    %y = moe.grouped_matmul %a, %m, %o : tensor<?x8xf32>, tensor<5x8x16xf32>, tensor<6xi32> -> tensor<?x16xf32>
    moe.yield %y : tensor<?x16xf32>
  }
  return %0 : tensor<?x16xf32>
}

//--- gather.mlir
func.func @f(%x: tensor<?x8xf32>, %offsets: tensor<3xi32>, %s2r: tensor<?x2xi32>, %r2s: tensor<?xi32>, %w: tensor<2x8x16xf32>, %bias: tensor<2x16xf32>, %table: tensor<?x3xi32>) -> tensor<?x16xf32> {
  %0 = moe.kernel "up" (%a = %x : tensor<?x8xf32>, %o = %offsets : tensor<3xi32>, %s = %s2r : tensor<?x2xi32>, %r = %r2s : tensor<?xi32>, %m = %w : tensor<2x8x16xf32>, %b = %bias : tensor<2x16xf32>, %t = %table : tensor<?x3xi32>) -> (tensor<?x16xf32>) schedule(#moe.schedule<matmul, workgroup = 4, lanes = 4, rows = 4, columns = 16, vector = 4>) {
    %rows = moe.dispatch %a, %o, %s, %r : tensor<?x8xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x8xf32>
    %y = moe.grouped_matmul %rows, %m, %o bias %b : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<3xi32>, tensor<2x16xf32> -> tensor<?x16xf32>
    moe.yield %y : tensor<?x16xf32>
  }
  return %0 : tensor<?x16xf32>
}
