// RUN: moe-opt %s -split-input-file -verify-diagnostics

// route_weights_c1
func.func @experts_dynamic(%logits: tensor<?x?xf32>, %indices: tensor<?x2xi32>) {
  // expected-error @+1 {{'moe.route_weights' op expected logits to have a static number of experts (dim 1) in [1, 1024], but got ?}}
  %result = moe.route_weights %logits, %indices
    : tensor<?x?xf32>, tensor<?x2xi32> -> tensor<?x2xf32>
  return
}

// -----

// route_weights_c1
func.func @experts_too_many(%logits: tensor<?x1025xf32>, %indices: tensor<?x2xi32>) {
  // expected-error @+1 {{'moe.route_weights' op expected logits to have a static number of experts (dim 1) in [1, 1024], but got 1025}}
  %result = moe.route_weights %logits, %indices
    : tensor<?x1025xf32>, tensor<?x2xi32> -> tensor<?x2xf32>
  return
}

// -----

// route_weights_c2
func.func @choices_dynamic(%logits: tensor<?x8xf32>, %indices: tensor<?x?xi32>) {
  // expected-error @+1 {{'moe.route_weights' op expected indices to have a static number of choices (dim 1) in [1, 1024], but got ?}}
  %result = moe.route_weights %logits, %indices
    : tensor<?x8xf32>, tensor<?x?xi32> -> tensor<?x2xf32>
  return
}

// -----

// route_weights_c3
func.func @tokens_differ(%logits: tensor<4x8xf32>, %indices: tensor<3x2xi32>) {
  // expected-error @+1 {{'moe.route_weights' op expected indices to have 4 tokens (dim 0 of logits), but got 3}}
  %result = moe.route_weights %logits, %indices
    : tensor<4x8xf32>, tensor<3x2xi32> -> tensor<?x2xf32>
  return
}

// -----

// route_weights_c4
func.func @scale_zero(%logits: tensor<?x8xf32>, %indices: tensor<?x2xi32>) {
  // expected-error @+1 {{'moe.route_weights' op expected scale to be finite and positive as an f32, but got 0}}
  %result = moe.route_weights %logits, %indices {scale = 0.0 : f64}
    : tensor<?x8xf32>, tensor<?x2xi32> -> tensor<?x2xf32>
  return
}

// -----

func.func @result_of_another_shape(%logits: tensor<?x8xf32>, %indices: tensor<?x2xi32>) {
  // expected-error @+1 {{'moe.route_weights' op expected weights to be 'tensor<?x2xf32>', but got 'tensor<?x3xf32>'}}
  %result = moe.route_weights %logits, %indices
    : tensor<?x8xf32>, tensor<?x2xi32> -> tensor<?x3xf32>
  return
}

// -----

// route_weights_c5
func.func @epsilon_negative(%logits: tensor<?x8xf32>, %indices: tensor<?x2xi32>) {
  // expected-error @+1 {{'moe.route_weights' op expected epsilon to be 0, or positive and normal as an f32, but got -1.000000e-20}}
  %result = moe.route_weights %logits, %indices {renormalize, epsilon = -1.0e-20 : f64}
    : tensor<?x8xf32>, tensor<?x2xi32> -> tensor<?x2xf32>
  return
}

// -----

// route_weights_c5
func.func @epsilon_subnormal(%logits: tensor<?x8xf32>, %indices: tensor<?x2xi32>) {
  // expected-error @+1 {{'moe.route_weights' op expected epsilon to be 0, or positive and normal as an f32, but got 1.000000e-40}}
  %result = moe.route_weights %logits, %indices {renormalize, epsilon = 1.0e-40 : f64}
    : tensor<?x8xf32>, tensor<?x2xi32> -> tensor<?x2xf32>
  return
}

// -----

// route_weights_c5
func.func @floor_infinite_as_f32(%logits: tensor<?x8xf32>, %indices: tensor<?x2xi32>) {
  // expected-error @+1 {{'moe.route_weights' op expected floor to be 0, or positive and normal as an f32, but got 1.000000e+300}}
  %result = moe.route_weights %logits, %indices {renormalize, floor = 1.0e300 : f64}
    : tensor<?x8xf32>, tensor<?x2xi32> -> tensor<?x2xf32>
  return
}

// -----

// route_weights_c6
func.func @epsilon_without_renormalize(%logits: tensor<?x8xf32>, %indices: tensor<?x2xi32>) {
  // expected-error @+1 {{'moe.route_weights' op expected renormalize with epsilon, but got epsilon = 1.000000e-20 without it}}
  %result = moe.route_weights %logits, %indices {epsilon = 1.0e-20 : f64}
    : tensor<?x8xf32>, tensor<?x2xi32> -> tensor<?x2xf32>
  return
}

// -----

// route_weights_c6
func.func @floor_without_renormalize(%logits: tensor<?x8xf32>, %indices: tensor<?x2xi32>) {
  // expected-error @+1 {{'moe.route_weights' op expected renormalize with floor, but got floor = 1.000000e-12 without it}}
  %result = moe.route_weights %logits, %indices {floor = 1.0e-12 : f64}
    : tensor<?x8xf32>, tensor<?x2xi32> -> tensor<?x2xf32>
  return
}
