// RUN: moe-opt %s -split-input-file -verify-diagnostics

// route_grad_c1
func.func @experts_dynamic(%logits: tensor<?x?xf32>, %indices: tensor<?x2xi32>, %dweights: tensor<?x2xf32>) {
  // expected-error @+1 {{'moe.route_grad' op expected logits to have a static number of experts (dim 1) in [1, 1024], but got ?}}
  %result = moe.route_grad %logits, %indices, %dweights
    : tensor<?x?xf32>, tensor<?x2xi32>, tensor<?x2xf32> -> tensor<?x?xf32>
  return
}

// -----

// route_grad_c1
func.func @experts_too_many(%logits: tensor<?x1025xf32>, %indices: tensor<?x2xi32>, %dweights: tensor<?x2xf32>) {
  // expected-error @+1 {{'moe.route_grad' op expected logits to have a static number of experts (dim 1) in [1, 1024], but got 1025}}
  %result = moe.route_grad %logits, %indices, %dweights
    : tensor<?x1025xf32>, tensor<?x2xi32>, tensor<?x2xf32> -> tensor<?x1025xf32>
  return
}

// -----

// route_grad_c2
func.func @choices_dynamic(%logits: tensor<?x8xf32>, %indices: tensor<?x?xi32>, %dweights: tensor<?x2xf32>) {
  // expected-error @+1 {{'moe.route_grad' op expected indices to have a static number of choices (dim 1) in [1, 1024], but got ?}}
  %result = moe.route_grad %logits, %indices, %dweights
    : tensor<?x8xf32>, tensor<?x?xi32>, tensor<?x2xf32> -> tensor<?x8xf32>
  return
}

// -----

// route_grad_c3
func.func @tokens_differ(%logits: tensor<4x8xf32>, %indices: tensor<3x2xi32>, %dweights: tensor<?x2xf32>) {
  // expected-error @+1 {{'moe.route_grad' op expected indices to have 4 tokens (dim 0 of logits), but got 3}}
  %result = moe.route_grad %logits, %indices, %dweights
    : tensor<4x8xf32>, tensor<3x2xi32>, tensor<?x2xf32> -> tensor<4x8xf32>
  return
}

// -----

// route_grad_c4
func.func @scale_zero(%logits: tensor<?x8xf32>, %indices: tensor<?x2xi32>, %dweights: tensor<?x2xf32>) {
  // expected-error @+1 {{'moe.route_grad' op expected scale to be finite and positive as an f32, but got 0}}
  %result = moe.route_grad %logits, %indices, %dweights {scale = 0.0 : f64}
    : tensor<?x8xf32>, tensor<?x2xi32>, tensor<?x2xf32> -> tensor<?x8xf32>
  return
}

// -----

// route_grad_c5
func.func @dweights_of_another_shape(%logits: tensor<?x8xf32>, %indices: tensor<?x2xi32>, %dweights: tensor<?x3xf32>) {
  // expected-error @+1 {{'moe.route_grad' op expected dweights to have the shape of indices, ?x2, but got ?x3}}
  %result = moe.route_grad %logits, %indices, %dweights
    : tensor<?x8xf32>, tensor<?x2xi32>, tensor<?x3xf32> -> tensor<?x8xf32>
  return
}

// -----

func.func @result_of_another_type(%logits: tensor<?x8xf32>, %indices: tensor<?x2xi32>, %dweights: tensor<?x2xf32>) {
  // expected-error @+1 {{'moe.route_grad' op expected dlogits to be 'tensor<?x8xf32>', but got 'tensor<?x8xf16>'}}
  %result = moe.route_grad %logits, %indices, %dweights
    : tensor<?x8xf32>, tensor<?x2xi32>, tensor<?x2xf32> -> tensor<?x8xf16>
  return
}

// -----

// route_grad_c6
func.func @epsilon_negative(%logits: tensor<?x8xf32>, %indices: tensor<?x2xi32>, %dweights: tensor<?x2xf32>) {
  // expected-error @+1 {{'moe.route_grad' op expected epsilon to be 0, or positive and normal as an f32, but got -1.000000e-20}}
  %result = moe.route_grad %logits, %indices, %dweights {renormalize, epsilon = -1.0e-20 : f64}
    : tensor<?x8xf32>, tensor<?x2xi32>, tensor<?x2xf32> -> tensor<?x8xf32>
  return
}

// -----

// route_grad_c6
func.func @epsilon_subnormal(%logits: tensor<?x8xf32>, %indices: tensor<?x2xi32>, %dweights: tensor<?x2xf32>) {
  // expected-error @+1 {{'moe.route_grad' op expected epsilon to be 0, or positive and normal as an f32, but got 1.000000e-40}}
  %result = moe.route_grad %logits, %indices, %dweights {renormalize, epsilon = 1.0e-40 : f64}
    : tensor<?x8xf32>, tensor<?x2xi32>, tensor<?x2xf32> -> tensor<?x8xf32>
  return
}

// -----

// route_grad_c6
func.func @floor_infinite_as_f32(%logits: tensor<?x8xf32>, %indices: tensor<?x2xi32>, %dweights: tensor<?x2xf32>) {
  // expected-error @+1 {{'moe.route_grad' op expected floor to be 0, or positive and normal as an f32, but got 1.000000e+300}}
  %result = moe.route_grad %logits, %indices, %dweights {renormalize, floor = 1.0e300 : f64}
    : tensor<?x8xf32>, tensor<?x2xi32>, tensor<?x2xf32> -> tensor<?x8xf32>
  return
}

// -----

// route_grad_c7
func.func @epsilon_without_renormalize(%logits: tensor<?x8xf32>, %indices: tensor<?x2xi32>, %dweights: tensor<?x2xf32>) {
  // expected-error @+1 {{'moe.route_grad' op expected renormalize with epsilon, but got epsilon = 1.000000e-20 without it}}
  %result = moe.route_grad %logits, %indices, %dweights {epsilon = 1.0e-20 : f64}
    : tensor<?x8xf32>, tensor<?x2xi32>, tensor<?x2xf32> -> tensor<?x8xf32>
  return
}

// -----

// route_grad_c7
func.func @floor_without_renormalize(%logits: tensor<?x8xf32>, %indices: tensor<?x2xi32>, %dweights: tensor<?x2xf32>) {
  // expected-error @+1 {{'moe.route_grad' op expected renormalize with floor, but got floor = 1.000000e-12 without it}}
  %result = moe.route_grad %logits, %indices, %dweights {floor = 1.0e-12 : f64}
    : tensor<?x8xf32>, tensor<?x2xi32>, tensor<?x2xf32> -> tensor<?x8xf32>
  return
}
