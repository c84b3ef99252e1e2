//===- Npy.cpp - NumPy's file format --------------------------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Npy.h"

#include <cctype>
#include <cstring>
#include <fstream>
#include <limits>

using namespace moe::run;

namespace {
const char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicBytes = 6;
/// NumPy's own limit is 10000; a header of ours is far shorter.
constexpr size_t kMaxHeaderBytes = 65536;

/// Reads the header's dictionary, a Python literal.
class DictReader {
public:
  explicit DictReader(const std::string &text) : text(text) {}

  /// Moves behind the value's key; false when the key is not there.
  bool seek(const char *key) {
    std::string quoted = std::string("'") + key + "'";
    at = text.find(quoted);
    if (at == std::string::npos)
      return false;
    at += quoted.size();
    return accept(':');
  }

  bool accept(char c) {
    skipSpace();
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }

  bool readString(std::string &value) {
    if (!accept('\''))
      return false;
    size_t end = text.find('\'', at);
    if (end == std::string::npos)
      return false;
    value = text.substr(at, end - at);
    at = end + 1;
    return true;
  }

  bool readWord(std::string &value) {
    skipSpace();
    size_t begin = at;
    while (at < text.size() && std::isalpha(uint8_t(text[at])))
      ++at;
    value = text.substr(begin, at - begin);
    return !value.empty();
  }

  bool readShape(std::vector<int64_t> &shape) {
    if (!accept('('))
      return false;
    while (!accept(')')) {
      int64_t value = 0;
      if (!readNumber(value))
        return false;
      shape.push_back(value);
      if (!accept(',') && !(at < text.size() && text[at] == ')'))
        return false;
    }
    return true;
  }

private:
  void skipSpace() {
    while (at < text.size() && std::isspace(uint8_t(text[at])))
      ++at;
  }

  bool readNumber(int64_t &value) {
    skipSpace();
    size_t begin = at;
    for (; at < text.size() && std::isdigit(uint8_t(text[at])); ++at) {
      if (value > (std::numeric_limits<int64_t>::max() - 9) / 10)
        return false;
      value = value * 10 + (text[at] - '0');
    }
    return at != begin;
  }

  const std::string &text;
  size_t at = 0;
};
} // namespace

static Status badHeader(const char *what) {
  return makeError(Code::InvalidArgument, "expected a .npy header with ", what,
                   ", but got none");
}

/// Maps NumPy's name of a type; for one that is not taken, says how to cast.
static Expected<moe_type> typeOf(const std::string &descr) {
  if (descr == "<f4")
    return MOE_TYPE_F32;
  if (descr == "<i4")
    return MOE_TYPE_I32;
  static const struct {
    const char *descr, *name, *cast;
  } others[] = {{"<f8", "float64", "numpy.float32"},
                {"<f2", "float16", "numpy.float32"},
                {"<i8", "int64", "numpy.int32"},
                {"<u8", "uint64", "numpy.int32"},
                {"<u4", "uint32", "numpy.int32"},
                {"<i2", "int16", "numpy.int32"},
                {"<u2", "uint16", "numpy.int32"},
                {"|i1", "int8", "numpy.int32"},
                {"|u1", "uint8", "numpy.int32"},
                {"|b1", "bool", "numpy.int32"},
                {">f4", "big-endian float32", "'<f4'"},
                {">i4", "big-endian int32", "'<i4'"}};
  for (const auto &other : others)
    if (descr == other.descr)
      return makeError(Code::InvalidArgument,
                       "expected float32 or int32, but got ", other.name,
                       "; cast it with .astype(", other.cast, ")");
  return makeError(Code::InvalidArgument,
                   "expected float32 or int32, but got the type '", descr, "'");
}

Expected<NpyHeader> moe::run::parseNpyHeader(const std::string &bytes) {
  if (bytes.compare(0, kMagicBytes, kMagic) != 0 || bytes.size() < 10)
    return makeError(Code::InvalidArgument,
                     "expected a .npy file, but got another kind of file");
  unsigned version = uint8_t(bytes[6]);
  if (version < 1 || version > 3)
    return makeError(Code::InvalidArgument,
                     "expected .npy version 1, 2 or 3, but got ", version);
  size_t lengthBytes = version == 1 ? 2 : 4;
  if (bytes.size() < 8 + lengthBytes)
    return badHeader("its length");
  size_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= size_t(uint8_t(bytes[8 + i])) << (8 * i);
  NpyHeader header;
  header.dataOffset = 8 + lengthBytes + length;
  if (length > kMaxHeaderBytes || header.dataOffset > bytes.size())
    return makeError(Code::InvalidArgument, "expected a .npy header of ",
                     length, " bytes, but the file ends before it");

  std::string dict = bytes.substr(8 + lengthBytes, length);
  DictReader reader(dict);
  std::string descr, order;
  if (!reader.seek("descr") || !reader.readString(descr))
    return badHeader("a simple 'descr'");
  MOE_ASSIGN_OR_RETURN(header.type.type, typeOf(descr));
  if (!reader.seek("fortran_order") || !reader.readWord(order))
    return badHeader("'fortran_order'");
  if (!reader.seek("shape") || !reader.readShape(header.type.shape))
    return badHeader("'shape'");
  if (order != "False" && header.type.shape.size() > 1)
    return makeError(Code::InvalidArgument,
                     "expected an array in C order, but got Fortran order; "
                     "store it with numpy.ascontiguousarray");
  return header;
}

static Status inFile(const std::string &path, const Status &error) {
  return makeError(error.code(), "'", path, "': ", error.message());
}

Expected<NpyHeader> moe::run::readNpyHeader(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return makeError(Code::InvalidArgument, "'", path,
                     "': expected a file that can be read, but got none");
  std::string bytes(kMaxHeaderBytes + 12, '\0');
  file.read(bytes.data(), std::streamsize(bytes.size()));
  bytes.resize(size_t(file.gcount()));
  Expected<NpyHeader> header = parseNpyHeader(bytes);
  if (!header.ok())
    return inFile(path, header.status());
  Expected<size_t> count = header->type.numElements();
  if (!count.ok())
    return inFile(path, count.status());
  file.clear();
  file.seekg(0, std::ios::end);
  size_t size = size_t(file.tellg()) - header->dataOffset;
  if (size != *count * 4)
    return makeError(Code::InvalidArgument, "'", path, "': expected ",
                     *count * 4, " bytes of data (", header->type.str(),
                     "), but got ", size);
  return header;
}

Expected<Array> moe::run::readNpy(const std::string &path) {
  MOE_ASSIGN_OR_RETURN(NpyHeader header, readNpyHeader(path));
  MOE_ASSIGN_OR_RETURN(Array array, Array::create(header.type));
  std::ifstream file(path, std::ios::binary);
  file.seekg(std::streamoff(header.dataOffset));
  file.read(static_cast<char *>(array.data()),
            std::streamsize(array.size() * 4));
  if (!file)
    return makeError(Code::InvalidArgument, "'", path, "': expected to read ",
                     array.size() * 4, " bytes, but got ", file.gcount());
  return array;
}

Status moe::run::writeNpy(const std::string &path, const Array &array) {
  std::string dict =
      join("{'descr': '", array.type().type == MOE_TYPE_F32 ? "<f4" : "<i4",
           "', 'fortran_order': False, 'shape': (");
  for (int64_t dim : array.type().shape)
    dict += join(dim, ", ");
  dict += "), }";
  // The elements begin at a multiple of 64 bytes, after a line feed.
  size_t length = (10 + dict.size() + 1 + 63) / 64 * 64 - 10;
  dict.resize(length - 1, ' ');
  dict += '\n';
  std::ofstream file(path, std::ios::binary);
  file.write(kMagic, kMagicBytes);
  file.write("\x01\x00", 2);
  char bytes[] = {char(length & 0xFF), char(length >> 8)};
  file.write(bytes, 2);
  file.write(dict.data(), std::streamsize(dict.size()));
  file.write(static_cast<const char *>(array.data()),
             std::streamsize(array.size() * 4));
  file.close();
  if (!file)
    return makeError(Code::InvalidArgument, "'", path,
                     "': expected a file that can be written, but it cannot");
  return Status();
}
