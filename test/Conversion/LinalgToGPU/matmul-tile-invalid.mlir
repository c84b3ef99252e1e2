// RUN: moe-opt %s -split-input-file -verify-diagnostics --convert-linalg-to-gpu

// A kernel of family matmul by hand, which is not what --convert-moe-to-linalg
// leaves: each thing that the lowering reads is asked for.

func.func @insert_of_two(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = moe.kernel "product" (%a = %x : tensor<?x8xf32>) -> (tensor<?x8xf32>) schedule(#moe.schedule<matmul, lanes = 2, rows = 4, columns = 8>) {
    %c4 = arith.constant 4 : index
    %tile = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{'scf.forall' op expected to insert one slice, of stride 1, into its result}}
    %y = scf.forall (%i, %j) in (%c4, 1) shared_outs(%out = %a) -> (tensor<?x8xf32>) {
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %tile into %out[%i, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<?x8xf32>
        tensor.parallel_insert_slice %tile into %out[%i, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<?x8xf32>
      }
    }
    moe.yield %y : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// -----

func.func @whole_tile(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = moe.kernel "product" (%a = %x : tensor<?x8xf32>) -> (tensor<?x8xf32>) schedule(#moe.schedule<matmul, lanes = 2, rows = 4, columns = 8>) {
    %c4 = arith.constant 4 : index
    %tile = arith.constant dense<1.0> : tensor<4x8xf32>
    %y = scf.forall (%i, %j) in (%c4, 1) shared_outs(%out = %a) -> (tensor<?x8xf32>) {
      scf.forall.in_parallel {
        // expected-error @+1 {{expected the upper left part of a static tile of 4 x 8, as the schedule says}}
        tensor.parallel_insert_slice %tile into %out[%i, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<?x8xf32>
      }
    }
    moe.yield %y : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// -----

func.func @no_product(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = moe.kernel "product" (%a = %x : tensor<?x8xf32>) -> (tensor<?x8xf32>) schedule(#moe.schedule<matmul, lanes = 2, rows = 4, columns = 8>) {
    %c4 = arith.constant 4 : index
    %tile = arith.constant dense<1.0> : tensor<4x8xf32>
    // expected-error @+1 {{'scf.forall' op expected a linalg.matmul in the tile}}
    %y = scf.forall (%i, %j) in (%c4, 1) shared_outs(%out = %a) -> (tensor<?x8xf32>) {
      %part = tensor.extract_slice %tile[0, 0] [%c4, 8] [1, 1] : tensor<4x8xf32> to tensor<?x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %part into %out[%i, 0] [%c4, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
      }
    }
    moe.yield %y : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// -----

func.func @tile_of_another_size(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %0 = moe.kernel "product" (%a = %x : tensor<?x8xf32>, %m = %w : tensor<8x8xf32>) -> (tensor<?x8xf32>) schedule(#moe.schedule<matmul, lanes = 2, rows = 4, columns = 8>) {
    %c4 = arith.constant 4 : index
    %y = scf.forall (%i, %j) in (%c4, 1) shared_outs(%out = %a) -> (tensor<?x8xf32>) {
      %left = tensor.extract_slice %out[0, 0] [%c4, 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
      %init = tensor.empty() : tensor<4x8xf32>
      %cast = tensor.cast %init : tensor<4x8xf32> to tensor<?x8xf32>
      // expected-error @+1 {{'linalg.matmul' op expected static tiles of f32 of 4 rows and 8 columns, as the schedule says, but got ('tensor<?x8xf32>', 'tensor<8x8xf32>', 'tensor<?x8xf32>')}}
      %sum = linalg.matmul ins(%left, %m : tensor<?x8xf32>, tensor<8x8xf32>) outs(%cast : tensor<?x8xf32>) -> tensor<?x8xf32>
      %tile = tensor.cast %sum : tensor<?x8xf32> to tensor<4x8xf32>
      %part = tensor.extract_slice %tile[0, 0] [%c4, 8] [1, 1] : tensor<4x8xf32> to tensor<?x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %part into %out[%i, 0] [%c4, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
      }
    }
    moe.yield %y : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}
