// RUN: moe-opt %s --convert-moe-to-linalg --convert-linalg-to-gpu --canonicalize --cse | FileCheck %s

// The gather of rows, and the bias, are read by the lane that needs them. No
// gathered row is stored: the kernel writes the product alone.

// CHECK-LABEL: gpu.func @up
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: memref<?xvector<4xf32>, {{.*}}<(0, 0)>}, %[[SLOTS:[a-z0-9]+]]: memref<?xi32, {{.*}}<(0, 1)>}, %[[W:[a-z0-9]+]]: memref<?xvector<4xf32>, {{.*}}<(0, 2)>}, %[[BIAS:[a-z0-9]+]]: memref<?xvector<4xf32>, {{.*}}<(0, 3)>}, %{{.+}}: memref<?xi32, {{.*}}<(0, 4)>}, %[[OUT:[a-z0-9]+]]: memref<?xvector<4xf32>, {{.*}}<(0, 5)>})
// CHECK:         scf.for
// CHECK:           scf.if
// The lane's row is the same for all features: its slot is read once.
// CHECK:             %[[SLOT:.+]] = memref.load %[[SLOTS]]
// CHECK:             %[[SAFE:.+]] = arith.maxsi %[[SLOT]], %c0_i32
// CHECK:             %[[TOKEN:.+]] = arith.divui %[[SAFE]], %c2_i32
// CHECK:             %[[ROW:.+]] = arith.index_cast %[[TOKEN]] : i32 to index
// CHECK:             %[[START:.+]] = arith.muli %[[ROW]], %c2
// CHECK:             %[[SUMS:.+]]:4 = scf.for
// CHECK:               %[[AT:.+]] = arith.addi %[[START]], %{{.+}}
// CHECK:               memref.load %[[X]][%[[AT]]]
// CHECK:             scf.if
// CHECK:               %[[TERM:.+]] = memref.load %[[BIAS]]
// CHECK:               %[[FINISHED:.+]] = arith.addf %[[SUMS]]#0, %[[TERM]] : vector<4xf32>
// CHECK:               memref.store %[[FINISHED]], %[[OUT]]
func.func @f(%x: tensor<?x8xf32>, %offsets: tensor<3xi32>, %s2r: tensor<?x2xi32>, %r2s: tensor<?xi32>, %w: tensor<2x8x16xf32>, %bias: tensor<2x16xf32>, %table: tensor<?x3xi32>) -> tensor<?x16xf32> {
  %0 = moe.kernel "up" (%a = %x : tensor<?x8xf32>, %o = %offsets : tensor<3xi32>, %s = %s2r : tensor<?x2xi32>, %r = %r2s : tensor<?xi32>, %m = %w : tensor<2x8x16xf32>, %b = %bias : tensor<2x16xf32>, %t = %table : tensor<?x3xi32>) -> (tensor<?x16xf32>) schedule(#moe.schedule<matmul, workgroup = 4, lanes = 4, rows = 4, columns = 16, vector = 4>) {
    %rows = moe.dispatch %a, %o, %s, %r : tensor<?x8xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x8xf32>
    %y = moe.grouped_matmul %rows, %m, %o bias %b : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<3xi32>, tensor<2x16xf32> -> tensor<?x16xf32>
    moe.yield %y : tensor<?x16xf32>
  }
  return %0 : tensor<?x16xf32>
}
