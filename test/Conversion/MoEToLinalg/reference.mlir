// RUN: moe-opt %s --convert-moe-to-linalg --mlir-print-local-scope | FileCheck %s

// Without a schedule a grouped product is row by row: the expert of each row
// is the number of experts that end at or before it.

// CHECK-LABEL: func.func @grouped_matmul
// CHECK:         %[[ENDS:.+]] = tensor.extract_slice %{{.+}}[1] [8] [1]
// CHECK:         %[[EXPERT:.+]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[ENDS]]
// CHECK:           arith.cmpi sle
// CHECK:         %[[SUM:.+]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK:           arith.minsi %{{.+}}, %c7_i32
// CHECK:         linalg.generic {{.*}} ins(%[[SUM]], %[[EXPERT]]
// CHECK:           %[[OWNED:.+]] = arith.cmpi slt, %{{.+}}, %c8_i32
// CHECK:           arith.select %[[OWNED]], %{{.+}}, %cst
func.func @grouped_matmul(%a: tensor<?x64xf32>, %w: tensor<8x64x16xf32>, %offsets: tensor<9xi32>) -> tensor<?x16xf32> {
  %y = moe.grouped_matmul %a, %w, %offsets : tensor<?x64xf32>, tensor<8x64x16xf32>, tensor<9xi32> -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// Half-precision products sum in f32 and round once.

// CHECK-LABEL: func.func @f16_rounds_once
// CHECK:         arith.extf %{{.+}} : f16 to f32
// CHECK:         arith.mulf %{{.+}} : f32
// CHECK:         arith.addf %{{.+}} : f32
// CHECK:         arith.truncf %{{.+}} : f32 to f16
// CHECK-NOT:     arith.truncf
func.func @f16_rounds_once(%a: tensor<?x64xf16>, %w: tensor<8x64x16xf16>, %offsets: tensor<9xi32>) -> tensor<?x16xf16> {
  %y = moe.grouped_matmul %a, %w, %offsets : tensor<?x64xf16>, tensor<8x64x16xf16>, tensor<9xi32> -> tensor<?x16xf16>
  return %y : tensor<?x16xf16>
}
