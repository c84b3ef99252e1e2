// RUN: moe-opt %s | moe-opt | FileCheck %s

// CHECK-LABEL: @defaults
func.func @defaults(%logits: tensor<?x8xf32>) -> (tensor<?x2xf32>, tensor<?x2xi32>) {
  // CHECK: moe.route %arg0 {top_k = 2 : i64} : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  %weights, %indices = moe.route %logits {top_k = 2 : i64}
    : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return %weights, %indices : tensor<?x2xf32>, tensor<?x2xi32>
}

// CHECK-LABEL: @every_option
func.func @every_option(%logits: tensor<?x8xbf16>, %bias: tensor<8xf32>) -> tensor<?x2xf32> {
  // CHECK: moe.route %arg0 bias %arg1 {
  // CHECK-SAME: epsilon = 9.9999999999999995E-21 : f64, floor = 9.9999999999999998E-13 : f64
  // CHECK-SAME: group_score = #moe.group_score<top2_sum>, groups = 4 : i64, renormalize
  // CHECK-SAME: scale = 2.500000e+00 : f64, scoring = #moe.scoring<sigmoid>
  // CHECK-SAME: selected_groups = 2 : i64, top_k = 2 : i64}
  // CHECK-SAME: tensor<?x8xbf16>, tensor<8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  %weights, %indices = moe.route %logits bias %bias {
      top_k = 2 : i64, scoring = #moe.scoring<sigmoid>, renormalize, scale = 2.5 : f64,
      epsilon = 1.0e-20 : f64, floor = 1.0e-12 : f64, groups = 4 : i64, selected_groups = 2 : i64, group_score = #moe.group_score<top2_sum>}
    : tensor<?x8xbf16>, tensor<8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return %weights : tensor<?x2xf32>
}

// CHECK-LABEL: @default_values_are_not_printed
func.func @default_values_are_not_printed(%logits: tensor<4x1xf16>) -> tensor<4x1xi32> {
  // CHECK: moe.route %arg0 {top_k = 1 : i64} : tensor<4x1xf16>
  %weights, %indices = moe.route %logits {
      top_k = 1 : i64, scoring = #moe.scoring<softmax>, scale = 1.0 : f64, epsilon = 0.0 : f64, floor = 0.0 : f64,
      groups = 1 : i64, selected_groups = 1 : i64, group_score = #moe.group_score<max>}
    : tensor<4x1xf16> -> tensor<4x1xf32>, tensor<4x1xi32>
  return %indices : tensor<4x1xi32>
}

// CHECK-LABEL: @result_less_static_than_inferred
func.func @result_less_static_than_inferred(%logits: tensor<4x8xf32>) -> tensor<?x?xi32> {
  // CHECK: tensor<4x8xf32> -> tensor<?x2xf32>, tensor<?x?xi32>
  %weights, %indices = moe.route %logits {top_k = 2 : i64}
    : tensor<4x8xf32> -> tensor<?x2xf32>, tensor<?x?xi32>
  return %indices : tensor<?x?xi32>
}

// CHECK-LABEL: @result_more_static_than_inferred
func.func @result_more_static_than_inferred(%logits: tensor<?x8xf32>) -> tensor<4x2xi32> {
  // CHECK: tensor<?x8xf32> -> tensor<4x2xf32>, tensor<4x2xi32>
  %weights, %indices = moe.route %logits {top_k = 2 : i64}
    : tensor<?x8xf32> -> tensor<4x2xf32>, tensor<4x2xi32>
  return %indices : tensor<4x2xi32>
}
