// RUN: moe-opt %s -split-input-file -verify-diagnostics

// route_c1
func.func @experts_dynamic(%logits: tensor<?x?xf32>) {
  // expected-error @+1 {{'moe.route' op expected logits to have a static number of experts (dim 1) in [1, 1024], but got ?}}
  %weights, %indices = moe.route %logits {top_k = 2 : i64}
    : tensor<?x?xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return
}

// -----

// route_c1
func.func @experts_none(%logits: tensor<?x0xf32>) {
  // expected-error @+1 {{'moe.route' op expected logits to have a static number of experts (dim 1) in [1, 1024], but got 0}}
  %weights, %indices = moe.route %logits {top_k = 1 : i64}
    : tensor<?x0xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return
}

// -----

// route_c1
func.func @experts_too_many(%logits: tensor<?x1025xf32>) {
  // expected-error @+1 {{'moe.route' op expected logits to have a static number of experts (dim 1) in [1, 1024], but got 1025}}
  %weights, %indices = moe.route %logits {top_k = 1 : i64}
    : tensor<?x1025xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return
}

// -----

// route_c2
func.func @top_k_above_experts(%logits: tensor<?x8xf32>) {
  // expected-error @+1 {{'moe.route' op expected top_k to be in [1, 8], but got 9}}
  %weights, %indices = moe.route %logits {top_k = 9 : i64}
    : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return
}

// -----

// route_c2
func.func @top_k_zero(%logits: tensor<?x8xf32>) {
  // expected-error @+1 {{'moe.route' op expected top_k to be in [1, 8], but got 0}}
  %weights, %indices = moe.route %logits {top_k = 0 : i64}
    : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return
}

// -----

// route_c3
func.func @bias_length_not_experts(%logits: tensor<?x8xf32>, %bias: tensor<9xf32>) {
  // expected-error @+1 {{'moe.route' op expected bias to have 8 elements (experts), but got 9}}
  %weights, %indices = moe.route %logits bias %bias {top_k = 2 : i64}
    : tensor<?x8xf32>, tensor<9xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return
}

// -----

// route_c4
func.func @groups_do_not_divide_experts(%logits: tensor<?x8xf32>) {
  // expected-error @+1 {{'moe.route' op expected groups to divide 8 (experts), but got 3}}
  %weights, %indices = moe.route %logits {top_k = 2 : i64, groups = 3 : i64}
    : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return
}

// -----

// route_c4
func.func @groups_zero(%logits: tensor<?x8xf32>) {
  // expected-error @+1 {{'moe.route' op expected groups to divide 8 (experts), but got 0}}
  %weights, %indices = moe.route %logits {top_k = 2 : i64, groups = 0 : i64}
    : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return
}

// -----

// route_c5
func.func @selected_groups_above_groups(%logits: tensor<?x8xf32>) {
  // expected-error @+1 {{'moe.route' op expected selected_groups to be in [1, 4], but got 5}}
  %weights, %indices = moe.route %logits {top_k = 2 : i64, groups = 4 : i64, selected_groups = 5 : i64}
    : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return
}

// -----

// route_c5
func.func @selected_groups_zero(%logits: tensor<?x8xf32>) {
  // expected-error @+1 {{'moe.route' op expected selected_groups to be in [1, 4], but got 0}}
  %weights, %indices = moe.route %logits {top_k = 2 : i64, groups = 4 : i64, selected_groups = 0 : i64}
    : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return
}

// -----

// route_c6
func.func @top_k_above_selected_experts(%logits: tensor<?x8xf32>) {
  // expected-error @+1 {{'moe.route' op expected top_k to be at most 2 (experts of the selected groups), but got 3}}
  %weights, %indices = moe.route %logits {top_k = 3 : i64, groups = 4 : i64, selected_groups = 1 : i64}
    : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return
}

// -----

// route_c7
func.func @top2_sum_of_one_expert(%logits: tensor<?x8xf32>) {
  // expected-error @+1 {{'moe.route' op expected at least 2 experts in a group for group_score = top2_sum, but got 1}}
  %weights, %indices = moe.route %logits {top_k = 1 : i64, groups = 8 : i64, selected_groups = 4 : i64, group_score = #moe.group_score<top2_sum>}
    : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return
}

// -----

// route_c8
func.func @scale_zero(%logits: tensor<?x8xf32>) {
  // expected-error @+1 {{'moe.route' op expected scale to be finite and positive as an f32, but got 0.000000e+00}}
  %weights, %indices = moe.route %logits {top_k = 2 : i64, scale = 0.0 : f64}
    : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return
}

// -----

// route_c8
func.func @scale_infinite_as_f32(%logits: tensor<?x8xf32>) {
  // expected-error @+1 {{'moe.route' op expected scale to be finite and positive as an f32, but got 1.000000e+300}}
  %weights, %indices = moe.route %logits {top_k = 2 : i64, scale = 1.0e300 : f64}
    : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return
}

// -----

func.func @weights_not_top_k_wide(%logits: tensor<?x8xf32>) {
  // expected-error @+1 {{'moe.route' op expected weights to be 'tensor<?x2xf32>', but got 'tensor<?x3xf32>'}}
  %weights, %indices = moe.route %logits {top_k = 2 : i64}
    : tensor<?x8xf32> -> tensor<?x3xf32>, tensor<?x2xi32>
  return
}
