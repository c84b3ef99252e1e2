// RUN: moe-opt %s --convert-moe-to-linalg --mlir-print-local-scope | FileCheck %s

// A dense product takes the same form as a grouped one. It needs no table: a
// tile's rows follow from its position.

#tiled = #moe.schedule<matmul, workgroup = 8, lanes = 8, rows = 16, columns = 32, vector = 4>

// Weights as [N, K], added to what the output held.

// CHECK-LABEL: moe.kernel "projection"
// CHECK-SAME:    (%[[X:.+]] = %arg0 : {{.*}}, %[[W:.+]] = %arg1 : {{.*}}, %[[INIT:.+]] = %arg2
// CHECK-DAG:     %[[LAST_COLUMN:.+]] = arith.constant 39 : index
// CHECK:         %[[T:.+]] = tensor.dim %[[INIT]], %c0
// CHECK:         %[[TILES:.+]] = affine.apply affine_map<(d0) -> (d0 ceildiv 16)>
// CHECK:         scf.forall (%[[TILE:.+]], %{{.+}}) in (%[[TILES]], 2)
// CHECK:           %[[FIRST:.+]] = affine.apply affine_map<(d0) -> (d0 * 16)>(%[[TILE]])
// CHECK:           %[[REST:.+]] = arith.subi %[[T]], %[[FIRST]]
// CHECK:           %[[COUNT:.+]] = arith.minsi %[[REST]], %c16
// CHECK:           %[[END:.+]] = arith.addi %[[FIRST]], %[[COUNT]]
// CHECK:           %[[LAST:.+]] = arith.subi %[[END]], %c1
// CHECK-NOT:       scf.if
// CHECK:           %[[LEFT:.+]] = linalg.generic
// CHECK:             %[[ROW:.+]] = arith.minsi %{{.+}}, %[[LAST]]
// CHECK:             tensor.extract %[[X]][%[[ROW]], %{{.+}}]
// CHECK:           %[[RIGHT:.+]] = linalg.generic
// CHECK:             %[[COLUMN:.+]] = arith.minsi %{{.+}}, %[[LAST_COLUMN]]
// CHECK:             tensor.extract %[[W]][%[[COLUMN]], %{{.+}}]
// CHECK:           %[[START:.+]] = linalg.generic
// CHECK:             arith.minsi %{{.+}}, %[[LAST]]
// CHECK:             arith.minsi %{{.+}}, %[[LAST_COLUMN]]
// CHECK:             tensor.extract %[[INIT]]
// CHECK:           linalg.matmul {{.*}} ins(%[[LEFT]], %[[RIGHT]] : tensor<16x64xf32>, tensor<32x64xf32>) outs(%[[START]] :
// CHECK:           tensor.parallel_insert_slice %{{.+}} into %{{.+}}[%[[FIRST]], %{{.+}}] [%[[COUNT]], %{{.+}}]
func.func @projection(%x: tensor<?x64xf32>, %w: tensor<40x64xf32>, %init: tensor<?x40xf32>) -> tensor<?x40xf32> {
  %0 = moe.kernel "projection" (%a = %x : tensor<?x64xf32>, %m = %w : tensor<40x64xf32>, %c = %init : tensor<?x40xf32>) -> (tensor<?x40xf32>) schedule(#tiled) {
    %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %m : tensor<?x64xf32>, tensor<40x64xf32>) outs(%c : tensor<?x40xf32>) -> tensor<?x40xf32>
    moe.yield %y : tensor<?x40xf32>
  }
  return %0 : tensor<?x40xf32>
}

// A transposed left operand; whole column tiles, which need no clamp; a start
// at zero, which reads nothing.

// CHECK-LABEL: moe.kernel "transposed"
// CHECK-SAME:    (%[[X:.+]] = %arg0 : {{.*}}, %[[W:.+]] = %arg1 :
// CHECK:         scf.forall
// CHECK:           linalg.generic
// CHECK:             %[[ROW:.+]] = arith.minsi
// CHECK:             tensor.extract %[[X]][%{{.+}}, %[[ROW]]]
// CHECK:           linalg.generic
// CHECK-NOT:         arith.minsi
// CHECK:             tensor.extract %[[W]]
// CHECK:           %[[ZERO:.+]] = linalg.fill {{.*}} : tensor<16x32xf32>)
// CHECK:           linalg.matmul ins({{.*}}) outs(%[[ZERO]]
// CHECK:           tensor.extract_slice %{{.+}}[0, 0] [%{{.+}}, 32] [1, 1]
func.func @transposed(%x: tensor<64x?xf32>, %w: tensor<64x64xf32>) -> tensor<?x64xf32> {
  %c1 = arith.constant 1 : index
  %t = tensor.dim %x, %c1 : tensor<64x?xf32>
  %0 = moe.kernel "transposed" (%a = %x : tensor<64x?xf32>, %m = %w : tensor<64x64xf32>, %n = %t : index) -> (tensor<?x64xf32>) schedule(#tiled) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty(%n) : tensor<?x64xf32>
    %c = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
    %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %m : tensor<64x?xf32>, tensor<64x64xf32>) outs(%c : tensor<?x64xf32>) -> tensor<?x64xf32>
    moe.yield %y : tensor<?x64xf32>
  }
  return %0 : tensor<?x64xf32>
}

// Without a schedule the product stays what it is.

// CHECK-LABEL: func.func @unscheduled
// CHECK-NOT:     scf.forall
// CHECK:         linalg.matmul
func.func @unscheduled(%x: tensor<?x64xf32>, %w: tensor<64x8xf32>, %init: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x8xf32>) outs(%init : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
