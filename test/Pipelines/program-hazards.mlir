// RUN: moe-opt %s --moe-compile-pipeline > %t.program
// RUN: moe-opt %t.program --pass-pipeline="builtin.module(moe_rt.program(moe-rt-check-hazards))" -o /dev/null
// RUN: sed "0,/moe_rt.barrier/s///" %t.program > %t.missing
// RUN: not moe-opt %t.missing --pass-pipeline="builtin.module(moe_rt.program(moe-rt-check-hazards))" 2>&1 \
// RUN:   | FileCheck %s

// A compiled program passes the check of its hazards; without its first
// barrier it does not.

// CHECK: error: 'moe_rt.dispatch' op

func.func @softmax(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%t) : tensor<?x8xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
