//===- DerivativeInterface.h - How an op is differentiated ------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_AUTODIFF_DERIVATIVEINTERFACE_H
#define MOE_AUTODIFF_DERIVATIVEINTERFACE_H

#include "moe/Autodiff/Cotangents.h"

#include "moe/Autodiff/DerivativeInterface.h.inc"

#endif // MOE_AUTODIFF_DERIVATIVEINTERFACE_H
