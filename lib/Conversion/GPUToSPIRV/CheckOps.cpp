//===- CheckOps.cpp - Ops that the conversion has no form for -------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The conversion alone would say that it "failed to legalize" one of these,
// and not what to do about it.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::moe;

// What --moe-expand-math is for, and SPIR-V has no instruction for.
static bool needsExpansion(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return compare.getPredicate() == arith::CmpFPredicate::AlwaysTrue ||
           compare.getPredicate() == arith::CmpFPredicate::AlwaysFalse;
  return isa<math::Atan2Op, math::CbrtOp, math::ClampFOp, math::CtPopOp,
             math::CountTrailingZerosOp, math::ErfOp, math::ErfcOp,
             math::Exp2Op, math::FPowIOp, math::IPowIOp, math::IsNormalOp,
             math::SincosOp>(op);
}

static LogicalResult checkOp(Operation *op,
                             const SPIRVTypeConverter &converter) {
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
          op->getDialect()))
    return success();
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (!converter.convertType(type))
        return op->emitOpError("expected types that the target computes with, "
                               "but got ")
               << type;
  if (!needsExpansion(op))
    return success();
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  if (element.isF32() || element.isInteger(32))
    return op->emitOpError("has no form in SPIR-V: expected --moe-expand-math "
                           "to have run before");
  return op->emitOpError("expected f32 or i32, which --moe-expand-math "
                         "expands, but got ")
         << element;
}

LogicalResult moe::checkOps(Operation *module,
                            const SPIRVTypeConverter &converter) {
  WalkResult result = module->walk([&](Operation *op) {
    return failed(checkOp(op, converter)) ? WalkResult::interrupt()
                                          : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
