//===- KernelOp.cpp - Kernels ---------------------------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Dialect/MoE/IR/MoE.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::moe;

// "name" (%arg = %input : type, …) -> (types) updates […]? schedule(…)?
//   attributes? { body }
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

  if (succeeded(parser.parseOptionalKeyword("updates"))) {
    Attribute updates = DenseI64ArrayAttr::parse(parser, Type());
    if (!updates)
      return failure();
    result.addAttribute(getUpdatesAttrName(result.name), updates);
  }
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
  if (DenseI64ArrayAttr updates = getUpdatesAttr()) {
    printer << " updates ";
    updates.print(printer);
  }
  if (ScheduleAttr schedule = getScheduleAttr())
    printer << " schedule(" << schedule << ')';
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getNameAttrName(), getUpdatesAttrName(), getScheduleAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

Value KernelOp::getUpdatedInput(OpResult result) {
  std::optional<ArrayRef<int64_t>> updates = getUpdates();
  int64_t input = updates ? (*updates)[result.getResultNumber()] : -1;
  return input < 0 ? Value() : getInputs()[input];
}

bool KernelOp::isUpdated(unsigned input) {
  // A tensor may be given twice: then either input is the tensor's memory.
  return llvm::any_of(getResults(), [&](OpResult result) {
    return getUpdatedInput(result) == getInputs()[input];
  });
}

LogicalResult KernelOp::verify() {
  // kernel_c1
  auto arguments = getBody().getArgumentTypes();
  if (!llvm::equal(arguments, getInputs().getTypes()))
    return emitOpError("expected the body to have the arguments (")
           << getInputs().getTypes() << "), as the inputs are, but got ("
           << arguments << ")";
  // kernel_c3
  std::optional<ArrayRef<int64_t>> updates = getUpdates();
  if (!updates)
    return success();
  if (updates->size() != getNumResults())
    return emitOpError("expected updates to have one number for each of ")
           << getNumResults() << " results, but got " << updates->size();
  llvm::SmallDenseSet<int64_t> seen;
  for (auto [result, input] : llvm::zip(getResults(), *updates)) {
    if (input == -1)
      continue;
    if (input < 0 || input >= static_cast<int64_t>(getInputs().size()))
      return emitOpError("expected updates to name inputs below ")
             << getInputs().size() << ", or -1, but got " << input;
    Type type = getInputs()[input].getType();
    if (type != result.getType() ||
        !cast<RankedTensorType>(type).hasStaticShape())
      return emitOpError("expected input ")
             << input << " to have the static type of the result "
             << "that updates it, but got " << type << " and "
             << result.getType();
    if (!seen.insert(input).second)
      return emitOpError("expected updates to name each input once, but got ")
             << input << " twice";
  }
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
