// RUN: moe-opt %s -split-input-file -verify-diagnostics --convert-linalg-to-gpu

// expected-error @+1 {{expected sizes below 2^31 and at most 2^40 elements in all, but got 'tensor<4294967296xf32>'}}
func.func @longer_than_an_index(%x: tensor<4294967296xf32>) {
  return
}

// -----

// expected-error @+1 {{expected sizes below 2^31 and at most 2^40 elements in all, but got 'tensor<65536x65536x?x65536xf32>'}}
func.func @more_than_bytes_can_be_counted(%x: tensor<65536x65536x?x65536xf32>) {
  return
}

// -----

func.func @in_between(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = moe.kernel "copy" (%a = %x : tensor<?x8xf32>) -> (tensor<?x8xf32>) schedule(#moe.schedule<elementwise, workgroup = 64>) {
    // expected-error @+1 {{expected sizes below 2^31 and at most 2^40 elements in all, but got 'tensor<2147483648x4294967296xf32>'}}
    %huge = tensor.empty() : tensor<2147483648x4294967296xf32>
    %y = tensor.extract_slice %huge[0, 0] [8, 8] [1, 1] : tensor<2147483648x4294967296xf32> to tensor<8x8xf32>
    %z = tensor.cast %y : tensor<8x8xf32> to tensor<?x8xf32>
    moe.yield %z : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}
