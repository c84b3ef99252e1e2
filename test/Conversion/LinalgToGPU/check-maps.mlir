// RUN: moe-opt %s -split-input-file --convert-linalg-to-gpu --canonicalize --cse | FileCheck %s

// Each map by itself, then the first fault of both. The maps and the scratch
// are all that a dispatch binds: four buffers at most.

// CHECK-LABEL: moe_rt.program @checked
// CHECK-DAG: %[[SLOTS:.*]] = moe_rt.buffer "input 0" <input>
// CHECK-DAG: %[[ROWS:.*]] = moe_rt.buffer "input 1" <input>
// CHECK-DAG: %[[CHECKED_SLOTS:.*]] = moe_rt.buffer "result 0" <output>
// CHECK-DAG: %[[CHECKED_ROWS:.*]] = moe_rt.buffer "result 1" <output>
// CHECK-DAG: %[[STATUS:.*]] = moe_rt.buffer "status" <status>
// CHECK-DAG: %[[FAULTS:.*]] = moe_rt.buffer "check_maps faults" <transient>
// CHECK: moe_rt.dispatch @check_maps_slots {{.*}} reads(%[[SLOTS]], %[[ROWS]]) writes(%[[CHECKED_SLOTS]], %[[FAULTS]]) {{.*}} label "check maps: slots"
// CHECK: moe_rt.dispatch @check_maps_rows {{.*}} reads(%[[ROWS]], %[[SLOTS]]) writes(%[[CHECKED_ROWS]], %[[FAULTS]]) {{.*}} label "check maps: rows"
// CHECK: moe_rt.fault_site "check", 3, "expected slot_to_row to be -1 or a row that row_to_slot gives back, but got {value} at token {token}, slot {choice}"
// CHECK: moe_rt.fault_site "check", 0, "expected row_to_slot to be -1 or a slot that slot_to_row gives back, but got {value} at row {slot}"
// CHECK: moe_rt.dispatch @check_maps_report grid(%c1, %c1, %c1) {{.*}} reads(%[[FAULTS]], %[[SLOTS]], %[[ROWS]]) updates(%[[STATUS]]) label "check maps: report"

// A negative value is too large, and none of its kind is a position.
// CHECK-LABEL: gpu.func @check_maps_slots
// CHECK: %[[IN_RANGE:.*]] = arith.cmpi ult, %[[ROW:.*]], %{{.*}} : i32
// CHECK: %[[SAFE:.*]] = arith.select %[[IN_RANGE]], %[[ROW]], %c0_i32
// CHECK: %[[AT:.*]] = arith.index_cast %[[SAFE]]
// CHECK: memref.load %{{.*}}[%[[AT]]]

// Code 3 of site 0, then of site 1, unless there is a fault already.
// CHECK-LABEL: gpu.func @check_maps_report
// CHECK: memref.store %c3_i32, %[[WORDS:.*]][%c0]
// CHECK: memref.store %c0_i32, %[[WORDS]][%c1]
// CHECK: memref.store %c3_i32, %[[WORDS]][%c0]
// CHECK: memref.store %c1_i32, %[[WORDS]][%c1]
func.func @checked(%s: tensor<?x3xi32>, %r: tensor<?xi32>) -> (tensor<?x3xi32>, tensor<?xi32>) {
  %0:2 = moe.kernel "check" (%a = %s : tensor<?x3xi32>, %b = %r : tensor<?xi32>)
      -> (tensor<?x3xi32>, tensor<?xi32>) schedule(#moe.schedule<check_maps, workgroup = 64, chunks = 512>) {
    %1, %2 = moe.check_maps %a, %b : tensor<?x3xi32>, tensor<?xi32>
    moe.yield %1, %2 : tensor<?x3xi32>, tensor<?xi32>
  }
  return %0#0, %0#1 : tensor<?x3xi32>, tensor<?xi32>
}

// -----

// A map that nobody reads is checked, but not written.
// CHECK-LABEL: moe_rt.program @slots_alone
// CHECK: moe_rt.dispatch @check_maps_rows {{.*}} writes(%[[FAULTS:.*]]) {{.*}} label "check maps: rows"
// CHECK: moe_rt.dispatch @check_maps_report {{.*}} reads(%[[FAULTS]],
func.func @slots_alone(%s: tensor<4x2xi32>, %r: tensor<8xi32>) -> tensor<4x2xi32> {
  %0 = moe.kernel "check" (%a = %s : tensor<4x2xi32>, %b = %r : tensor<8xi32>)
      -> (tensor<4x2xi32>) schedule(#moe.schedule<check_maps, workgroup = 64, chunks = 512>) {
    %1, %2 = moe.check_maps %a, %b : tensor<4x2xi32>, tensor<8xi32>
    moe.yield %1 : tensor<4x2xi32>
  }
  return %0 : tensor<4x2xi32>
}
