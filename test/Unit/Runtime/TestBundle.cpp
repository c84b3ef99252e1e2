//===- TestBundle.cpp - Bundles for tests ---------------------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestBundle.h"
#include "../../../lib/Bundle/Checksum.h"

#include <cstring>
#include <fstream>
#include <iterator>

using namespace moe::test;
using namespace moe::bundle;

BundleWriter::ExprOffset
BundleWriter::expr(const std::vector<ExprNode> &nodes) {
  return CreateExpr(builder, builder.CreateVectorOfStructs(nodes));
}

BundleWriter::ExprOffset BundleWriter::constant(int64_t value) {
  return expr({ExprNode(ExprOp::Const, value)});
}

BundleWriter::ExprOffset BundleWriter::symbol(int64_t factor) {
  if (factor == 1)
    return expr({ExprNode(ExprOp::Dim, 0)});
  return expr({ExprNode(ExprOp::Dim, 0), ExprNode(ExprOp::Const, factor),
               ExprNode(ExprOp::Mul, 0)});
}

BundleWriter::ExprOffset BundleWriter::ceilDiv(int64_t divisor) {
  return expr({ExprNode(ExprOp::Dim, 0), ExprNode(ExprOp::Const, divisor),
               ExprNode(ExprOp::CeilDiv, 0)});
}

void BundleWriter::addKernel(const std::string &name,
                             const std::vector<uint32_t> &spirv,
                             uint32_t workgroup, uint32_t bindings,
                             uint32_t pushConstants) {
  std::vector<uint32_t> size = {workgroup, 1, 1};
  kernels.push_back(CreateKernelDirect(builder, name.c_str(), name.c_str(),
                                       &spirv, &size, bindings, pushConstants));
}

void BundleWriter::beginProgram(const std::string &name) {
  programName = name;
  inputs.clear();
  outputs.clear();
  buffers.clear();
  commandTypes.clear();
  commands.clear();
  aliases.clear();
}

void BundleWriter::addTensor(bool isInput, bool isDynamic, int64_t length,
                             uint32_t buffer) {
  std::vector<ExprOffset> shape = {isDynamic ? symbol() : constant(length)};
  (isInput ? inputs : outputs)
      .push_back(
          CreateTensorDirect(builder, "", ElementType::F32, &shape, buffer));
}

uint32_t BundleWriter::addBuffer(const std::string &name, BufferKind kind,
                                 bool isDynamic, int64_t bytes,
                                 const std::vector<uint8_t> &data) {
  ExprOffset offset =
      kind == BufferKind::Transient ? constant(0) : ExprOffset();
  ExprOffset size = isDynamic ? symbol(4) : constant(bytes);
  buffers.push_back(CreateBufferDirect(builder, name.c_str(), kind, size,
                                       offset, data.empty() ? nullptr : &data));
  return uint32_t(buffers.size() - 1);
}

void BundleWriter::addCommand(Command type, flatbuffers::Offset<void> command) {
  commandTypes.push_back(type);
  commands.push_back(command);
}

void BundleWriter::addBarrier() {
  addCommand(Command::Barrier, CreateBarrier(builder).Union());
}

void BundleWriter::addFill(uint32_t buffer, int64_t offset, int64_t bytes,
                           uint32_t value) {
  auto at = constant(offset), size = constant(bytes);
  addCommand(Command::Fill,
             CreateFill(builder, buffer, at, size, value).Union());
}

void BundleWriter::addCopy(uint32_t source, uint32_t destination) {
  auto from = constant(0), to = constant(0), bytes = symbol(4);
  addCommand(Command::Copy,
             CreateCopy(builder, source, from, destination, to, bytes).Union());
}

std::vector<flatbuffers::Offset<Binding>>
BundleWriter::bindings(const std::vector<uint32_t> &list, bool isDynamic,
                       int64_t bytes) {
  std::vector<flatbuffers::Offset<Binding>> result;
  for (uint32_t buffer : list) {
    auto offset = constant(0);
    auto size = isDynamic ? symbol(4) : constant(bytes);
    result.push_back(
        CreateBinding(builder, buffer, offset, size,
                      result.empty() ? Access::Read : Access::ReadWrite));
  }
  return result;
}

void BundleWriter::addScale(uint32_t x, uint32_t y, bool isDynamic,
                            int64_t length) {
  auto bound = bindings({x, y}, isDynamic, length * 4);
  std::vector<ExprOffset> push = {isDynamic ? symbol() : constant(length)};
  std::vector<ExprOffset> grid = {isDynamic ? ceilDiv(64)
                                            : constant((length + 63) / 64),
                                  constant(1), constant(1)};
  auto flops = isDynamic ? symbol() : constant(length);
  auto bytes = isDynamic ? symbol(8) : constant(8 * length);
  addCommand(Command::Dispatch,
             CreateDispatchDirect(builder, 0, &grid, &bound, &push, flops,
                                  bytes, "y = 2 x")
                 .Union());
}

void BundleWriter::addScaleIndirect(uint32_t grid, uint32_t x, uint32_t y) {
  auto bound = bindings({x, y}, true, 0);
  std::vector<ExprOffset> push = {symbol()};
  auto offset = constant(0);
  addCommand(Command::DispatchIndirect,
             CreateDispatchIndirectDirect(builder, 0, grid, offset, &bound,
                                          &push, 0, 0, "indirect y = 2 x")
                 .Union());
}

void BundleWriter::addScaleOutside(uint32_t x, uint32_t y) {
  auto bound = bindings({x}, true, 0);
  auto offset = constant(0), size = constant(16);
  bound.push_back(CreateBinding(builder, y, offset, size, Access::Write));
  std::vector<ExprOffset> push = {symbol()};
  std::vector<ExprOffset> grid = {ceilDiv(64), constant(1), constant(1)};
  addCommand(Command::Dispatch,
             CreateDispatchDirect(builder, 0, &grid, &bound, &push).Union());
}

void BundleWriter::addCheck(uint32_t x, uint32_t status) {
  auto xBytes = symbol(4), statusBytes = constant(16);
  auto zero = constant(0);
  std::vector<flatbuffers::Offset<Binding>> bound = {
      CreateBinding(builder, x, zero, xBytes, Access::Read),
      CreateBinding(builder, status, zero, statusBytes, Access::ReadWrite)};
  std::vector<ExprOffset> push;
  // An empty x has no first element: ceil(T / 2^40) is 0 or 1.
  std::vector<ExprOffset> grid = {ceilDiv(int64_t(1) << 40), constant(1),
                                  constant(1)};
  addCommand(Command::Dispatch,
             CreateDispatchDirect(builder, 1, &grid, &bound, &push).Union());
}

void BundleWriter::addAlias(uint32_t input, uint32_t output) {
  aliases.push_back(CreateAlias(builder, input, output));
}

void BundleWriter::endProgram(int64_t arenaBytes) {
  std::vector<flatbuffers::Offset<Symbol>> symbols = {
      CreateSymbolDirect(builder, "T", 0, 0)};
  auto bound = constant(1 << 20);
  auto tokens = symbol();
  std::vector<flatbuffers::Offset<Assert>> asserts = {CreateAssertDirect(
      builder, tokens, Relation::AtMost, bound, "dim 0 of input 0")};
  std::vector<flatbuffers::Offset<FaultSite>> sites = {CreateFaultSiteDirect(
      builder, "check", 2,
      "expected slot {slot} (token {token}, choice {choice}) to be 0 or more, "
      "but got {value}")};
  auto arena = constant(arenaBytes);
  programs.push_back(CreateProgramDirect(
      builder, programName.c_str(), &symbols, &inputs, &outputs, &asserts,
      &buffers, arena, &commandTypes, &commands, &sites, &aliases));
}

std::vector<uint8_t> BundleWriter::finish(bool seal, uint32_t version) {
  // Any checksum but zero keeps a place for the one that sealing writes.
  FinishBundleBuffer(builder,
                     CreateBundleDirect(builder, version, "test", 0, &kernels,
                                        &programs, seal ? 1 : 0));
  std::vector<uint8_t> bytes(builder.GetBufferPointer(),
                             builder.GetBufferPointer() + builder.GetSize());
  if (seal)
    moe::bundle::seal(bytes.data(), bytes.size());
  return bytes;
}

std::vector<uint32_t> moe::test::readSpirv(const std::string &name) {
  std::ifstream file(std::string(MOE_TEST_SPIRV_DIR) + "/" + name + ".spv",
                     std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)),
                    std::istreambuf_iterator<char>());
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

static void addQuadruple(BundleWriter &writer, const char *name,
                         bool hasBarrier) {
  writer.beginProgram(name);
  uint32_t x = writer.addBuffer("x", BufferKind::Input, true);
  uint32_t half = writer.addBuffer("half", BufferKind::Transient, true);
  uint32_t grid = writer.addBuffer("grid", BufferKind::Output, false, 12);
  uint32_t y = writer.addBuffer("y", BufferKind::Output, true);
  writer.addTensor(true, true, 0, x);
  writer.addTensor(false, true, 0, y);
  writer.addFill(grid, 0, 4, 16); // 1024 elements
  writer.addFill(grid, 4, 8, 1);
  writer.addScale(x, half, true);
  if (hasBarrier)
    writer.addBarrier();
  writer.addScaleIndirect(grid, half, y);
  writer.endProgram(4096);
}

std::vector<uint8_t> moe::test::makeTestBundle(bool seal) {
  BundleWriter writer;
  writer.addKernel("scale", readSpirv("scale"), 64, 2, 1);
  writer.addKernel("check", readSpirv("check"), 1, 2, 0);

  writer.beginProgram("double");
  uint32_t x = writer.addBuffer("x", BufferKind::Input, true);
  uint32_t y = writer.addBuffer("y", BufferKind::Output, true);
  writer.addTensor(true, true, 0, x);
  writer.addTensor(false, true, 0, y);
  writer.addScale(x, y, true);
  writer.endProgram(0);

  addQuadruple(writer, "quadruple", true);
  addQuadruple(writer, "hazard", false);

  writer.beginProgram("weights");
  x = writer.addBuffer("x", BufferKind::Input, true);
  uint32_t w = writer.addBuffer("w", BufferKind::Input, false, 32);
  y = writer.addBuffer("y", BufferKind::Output, false, 32);
  writer.addTensor(true, true, 0, x);
  writer.addTensor(true, false, 8, w);
  writer.addTensor(false, false, 8, y);
  writer.addScale(w, y, false, 8);
  writer.endProgram(0);

  std::vector<uint8_t> data(32);
  for (int i = 0; i < 8; ++i) {
    float value = float(i);
    std::memcpy(&data[size_t(i) * 4], &value, 4);
  }
  writer.beginProgram("constant");
  x = writer.addBuffer("x", BufferKind::Input, true);
  uint32_t c = writer.addBuffer("c", BufferKind::Constant, false, 32, data);
  y = writer.addBuffer("y", BufferKind::Output, false, 32);
  writer.addTensor(true, true, 0, x);
  writer.addTensor(false, false, 8, y);
  writer.addScale(c, y, false, 8);
  writer.endProgram(0);

  writer.beginProgram("checked");
  x = writer.addBuffer("x", BufferKind::Input, true);
  y = writer.addBuffer("y", BufferKind::Output, true);
  uint32_t status = writer.addBuffer("status", BufferKind::Status, false, 16);
  writer.addTensor(true, true, 0, x);
  writer.addTensor(false, true, 0, y);
  writer.addFill(status, 0, 16, 0);
  writer.addBarrier();
  writer.addCheck(x, status);
  writer.addCopy(x, y);
  writer.endProgram(0);

  writer.beginProgram("outside");
  x = writer.addBuffer("x", BufferKind::Input, true);
  y = writer.addBuffer("y", BufferKind::Output, false, 16);
  writer.addTensor(true, true, 0, x);
  writer.addTensor(false, false, 4, y);
  writer.addScaleOutside(x, y);
  writer.endProgram(0);
  return writer.finish(seal);
}
