// RUN: split-file %s %t
// RUN: %python %t/chains.py %t
// RUN: timeout 60 moe-opt %t/index.mlir --moe-compile-pipeline=stop-after=gpu -o /dev/null
// RUN: timeout 60 moe-opt %t/scalar.mlir --moe-compile-pipeline=stop-after=gpu -o /dev/null
// RUN: timeout 60 moe-opt %t/free.mlir --moe-differentiate=mode=split -o /dev/null
// RUN: not timeout 60 moe-opt %t/deep.mlir --moe-compile-pipeline=stop-after=gpu 2>&1 | FileCheck %s --check-prefix=DEEP
// RUN: not timeout 60 moe-opt %t/wide.mlir --moe-compile-pipeline=stop-after=gpu 2>&1 | FileCheck %s --check-prefix=WIDE

// Values of which each follows twice from the last one: what is computed of them
// is computed once, not once for each way to it. Views are read anew by each
// reader, up to a limit.

// DEEP: error: 'tensor.insert_slice' op expected at most 512 views, each of the last one, in a kernel, but got more
// WIDE: error: 'tensor.insert_slice' op expected at most 65536 reads of views in a kernel, but got more

//--- chains.py
import sys

def write(name, lines):
    with open(f"{sys.argv[1]}/{name}.mlir", "w") as file:
        file.write("\n".join(lines) + "\n}\n")

sizes = ["func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {",
         "%c0 = arith.constant 0 : index",
         "%one = arith.constant 1.0 : f32",
         "%s0 = tensor.dim %x, %c0 : tensor<?xf32>"]
for i in range(24):
    sizes += [f"%t{i} = arith.maxsi %s{i}, %c0 : index",
              f"%s{i + 1} = arith.addi %s{i}, %s{i} : index"]
write("index", sizes + ["%e = tensor.splat %one[%s24] : tensor<?xf32>",
                        "return %e : tensor<?xf32>"])
write("free", sizes + ["%n = arith.index_cast %s24 : index to i32",
                       "%f = arith.sitofp %n : i32 to f32",
                       "%e = tensor.splat %f[%s0] : tensor<?xf32>",
                       "%y = arith.mulf %x, %e : tensor<?xf32>",
                       "return %y : tensor<?xf32>"])

scalars = ["func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {",
           "%c0 = arith.constant 0 : index",
           "%s0 = tensor.extract %x[%c0] : tensor<8xf32>"]
scalars += [f"%s{i + 1} = arith.addf %s{i}, %s{i} : f32" for i in range(60)]
write("scalar", scalars + ["%y = tensor.splat %s60 : tensor<8xf32>",
                           "return %y : tensor<8xf32>"])

count = 600
deep = [f"func.func @f(%x: tensor<{count}xf32>) -> tensor<{count}xf32> {{"]
for i in range(count):
    deep += [f"%c{i} = arith.constant {i} : index",
             f"%e{i} = tensor.extract %x[%c{i}] : tensor<{count}xf32>"]
elements = ", ".join(f"%e{count - 1 - i}" for i in range(count))
write("deep", deep + [f"%y = tensor.from_elements {elements} : tensor<{count}xf32>",
                      f"return %y : tensor<{count}xf32>"])

wide = ["func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {",
        "%y0 = arith.addf %x, %x : tensor<8xf32>"]
for i in range(40):
    wide += [f"%z{i} = tensor.extract_slice %y{i}[1] [4] [1]"
             " : tensor<8xf32> to tensor<4xf32>",
             f"%y{i + 1} = tensor.insert_slice %z{i} into %y{i}[{i % 2 * 2}] [4] [1]"
             " : tensor<4xf32> into tensor<8xf32>"]
write("wide", wide + ["return %y40 : tensor<8xf32>"])
