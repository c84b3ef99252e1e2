// RUN: moe-opt %s --convert-moe-to-linalg --mlir-print-local-scope | FileCheck %s

// A scheduled product becomes tiles of one expert: static, read through indices
// that are clamped into the tile, stored by slices of its own rows and columns.

func.func @up(%rows: tensor<?x64xf32>, %w: tensor<8x40x64xf32>, %bias: tensor<8x40xf32>, %offsets: tensor<9xi32>, %table: tensor<?x3xi32>) -> tensor<?x40xf32> {
  %0 = moe.kernel "up" (%a = %rows : tensor<?x64xf32>, %m = %w : tensor<8x40x64xf32>, %b = %bias : tensor<8x40xf32>, %o = %offsets : tensor<9xi32>, %t = %table : tensor<?x3xi32>) -> (tensor<?x40xf32>) schedule(#moe.schedule<matmul, workgroup = 8, lanes = 8, rows = 16, columns = 32, vector = 4>) {
    %y = moe.grouped_matmul %a, %m, %o bias %b {transpose_rhs} : tensor<?x64xf32>, tensor<8x40x64xf32>, tensor<9xi32>, tensor<8x40xf32> -> tensor<?x40xf32>
    moe.yield %y : tensor<?x40xf32>
  }
  return %0 : tensor<?x40xf32>
}

// CHECK-LABEL: moe.kernel "up"
// CHECK-SAME:    (%[[ROWS:.+]] = %arg0 : {{.*}}, %[[EXPERTS:.+]] = %arg1 : {{.*}}, %[[BIAS:.+]] = %arg2 : {{.*}}, %{{.+}} = %arg3 : {{.*}}, %[[TABLE:.+]] = %arg4
// CHECK:         %[[TILES:.+]] = tensor.dim %[[TABLE]], %c0
// 40 columns are two tiles of 32, the second narrower.
// CHECK:         scf.forall (%[[TILE:.+]], %[[N:.+]]) in (%[[TILES]], 2) shared_outs(%[[OUT:.+]] = %{{.+}})
// CHECK:           %[[COLUMN:.+]] = affine.apply affine_map<(d0) -> (d0 * 32)>(%[[N]])
// CHECK:           %[[EXPERT:.+]] = tensor.extract %[[TABLE]][%[[TILE]], %c0] {moe.expert}
// CHECK:           %[[FIRST_I32:.+]] = tensor.extract %[[TABLE]][%[[TILE]], %c1]
// CHECK:           %[[FIRST:.+]] = arith.index_cast %[[FIRST_I32]]
// CHECK:           %[[COUNT_I32:.+]] = tensor.extract %[[TABLE]][%[[TILE]], %c2]
// CHECK:           %[[COUNT:.+]] = arith.index_cast %[[COUNT_I32]]
// CHECK:           %[[USED:.+]] = arith.cmpi sgt, %[[COUNT]], %c0
// CHECK:           %[[OWNED:.+]] = arith.cmpi sge, %[[EXPERT]], %c0_i32
// CHECK:           %[[LIVE:.+]] = arith.andi %[[USED]], %[[OWNED]]
// CHECK:           %[[RESULT:.+]] = scf.if %[[LIVE]] -> (tensor<16x32xf32>)
// CHECK:             %[[END:.+]] = arith.addi %[[FIRST]], %[[COUNT]]
// CHECK:             %[[LAST:.+]] = arith.subi %[[END]], %c1
// CHECK:             %[[LEFT:.+]] = linalg.generic
// CHECK:               %[[ROW:.+]] = arith.minsi %{{.+}}, %[[LAST]]
// CHECK:               tensor.extract %[[ROWS]][%[[ROW]], %{{.+}}]
// CHECK:             %[[RIGHT:.+]] = linalg.generic
// CHECK:               arith.minsi %{{.+}}, %c39
// CHECK:               tensor.extract %[[EXPERTS]]
// CHECK:             %[[SUM:.+]] = linalg.matmul {{.*}} ins(%[[LEFT]], %[[RIGHT]] : tensor<16x64xf32>, tensor<32x64xf32>)
// CHECK:             linalg.generic {{.*}} ins(%[[SUM]]
// CHECK:               %[[TERM:.+]] = tensor.extract %[[BIAS]]
// CHECK:               arith.addf %{{.+}}, %[[TERM]]
// CHECK:           } else {
// CHECK:             linalg.fill ins(%cst
// CHECK:           %[[WIDTH:.+]] = affine.min affine_map<(d0) -> (32, -d0 + 40)>(%[[COLUMN]])
// CHECK:           %[[VALID:.+]] = tensor.extract_slice %[[RESULT]][0, 0] [%[[COUNT]], %[[WIDTH]]]
// CHECK:           tensor.parallel_insert_slice %[[VALID]] into %[[OUT]][%[[FIRST]], %[[COLUMN]]] [%[[COUNT]], %[[WIDTH]]]
// CHECK:         } {mapping = [#gpu.block<y>, #gpu.block<x>]}
