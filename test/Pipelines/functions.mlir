// RUN: moe-opt %s --moe-compile-pipeline | FileCheck %s --implicit-check-not="@double" --implicit-check-not="func."

// A program for each public function; private ones are inlined.

// CHECK-DAG: moe_rt.program @twice
// CHECK-DAG: moe_rt.program @elementwise
// CHECK-DAG: moe_rt.program @nothing
// A kernel does not take the name of a function.
// CHECK-DAG: spirv.module @elementwise_1

// Nobody calls this one.
func.func private @unused(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = arith.mulf %x, %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

func.func private @double(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = arith.addf %x, %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

func.func @twice(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = call @double(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = call @double(%0) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// A public function may be called as well.
func.func @elementwise(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = call @twice(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

func.func @nothing() {
  return
}
