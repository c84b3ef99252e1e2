//===- Mutator.cpp - Changes of a module's text ---------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace mlir::moe::fuzz;

namespace {
/// The text under change, with its tokens.
struct Draft {
  std::string text;
  const Corpus &corpus;
  Random &random;

  std::vector<StringRef> tokens(function_ref<bool(StringRef)> filter) const {
    std::vector<StringRef> found = tokenize(text);
    llvm::erase_if(found, [&](StringRef token) { return !filter(token); });
    return found;
  }

  /// Puts `replacement` in place of `part`, which points into the text; at all
  /// places that hold the same token where `everywhere`.
  void replace(StringRef part, std::string replacement, bool everywhere) {
    std::string result;
    const char *copied = text.data();
    for (StringRef token :
         everywhere ? tokenize(text) : std::vector<StringRef>{part}) {
      if (everywhere && token != part)
        continue;
      result.append(copied, token.data());
      result += replacement;
      copied = token.data() + token.size();
    }
    result.append(copied, static_cast<const char *>(text.data()) + text.size());
    text = std::move(result);
  }

  SmallVector<std::string> lines() const {
    SmallVector<std::string> result;
    for (StringRef line : split(text, '\n'))
      result.push_back(line.str());
    return result;
  }
  void setLines(ArrayRef<std::string> lines) { text = llvm::join(lines, "\n"); }
};
} // namespace

static bool isNumber(StringRef token) {
  return !token.empty() && llvm::all_of(token, isDigit);
}

static const StringRef elementTypes[] = {"f32",
                                         "f16",
                                         "bf16",
                                         "f64",
                                         "i1",
                                         "i8",
                                         "i32",
                                         "i64",
                                         "index",
                                         "complex<f32>",
                                         "i4",
                                         "ui32",
                                         "f8E4M3FN",
                                         "vector<2xf32>",
                                         "!spirv.ptr<f32, Uniform>",
                                         "none",
                                         "si32",
                                         "tuple<f32>",
                                         "tensor<2xf32>",
                                         "vector<f32>",
                                         "i4096",
                                         "f128",
                                         "memref<2xf32>"};

static std::string someNumber(StringRef old, Random &random) {
  static const StringRef numbers[] = {"0",
                                      "1",
                                      "2",
                                      "3",
                                      "4",
                                      "5",
                                      "7",
                                      "8",
                                      "16",
                                      "17",
                                      "32",
                                      "33",
                                      "64",
                                      "1024",
                                      "1025",
                                      "65535",
                                      "65536",
                                      "2147483647",
                                      "2147483648",
                                      "4294967295",
                                      "4294967296",
                                      "1000000007",
                                      "-1",
                                      "-2",
                                      "-2147483648",
                                      "9223372036854775807",
                                      "-9223372036854775808"};
  int64_t value;
  if (random.once(3) && !old.getAsInteger(10, value) && value < (1 << 30))
    switch (random.below(4)) {
    case 0:
      return std::to_string(value + 1);
    case 1:
      return std::to_string(value - 1);
    case 2:
      return std::to_string(value * 2);
    default:
      return std::to_string(-value);
    }
  return random.pick<StringRef>(numbers).str();
}

static void changeNumber(Draft &d) {
  std::vector<StringRef> numbers = d.tokens(isNumber);
  if (numbers.empty())
    return;
  StringRef old = d.random.pick<StringRef>(numbers);
  d.replace(old, someNumber(old, d.random), !d.random.once(3));
}

static void changeElementType(Draft &d) {
  std::vector<StringRef> found = d.tokens([](StringRef token) {
    token.consume_front("x");
    return is_contained(elementTypes, token);
  });
  if (found.empty())
    return;
  StringRef old = d.random.pick<StringRef>(found);
  std::string type = d.random.pick<StringRef>(elementTypes).str();
  d.replace(old, (old.starts_with("x") ? "x" : "") + type, !d.random.once(3));
}

// The texts between the brackets of tensor<…>, memref<…> and vector<…>.
static std::vector<StringRef> findShapedTypes(StringRef text) {
  std::vector<StringRef> found;
  for (StringRef name : {"tensor<", "memref<", "vector<"})
    for (size_t at = text.find(name); at != StringRef::npos;
         at = text.find(name, at + 1)) {
      StringRef rest = text.drop_front(at + name.size());
      size_t end = rest.find_first_of("<>\n");
      if (end != StringRef::npos && rest[end] == '>')
        found.push_back(rest.take_front(end));
    }
  return found;
}

static void changeShape(Draft &d) {
  std::vector<StringRef> types = findShapedTypes(d.text);
  if (types.empty())
    return;
  Random &random = d.random;
  StringRef type = random.pick<StringRef>(types);
  SmallVector<StringRef> pieces;
  type.split(pieces, 'x');
  size_t rank = pieces.size() - 1;
  static const StringRef sizes[] = {"?",  "?",    "0",     "1",
                                    "2",  "3",    "4",     "17",
                                    "64", "1025", "65536", "4294967296"};
  StringRef size = random.pick<StringRef>(sizes);
  switch (rank == 0 ? 1 : random.below(4)) {
  case 0:
    pieces.erase(pieces.begin() + random.below(rank));
    break;
  case 1:
    pieces.insert(pieces.begin() + random.below(rank + 1), size);
    break;
  case 2:
    std::swap(pieces[random.below(rank)], pieces[random.below(rank)]);
    break;
  default:
    pieces[random.below(rank)] = size;
  }
  std::string changed = llvm::join(pieces, "x"), old = type.str();
  if (random.once(3)) {
    d.replace(type, changed, false);
    return;
  }
  std::string result;
  StringRef rest = d.text;
  for (size_t at; (at = rest.find("<" + old + ">")) != StringRef::npos;) {
    result += (rest.take_front(at + 1) + changed).str();
    rest = rest.drop_front(at + 1 + old.size());
  }
  d.text = result + rest.str();
}

// A token becomes one that stands behind the same token elsewhere.
static void changeWord(Draft &d) {
  std::vector<StringRef> all = tokenize(d.text);
  if (all.size() < 2)
    return;
  size_t at = 1 + d.random.below(all.size() - 1);
  auto followers = d.corpus.followers.find(all[at - 1]);
  if (followers == d.corpus.followers.end())
    return;
  std::string word = d.random.pick<std::string>(followers->second);
  d.replace(all[at], word, d.random.once(4));
}

// The name of an op becomes that of another one of its dialect.
static void changeOp(Draft &d) {
  std::vector<StringRef> ops = d.tokens(
      [](StringRef token) { return isAlpha(token[0]) && token.contains('.'); });
  if (ops.empty())
    return;
  StringRef old = d.random.pick<StringRef>(ops);
  auto followers = d.corpus.followers.find("=");
  if (followers == d.corpus.followers.end())
    return;
  for (int attempt = 0; attempt < 50; ++attempt) {
    StringRef name = d.random.pick<std::string>(followers->second);
    if (name == old || name.split('.').first != old.split('.').first)
      continue;
    d.replace(old, name.str(), d.random.once(2));
    return;
  }
}

// A value or a symbol becomes another one of the text.
static void changeName(Draft &d) {
  char sigil = d.random.once(4) ? '@' : '%';
  std::vector<StringRef> names =
      d.tokens([&](StringRef token) { return token[0] == sigil; });
  if (names.size() < 2)
    return;
  StringRef old = d.random.pick<StringRef>(names);
  d.replace(old, d.random.pick<StringRef>(names).str(), d.random.once(8));
}

static void changeLines(Draft &d) {
  SmallVector<std::string> lines = d.lines();
  size_t at = d.random.below(lines.size());
  size_t other = d.random.below(lines.size());
  switch (d.random.below(5)) {
  case 0:
    lines.erase(lines.begin() + at);
    break;
  case 1: {
    std::string copy = lines[at];
    lines.insert(lines.begin() + other, copy);
    break;
  }
  case 2:
    std::swap(lines[at], lines[other]);
    break;
  case 3: {
    const Part &part = d.random.pick<Part>(d.corpus.parts);
    SmallVector<StringRef> foreign;
    StringRef(part.text).split(foreign, '\n');
    lines.insert(lines.begin() + at, d.random.pick<StringRef>(foreign).str());
    break;
  }
  default:
    lines.erase(lines.begin() + std::min(at, other),
                lines.begin() + std::max(at, other));
  }
  d.setLines(lines);
}

// A bracket, with what precedes it where that is a word: schedule(…), {…}.
static void dropBracket(Draft &d) {
  static const StringRef brackets[] = {"()", "{}", "[]", "<>"};
  StringRef pair = d.random.pick<StringRef>(brackets);
  StringRef text = d.text;
  SmallVector<size_t> starts;
  for (size_t at = 0; at < text.size(); ++at)
    if (text[at] == pair[0])
      starts.push_back(at);
  if (starts.empty())
    return;
  size_t begin = d.random.pick<size_t>(starts), end = begin;
  for (int depth = 0; end < text.size(); ++end) {
    depth += text[end] == pair[0] ? 1 : text[end] == pair[1] ? -1 : 0;
    if (depth == 0)
      break;
  }
  if (end == text.size())
    return;
  if (d.random.once(2)) { // one of its elements, or all
    SmallVector<StringRef> elements;
    text.slice(begin + 1, end).split(elements, ',');
    size_t at = d.random.below(elements.size());
    if (d.random.once(2))
      elements.erase(elements.begin() + at);
    else
      elements.push_back(elements[at]);
    std::string changed = llvm::join(elements, ",");
    d.text =
        (text.take_front(begin + 1) + changed + text.drop_front(end)).str();
    return;
  }
  if (d.random.once(2))
    while (begin > 0 && isAlnum(text[begin - 1]))
      --begin;
  d.text = (text.take_front(begin) + text.drop_front(end + 1)).str();
}

// All of another part follows, its symbols and aliases renamed where the text
// has them.
static void splice(Draft &d) {
  Draft other{d.random.pick<Part>(d.corpus.parts).text, d.corpus, d.random};
  std::vector<StringRef> mine = d.tokens(
      [](StringRef token) { return token[0] == '@' || token[0] == '#'; });
  std::vector<std::string> shared;
  for (StringRef token : other.tokens(
           [](StringRef token) { return token[0] == '@' || token[0] == '#'; }))
    if (is_contained(mine, token) && !is_contained(shared, token))
      shared.push_back(token.str());
  for (const std::string &name : shared)
    if (StringRef(name).find('.') == StringRef::npos) // not #moe.schedule
      for (StringRef token : tokenize(other.text))
        if (token == name) {
          other.replace(token, name + "_2", true);
          break;
        }
  d.text += "\n" + other.text;
}

static void setVisibility(Draft &d) {
  size_t at = d.text.find(" private @");
  if (at != std::string::npos && d.random.once(2))
    d.text.erase(at, 8);
  else if ((at = d.text.find("func.func @")) != std::string::npos)
    d.text.insert(at + 9, " private");
}

std::string mlir::moe::fuzz::mutate(std::string text, const Corpus &corpus,
                                    Random &random) {
  using Change = void (*)(Draft &);
  // As often as it is listed.
  static const Change changes[] = {
      changeNumber, changeNumber, changeElementType, changeElementType,
      changeShape,  changeShape,  changeWord,        changeWord,
      changeOp,     changeName,   changeName,        changeLines,
      changeLines,  dropBracket,  dropBracket,       splice,
      setVisibility};
  Draft draft{std::move(text), corpus, random};
  for (size_t count = 1 + random.below(4); count > 0; --count)
    if (!draft.text.empty())
      random.pick<Change>(changes)(draft);
  return draft.text;
}
