//===- Corpus.cpp - The inputs that mutations start from ------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Corpus.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <algorithm>

using namespace llvm;
using namespace mlir::moe::fuzz;

static bool isWordStart(char c) {
  return isAlpha(c) || StringRef("_%@#!^").contains(c);
}

static bool isWord(char c) {
  return isAlnum(c) || StringRef("_.$#").contains(c);
}

std::vector<StringRef> mlir::moe::fuzz::tokenize(StringRef text) {
  std::vector<StringRef> tokens;
  while (!(text = text.ltrim()).empty()) {
    size_t length = 1;
    if (isDigit(text[0])) {
      // A dimension list falls apart at its `x`, a float keeps its exponent.
      length = std::min(text.find_if_not(isDigit), text.size());
      if (length + 1 < text.size() && text[length] == '.')
        length =
            std::min(text.find_if_not(
                         [](char c) {
                           return isAlnum(c) || StringRef(".+-").contains(c);
                         },
                         length),
                     text.size());
    } else if (text[0] == 'x' && text.size() > 1 &&
               (isDigit(text[1]) || text[1] == '?')) {
      length = 1;
    } else if (text[0] == '"') {
      length = std::min(text.find('"', 1), text.size() - 1) + 1;
    } else if (isWordStart(text[0])) {
      length = std::min(text.find_if_not(isWord, 1), text.size());
    }
    tokens.push_back(text.take_front(length));
    text = text.drop_front(length);
  }
  return tokens;
}

// The text without comments: checks and expected messages say nothing here.
static std::string withoutComments(StringRef text) {
  std::string kept;
  for (StringRef line : split(text, '\n')) {
    line = line.take_front(line.find("//")).rtrim();
    if (!line.empty())
      kept += (line + "\n").str();
  }
  return kept;
}

// `known` passes that the RUN lines name, with their options.
static std::vector<std::string> findPasses(StringRef text,
                                           ArrayRef<std::string> known) {
  std::vector<std::string> passes;
  for (StringRef line : split(text, '\n')) {
    if (!line.contains("RUN:"))
      continue;
    for (StringRef flag : split(line, ' ')) {
      if (!flag.consume_front("--"))
        continue;
      auto [name, options] = flag.split('=');
      if (!is_contained(known, name))
        continue;
      options = options.trim("\"'");
      // Options of several words lie in more than one piece of the line.
      passes.push_back(options.empty() || options.contains('"')
                           ? name.str()
                           : (name + "{" + options + "}").str());
    }
  }
  return passes;
}

Corpus mlir::moe::fuzz::readCorpus(StringRef folder,
                                   ArrayRef<std::string> known) {
  std::vector<std::string> paths;
  std::error_code error;
  for (sys::fs::recursive_directory_iterator it(folder, error), end;
       it != end && !error; it.increment(error))
    if (sys::path::extension(it->path()) == ".mlir")
      paths.push_back(it->path());
  llvm::sort(paths);

  Corpus corpus;
  for (const std::string &path : paths) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
    if (!buffer)
      continue;
    StringRef text = (*buffer)->getBuffer();
    std::vector<std::string> passes = findPasses(text, known);
    SmallVector<StringRef> parts;
    text.split(parts, "// -----");
    for (StringRef part : parts) {
      std::string kept = withoutComments(part);
      if (!kept.empty())
        corpus.parts.push_back({path, kept, passes});
    }
  }
  for (const Part &part : corpus.parts) {
    StringRef previous = "\n";
    for (StringRef token : tokenize(part.text)) {
      corpus.followers[previous].push_back(token.str());
      previous = token;
    }
  }
  return corpus;
}
