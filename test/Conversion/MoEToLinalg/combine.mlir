// RUN: moe-opt %s --convert-moe-to-linalg | FileCheck %s

// In slot order, one product and one sum a slot, without fast-math flags, so
// that nothing may contract them; a dropped slot leaves the sum alone.

// CHECK-LABEL: func.func @slot_order
// CHECK-NOT:     fastmath
// CHECK:         linalg.generic
// CHECK-COUNT-1:   linalg.index 0
// CHECK:           %[[ROW0:.+]] = tensor.extract %{{.+}}[%{{.+}}, %c0]
// CHECK:           %[[KEPT0:.+]] = arith.cmpi sge, %[[ROW0]]
// The sum starts at +0: the first product, with +0 for -0.
// CHECK:           %[[PRODUCT0:.+]] = arith.mulf
// CHECK:           %[[BITS:.+]] = arith.bitcast %[[PRODUCT0]]
// CHECK:           %[[NEGATIVE:.+]] = arith.cmpi eq, %[[BITS]], %c-2147483648_i32
// CHECK:           %[[SUM0:.+]] = arith.select %[[NEGATIVE]], %cst, %[[PRODUCT0]]
// CHECK:           %[[TOTAL0:.+]] = arith.select %[[KEPT0]], %[[SUM0]], %cst
// CHECK:           %[[PRODUCT1:.+]] = arith.mulf
// CHECK:           %[[SUM1:.+]] = arith.addf %[[TOTAL0]], %[[PRODUCT1]] : f32
// CHECK:           %[[TOTAL1:.+]] = arith.select %{{.+}}, %[[SUM1]], %[[TOTAL0]]
// CHECK:           linalg.yield %[[TOTAL1]]
func.func @slot_order(%y: tensor<?x64xf32>, %offsets: tensor<9xi32>, %s2r: tensor<?x2xi32>, %r2s: tensor<?xi32>, %w: tensor<?x2xf32>) -> tensor<?x64xf32> {
  %out = moe.combine %y, %offsets, %s2r, %r2s weights %w {order = #moe.combine_order<slot>} : tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?x2xf32> -> tensor<?x64xf32>
  return %out : tensor<?x64xf32>
}

// In expert order the slots are sorted by row first.

// CHECK-LABEL: func.func @expert_order
// CHECK:         %[[ORDER:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<?x2xi32>)
// CHECK:         linalg.generic
// CHECK:           tensor.extract %[[ORDER]]
func.func @expert_order(%y: tensor<?x64xf32>, %offsets: tensor<9xi32>, %s2r: tensor<?x2xi32>, %r2s: tensor<?xi32>) -> tensor<?x64xf32> {
  %out = moe.combine %y, %offsets, %s2r, %r2s : tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x64xf32>
  return %out : tensor<?x64xf32>
}

// Stepwise rounding returns to f16 after each product and each sum.

// CHECK-LABEL: func.func @stepwise
// CHECK:           arith.mulf
// CHECK:           arith.truncf %{{.+}} : f32 to f16
// CHECK:           arith.mulf
// CHECK:           arith.truncf %{{.+}} : f32 to f16
// CHECK:           arith.addf
// CHECK:           arith.truncf %{{.+}} : f32 to f16
func.func @stepwise(%y: tensor<?x64xf16>, %offsets: tensor<9xi32>, %s2r: tensor<?x2xi32>, %r2s: tensor<?xi32>, %w: tensor<?x2xf32>) -> tensor<?x64xf16> {
  %out = moe.combine %y, %offsets, %s2r, %r2s weights %w {order = #moe.combine_order<slot>, rounding = #moe.combine_rounding<stepwise>} : tensor<?x64xf16>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?x2xf32> -> tensor<?x64xf16>
  return %out : tensor<?x64xf16>
}
