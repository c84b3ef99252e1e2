//===- ArgumentAttrs.cpp - Attributes of a function's arguments -----------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Dialect/MoE/IR/MoE.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::moe;

static LogicalResult verifyAliasesResult(FunctionOpInterface func,
                                         unsigned argument, Attribute value) {
  auto result = dyn_cast<IntegerAttr>(value);
  if (!result || !result.getType().isInteger(64))
    return func.emitOpError("expected 'moe.aliases_result' of argument ")
           << argument << " to be an i64, but got " << value;
  int64_t number = result.getInt();
  if (number < 0 || number >= static_cast<int64_t>(func.getNumResults()))
    return func.emitOpError("expected 'moe.aliases_result' of argument ")
           << argument << " to be a result below " << func.getNumResults()
           << ", but got " << number;
  Type type = func.getArgumentTypes()[argument];
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      type != func.getResultTypes()[number])
    return func.emitOpError("expected argument ")
           << argument << " to have the static tensor type of result " << number
           << ", which it aliases, but got " << type << " and "
           << func.getResultTypes()[number];
  for (unsigned other = 0; other < argument; ++other)
    if (func.getArgAttr(other, MoEDialect::getAliasesResultAttrName()) == value)
      return func.emitOpError("expected one argument to alias result ")
             << number << ", but got arguments " << other << " and "
             << argument;
  return success();
}

LogicalResult MoEDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned argument,
                                                   NamedAttribute attribute) {
  auto func = dyn_cast<FunctionOpInterface>(op);
  if (!func)
    return op->emitOpError("expected attribute '")
           << attribute.getName().getValue()
           << "' on an argument of a function";
  StringRef name = attribute.getName().getValue();
  if (name == getAliasesResultAttrName())
    return verifyAliasesResult(func, argument, attribute.getValue());
  if (name != getNameAttrName())
    return op->emitOpError("expected 'moe.name' or 'moe.aliases_result' on "
                           "argument ")
           << argument << ", but got '" << name << "'";
  if (!isa<StringAttr>(attribute.getValue()))
    return op->emitOpError("expected 'moe.name' of argument ")
           << argument << " to be a string, but got " << attribute.getValue();
  return success();
}
