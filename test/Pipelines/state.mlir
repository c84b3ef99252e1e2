// RUN: moe-opt %s --moe-compile-pipeline="target=minimal" | FileCheck %s
// RUN: moe-opt %s --moe-compile-pipeline="target=amd32" | FileCheck %s
// RUN: moe-opt %s --moe-compile-pipeline="target=amd64" | FileCheck %s
// RUN: moe-opt %s --moe-compile-pipeline="target=lavapipe" | FileCheck %s
// RUN: moe-opt %s --moe-compile-pipeline="target=nvidia" | FileCheck %s
// RUN: moe-opt %s --moe-compile-pipeline="reference" | FileCheck %s
// RUN: moe-opt %s --moe-compile-pipeline="stop-after=linalg" | FileCheck %s --check-prefix=LINALG
// RUN: moe-opt %s --moe-compile-pipeline="reference stop-after=linalg" | FileCheck %s --check-prefix=LINALG

// On each target state is updated last, between barriers and behind the guard.

// CHECK-LABEL: moe_rt.program @step
// CHECK:         %[[STATUS:.+]] = moe_rt.buffer "status" <status>
// CHECK:         %[[W:.+]] = moe_rt.buffer "w" <input>
// CHECK:         %[[N:.+]] = moe_rt.buffer "n" <input>
// CHECK:         moe_rt.alias 1, 1
// CHECK:         moe_rt.alias 2, 2
// CHECK:         moe_rt.dispatch @plan_scan {{.*}} updates({{.*}}%[[STATUS]]{{.*}})
// CHECK:         moe_rt.barrier
// CHECK:         moe_rt.dispatch @guard_updates {{.*}} reads(%[[STATUS]], %{{.+}}) writes(%[[GRIDS:.+]]) label
// CHECK-NEXT:    moe_rt.barrier
// CHECK:         moe_rt.dispatch_indirect @{{.+}} grid(%[[GRIDS]] at %{{.+}}) updates(%[[W]])
// CHECK:         moe_rt.dispatch_indirect @{{.+}} grid(%[[GRIDS]] at %{{.+}}) updates(%[[N]])
// CHECK-NOT:     moe_rt.dispatch
// CHECK:       spirv.module

// Without kernels a function only returns the next value.

// LINALG-LABEL: func.func @step
// LINALG-NOT:     moe.kernel
// LINALG-NOT:     updates
// LINALG:         return
func.func @step(%i: tensor<?x2xi32>, %w: tensor<8x6xf32> {moe.aliases_result = 1 : i64, moe.name = "w"},
                %n: tensor<i32> {moe.aliases_result = 2 : i64, moe.name = "n"})
    -> (tensor<5xi32>, tensor<8x6xf32>, tensor<i32>) {
  %one = arith.constant dense<1> : tensor<i32>
  %y = arith.addf %w, %w : tensor<8x6xf32>
  %m = arith.addi %n, %one : tensor<i32>
  %offsets, %slots, %rows, %experts = moe.plan %i {experts = 4 : i64}
    : tensor<?x2xi32> -> tensor<5xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  return %offsets, %y, %m : tensor<5xi32>, tensor<8x6xf32>, tensor<i32>
}
