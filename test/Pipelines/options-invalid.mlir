// RUN: not moe-opt %s --moe-compile-pipeline=target=voodoo 2>&1 | FileCheck %s --check-prefix=TARGET --implicit-check-not="LLVM ERROR"
// RUN: not moe-opt %s --moe-compile-pipeline=stop-after=lunch 2>&1 | FileCheck %s --check-prefix=STAGE --implicit-check-not="LLVM ERROR"
// RUN: not moe-opt %s --moe-schedule-pipeline=target=voodoo 2>&1 | FileCheck %s --check-prefix=TARGET --implicit-check-not="LLVM ERROR"
// RUN: not moe-opt %s --moe-compile-pipeline=fast=true 2>&1 | FileCheck %s --check-prefix=OPTION --implicit-check-not="LLVM ERROR"

// TARGET: error: expected a target of amd32, amd64, lavapipe, minimal, nvidia, but got 'voodoo'
// STAGE: error: expected stop-after to be kernels, schedule, linalg, gpu, spirv or program, but got 'lunch'
// OPTION: no such option fast

module {}
