// RUN: moe-opt %s --moe-differentiate=function=f --moe-differentiate="function=f_vjp wrt=0,1" \
// RUN:   | FileCheck %s

// A derivative of a derivative is made of the ops of the dialect.
func.func @f(%rows: tensor<?x4xf32>, %w: tensor<2x4x3xf32>, %offsets: tensor<3xi32>) -> tensor<?x3xf32> {
  %y = moe.grouped_matmul %rows, %w, %offsets
    : tensor<?x4xf32>, tensor<2x4x3xf32>, tensor<3xi32> -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
// CHECK-LABEL: func.func @f_vjp_vjp(
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: tensor<?x4xf32>, %[[W:[a-z0-9]+]]: tensor<2x4x3xf32>, %[[OFFSETS:[a-z0-9]+]]: tensor<3xi32>, %[[DY:[a-z0-9]+]]: tensor<?x3xf32>,
// CHECK-SAME: %[[BAR_Y:[a-z0-9]+]]: tensor<?x3xf32>, %[[BAR_DROWS:[a-z0-9]+]]: tensor<?x4xf32>, %[[BAR_DW:[a-z0-9]+]]: tensor<2x4x3xf32>)
// CHECK-DAG: %[[ROWS_FROM_DW:.*]] = moe.grouped_matmul %[[DY]], %[[BAR_DW]], %[[OFFSETS]] {transpose_rhs}
// CHECK-DAG: %[[W_FROM_DROWS:.*]] = moe.grouped_outer %[[BAR_DROWS]], %[[DY]], %[[OFFSETS]]
// CHECK-DAG: %[[ROWS_FROM_Y:.*]] = moe.grouped_matmul %[[BAR_Y]], %[[W]], %[[OFFSETS]] {transpose_rhs}
// CHECK-DAG: %[[W_FROM_Y:.*]] = moe.grouped_outer %[[ROWS]], %[[BAR_Y]], %[[OFFSETS]]
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK: return
