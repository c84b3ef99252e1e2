//===- MoERT.h - The moe_rt dialect: host programs --------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_DIALECT_MOERT_IR_MOERT_H
#define MOE_DIALECT_MOERT_IR_MOERT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "moe/Dialect/MoERT/IR/MoERTDialect.h.inc"

#include "moe/Dialect/MoERT/IR/MoERTEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "moe/Dialect/MoERT/IR/MoERTAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "moe/Dialect/MoERT/IR/MoERTTypes.h.inc"

#define GET_OP_CLASSES
#include "moe/Dialect/MoERT/IR/MoERT.h.inc"

namespace mlir::moe_rt {

/// How one command touches one buffer.
struct BufferAccess {
  Value buffer; ///< as the command names it: a buffer, or a slice of one
  bool reads;
  bool writes;
};

/// The accesses of a command, in operand order; empty for any other op.
SmallVector<BufferAccess> getBufferAccesses(Operation *op);

/// The buffer that `value` is, or is a slice of.
BufferOp getUnderlyingBuffer(Value value);

} // namespace mlir::moe_rt

#endif // MOE_DIALECT_MOERT_IR_MOERT_H
