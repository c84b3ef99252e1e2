// RUN: moe-opt %s --split-input-file --verify-diagnostics --convert-linalg-to-gpu

func.func @computed_operand(%logits: tensor<?x8xf32>) -> tensor<?x2xi32> {
  %r = moe.kernel "route" (%l = %logits : tensor<?x8xf32>) -> (tensor<?x2xi32>)
      schedule(#moe.schedule<route, workgroup = 4, lanes = 4>) {
    %sum = arith.addf %l, %l : tensor<?x8xf32>
    // expected-error @+1 {{expected operand 0 to be an input of its kernel, but got a computed value}}
    %x:2 = moe.route %sum {top_k = 2 : i64} : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
    moe.yield %x#1 : tensor<?x2xi32>
  }
  return %r : tensor<?x2xi32>
}

// -----

func.func @lanes_not_a_power_of_two(%logits: tensor<?x8xf32>) -> tensor<?x2xi32> {
  // expected-error @+1 {{expected a power of two of lanes, but got 3}}
  %r = moe.kernel "route" (%l = %logits : tensor<?x8xf32>) -> (tensor<?x2xi32>)
      schedule(#moe.schedule<route, workgroup = 3, lanes = 3>) {
    %x:2 = moe.route %l {top_k = 2 : i64} : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
    moe.yield %x#1 : tensor<?x2xi32>
  }
  return %r : tensor<?x2xi32>
}

// -----

func.func @foreign_result(%logits: tensor<?x8xf32>) -> (tensor<?x2xi32>, tensor<?x8xf32>) {
  // expected-error @+1 {{expected to yield results of 'moe.route', each at most once, but got another value}}
  %r:2 = moe.kernel "route" (%l = %logits : tensor<?x8xf32>) -> (tensor<?x2xi32>, tensor<?x8xf32>)
      schedule(#moe.schedule<route, workgroup = 4, lanes = 4>) {
    %x:2 = moe.route %l {top_k = 2 : i64} : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
    moe.yield %x#1, %l : tensor<?x2xi32>, tensor<?x8xf32>
  }
  return %r#0, %r#1 : tensor<?x2xi32>, tensor<?x8xf32>
}

// -----

func.func @dynamic_number_of_offsets(%offsets: tensor<?xi32>) -> tensor<1xi32> {
  %total = arith.constant 100 : index
  %r = moe.kernel "tiles" (%o = %offsets : tensor<?xi32>, %t = %total : index) -> (tensor<1xi32>)
      schedule(#moe.schedule<tiles, workgroup = 8, rows = 16>) {
    // expected-error @+1 {{expected a static number of offsets, but got 'tensor<?xi32>'}}
    %x:3 = moe.tiles %o, %t {rows = 16 : i64}
      : tensor<?xi32> -> tensor<?x3xi32>, tensor<1xi32>, tensor<3xi32>
    moe.yield %x#1 : tensor<1xi32>
  }
  return %r : tensor<1xi32>
}
