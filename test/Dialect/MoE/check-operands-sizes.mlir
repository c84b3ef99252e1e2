// RUN: moe-opt %s --moe-check-operands | FileCheck %s
// RUN: moe-opt %s --moe-check-operands --moe-normalize-ops --cse --canonicalize \
// RUN:   | FileCheck %s --check-prefix=RESOLVED

// Dynamic sizes that an op needs to be equal are compared before it.

// CHECK-LABEL: func.func @dispatch
// CHECK-SAME:    (%[[X:.+]]: tensor<?x4xf32>, %{{.+}}: tensor<3xi32>, %[[S2R:.+]]: tensor<?x2xi32>, %[[R2S:.+]]: tensor<?xi32>, %[[W:.+]]: tensor<?x2xf32>)
// CHECK:         %[[TOKENS:.+]] = tensor.dim %[[S2R]]
// CHECK:         %[[ROWS:.+]] = tensor.dim %[[X]]
// CHECK:         %[[X_FITS:.+]] = arith.cmpi eq, %[[ROWS]], %[[TOKENS]]
// CHECK:         cf.assert %[[X_FITS]], "expected one token of slot_to_row for each row of x"
// CHECK:         cf.assert %{{.+}}, "expected one element of row_to_slot for each slot"
// CHECK:         %[[WEIGHTS:.+]] = tensor.dim %[[W]]
// CHECK:         %[[W_FITS:.+]] = arith.cmpi eq, %[[WEIGHTS]], %[[TOKENS]]
// CHECK:         cf.assert %[[W_FITS]], "expected one weight for each slot"
// CHECK:         moe.dispatch
func.func @dispatch(%x: tensor<?x4xf32>, %offsets: tensor<3xi32>, %s2r: tensor<?x2xi32>, %r2s: tensor<?xi32>, %w: tensor<?x2xf32>) -> tensor<?x4xf32> {
  %rows = moe.dispatch %x, %offsets, %s2r, %r2s weights %w
    : tensor<?x4xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?x2xf32> -> tensor<?x4xf32>
  return %rows : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @combine
// CHECK:         cf.assert %{{.+}}, "expected one row for each slot"
// CHECK:         cf.assert %{{.+}}, "expected one element of row_to_slot for each slot"
// CHECK-NOT:     cf.assert
// CHECK:         moe.combine
func.func @combine(%y: tensor<?x4xf32>, %offsets: tensor<3xi32>, %s2r: tensor<?x2xi32>, %r2s: tensor<?xi32>) -> tensor<?x4xf32> {
  %out = moe.combine %y, %offsets, %s2r, %r2s
    : tensor<?x4xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x4xf32>
  return %out : tensor<?x4xf32>
}

// Static sizes are the verifier's.
// CHECK-LABEL: func.func @static
// CHECK-NOT:     cf.assert
func.func @static(%x: tensor<4x4xf32>, %offsets: tensor<3xi32>, %s2r: tensor<4x2xi32>, %r2s: tensor<8xi32>) -> tensor<4x4xf32> {
  %rows = moe.dispatch %x, %offsets, %s2r, %r2s
    : tensor<4x4xf32>, tensor<3xi32>, tensor<4x2xi32>, tensor<8xi32> -> tensor<8x4xf32>
  %out = moe.combine %rows, %offsets, %s2r, %r2s
    : tensor<8x4xf32>, tensor<3xi32>, tensor<4x2xi32>, tensor<8xi32> -> tensor<4x4xf32>
  return %out : tensor<4x4xf32>
}

// Where all sizes follow from one argument, nothing is left to compare.
// CHECK-LABEL:    func.func @one_source
// CHECK:            cf.assert
// RESOLVED-LABEL: func.func @one_source
// RESOLVED-NOT:     cf.assert
func.func @one_source(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %weights, %indices = moe.route %x {top_k = 2 : i64} : tensor<?x4xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  %offsets, %s2r, %r2s, %re = moe.plan %indices {experts = 4 : i64}
    : tensor<?x2xi32> -> tensor<5xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  %rows = moe.dispatch %x, %offsets, %s2r, %r2s
    : tensor<?x4xf32>, tensor<5xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x4xf32>
  %out = moe.combine %rows, %offsets, %s2r, %r2s weights %weights
    : tensor<?x4xf32>, tensor<5xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?x2xf32> -> tensor<?x4xf32>
  return %out : tensor<?x4xf32>
}
