// RUN: not moe-translate --moe-to-bundle %s > %t.out 2> %t.error
// RUN: FileCheck %s < %t.error
// RUN: %python -c "import sys; sys.exit(len(open(sys.argv[1]).readlines()) - 1)" %t.error

// A module that has not been compiled, to be written: one line.

// CHECK: error: expected a moe_rt.program to write, but got none: run --moe-compile-pipeline first, on a module with a public function

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
