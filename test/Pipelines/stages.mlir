// RUN: moe-opt %s --moe-compile-pipeline="stop-after=kernels" | FileCheck %s --check-prefix=KERNELS
// RUN: moe-opt %s --moe-compile-pipeline="stop-after=schedule" | FileCheck %s --check-prefix=SCHEDULE
// RUN: moe-opt %s --moe-compile-pipeline="stop-after=linalg" | FileCheck %s --check-prefix=LINALG
// RUN: moe-opt %s --moe-compile-pipeline="stop-after=gpu" | FileCheck %s --check-prefix=GPU
// RUN: moe-opt %s --moe-compile-pipeline="stop-after=spirv" | FileCheck %s --check-prefix=SPIRV
// RUN: moe-opt %s --moe-compile-pipeline | FileCheck %s --check-prefix=PROGRAM

// What each stage leaves of two experts' products with an activation between.

// KERNELS-LABEL:  func.func @experts
// KERNELS:          moe.kernel "plan" {{.*}}) {
// KERNELS:          moe.kernel "grouped_matmul" {{.*}}) {
// KERNELS:          moe.kernel "elementwise" {{.*}}) {
// KERNELS:          moe.kernel "grouped_matmul" {{.*}}) {
// KERNELS-NOT:      schedule
// KERNELS-NOT:      cf.assert

// SCHEDULE-LABEL: func.func @experts
// SCHEDULE:         moe.kernel "plan" {{.*}} schedule(#moe.schedule<plan
// SCHEDULE:         moe.kernel "tiles" {{.*}} schedule(#moe.schedule<tiles
// SCHEDULE:         moe.kernel "grouped_matmul" {{.*}} schedule(#moe.schedule<matmul
// SCHEDULE:         moe.kernel "elementwise" {{.*}} schedule(#moe.schedule<elementwise
// SCHEDULE-NOT:     moe.kernel "tiles"
// SCHEDULE:         moe.kernel "grouped_matmul" {{.*}} schedule(#moe.schedule<matmul

// Where it is the last one: no kernels, and nothing that upstream's passes for
// the CPU do not know.
// LINALG-LABEL:   func.func @experts
// LINALG-NOT:       moe.{{kernel|plan|tiles|dispatch|grouped_matmul|yield}}
// LINALG:           scf.forall
// LINALG:             linalg.matmul
// LINALG-NOT:       moe.{{kernel|plan|tiles|dispatch|grouped_matmul|yield}}
// LINALG:           return

// GPU-NOT:        func.func
// GPU:            moe_rt.program @experts {
// GPU:              moe_rt.dispatch @grouped_matmul grid
// GPU:              moe_rt.dispatch @elementwise grid
// GPU:              moe_rt.dispatch @grouped_matmul_1 grid
// GPU-NOT:          moe_rt.barrier
// GPU:            gpu.module @kernels
// GPU-DAG:          gpu.func @grouped_matmul(
// GPU-DAG:          gpu.func @elementwise(
// GPU-DAG:          gpu.func @grouped_matmul_1(

// SPIRV:          module attributes {spirv.target_env = #spirv.target_env<
// SPIRV:          moe_rt.program @experts {
// SPIRV-NOT:        moe_rt.barrier
// SPIRV-NOT:      gpu.
// SPIRV-DAG:      spirv.module @grouped_matmul Logical
// SPIRV-DAG:      spirv.module @elementwise Logical
// SPIRV-DAG:      spirv.module @grouped_matmul_1 Logical
// SPIRV-NOT:      gpu.

// PROGRAM:        moe_rt.program @experts {
// PROGRAM:          moe_rt.arena %{{.+}}
// PROGRAM:          moe_rt.dispatch @grouped_matmul grid
// PROGRAM-NEXT:     moe_rt.barrier
// PROGRAM-NEXT:     moe_rt.dispatch @elementwise grid
// PROGRAM-NEXT:     moe_rt.barrier
// PROGRAM-NEXT:     moe_rt.dispatch @grouped_matmul_1 grid
// PROGRAM:        spirv.module @grouped_matmul Logical

func.func @experts(%x: tensor<?x8xf32>, %indices: tensor<?x2xi32>, %up: tensor<4x8x16xf32>,
                   %down: tensor<4x16x8xf32>) -> tensor<?x8xf32> {
  %offsets, %s2r, %r2s, %re = moe.plan %indices {experts = 4 : i64}
    : tensor<?x2xi32> -> tensor<5xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  %rows = moe.dispatch %x, %offsets, %s2r, %r2s
    : tensor<?x8xf32>, tensor<5xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x8xf32>
  %h = moe.grouped_matmul %rows, %up, %offsets
    : tensor<?x8xf32>, tensor<4x8x16xf32>, tensor<5xi32> -> tensor<?x16xf32>
  %a = math.tanh %h : tensor<?x16xf32>
  %y = moe.grouped_matmul %a, %down, %offsets
    : tensor<?x16xf32>, tensor<4x16x8xf32>, tensor<5xi32> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
