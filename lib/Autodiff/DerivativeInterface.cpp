//===- DerivativeInterface.cpp - How an op is differentiated --------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Autodiff/DerivativeInterface.h"

using namespace mlir;
using namespace mlir::moe;

#include "moe/Autodiff/DerivativeInterface.cpp.inc"
