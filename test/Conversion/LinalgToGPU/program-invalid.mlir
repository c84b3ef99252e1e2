// RUN: moe-opt %s -split-input-file -verify-diagnostics --convert-linalg-to-gpu

// expected-error @+1 {{expected argument 1 to be a ranked tensor, but got 'f32'}}
func.func @scalar_argument(%x: tensor<4xf32>, %s: f32) {
  return
}

// -----

// expected-error @+1 {{expected result 0 to be the result of a kernel and no other result of the function: run --moe-form-kernels first}}
func.func @argument_returned(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @op_outside_of_kernels(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected a kernel around every op that computes a tensor: run --moe-form-kernels first}}
  %sum = arith.addf %x, %x : tensor<4xf32>
  %0 = moe.kernel "copy" (%a = %sum : tensor<4xf32>) -> (tensor<4xf32>) schedule(#moe.schedule<elementwise>) {
    moe.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @no_schedule(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected a schedule, but got none: run --moe-select-schedule first}}
  %0 = moe.kernel "copy" (%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    moe.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @no_results() {
  // expected-error @+1 {{expected at least one result, but got none}}
  moe.kernel "nothing" () -> () schedule(#moe.schedule<elementwise>) {
    moe.yield
  }
  return
}

// -----

// expected-error @+1 {{expected a tensor with at most one dynamic dimension that follows from the function's arguments, but got 'tensor<?x?xf32>'}}
func.func @two_dynamic_dimensions(%x: tensor<?x?xf32>) {
  return
}

// -----

func.func @size_from_data(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<?xf32> {
  // expected-error @+1 {{expected a tensor with at most one dynamic dimension that follows from the function's arguments, but got 'tensor<?xf32>'}}
  %0 = moe.kernel "slice" (%a = %x : tensor<4xf32>, %b = %n : tensor<i32>) -> (tensor<?xf32>) schedule(#moe.schedule<elementwise>) {
    %i = tensor.extract %b[] : tensor<i32>
    %size = arith.index_cast %i : i32 to index
    %y = tensor.extract_slice %a[0] [%size] [1] : tensor<4xf32> to tensor<?xf32>
    moe.yield %y : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

func.func @sizes_that_never_agree(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x8xf32>
  %0 = moe.kernel "cast" (%a = %x : tensor<?x8xf32>, %n = %t : index) -> (tensor<?x8xf32>) schedule(#moe.schedule<elementwise>) {
    %four = tensor.cast %a : tensor<?x8xf32> to tensor<4x8xf32>
    %dynamic = tensor.cast %four : tensor<4x8xf32> to tensor<?x8xf32>
    // expected-error @+1 {{expected equal sizes, but got 4 and 5}}
    %five = tensor.cast %dynamic : tensor<?x8xf32> to tensor<5x8xf32>
    %y = tensor.cast %five : tensor<5x8xf32> to tensor<?x8xf32>
    moe.yield %y : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// -----

func.func @condition_on_data(%n: tensor<i1>) {
  %c = tensor.extract %n[] : tensor<i1>
  // expected-error @+1 {{expected two sizes to be compared for equality, but got another condition, which the host cannot check}}
  cf.assert %c, "no"
  return
}
