// RUN: moe-opt %s --convert-moe-to-linalg | FileCheck %s

// Every expert looks at every row; only those of its segment count.
// CHECK-LABEL: @grouped_outer
// CHECK-SAME: %[[LHS:[a-z0-9]+]]: tensor<?x4xf32>, %[[RHS:[a-z0-9]+]]: tensor<?x3xf32>, %[[OFFSETS:[a-z0-9]+]]: tensor<3xi32>
// CHECK: %[[ZEROS:.*]] = linalg.fill
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK-SAME: ins(%[[LHS]], %[[RHS]] : tensor<?x4xf32>, tensor<?x3xf32>) outs(%[[ZEROS]] : tensor<2x4x3xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[SUM:.*]]: f32):
// CHECK: tensor.extract %[[OFFSETS]]
// CHECK: tensor.extract %[[OFFSETS]]
// CHECK: %[[INSIDE:.*]] = arith.andi
// CHECK: %[[TERM:.*]] = arith.mulf %[[A]], %[[B]]
// CHECK: %[[OWN:.*]] = arith.select %[[INSIDE]], %[[TERM]], %{{.*}}
// CHECK: arith.addf %[[SUM]], %[[OWN]]
func.func @grouped_outer(%lhs: tensor<?x4xf32>, %rhs: tensor<?x3xf32>, %offsets: tensor<3xi32>) -> tensor<2x4x3xf32> {
  %0 = moe.grouped_outer %lhs, %rhs, %offsets
    : tensor<?x4xf32>, tensor<?x3xf32>, tensor<3xi32> -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}

// Sums are taken in f32, also on top of an init, and rounded once.
// CHECK-LABEL: @grouped_outer_f16
// CHECK: %[[INIT:.*]] = linalg.generic {{.*}} ins(%arg3 : tensor<2x4x3xf16>)
// CHECK: arith.extf
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} outs(%[[INIT]] : tensor<2x4x3xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[SUM]] : tensor<2x4x3xf32>)
// CHECK: arith.truncf
func.func @grouped_outer_f16(%lhs: tensor<?x4xf16>, %rhs: tensor<?x3xf16>, %offsets: tensor<3xi32>,
                             %init: tensor<2x4x3xf16>) -> tensor<2x4x3xf16> {
  %0 = moe.grouped_outer %lhs, %rhs, %offsets init %init
    : tensor<?x4xf16>, tensor<?x3xf16>, tensor<3xi32>, tensor<2x4x3xf16> -> tensor<2x4x3xf16>
  return %0 : tensor<2x4x3xf16>
}

// CHECK-LABEL: @grouped_reduce
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-NEXT: ^bb0(%[[X:.*]]: f16, %[[SUM:.*]]: f32):
// CHECK: %[[WIDE:.*]] = arith.extf %[[X]]
// CHECK: %[[OWN:.*]] = arith.select %{{.*}}, %[[WIDE]], %{{.*}}
// CHECK: arith.addf %[[SUM]], %[[OWN]]
func.func @grouped_reduce(%rows: tensor<?x4xf16>, %offsets: tensor<3xi32>) -> tensor<2x4xf32> {
  %0 = moe.grouped_reduce %rows, %offsets : tensor<?x4xf16>, tensor<3xi32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// A plain sum, whose order a later stage chooses.
// CHECK-LABEL: @combine_weight_grad_tree
// CHECK: linalg.generic
// CHECK: ^bb0(%[[G:.*]]: f32, %[[ROW:.*]]: i32, %[[SUM:.*]]: f32):
// CHECK: %[[KEPT:.*]] = arith.cmpi sge, %[[ROW]]
// CHECK: %[[Y:.*]] = tensor.extract %arg1
// CHECK: %[[TERM:.*]] = arith.mulf %[[G]], %[[Y]] : f32
// CHECK: %[[OWN:.*]] = arith.select %[[KEPT]], %[[TERM]], %{{.*}}
// CHECK: %[[NEXT:.*]] = arith.addf %[[SUM]], %[[OWN]] : f32
// CHECK: linalg.yield %[[NEXT]]
func.func @combine_weight_grad_tree(%g: tensor<?x4xf32>, %y: tensor<?x4xf32>, %offsets: tensor<3xi32>,
    %slot_to_row: tensor<?x2xi32>, %row_to_slot: tensor<?xi32>) -> tensor<?x2xf32> {
  %0 = moe.combine_weight_grad %g, %y, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x4xf32>, tensor<?x4xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// A choice between the sum so far and the next one leaves no order to choose.
// CHECK-LABEL: @combine_weight_grad_serial
// CHECK: ^bb0(%[[G:.*]]: f32, %[[ROW:.*]]: i32, %[[SUM:.*]]: f32):
// CHECK: %[[KEPT:.*]] = arith.cmpi sge, %[[ROW]]
// CHECK: %[[TERM:.*]] = arith.mulf %[[G]], %{{.*}} : f32
// CHECK: %[[NEXT:.*]] = arith.addf %[[SUM]], %[[TERM]] : f32
// CHECK: %[[RESULT:.*]] = arith.select %[[KEPT]], %[[NEXT]], %[[SUM]]
// CHECK: linalg.yield %[[RESULT]]
func.func @combine_weight_grad_serial(%g: tensor<?x4xf32>, %y: tensor<?x4xf32>, %offsets: tensor<3xi32>,
    %slot_to_row: tensor<?x2xi32>, %row_to_slot: tensor<?xi32>) -> tensor<?x2xf32> {
  %0 = moe.combine_weight_grad %g, %y, %offsets, %slot_to_row, %row_to_slot {
      strategy = #moe.dot_strategy<serial>}
    : tensor<?x4xf32>, tensor<?x4xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// Elements are picked by comparison, so that all of it has a derivative. The
// largest logits are found by integer keys, through which there is none.
// CHECK-LABEL: @route_weights
// CHECK: %[[ROW:.*]] = linalg.generic {{.*}}["parallel", "reduction"]} ins(%arg0 :
// CHECK: arith.maxsi
// CHECK: %[[SELECTED:.*]] = linalg.generic {{.*}}["parallel", "parallel", "reduction"]} ins(%arg1, %arg0 :
// CHECK: arith.cmpi eq
// CHECK-NEXT: arith.select
// CHECK: %[[KEY:.*]] = linalg.generic {{.*}}["parallel", "reduction"]} ins(%arg1, %[[SELECTED]] :
// CHECK: arith.maxsi
// CHECK: %[[TERMS:.*]] = linalg.generic {{.*}} ins(%arg1, %[[SELECTED]], %[[KEY]], %[[ROW]] :
// CHECK: %[[GAP:.*]] = arith.subf
// CHECK: math.exp %[[GAP]]
// CHECK: %[[TOTAL:.*]] = linalg.generic {{.*}}["parallel", "reduction"]} ins(%[[TERMS]] :
// CHECK: %[[DIVISOR:.*]] = linalg.generic {{.*}}["parallel"]} ins(%[[TOTAL]],
// CHECK: %[[SHARES:.*]] = linalg.generic {{.*}} ins(%[[TERMS]], %[[DIVISOR]] :
// CHECK: arith.divf
// CHECK: linalg.generic {{.*}} ins(%arg1, %[[SHARES]] :
// CHECK: arith.select
func.func @route_weights(%logits: tensor<?x4xf32>, %indices: tensor<?x2xi32>) -> tensor<?x2xf32> {
  %0 = moe.route_weights %logits, %indices {renormalize}
    : tensor<?x4xf32>, tensor<?x2xi32> -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// The slope of a sigmoid is e^-|x| / (1 + e^-|x|)^2.
// CHECK-LABEL: @route_grad
// CHECK: %[[A:.*]] = linalg.generic {{.*}}["parallel", "parallel", "reduction"]} ins(%arg1, %arg2 :
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[A]] :
// CHECK: %[[POWER:.*]] = math.exp
// CHECK: %[[BELOW:.*]] = arith.addf %[[POWER]]
// CHECK: %[[SHARE:.*]] = arith.divf %[[POWER]], %[[BELOW]]
// CHECK: arith.divf %[[SHARE]], %[[BELOW]]
// CHECK: arith.truncf
func.func @route_grad(%logits: tensor<?x4xf16>, %indices: tensor<?x2xi32>, %g: tensor<?x2xf32>) -> tensor<?x4xf16> {
  %0 = moe.route_grad %logits, %indices, %g {scoring = #moe.scoring<sigmoid>}
    : tensor<?x4xf16>, tensor<?x2xi32>, tensor<?x2xf32> -> tensor<?x4xf16>
  return %0 : tensor<?x4xf16>
}
