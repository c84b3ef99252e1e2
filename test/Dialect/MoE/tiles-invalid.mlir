// RUN: moe-opt %s -split-input-file -verify-diagnostics

// tiles_c1
func.func @rows_zero(%offsets: tensor<9xi32>, %total: index) {
  // expected-error @+1 {{'moe.tiles' op expected rows to be at least 1, but got 0}}
  %table, %count, %grid = moe.tiles %offsets, %total {rows = 0 : i64}
    : tensor<9xi32> -> tensor<?x3xi32>, tensor<1xi32>, tensor<3xi32>
  return
}

// -----

// tiles_c2
func.func @offsets_of_no_expert(%offsets: tensor<1xi32>, %total: index) {
  // expected-error @+1 {{'moe.tiles' op expected offsets to have at least 2 elements (experts + 1), but got 1}}
  %table, %count, %grid = moe.tiles %offsets, %total {rows = 16 : i64}
    : tensor<1xi32> -> tensor<?x3xi32>, tensor<1xi32>, tensor<3xi32>
  return
}

// -----

// tiles_c3
func.func @table_entries_not_triples(%offsets: tensor<9xi32>, %total: index) {
  // expected-error @+1 {{'moe.tiles' op expected table to be 'tensor<?x3xi32>', but got 'tensor<?x4xi32>'}}
  %table, %count, %grid = moe.tiles %offsets, %total {rows = 16 : i64}
    : tensor<9xi32> -> tensor<?x4xi32>, tensor<1xi32>, tensor<3xi32>
  return
}

// -----

func.func @count_not_one_element(%offsets: tensor<9xi32>, %total: index) {
  // expected-error @+1 {{'moe.tiles' op expected count to be 'tensor<1xi32>', but got 'tensor<2xi32>'}}
  %table, %count, %grid = moe.tiles %offsets, %total {rows = 16 : i64}
    : tensor<9xi32> -> tensor<?x3xi32>, tensor<2xi32>, tensor<3xi32>
  return
}

// -----

func.func @grid_not_three_elements(%offsets: tensor<9xi32>, %total: index) {
  // expected-error @+1 {{'moe.tiles' op expected grid to be 'tensor<3xi32>', but got 'tensor<4xi32>'}}
  %table, %count, %grid = moe.tiles %offsets, %total {rows = 16 : i64}
    : tensor<9xi32> -> tensor<?x3xi32>, tensor<1xi32>, tensor<4xi32>
  return
}
