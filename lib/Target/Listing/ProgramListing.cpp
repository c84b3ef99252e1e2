//===- ProgramListing.cpp - Programs of a bundle for people ---------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ProgramListing.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::moe;
namespace fb = ::moe::bundle;
using llvm::StringRef;

template <typename T>
using Tables = flatbuffers::Vector<flatbuffers::Offset<T>>;

static StringRef getText(const flatbuffers::String *text) {
  return text ? StringRef(text->c_str(), text->size()) : StringRef();
}

/// "Input" of the schema becomes "input".
static std::string getWord(const char *name) { return StringRef(name).lower(); }

namespace {
class ProgramPrinter {
public:
  ProgramPrinter(const fb::Program &program, const Kernels &kernels,
                 llvm::raw_ostream &os)
      : program(program), kernels(kernels), os(os) {}

  void print();

private:
  std::string infix(const fb::Expr &expr) {
    return getInfix(expr, program.symbols());
  }
  std::string list(const Tables<fb::Expr> &exprs);
  std::string getBuffer(uint32_t number);
  std::string getRange(uint32_t buffer, const fb::Expr &offset,
                       const fb::Expr &bytes);

  void printSymbols();
  void printTensors(const Tables<fb::Tensor> *tensors, StringRef title);
  void printAliases();
  void printAsserts();
  void printBuffers();
  void printFaultSites();
  void printCommands();
  template <typename DispatchTable>
  void printDispatch(const DispatchTable &dispatch, const std::string &grid);
  void printCommand(fb::Command type, const void *table);

  const fb::Program &program;
  const Kernels &kernels;
  llvm::raw_ostream &os;
};
} // namespace

std::string ProgramPrinter::list(const Tables<fb::Expr> &exprs) {
  return llvm::join(
      llvm::map_range(exprs,
                      [&](const fb::Expr *expr) { return infix(*expr); }),
      ", ");
}

std::string ProgramPrinter::getBuffer(uint32_t number) {
  if (number >= program.buffers()->size())
    return "buffer " + std::to_string(number);
  return ("'" + getText(program.buffers()->Get(number)->name()) + "'").str();
}

/// A whole buffer is named; of a part, the range follows in brackets.
std::string ProgramPrinter::getRange(uint32_t buffer, const fb::Expr &offset,
                                     const fb::Expr &bytes) {
  std::string name = getBuffer(buffer), begin = infix(offset),
              size = infix(bytes);
  if (begin == "0" && buffer < program.buffers()->size() &&
      size == infix(*program.buffers()->Get(buffer)->bytes()))
    return name;
  return name + "[" + begin + ", " + size + " bytes]";
}

void ProgramPrinter::printSymbols() {
  if (!program.symbols())
    return;
  for (const fb::Symbol *symbol : *program.symbols())
    os << "  symbol " << getText(symbol->name()) << " = dim " << symbol->dim()
       << " of input " << symbol->input() << '\n';
}

void ProgramPrinter::printTensors(const Tables<fb::Tensor> *tensors,
                                  StringRef title) {
  if (!tensors)
    return;
  for (auto [number, tensor] : llvm::enumerate(*tensors))
    os << "  " << title << ' ' << number << ": "
       << getWord(fb::EnumNameElementType(tensor->type())) << '['
       << list(*tensor->shape()) << "] in " << getBuffer(tensor->buffer())
       << '\n';
}

void ProgramPrinter::printAliases() {
  if (!program.aliases())
    return;
  for (const fb::Alias *alias : *program.aliases())
    os << "  alias: output " << alias->output() << " updates input "
       << alias->input() << '\n';
}

void ProgramPrinter::printAsserts() {
  if (!program.asserts())
    return;
  constexpr StringRef signs[] = {" = ", " <= ", " >= "};
  for (const fb::Assert *item : *program.asserts())
    os << "  assert " << infix(*item->left())
       << signs[static_cast<int>(item->relation())] << infix(*item->right())
       << ": " << getText(item->message()) << '\n';
}

void ProgramPrinter::printBuffers() {
  for (const fb::Buffer *buffer : *program.buffers()) {
    os << "  buffer '" << getText(buffer->name())
       << "': " << getWord(fb::EnumNameBufferKind(buffer->kind())) << ", "
       << infix(*buffer->bytes()) << " bytes";
    if (buffer->offset())
      os << " at " << infix(*buffer->offset());
    if (buffer->data())
      os << ", with data";
    os << '\n';
  }
  os << "  arena: " << infix(*program.arena_bytes()) << " bytes\n";
}

void ProgramPrinter::printFaultSites() {
  if (!program.fault_sites())
    return;
  for (auto [number, site] : llvm::enumerate(*program.fault_sites())) {
    os << "  fault site " << number << ": kernel @" << getText(site->kernel());
    if (site->slots_per_token())
      os << ", " << site->slots_per_token() << " slots a token";
    os << ": " << getText(site->message()) << '\n';
  }
}

template <typename DispatchTable>
void ProgramPrinter::printDispatch(const DispatchTable &dispatch,
                                   const std::string &grid) {
  os << "dispatch @";
  if (dispatch.kernel() < kernels.size())
    os << getText(kernels.Get(dispatch.kernel())->name());
  else
    os << "kernel " << dispatch.kernel();
  os << " grid(" << grid << ')';
  if (dispatch.push_constants()->size())
    os << " push(" << list(*dispatch.push_constants()) << ')';
  for (auto [access, title] : {std::pair(fb::Access::Read, " reads("),
                               std::pair(fb::Access::Write, " writes("),
                               std::pair(fb::Access::ReadWrite, " updates(")}) {
    const char *separator = title;
    for (const fb::Binding *binding : *dispatch.bindings()) {
      if (binding->access() != access)
        continue;
      os << separator
         << getRange(binding->buffer(), *binding->offset(), *binding->bytes());
      separator = ", ";
    }
    if (separator != title)
      os << ')';
  }
  if (dispatch.flops())
    os << " flops(" << infix(*dispatch.flops()) << ')';
  if (dispatch.bytes())
    os << " bytes(" << infix(*dispatch.bytes()) << ')';
  if (dispatch.label())
    os << " '" << getText(dispatch.label()) << "'";
}

void ProgramPrinter::printCommand(fb::Command type, const void *table) {
  switch (type) {
  case fb::Command::Dispatch: {
    const auto &dispatch = *static_cast<const fb::Dispatch *>(table);
    return printDispatch(dispatch, list(*dispatch.grid()));
  }
  case fb::Command::DispatchIndirect: {
    const auto &dispatch = *static_cast<const fb::DispatchIndirect *>(table);
    return printDispatch(dispatch, getBuffer(dispatch.grid_buffer()) + " at " +
                                       infix(*dispatch.grid_offset()));
  }
  case fb::Command::Barrier:
    os << "barrier";
    return;
  case fb::Command::Fill: {
    const auto &fill = *static_cast<const fb::Fill *>(table);
    os << "fill " << getRange(fill.buffer(), *fill.offset(), *fill.bytes())
       << " with " << fill.value();
    return;
  }
  case fb::Command::Copy: {
    const auto &copy = *static_cast<const fb::Copy *>(table);
    os << "copy "
       << getRange(copy.source(), *copy.source_offset(), *copy.bytes())
       << " to "
       << getRange(copy.destination(), *copy.destination_offset(),
                   *copy.bytes());
    return;
  }
  default:
    os << "unknown command " << unsigned(type);
  }
}

void ProgramPrinter::printCommands() {
  if (!program.commands_type())
    return;
  size_t count =
      std::min(program.commands()->size(), program.commands_type()->size());
  for (unsigned number = 0; number < count; ++number) {
    os << "  " << number << ": ";
    printCommand(fb::Command(program.commands_type()->Get(number)),
                 program.commands()->Get(number));
    os << '\n';
  }
}

void ProgramPrinter::print() {
  os << "program @" << getText(program.name()) << '\n';
  printSymbols();
  printTensors(program.inputs(), "input");
  printTensors(program.outputs(), "output");
  printAliases();
  printAsserts();
  printBuffers();
  printFaultSites();
  printCommands();
}

void mlir::moe::printProgram(const fb::Program &program, const Kernels &kernels,
                             llvm::raw_ostream &os) {
  ProgramPrinter(program, kernels, os).print();
}
