// RUN: moe-opt %s --convert-moe-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @dispatch
// CHECK-SAME:    (%[[X:.+]]: tensor<?x64xf32>, %{{.+}}: tensor<9xi32>, %{{.+}}: tensor<?x2xi32>, %[[SLOTS:.+]]: tensor<?xi32>)
// CHECK:         linalg.generic {{.*}} ins(%[[SLOTS]] : tensor<?xi32>)
// CHECK:         ^bb0(%[[SLOT:.+]]: i32, %{{.+}}: f32):
// CHECK:           %[[KEPT:.+]] = arith.cmpi sge, %[[SLOT]], %c0_i32
// CHECK:           %[[SAFE:.+]] = arith.maxsi %[[SLOT]], %c0_i32
// CHECK:           %[[TOKEN:.+]] = arith.divui %[[SAFE]], %c2_i32
// CHECK:           %[[ROW:.+]] = arith.index_cast %[[TOKEN]]
// CHECK:           %[[VALUE:.+]] = tensor.extract %[[X]][%[[ROW]], %{{.+}}]
// CHECK:           arith.select %[[KEPT]], %[[VALUE]], %cst
func.func @dispatch(%x: tensor<?x64xf32>, %offsets: tensor<9xi32>, %s2r: tensor<?x2xi32>, %r2s: tensor<?xi32>) -> tensor<?x64xf32> {
  %rows = moe.dispatch %x, %offsets, %s2r, %r2s : tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x64xf32>
  return %rows : tensor<?x64xf32>
}

// CHECK-LABEL: func.func @weighted
// CHECK-SAME:    %[[WEIGHTS:[a-z0-9]+]]: tensor<?x2xf32>)
// CHECK:           %[[CHOICE:.+]] = arith.remui %{{.+}}, %c2_i32
// CHECK:           %[[WEIGHT:.+]] = tensor.extract %[[WEIGHTS]]
// CHECK:           arith.mulf %{{.+}}, %[[WEIGHT]] : f32
func.func @weighted(%x: tensor<?x64xf32>, %offsets: tensor<9xi32>, %s2r: tensor<?x2xi32>, %r2s: tensor<?xi32>, %w: tensor<?x2xf32>) -> tensor<?x64xf32> {
  %rows = moe.dispatch %x, %offsets, %s2r, %r2s weights %w : tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?x2xf32> -> tensor<?x64xf32>
  return %rows : tensor<?x64xf32>
}
