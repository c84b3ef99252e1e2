//===- Arguments.cpp - What a caller passes to a program ------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session/Arguments.h"
#include "Support/Expr.h"

using namespace moe::runtime;
using moe::bundle::ElementType;

const char *moe::runtime::nameOf(ElementType type) {
  static const char *const names[] = {"f32", "i32", "f16", "bf16",
                                      "i8",  "u8",  "i64", "i16"};
  return type <= ElementType::MAX ? names[unsigned(type)] : "unknown";
}

uint64_t moe::runtime::bytesOf(ElementType type) {
  static const uint8_t bytes[] = {4, 4, 2, 2, 1, 1, 8, 2};
  return type <= ElementType::MAX ? bytes[unsigned(type)] : 0;
}

Expected<uint64_t> moe::runtime::bytesOf(const Argument &argument) {
  uint64_t bytes = bytesOf(argument.type);
  for (int64_t dim : argument.shape)
    if (dim < 0 || __builtin_mul_overflow(bytes, uint64_t(dim), &bytes))
      return makeError(Code::InvalidArgument,
                       "expected a shape whose bytes fit in 64 bits, but got "
                       "dim ",
                       dim);
  return bytes;
}

template <typename T>
static size_t sizeOf(const flatbuffers::Vector<flatbuffers::Offset<T>> *list) {
  return list ? list->size() : 0;
}

/// Checks type and rank; the dims need the symbols.
static Status checkForm(const moe::bundle::Tensor &tensor,
                        const Argument &argument, const std::string &name) {
  if (argument.type != tensor.type())
    return makeError(Code::InvalidArgument, "expected ", name, " to be ",
                     nameOf(tensor.type()), ", but got ",
                     nameOf(argument.type));
  if (argument.shape.size() != tensor.shape()->size())
    return makeError(Code::InvalidArgument, "expected ", name, " to have rank ",
                     tensor.shape()->size(), ", but got ",
                     argument.shape.size());
  for (size_t dim = 0; dim < argument.shape.size(); ++dim)
    if (argument.shape[dim] < 0)
      return makeError(Code::InvalidArgument, "expected dim ", dim, " of ",
                       name, " to be 0 or more, but got ", argument.shape[dim]);
  return Status();
}

/// " (dim 0 of input 0)" when the dim is one symbol, which is where its value
/// comes from.
static std::string originOf(const moe::bundle::Program &program,
                            const moe::bundle::Expr &dim) {
  const moe::bundle::ExprNode *node = dim.nodes()->Get(0);
  if (dim.nodes()->size() != 1 || node->op() != moe::bundle::ExprOp::Dim)
    return "";
  const moe::bundle::Symbol *symbol =
      program.symbols()->Get(unsigned(node->value()));
  return join(" (dim ", symbol->dim(), " of input ", symbol->input(), ")");
}

static Status checkDims(const moe::bundle::Program &program,
                        const std::vector<int64_t> &symbols,
                        const moe::bundle::Tensor &tensor,
                        const Argument &argument, const std::string &name) {
  MOE_ASSIGN_OR_RETURN(std::vector<int64_t> shape, shapeOf(tensor, symbols));
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    if (argument.shape[dim] != shape[dim])
      return makeError(Code::InvalidArgument, "expected dim ", dim, " of ",
                       name, " to equal ", shape[dim],
                       originOf(program, *tensor.shape()->Get(dim)),
                       ", but got ", argument.shape[dim]);
  return Status();
}

static Status checkAssert(const moe::bundle::Assert &item,
                          const std::vector<int64_t> &symbols) {
  MOE_ASSIGN_OR_RETURN(int64_t left, evaluate(*item.left(), symbols));
  MOE_ASSIGN_OR_RETURN(int64_t right, evaluate(*item.right(), symbols));
  using moe::bundle::Relation;
  bool holds = false;
  const char *wanted = " to equal ";
  switch (item.relation()) {
  case Relation::Equal:
    holds = left == right;
    break;
  case Relation::AtMost:
    holds = left <= right;
    wanted = " to be at most ";
    break;
  case Relation::AtLeast:
    holds = left >= right;
    wanted = " to be at least ";
    break;
  }
  if (holds)
    return Status();
  // The message is "what it is about (where the right value comes from)".
  std::string about = item.message()->str(), origin;
  size_t open = about.rfind(" (");
  if (open != std::string::npos && about.back() == ')') {
    origin = about.substr(open);
    about.resize(open);
  }
  return makeError(Code::InvalidArgument, "expected ", about, wanted, right,
                   origin, ", but got ", left);
}

Expected<std::vector<int64_t>>
moe::runtime::bindSymbols(const bundle::Program &program,
                          const std::vector<Argument> &inputs) {
  if (inputs.size() != sizeOf(program.inputs()))
    return makeError(Code::InvalidArgument, "expected ",
                     sizeOf(program.inputs()), " inputs of program '",
                     program.name()->str(), "', but got ", inputs.size());
  for (unsigned i = 0; i < inputs.size(); ++i)
    MOE_RETURN_IF_ERROR(
        checkForm(*program.inputs()->Get(i), inputs[i], join("input ", i)));
  std::vector<int64_t> symbols;
  for (unsigned i = 0; i < sizeOf(program.symbols()); ++i) {
    const bundle::Symbol &symbol = *program.symbols()->Get(i);
    symbols.push_back(inputs[symbol.input()].shape[symbol.dim()]);
  }
  for (unsigned i = 0; i < inputs.size(); ++i)
    MOE_RETURN_IF_ERROR(checkDims(program, symbols, *program.inputs()->Get(i),
                                  inputs[i], join("input ", i)));
  for (unsigned i = 0; i < sizeOf(program.asserts()); ++i)
    MOE_RETURN_IF_ERROR(checkAssert(*program.asserts()->Get(i), symbols));
  return symbols;
}

Expected<std::vector<int64_t>>
moe::runtime::shapeOf(const bundle::Tensor &tensor,
                      const std::vector<int64_t> &symbols) {
  std::vector<int64_t> shape;
  for (const bundle::Expr *expr : *tensor.shape()) {
    MOE_ASSIGN_OR_RETURN(int64_t dim, evaluate(*expr, symbols));
    if (dim < 0)
      return makeError(Code::InvalidArgument, "expected dim ", shape.size(),
                       " of '", tensor.name() ? tensor.name()->c_str() : "",
                       "' to be 0 or more, but got ", dim);
    shape.push_back(dim);
  }
  return shape;
}

Status moe::runtime::checkOutputs(const bundle::Program &program,
                                  const std::vector<int64_t> &symbols,
                                  const std::vector<Argument> &outputs) {
  if (outputs.size() != sizeOf(program.outputs()))
    return makeError(Code::InvalidArgument, "expected ",
                     sizeOf(program.outputs()), " outputs of program '",
                     program.name()->str(), "', but got ", outputs.size());
  for (unsigned i = 0; i < outputs.size(); ++i) {
    const bundle::Tensor &tensor = *program.outputs()->Get(i);
    std::string name = join("output ", i);
    MOE_RETURN_IF_ERROR(checkForm(tensor, outputs[i], name));
    MOE_RETURN_IF_ERROR(checkDims(program, symbols, tensor, outputs[i], name));
  }
  return Status();
}

static void replaceAll(std::string &text, const std::string &from,
                       const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

std::string moe::runtime::describeFault(const bundle::Program &program,
                                        const uint32_t status[4]) {
  uint32_t code = status[0], site = status[1];
  int64_t slot = int32_t(status[2]);
  int64_t value = int32_t(status[3]);
  if (site >= sizeOf(program.fault_sites()))
    return join("expected a fault site below ", sizeOf(program.fault_sites()),
                ", but got status {", code, ", ", site, ", ", slot, ", ", value,
                "}");
  const bundle::FaultSite &fault = *program.fault_sites()->Get(site);
  std::string text = fault.message()->str();
  int64_t perToken = fault.slots_per_token();
  replaceAll(text, "{slot}", std::to_string(slot));
  replaceAll(text, "{value}", std::to_string(value));
  replaceAll(text, "{token}",
             std::to_string(perToken ? slot / perToken : slot));
  replaceAll(text, "{choice}", std::to_string(perToken ? slot % perToken : 0));
  return join("kernel '", fault.kernel()->str(), "': ", text);
}
