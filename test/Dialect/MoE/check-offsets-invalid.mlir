// RUN: moe-opt %s -split-input-file -verify-diagnostics

// check_offsets_c1
func.func @offsets_of_no_expert(%offsets: tensor<1xi32>, %rows: tensor<?x64xf32>) {
  // expected-error @+1 {{'moe.check_offsets' op expected offsets to have at least 2 elements (experts + 1), but got 1}}
  %checked = moe.check_offsets %offsets, %rows : tensor<1xi32>, tensor<?x64xf32>
  return
}

// -----

func.func @offsets_not_a_vector(%offsets: tensor<i32>, %rows: tensor<?x64xf32>) {
  // expected-error @+1 {{'moe.check_offsets' op operand #0 must be vector of i32}}
  %checked = moe.check_offsets %offsets, %rows : tensor<i32>, tensor<?x64xf32>
  return
}

// -----

func.func @offsets_unranked(%offsets: tensor<*xi32>, %rows: tensor<?x64xf32>) {
  // expected-error @+1 {{'moe.check_offsets' op operand #0 must be vector of i32}}
  %checked = "moe.check_offsets"(%offsets, %rows) : (tensor<*xi32>, tensor<?x64xf32>) -> tensor<9xi32>
  return
}

// -----

func.func @checked_of_another_length(%offsets: tensor<9xi32>, %rows: tensor<?x64xf32>) {
  // expected-error @+1 {{'moe.check_offsets' op expected checked to be 'tensor<9xi32>', but got 'tensor<8xi32>'}}
  %checked = "moe.check_offsets"(%offsets, %rows) : (tensor<9xi32>, tensor<?x64xf32>) -> tensor<8xi32>
  return
}
