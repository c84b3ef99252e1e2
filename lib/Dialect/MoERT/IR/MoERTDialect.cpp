//===- MoERTDialect.cpp - The moe_rt dialect ------------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Dialect/MoERT/IR/MoERT.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::moe_rt;

#include "moe/Dialect/MoERT/IR/MoERTDialect.cpp.inc"

#include "moe/Dialect/MoERT/IR/MoERTEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "moe/Dialect/MoERT/IR/MoERTAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "moe/Dialect/MoERT/IR/MoERTTypes.cpp.inc"

void MoERTDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "moe/Dialect/MoERT/IR/MoERTAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "moe/Dialect/MoERT/IR/MoERTTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "moe/Dialect/MoERT/IR/MoERT.cpp.inc"
      >();
}
