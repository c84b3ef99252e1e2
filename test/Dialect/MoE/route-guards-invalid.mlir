// RUN: moe-opt %s -split-input-file -verify-diagnostics

// route_c9
func.func @epsilon_negative(%logits: tensor<?x8xf32>) {
  // expected-error @+1 {{'moe.route' op expected epsilon to be 0, or positive and normal as an f32, but got -1.000000e-20}}
  %weights, %indices = moe.route %logits {top_k = 2 : i64, renormalize, epsilon = -1.0e-20 : f64}
    : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return
}

// -----

// route_c9
func.func @epsilon_subnormal(%logits: tensor<?x8xf32>) {
  // expected-error @+1 {{'moe.route' op expected epsilon to be 0, or positive and normal as an f32, but got 1.000000e-40}}
  %weights, %indices = moe.route %logits {top_k = 2 : i64, renormalize, epsilon = 1.0e-40 : f64}
    : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return
}

// -----

// route_c9
func.func @floor_infinite_as_f32(%logits: tensor<?x8xf32>) {
  // expected-error @+1 {{'moe.route' op expected floor to be 0, or positive and normal as an f32, but got 1.000000e+300}}
  %weights, %indices = moe.route %logits {top_k = 2 : i64, renormalize, floor = 1.0e300 : f64}
    : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return
}

// -----

// route_c10
func.func @epsilon_without_renormalize(%logits: tensor<?x8xf32>) {
  // expected-error @+1 {{'moe.route' op expected renormalize with epsilon, but got epsilon = 1.000000e-20 without it}}
  %weights, %indices = moe.route %logits {top_k = 2 : i64, epsilon = 1.0e-20 : f64}
    : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return
}

// -----

// route_c10
func.func @floor_without_renormalize(%logits: tensor<?x8xf32>) {
  // expected-error @+1 {{'moe.route' op expected renormalize with floor, but got floor = 1.000000e-12 without it}}
  %weights, %indices = moe.route %logits {top_k = 2 : i64, floor = 1.0e-12 : f64}
    : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return
}
