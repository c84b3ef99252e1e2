// RUN: moe-opt %s --moe-compile-pipeline="target=lavapipe stop-after=schedule" | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: moe-opt %s --moe-compile-pipeline="target=nvidia stop-after=schedule" | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: moe-opt %s --moe-compile-pipeline="reference stop-after=schedule" | FileCheck %s
// RUN: moe-opt %s --moe-compile-pipeline="target=minimal" | FileCheck %s --check-prefix=PROGRAM
// RUN: moe-opt %s --moe-compile-pipeline="stop-after=linalg" | FileCheck %s --check-prefix=LOOPS

// Maps that are arguments are checked by one kernel, and what reads them reads
// its results.

// CHECK-LABEL: func.func @there_and_back
// CHECK:         %[[MAPS:.+]]:2 = moe.kernel "check_maps"
// NARROW-SAME:     schedule(#moe.schedule<check_maps, workgroup = 64, chunks = 512>)
// WIDE-SAME:       schedule(#moe.schedule<check_maps, workgroup = 64, chunks = 2048>)
// CHECK-NOT:     "check_maps"
// CHECK:         moe.kernel {{.*}} = %[[MAPS]]#1
// CHECK:         moe.kernel {{.*}} = %[[MAPS]]#0

// PROGRAM: moe_rt.dispatch @check_maps_slots
// PROGRAM: moe_rt.dispatch @check_maps_rows
// PROGRAM: moe_rt.dispatch @check_maps_report
// PROGRAM-NOT: moe_rt.dispatch @check_maps
// PROGRAM: moe_rt.dispatch @dispatch

// LOOPS-LABEL: func.func @there_and_back
// LOOPS-NOT:     moe.
// LOOPS:         scf.for

func.func @there_and_back(%x: tensor<?x4xf32>, %offsets: tensor<3xi32>, %s2r: tensor<?x2xi32>, %r2s: tensor<?xi32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %rows = moe.dispatch %x, %offsets, %s2r, %r2s
    : tensor<?x4xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x4xf32>
  %out = moe.combine %rows, %offsets, %s2r, %r2s
    : tensor<?x4xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x4xf32>
  return %rows, %out : tensor<?x4xf32>, tensor<?x4xf32>
}

// A check that nobody reads is run nevertheless.
// CHECK-LABEL: func.func @unused
// CHECK:         moe.kernel "check_maps"
func.func @unused(%x: tensor<?x4xf32>, %s2r: tensor<?x2xi32>, %r2s: tensor<?xi32>) -> tensor<?x4xf32> {
  %0, %1 = moe.check_maps %s2r, %r2s : tensor<?x2xi32>, tensor<?xi32>
  %y = arith.addf %x, %x : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
