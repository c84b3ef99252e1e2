//===- KernelOp.cpp - Kernels ---------------------------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Dialect/MoE/IR/MoE.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::moe;

// "name" (%arg = %input : type, …) -> (types) schedule(…)? attributes? { body }
ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  if (parser.parseAttribute(name, getNameAttrName(result.name),
                            result.attributes))
    return failure();

  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> inputs;
  SMLoc inputsLoc = parser.getCurrentLocation();
  auto parseInput = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(inputs.emplace_back()) ||
                   parser.parseColonType(arguments.back().type));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseInput))
    return failure();
  SmallVector<Type> types = llvm::map_to_vector(
      arguments, [](OpAsmParser::Argument argument) { return argument.type; });
  if (parser.resolveOperands(inputs, types, inputsLoc, result.operands))
    return failure();

  auto parseResult = [&]() -> ParseResult {
    return parser.parseType(result.types.emplace_back());
  };
  if (parser.parseArrow() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseResult))
    return failure();

  ScheduleAttr schedule;
  if (succeeded(parser.parseOptionalKeyword("schedule")) &&
      (parser.parseLParen() ||
       parser.parseAttribute(schedule, getScheduleAttrName(result.name),
                             result.attributes) ||
       parser.parseRParen()))
    return failure();
  return failure(parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
                 parser.parseRegion(*result.addRegion(), arguments));
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printAttributeWithoutType(getNameAttr());
  printer << " (";
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getInputs()),
                        printer, [&](auto pair) {
                          auto [argument, input] = pair;
                          printer << argument << " = " << input << " : "
                                  << input.getType();
                        });
  printer << ") -> (" << getResultTypes() << ')';
  if (ScheduleAttr schedule = getScheduleAttr())
    printer << " schedule(" << schedule << ')';
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getNameAttrName(), getScheduleAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult KernelOp::verify() {
  // kernel_c1
  auto arguments = getBody().getArgumentTypes();
  if (!llvm::equal(arguments, getInputs().getTypes()))
    return emitOpError("expected the body to have the arguments (")
           << getInputs().getTypes() << "), as the inputs are, but got ("
           << arguments << ")";
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  // kernel_c2
  Operation *terminator = getBody().front().getTerminator();
  if (!isa<YieldOp>(terminator))
    return emitOpError("expected the body to end with 'moe.yield', but got '")
           << terminator->getName() << "'";
  if (terminator->getOperandTypes() != getResultTypes())
    return terminator->emitOpError("expected to yield (")
           << getResultTypes() << "), as the kernel returns, but got ("
           << terminator->getOperandTypes() << ")";
  return success();
}
