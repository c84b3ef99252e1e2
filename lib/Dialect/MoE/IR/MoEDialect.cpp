//===- MoEDialect.cpp - The moe dialect -----------------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Dialect/MoE/IR/MoE.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::moe;

#include "moe/Dialect/MoE/IR/MoEDialect.cpp.inc"

#include "moe/Dialect/MoE/IR/MoEEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "moe/Dialect/MoE/IR/MoEAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "moe/Dialect/MoE/IR/MoEOps.cpp.inc"

namespace {
/// Layers are functions that models call: nothing in an op of ours depends on
/// the function that it stands in.
struct MoEInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void MoEDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "moe/Dialect/MoE/IR/MoEAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "moe/Dialect/MoE/IR/MoEOps.cpp.inc"
      >();
  addInterfaces<MoEInlinerInterface>();
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   Family family, int64_t workgroup,
                                   int64_t lanes, int64_t rows, int64_t columns,
                                   int64_t vector, int64_t chunks,
                                   int64_t slice) {
  auto expectAtLeast = [&](StringRef name, int64_t value,
                           int64_t least) -> LogicalResult {
    if (value >= least)
      return success();
    return emitError() << "expected " << name << " to be at least " << least
                       << ", but got " << value;
  };
  if (failed(expectAtLeast("workgroup", workgroup, 1)) ||
      failed(expectAtLeast("lanes", lanes, 1)) ||
      failed(expectAtLeast("rows", rows, 1)) ||
      failed(expectAtLeast("columns", columns, 1)) ||
      failed(expectAtLeast("chunks", chunks, 0)) ||
      failed(expectAtLeast("slice", slice, 0)))
    return failure();
  if (vector != 1 && vector != 4)
    return emitError() << "expected vector to be 1 or 4, but got " << vector;
  return success();
}
