// RUN: moe-opt %s -split-input-file -verify-diagnostics --moe-differentiate

// The sign of a number by its bits: they become a float again.
func.func @bits(%x: tensor<4xf32>) -> tensor<4xf32> {
  %mask = arith.constant dense<2147483647> : tensor<4xi32>
  %bits = arith.bitcast %x : tensor<4xf32> to tensor<4xi32>
  %size = arith.andi %bits, %mask : tensor<4xi32>
  // expected-error @+1 {{'arith.bitcast' op has no derivative: expected math.copysign, math.absf, arith.cmpf and arith.select, or a conversion of floats, instead}}
  %y = arith.bitcast %size : tensor<4xi32> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// They become a number.
func.func @bits_as_a_number(%x: tensor<4xf32>) -> tensor<4xf32> {
  %bits = arith.bitcast %x : tensor<4xf32> to tensor<4xi32>
  // expected-error @+2 {{'arith.sitofp' op expected an op with a derivative rule}}
  // expected-note @+1 {{}}
  %y = arith.sitofp %bits : tensor<4xi32> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// They are compared: a step.
func.func @bits_compared(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0> : tensor<4xi32>
  %bits = arith.bitcast %x : tensor<4xf32> to tensor<4xi32>
  %negative = arith.cmpi slt, %bits, %zero : tensor<4xi32>
  %minus = arith.negf %x : tensor<4xf32>
  %y = arith.select %negative, %minus, %x : tensor<4xi1>, tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Of integers alone.
func.func @bits_of_another(%x: tensor<4xf32>, %i: tensor<4xi32>) -> tensor<4xf32> {
  %other = arith.bitcast %i : tensor<4xi32> to tensor<4xf32>
  %y = arith.mulf %x, %other : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @scale(%x: tensor<4xf8E5M2>, %s: tensor<4xf8E8M0FNU>) -> tensor<4xf32> {
  // expected-error @+1 {{'arith.scaling_extf' op has no derivative: expected arith.extf or arith.truncf and a product by the scale instead}}
  %y = arith.scaling_extf %x, %s : tensor<4xf8E5M2>, tensor<4xf8E8M0FNU> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @bits_of_a_tensor(%x: tensor<4xf32>) -> tensor<4xf32> {
  %bits = tensor.bitcast %x : tensor<4xf32> to tensor<4xi32>
  // expected-error @+1 {{'tensor.bitcast' op has no derivative: expected math.copysign, math.absf, arith.cmpf and arith.select, or a conversion of floats, instead}}
  %y = tensor.bitcast %bits : tensor<4xi32> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @gather(%x: tensor<4x3xf32>, %at: tensor<2x1xindex>) -> tensor<2x3xf32> {
  // expected-error @+1 {{'tensor.gather' op has no derivative: expected a linalg.generic, whose body may hold tensor.extract, instead}}
  %y = tensor.gather %x[%at] gather_dims([0]) : (tensor<4x3xf32>, tensor<2x1xindex>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @generate(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'tensor.generate' op has no derivative: expected a linalg.generic, whose body may hold tensor.extract, instead}}
  %y = tensor.generate {
  ^bb0(%i: index):
    %e = tensor.extract %x[%i] : tensor<4xf32>
    tensor.yield %e : f32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @scatter(%x: tensor<2x3xf32>, %into: tensor<4x3xf32>, %at: tensor<2x1xindex>) -> tensor<4x3xf32> {
  // expected-error @+1 {{'tensor.scatter' op has no derivative: expected tensor.insert_slice, or a reduction that compares positions, instead}}
  %y = tensor.scatter %x into %into[%at] scatter_dims([0]) unique : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<2x1xindex>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

func.func @pad_by_position(%x: tensor<4xf32>) -> tensor<6xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{'tensor.pad' op has no derivative: expected one value to pad with instead}}
  %y = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    tensor.yield %f : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %y : tensor<6xf32>
}
