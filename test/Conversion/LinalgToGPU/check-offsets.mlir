// RUN: moe-opt %s --convert-linalg-to-gpu --canonicalize --cse | FileCheck %s

// CHECK-LABEL: moe_rt.program @checked
// CHECK: %[[STATUS:.*]] = moe_rt.buffer "status" <status>
// CHECK: %[[OFFSETS:.*]] = moe_rt.buffer "input 0" <input>
// CHECK: %[[CHECKED:.*]] = moe_rt.buffer "result 0" <output>
// CHECK: moe_rt.fault_site "check", 0, "expected offsets to start at 0, not decrease and end at most at the number of rows, but got {value} at element {slot}"
// CHECK: moe_rt.dispatch @check_offsets grid(%c1, %c1, %c1) push({{.*}}) reads(%[[OFFSETS]]) writes(%[[CHECKED]]) updates(%[[STATUS]]) {{.*}} label "check offsets"

// Code 2 of site 0, unless there is a fault already.
// CHECK-LABEL: gpu.func @check_offsets
// CHECK: %[[CODE:.*]] = memref.load %[[WORDS:.*]][%c0]
// CHECK: %[[FREE:.*]] = arith.cmpi eq, %[[CODE]], %c0_i32
// CHECK: scf.if %[[FREE]]
// CHECK: memref.store %c2_i32, %[[WORDS]][%c0]
// CHECK: memref.store %c0_i32, %[[WORDS]][%c1]
func.func @checked(%offsets: tensor<9xi32>, %rows: tensor<?x4xf32>) -> tensor<9xi32> {
  %r = moe.kernel "check" (%o = %offsets : tensor<9xi32>, %x = %rows : tensor<?x4xf32>)
      -> (tensor<9xi32>) schedule(#moe.schedule<check_offsets, workgroup = 8>) {
    %c = moe.check_offsets %o, %x : tensor<9xi32>, tensor<?x4xf32>
    moe.yield %c : tensor<9xi32>
  }
  return %r : tensor<9xi32>
}
