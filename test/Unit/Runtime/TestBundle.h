//===- TestBundle.h - Bundles for tests -------------------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_TEST_UNIT_RUNTIME_TESTBUNDLE_H
#define MOE_TEST_UNIT_RUNTIME_TESTBUNDLE_H

#include "moe-bundle/bundle_generated.h"

#include <string>
#include <vector>

namespace moe::test {

/// Spells out bundles: each method returns an offset in `builder`.
class BundleWriter {
public:
  using ExprOffset = flatbuffers::Offset<bundle::Expr>;

  flatbuffers::FlatBufferBuilder builder;

  ExprOffset expr(const std::vector<bundle::ExprNode> &nodes);
  ExprOffset constant(int64_t value);
  /// factor * symbol 0
  ExprOffset symbol(int64_t factor = 1);
  /// ceil(symbol 0 / divisor)
  ExprOffset ceilDiv(int64_t divisor);

  void addKernel(const std::string &name, const std::vector<uint32_t> &spirv,
                 uint32_t workgroup, uint32_t bindings, uint32_t pushConstants);

  // A program is begun, filled and ended.
  void beginProgram(const std::string &name);
  void addTensor(bool isInput, bool isDynamic, int64_t length, uint32_t buffer);
  /// Four bytes an element of the symbol, or a constant number of bytes.
  uint32_t addBuffer(const std::string &name, bundle::BufferKind kind,
                     bool isDynamic, int64_t bytes = 0,
                     const std::vector<uint8_t> &data = {});
  void addBarrier();
  void addFill(uint32_t buffer, int64_t offset, int64_t bytes, uint32_t value);
  void addCopy(uint32_t source, uint32_t destination);
  /// y = 2 x over the elements of the symbol, or of a constant length.
  void addScale(uint32_t x, uint32_t y, bool isDynamic, int64_t length = 0);
  void addScaleIndirect(uint32_t grid, uint32_t x, uint32_t y);
  /// The same, but y has 16 bytes.
  void addScaleOutside(uint32_t x, uint32_t y);
  void addCheck(uint32_t x, uint32_t status);
  /// An output updates an input in place.
  void addAlias(uint32_t input, uint32_t output);
  void endProgram(int64_t arenaBytes);

  /// The bytes of the bundle, sealed if `seal` is set.
  std::vector<uint8_t> finish(bool seal, uint32_t version = 1);

private:
  std::vector<flatbuffers::Offset<bundle::Binding>>
  bindings(const std::vector<uint32_t> &buffers, bool isDynamic, int64_t bytes);
  void addCommand(bundle::Command type, flatbuffers::Offset<void> command);

  std::vector<flatbuffers::Offset<bundle::Kernel>> kernels;
  std::vector<flatbuffers::Offset<bundle::Program>> programs;
  std::string programName;
  std::vector<flatbuffers::Offset<bundle::Tensor>> inputs, outputs;
  std::vector<flatbuffers::Offset<bundle::Buffer>> buffers;
  std::vector<bundle::Command> commandTypes;
  std::vector<flatbuffers::Offset<void>> commands;
  std::vector<flatbuffers::Offset<bundle::Alias>> aliases;
};

/// The words of a module that the build has assembled from Inputs/.
std::vector<uint32_t> readSpirv(const std::string &name);

/// A bundle of the programs
///   double     y = 2 x
///   quadruple  y = 4 x through a transient, the second half indirect
///   hazard     the same without the barrier between its halves
///   weights    y = 2 w of a static w[8]; x, of length T, is not read
///   constant   y = 2 c of a constant c = [0, 1, …, 7]
///   checked    y = x; a fault when x[0] < 0
///   outside    y = 2 x, but y has only four elements
/// where x and y have length T unless said otherwise.
std::vector<uint8_t> makeTestBundle(bool seal);

} // namespace moe::test

#endif // MOE_TEST_UNIT_RUNTIME_TESTBUNDLE_H
