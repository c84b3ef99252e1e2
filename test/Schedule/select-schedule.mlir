// RUN: moe-opt %s --moe-compile-pipeline="target=lavapipe stop-after=schedule" | FileCheck %s --check-prefixes=CHECK,LAVAPIPE
// RUN: moe-opt %s --moe-compile-pipeline="target=nvidia stop-after=schedule" | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: moe-opt %s --moe-compile-pipeline="target=amd64 stop-after=schedule" | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: moe-opt %s --moe-compile-pipeline="target=minimal stop-after=schedule" | FileCheck %s --check-prefixes=CHECK,MINIMAL

// The family follows from what a kernel computes; lanes and tiles from the
// target's subgroups: 8 lanes, 32 of a wider subgroup, none without shuffles.

// CHECK:    moe.kernel "matmul"
// LAVAPIPE:   schedule(#moe.schedule<matmul, workgroup = 8, lanes = 8, rows = 16, columns = 32, vector = 4>)
// WIDE:       schedule(#moe.schedule<matmul, workgroup = 32, lanes = 32, rows = 16, columns = 128, vector = 4>)
// MINIMAL:    schedule(#moe.schedule<matmul, rows = 4, columns = 8, vector = 4>)
// CHECK:    moe.kernel "plan"
// LAVAPIPE:   schedule(#moe.schedule<plan, workgroup = 8, chunks = 512>)
// WIDE:       schedule(#moe.schedule<plan, workgroup = 8, chunks = 2048>)
// MINIMAL:    schedule(#moe.schedule<plan, workgroup = 8, chunks = 512>)
// CHECK:    moe.kernel "tiles"
// LAVAPIPE:   schedule(#moe.schedule<tiles, workgroup = 64, rows = 16>)
// WIDE:       schedule(#moe.schedule<tiles, workgroup = 64, rows = 16>)
// MINIMAL:    schedule(#moe.schedule<tiles, workgroup = 64, rows = 4>)
// CHECK:    moe.kernel "grouped_matmul"
// LAVAPIPE:   schedule(#moe.schedule<matmul, workgroup = 8, lanes = 8, rows = 16, columns = 32, vector = 4>)
// WIDE:       schedule(#moe.schedule<matmul, workgroup = 32, lanes = 32, rows = 16, columns = 128, vector = 4>)
// MINIMAL:    schedule(#moe.schedule<matmul, rows = 4, columns = 8, vector = 4>)
// Rows of 5 are no whole vectors of 4; rows of 128 are.
// CHECK:    moe.kernel "elementwise"{{.*}}(tensor<?x5xf32>) schedule(#moe.schedule<elementwise, workgroup = 64>)
// CHECK:    moe.kernel "elementwise"{{.*}}(tensor<?x128xf32>) schedule(#moe.schedule<elementwise, workgroup = 64, vector = 4>)
// CHECK:    moe.kernel "reduce"
// CHECK-SAME: schedule(#moe.schedule<reduce, workgroup = 64>)

func.func @layer(%x: tensor<?x64xf32>, %router: tensor<64x8xf32>, %indices: tensor<?x2xi32>, %w: tensor<8x128x64xf32>, %b: tensor<?x5xf32>) -> (tensor<?x8xf32>, tensor<?x128xf32>, tensor<?x5xf32>, tensor<64xf32>, tensor<?x128xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %t = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e0 = tensor.empty(%t) : tensor<?x8xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %logits = linalg.matmul ins(%x, %router : tensor<?x64xf32>, tensor<64x8xf32>) outs(%f0 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %offsets, %s2r, %r2s, %re = moe.plan %indices {experts = 8 : i64} : tensor<?x2xi32> -> tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  %rows = moe.dispatch %x, %offsets, %s2r, %r2s : tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x64xf32>
  %h = moe.grouped_matmul %rows, %w, %offsets {transpose_rhs} : tensor<?x64xf32>, tensor<8x128x64xf32>, tensor<9xi32> -> tensor<?x128xf32>
  %double = arith.addf %b, %b : tensor<?x5xf32>
  %g = math.exp %h : tensor<?x128xf32>
  %e1 = tensor.empty() : tensor<64xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %columns = linalg.reduce ins(%x : tensor<?x64xf32>) outs(%f1 : tensor<64xf32>) dimensions = [0]
    (%in: f32, %acc: f32) { %s = arith.addf %acc, %in : f32
      linalg.yield %s : f32 }
  return %logits, %h, %double, %columns, %g : tensor<?x8xf32>, tensor<?x128xf32>, tensor<?x5xf32>, tensor<64xf32>, tensor<?x128xf32>
}
