// RUN: moe-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{'func.func' op expected 'moe.aliases_result' of argument 0 to be an i64, but got 0 : i32}}
func.func @number_of_another_type(%w: tensor<4xf32> {moe.aliases_result = 0 : i32}) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op expected 'moe.aliases_result' of argument 0 to be an i64, but got "w"}}
func.func @name_for_a_number(%w: tensor<4xf32> {moe.aliases_result = "w"}) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op expected 'moe.aliases_result' of argument 1 to be a result below 1, but got 1}}
func.func @no_such_result(%x: tensor<4xf32>, %w: tensor<4xf32> {moe.aliases_result = 1 : i64}) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op expected 'moe.aliases_result' of argument 0 to be a result below 1, but got -1}}
func.func @negative_result(%w: tensor<4xf32> {moe.aliases_result = -1 : i64}) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op expected argument 0 to have the static tensor type of result 0, which it aliases, but got 'tensor<4xf32>' and 'tensor<2x2xf32>'}}
func.func private @result_of_another_type(tensor<4xf32> {moe.aliases_result = 0 : i64}) -> tensor<2x2xf32>

// -----

// expected-error @+1 {{'func.func' op expected argument 0 to have the static tensor type of result 0, which it aliases, but got 'tensor<?xf32>' and 'tensor<?xf32>'}}
func.func @dynamic(%w: tensor<?xf32> {moe.aliases_result = 0 : i64}) -> tensor<?xf32> {
  return %w : tensor<?xf32>
}

// -----

// expected-error @+1 {{'func.func' op expected argument 0 to have the static tensor type of result 0, which it aliases, but got 'f32' and 'f32'}}
func.func @no_tensor(%w: f32 {moe.aliases_result = 0 : i64}) -> f32 {
  return %w : f32
}

// -----

// expected-error @+1 {{'func.func' op expected one argument to alias result 1, but got arguments 0 and 2}}
func.func @two_arguments_of_one_result(
    %v: tensor<4xf32> {moe.aliases_result = 1 : i64}, %x: tensor<4xf32> {moe.aliases_result = 0 : i64},
    %w: tensor<4xf32> {moe.aliases_result = 1 : i64}) -> (tensor<4xf32>, tensor<4xf32>) {
  return %v, %w : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op expected 'moe.name' of argument 0 to be a string, but got 7 : i64}}
func.func private @name_that_is_a_number(tensor<4xf32> {moe.name = 7})

// -----

// expected-error @+1 {{'func.func' op expected 'moe.name' or 'moe.aliases_result' on argument 1, but got 'moe.alias_result'}}
func.func private @misspelt(tensor<4xf32>, tensor<4xf32> {moe.alias_result = 0 : i64})
