//===- CheckProgram.cpp - Semantic checks of one program ------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundle/Bundle.h"
#include "Support/Expr.h"

#include <set>

using namespace moe::runtime;
using moe::bundle::BufferKind;
using moe::bundle::Command;

template <typename T>
using Tables = flatbuffers::Vector<flatbuffers::Offset<T>>;

template <typename T> static size_t sizeOf(const Tables<T> *tables) {
  return tables ? tables->size() : 0;
}

namespace {
/// Checks one program; `place` names what is being looked at.
class ProgramChecker {
public:
  ProgramChecker(const moe::bundle::Program &program,
                 const Tables<moe::bundle::Kernel> &kernels)
      : program(program), kernels(kernels),
        numSymbols(sizeOf(program.symbols())) {}

  Status run();

private:
  template <typename... Parts> Status error(const Parts &...parts) const {
    return makeError(Code::InvalidArgument, place, ": ", parts...);
  }

  Status expr(const char *what, const moe::bundle::Expr *expr) const;
  Status exprs(const char *what, const Tables<moe::bundle::Expr> &list,
               size_t expected) const;
  Status index(const char *what, size_t index, size_t limit) const;
  Status constantValue(const char *what, const moe::bundle::Expr &expr,
                       int64_t &value) const;

  Status symbols();
  Status tensors(const Tables<moe::bundle::Tensor> *list, const char *role);
  Status aliases();
  Status buffer(const moe::bundle::Buffer &buffer);
  Status buffers();
  Status binding(const moe::bundle::Binding &binding);
  template <typename DispatchTable>
  Status dispatch(const DispatchTable &dispatch);
  Status range(uint32_t bufferIndex, const moe::bundle::Expr *offset,
               const moe::bundle::Expr *bytes, bool written);
  Status command(Command type, const void *table);
  Status commands();

  const moe::bundle::Program &program;
  const Tables<moe::bundle::Kernel> &kernels;
  size_t numSymbols;
  std::string place;
};
} // namespace

Status ProgramChecker::expr(const char *what,
                            const moe::bundle::Expr *expr) const {
  if (!expr)
    return Status();
  Status status = checkExpr(*expr, numSymbols);
  return status.ok() ? status : error(what, ": ", status.message());
}

Status ProgramChecker::exprs(const char *what,
                             const Tables<moe::bundle::Expr> &list,
                             size_t expected) const {
  if (list.size() != expected)
    return error("expected ", expected, " ", what, ", but got ", list.size());
  for (const moe::bundle::Expr *item : list)
    MOE_RETURN_IF_ERROR(expr(what, item));
  return Status();
}

Status ProgramChecker::index(const char *what, size_t index,
                             size_t limit) const {
  if (index < limit)
    return Status();
  return error("expected the index of a ", what, " below ", limit, ", but got ",
               index);
}

Status ProgramChecker::constantValue(const char *what,
                                     const moe::bundle::Expr &expr,
                                     int64_t &value) const {
  if (!isConstant(expr))
    return error("expected ", what,
                 " to be constant, but got a value that depends on a dim");
  Expected<int64_t> result = evaluate(expr, {});
  if (!result.ok())
    return error(what, ": ", result.status().message());
  value = *result;
  return Status();
}

Status ProgramChecker::symbols() {
  for (size_t i = 0; i < numSymbols; ++i) {
    const moe::bundle::Symbol &symbol = *program.symbols()->Get(unsigned(i));
    place = join("symbol ", i);
    MOE_RETURN_IF_ERROR(
        index("input", symbol.input(), sizeOf(program.inputs())));
    const moe::bundle::Tensor &input = *program.inputs()->Get(symbol.input());
    MOE_RETURN_IF_ERROR(
        index("dim of its input", symbol.dim(), input.shape()->size()));
  }
  return Status();
}

Status ProgramChecker::tensors(const Tables<moe::bundle::Tensor> *list,
                               const char *role) {
  for (size_t i = 0; i < sizeOf(list); ++i) {
    const moe::bundle::Tensor &tensor = *list->Get(unsigned(i));
    place = join(role, " ", i);
    MOE_RETURN_IF_ERROR(exprs("dims", *tensor.shape(), tensor.shape()->size()));
    if (tensor.type() > moe::bundle::ElementType::MAX)
      return error("expected an element type, but got ",
                   unsigned(tensor.type()));
    MOE_RETURN_IF_ERROR(
        index("buffer", tensor.buffer(), program.buffers()->size()));
    BufferKind kind = program.buffers()->Get(tensor.buffer())->kind();
    bool isOutput = role[0] == 'o';
    if (kind != BufferKind::Input && !(isOutput && kind == BufferKind::Output))
      return error("expected a buffer of the kind ", role, ", but got kind ",
                   moe::bundle::EnumNameBufferKind(kind));
  }
  return Status();
}

Status ProgramChecker::aliases() {
  std::set<uint32_t> inputs, outputs;
  for (size_t i = 0; i < sizeOf(program.aliases()); ++i) {
    const moe::bundle::Alias &alias = *program.aliases()->Get(unsigned(i));
    place = join("alias ", i);
    MOE_RETURN_IF_ERROR(
        index("input", alias.input(), sizeOf(program.inputs())));
    MOE_RETURN_IF_ERROR(
        index("output", alias.output(), sizeOf(program.outputs())));
    if (!inputs.insert(alias.input()).second ||
        !outputs.insert(alias.output()).second)
      return error("expected each input and output once, but got input ",
                   alias.input(), " and output ", alias.output(), " again");
    uint32_t from = program.inputs()->Get(alias.input())->buffer();
    uint32_t to = program.outputs()->Get(alias.output())->buffer();
    if (from != to)
      return error("expected input ", alias.input(), " and output ",
                   alias.output(), " to have one buffer, but got ", from,
                   " and ", to);
    int64_t bytes = 0;
    MOE_RETURN_IF_ERROR(constantValue(
        "bytes of state", *program.buffers()->Get(from)->bytes(), bytes));
  }
  return Status();
}

Status ProgramChecker::buffer(const moe::bundle::Buffer &buffer) {
  MOE_RETURN_IF_ERROR(expr("bytes", buffer.bytes()));
  MOE_RETURN_IF_ERROR(expr("offset", buffer.offset()));
  int64_t bytes = 0;
  switch (buffer.kind()) {
  case BufferKind::Input:
  case BufferKind::Output:
    return Status();
  case BufferKind::Transient:
    return buffer.offset() ? Status()
                           : error("expected an offset in the arena, but got "
                                   "none");
  case BufferKind::Constant: {
    MOE_RETURN_IF_ERROR(constantValue("bytes", *buffer.bytes(), bytes));
    size_t size = buffer.data() ? buffer.data()->size() : 0;
    if (bytes < 0 || size_t(bytes) != size)
      return error("expected ", bytes, " bytes of data, but got ", size);
    return Status();
  }
  case BufferKind::Status:
    MOE_RETURN_IF_ERROR(constantValue("bytes", *buffer.bytes(), bytes));
    return bytes == 16 ? Status()
                       : error("expected 16 bytes of status, but got ", bytes);
  }
  return error("expected a kind of buffer, but got ", unsigned(buffer.kind()));
}

Status ProgramChecker::buffers() {
  size_t numStatus = 0;
  for (size_t i = 0; i < program.buffers()->size(); ++i) {
    const moe::bundle::Buffer &item = *program.buffers()->Get(unsigned(i));
    place = join("buffer '", item.name()->str(), "'");
    MOE_RETURN_IF_ERROR(buffer(item));
    if (item.kind() == BufferKind::Status && ++numStatus > 1)
      return error("expected one status buffer, but got a second one");
  }
  return Status();
}

Status ProgramChecker::binding(const moe::bundle::Binding &binding) {
  if (binding.access() < moe::bundle::Access::MIN ||
      binding.access() > moe::bundle::Access::MAX)
    return error("expected an access, but got ", unsigned(binding.access()));
  return range(binding.buffer(), binding.offset(), binding.bytes(),
               binding.access() != moe::bundle::Access::Read);
}

Status ProgramChecker::range(uint32_t bufferIndex,
                             const moe::bundle::Expr *offset,
                             const moe::bundle::Expr *bytes, bool written) {
  MOE_RETURN_IF_ERROR(index("buffer", bufferIndex, program.buffers()->size()));
  const moe::bundle::Buffer &buffer = *program.buffers()->Get(bufferIndex);
  if (written && buffer.kind() == BufferKind::Constant)
    return error("expected constant '", buffer.name()->str(),
                 "' to be read only, but got a write");
  MOE_RETURN_IF_ERROR(expr("offset", offset));
  return expr("bytes", bytes);
}

template <typename DispatchTable>
Status ProgramChecker::dispatch(const DispatchTable &dispatch) {
  MOE_RETURN_IF_ERROR(index("kernel", dispatch.kernel(), kernels.size()));
  const moe::bundle::Kernel &kernel = *kernels.Get(dispatch.kernel());
  place = join(place, " (kernel '", kernel.name()->str(), "')");
  if (dispatch.bindings()->size() != kernel.num_bindings())
    return error("expected ", kernel.num_bindings(), " bindings, but got ",
                 dispatch.bindings()->size());
  for (const moe::bundle::Binding *item : *dispatch.bindings())
    MOE_RETURN_IF_ERROR(binding(*item));
  MOE_RETURN_IF_ERROR(exprs("push constants", *dispatch.push_constants(),
                            kernel.num_push_constants()));
  MOE_RETURN_IF_ERROR(expr("flops", dispatch.flops()));
  return expr("bytes", dispatch.bytes());
}

Status ProgramChecker::command(Command type, const void *table) {
  switch (type) {
  case Command::Dispatch: {
    auto &item = *static_cast<const moe::bundle::Dispatch *>(table);
    MOE_RETURN_IF_ERROR(dispatch(item));
    return exprs("grid dims", *item.grid(), 3);
  }
  case Command::DispatchIndirect: {
    auto &item = *static_cast<const moe::bundle::DispatchIndirect *>(table);
    MOE_RETURN_IF_ERROR(dispatch(item));
    return range(item.grid_buffer(), item.grid_offset(), nullptr, false);
  }
  case Command::Barrier:
    return Status();
  case Command::Fill: {
    auto &item = *static_cast<const moe::bundle::Fill *>(table);
    return range(item.buffer(), item.offset(), item.bytes(), true);
  }
  case Command::Copy: {
    auto &item = *static_cast<const moe::bundle::Copy *>(table);
    MOE_RETURN_IF_ERROR(
        range(item.source(), item.source_offset(), item.bytes(), false));
    return range(item.destination(), item.destination_offset(), nullptr, true);
  }
  case Command::NONE:
    break;
  }
  return error("expected a command, but got type ", unsigned(type));
}

Status ProgramChecker::commands() {
  if (!program.commands_type() ||
      program.commands_type()->size() != program.commands()->size())
    return makeError(
        Code::InvalidArgument,
        "expected a type for each command, but got another number");
  for (unsigned i = 0; i < program.commands()->size(); ++i) {
    place = join("command ", i);
    auto type = Command(program.commands_type()->Get(i));
    const void *table = program.commands()->Get(i);
    MOE_RETURN_IF_ERROR(command(type, table));
  }
  return Status();
}

Status ProgramChecker::run() {
  MOE_RETURN_IF_ERROR(symbols());
  MOE_RETURN_IF_ERROR(tensors(program.inputs(), "input"));
  MOE_RETURN_IF_ERROR(tensors(program.outputs(), "output"));
  for (size_t i = 0; i < sizeOf(program.asserts()); ++i) {
    const moe::bundle::Assert &item = *program.asserts()->Get(unsigned(i));
    place = join("assert ", i);
    MOE_RETURN_IF_ERROR(expr("left", item.left()));
    MOE_RETURN_IF_ERROR(expr("right", item.right()));
    if (item.relation() > moe::bundle::Relation::MAX)
      return error("expected a relation, but got ", unsigned(item.relation()));
  }
  MOE_RETURN_IF_ERROR(buffers());
  MOE_RETURN_IF_ERROR(aliases());
  place = "arena";
  MOE_RETURN_IF_ERROR(expr("bytes", program.arena_bytes()));
  return commands();
}

Status moe::runtime::checkProgram(const bundle::Program &program,
                                  const Tables<bundle::Kernel> &kernels) {
  return ProgramChecker(program, kernels).run();
}
