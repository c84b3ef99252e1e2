// RUN: moe-opt %s -split-input-file -verify-diagnostics --moe-select-schedule=target=lavapipe
// RUN: not moe-opt %s --moe-select-schedule=target=voodoo 2>&1 | FileCheck %s --check-prefix=TARGET

// TARGET: expected a target of amd32, amd64, lavapipe, minimal, nvidia, but got 'voodoo'

func.func @kernel_without_results() {
  // expected-error @+1 {{expected at least one result, but got none}}
  moe.kernel "nothing" () -> () {
    moe.yield
  }
  return
}
