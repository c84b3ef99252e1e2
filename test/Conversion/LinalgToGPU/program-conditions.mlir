// RUN: moe-opt %s --convert-moe-to-linalg --convert-linalg-to-gpu --canonicalize --cse --mlir-print-local-scope | FileCheck %s

// Sizes that ops tie together are unified: what follows from one argument is
// its expression, and what does not is an assertion for the host.

#id = affine_map<(d0, d1) -> (d0, d1)>
#by1 = #moe.schedule<elementwise, workgroup = 64>

// CHECK-LABEL: moe_rt.program @equal
// CHECK-DAG:     %[[T:.+]] = moe_rt.dim 0, 0
// CHECK-DAG:     %[[U:.+]] = moe_rt.dim 1, 0
// CHECK:         moe_rt.assert %[[U]] <equal> %[[T]], "dim 0 of input 1 (dim 0 of input 0)"
// CHECK-NOT:     moe_rt.assert
// CHECK:         moe_rt.tensor %{{.+}} <input> 1 : f32[%[[T]], %c8]
func.func @equal(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = moe.kernel "add" (%a = %x : tensor<?x8xf32>, %b = %y : tensor<?x8xf32>) -> (tensor<?x8xf32>) schedule(#by1) {
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<?x8xf32>) outs(%b : tensor<?x8xf32>) {
    ^bb0(%p: f32, %q: f32):
      %sum = arith.addf %p, %q : f32
      linalg.yield %sum : f32
    } -> tensor<?x8xf32>
    moe.yield %s : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// CHECK-LABEL: moe_rt.program @cast_to_static
// CHECK:         %[[N:.+]] = moe_rt.dim 0, 1
// CHECK:         moe_rt.assert %[[N]] <equal> %c8, "dim 1 of input 0 (8)"
func.func @cast_to_static(%x: tensor<4x?xf32>) -> tensor<4x8xf32> {
  %0 = moe.kernel "cast" (%a = %x : tensor<4x?xf32>) -> (tensor<4x8xf32>) schedule(#by1) {
    %y = tensor.cast %a : tensor<4x?xf32> to tensor<4x8xf32>
    moe.yield %y : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// The elements of a reshape are as many as before.
// CHECK-LABEL: moe_rt.program @pairs
// CHECK-DAG:     %[[N:.+]] = moe_rt.dim 0, 0
// CHECK-DAG:     %[[EVEN:.+]] = affine.apply affine_map<()[s0] -> ((s0 floordiv 2) * 2)>()[%[[N]]]
// CHECK:         moe_rt.assert %[[N]] <equal> %[[EVEN]], "dim 0 of input 0 (((dim 0 of input 0 floordiv 2) * 2))"
func.func @pairs(%x: tensor<?xf32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %half = arith.divui %n, %c2 : index
  %0 = moe.kernel "pairs" (%a = %x : tensor<?xf32>, %h = %half : index) -> (tensor<?x2xf32>) schedule(#by1) {
    %y = tensor.expand_shape %a [[0, 1]] output_shape [%h, 2] : tensor<?xf32> into tensor<?x2xf32>
    moe.yield %y : tensor<?x2xf32>
  }
  return %0 : tensor<?x2xf32>
}

// A slice ends within its tensor, and what is inserted has the size it says.
// CHECK-LABEL: moe_rt.program @slices
// CHECK-DAG:     %[[T:.+]] = moe_rt.dim 0, 0
// CHECK-DAG:     %[[U:.+]] = moe_rt.dim 1, 0
// CHECK-DAG:     %[[END:.+]] = affine.apply affine_map<()[s0] -> (s0 + 2)>()[%[[U]]]
// CHECK:         moe_rt.assert %[[END]] <at_most> %[[T]], "(dim 0 of input 1 + 2), the end of dim 0 of 'tensor.insert_slice', (dim 0 of input 0)"
// CHECK-NOT:     moe_rt.assert
// CHECK:         moe_rt.tensor
func.func @slices(%x: tensor<?x8xf32>, %y: tensor<?x4xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %u = tensor.dim %y, %c0 : tensor<?x4xf32>
  %0 = moe.kernel "insert" (%a = %x : tensor<?x8xf32>, %b = %y : tensor<?x4xf32>, %n = %u : index) -> (tensor<?x8xf32>) schedule(#by1) {
    %s = tensor.insert_slice %b into %a[2, 4] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<?x8xf32>
    moe.yield %s : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// What layer ops asked for before they were lowered.
// CHECK-LABEL: moe_rt.program @asserted
// CHECK-DAG:     %[[T:.+]] = moe_rt.dim 0, 0
// CHECK-DAG:     %[[SLOTS:.+]] = affine.apply affine_map<()[s0] -> (s0 * 2)>()[%[[T]]]
// CHECK:         moe_rt.assert %{{.+}} <equal> %[[SLOTS]], "dim 0 of input 1 ((dim 0 of input 0 * 2))"
func.func @asserted(%x: tensor<?x8xf32>, %r2s: tensor<?xi32>) {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x8xf32>
  %r = tensor.dim %r2s, %c0 : tensor<?xi32>
  %slots = affine.apply affine_map<()[s0] -> (s0 * 2)>()[%t]
  %equal = arith.cmpi eq, %r, %slots : index
  cf.assert %equal, "expected one element of row_to_slot for each slot"
  return
}

// A table of tiles covers the rows of the product that reads it.
// CHECK-LABEL: moe_rt.program @tiles
// CHECK-DAG:     %[[ROWS:.+]] = moe_rt.dim 0, 0
// CHECK-DAG:     %[[COVERED:.+]] = moe_rt.dim 3, 0
// CHECK:         moe_rt.assert %[[COVERED]] <equal> %[[ROWS]], "dim 0 of input 3 (dim 0 of input 0)"
func.func @tiles(%x: tensor<?x8xf32>, %w: tensor<2x8x16xf32>, %offsets: tensor<3xi32>, %covered: tensor<?xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %covered, %c0 : tensor<?xf32>
  %table = moe.kernel "tiles" (%o = %offsets : tensor<3xi32>, %total = %n : index) -> (tensor<?x3xi32>) schedule(#moe.schedule<tiles, rows = 4>) {
    %t, %count, %grid = moe.tiles %o, %total {rows = 4 : i64} : tensor<3xi32> -> tensor<?x3xi32>, tensor<1xi32>, tensor<3xi32>
    moe.yield %t : tensor<?x3xi32>
  }
  %0 = moe.kernel "up" (%a = %x : tensor<?x8xf32>, %m = %w : tensor<2x8x16xf32>, %o = %offsets : tensor<3xi32>, %t = %table : tensor<?x3xi32>) -> (tensor<?x16xf32>) schedule(#moe.schedule<matmul, workgroup = 4, lanes = 4, rows = 4, columns = 16, vector = 4>) {
    %y = moe.grouped_matmul %a, %m, %o : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<3xi32> -> tensor<?x16xf32>
    moe.yield %y : tensor<?x16xf32>
  }
  return %0 : tensor<?x16xf32>
}

// Sums over tokens are made after layer ops were checked.
// CHECK-LABEL: moe_rt.program @outer
// CHECK:         moe_rt.assert %{{.+}} <equal> %{{.+}}, "dim 0 of input 1 (dim 0 of input 0)"
func.func @outer(%x: tensor<?x8xf32>, %y: tensor<?x16xf32>, %offsets: tensor<2xi32>) -> tensor<1x8x16xf32> {
  %0 = moe.kernel "outer" (%a = %x : tensor<?x8xf32>, %b = %y : tensor<?x16xf32>, %o = %offsets : tensor<2xi32>) -> (tensor<1x8x16xf32>) schedule(#moe.schedule<outer, workgroup = 4, lanes = 4, rows = 4, columns = 16, vector = 4>) {
    %w = moe.grouped_outer %a, %b, %o : tensor<?x8xf32>, tensor<?x16xf32>, tensor<2xi32> -> tensor<1x8x16xf32>
    moe.yield %w : tensor<1x8x16xf32>
  }
  return %0 : tensor<1x8x16xf32>
}
