//===- Trace.cpp - Whose code a crash is in -------------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Trace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <cstring>
#include <dlfcn.h>
#include <map>
#include <set>

using namespace llvm;
using namespace mlir::moe::fuzz;

// An address as a file and an offset into it.
static std::pair<std::string, uint64_t> locate(void *address) {
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_fname)
    return {"", 0};
  // A return address: the call is before it.
  return {info.dli_fname, static_cast<char *>(address) -
                              static_cast<char *>(info.dli_fbase) - 1};
}

static std::string runSymbolizer(StringRef input) {
  ErrorOr<std::string> tool = sys::findProgramByName("llvm-symbolizer-22");
  SmallString<64> in, out;
  int descriptor;
  if (!tool || sys::fs::createTemporaryFile("moe-fuzz", "in", descriptor, in))
    return "";
  raw_fd_ostream(descriptor, /*shouldClose=*/true) << input;
  if (sys::fs::createTemporaryFile("moe-fuzz", "out", out))
    return "";
  std::optional<StringRef> redirects[] = {StringRef(in), StringRef(out),
                                          StringRef("/dev/null")};
  sys::ExecuteAndWait(*tool, {*tool, "--output-style=LLVM"}, std::nullopt,
                      redirects);
  std::string text;
  if (ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
          MemoryBuffer::getFile(out))
    text = (*buffer)->getBuffer().str();
  sys::fs::remove(in);
  sys::fs::remove(out);
  return text;
}

static bool isRuntime(StringRef function) {
  static const StringRef prefixes[] = {"onSignal",
                                       "(anonymous namespace)::onSignal",
                                       "__sanitizer",
                                       "__asan",
                                       "__ubsan",
                                       "__interceptor",
                                       "abort",
                                       "raise",
                                       "gsignal",
                                       "pthread_kill",
                                       "__pthread_kill",
                                       "__assert",
                                       "operator new",
                                       "??",
                                       "std::__",
                                       "__restore_rt",
                                       "llvm::report_bad_alloc",
                                       "llvm::report_fatal_error",
                                       "___interceptor",
                                       "___asan",
                                       "backtrace"};
  return llvm::any_of(
      prefixes, [&](StringRef prefix) { return function.starts_with(prefix); });
}

Tracer::Tracer(std::string sourceFolder)
    : sourceFolder(std::move(sourceFolder)) {}

const Trace &Tracer::trace(const Outcome &outcome) {
  std::string key = std::to_string(outcome.signal);
  std::string input;
  // A recursion without end is one round of itself; where it stood when the
  // stack ended says nothing.
  std::map<void *, unsigned> times;
  for (void *address : outcome.frames)
    ++times[address];
  bool endless = outcome.frames.size() == maxFrames;
  std::set<void *> seen;
  SmallVector<std::string> files;
  for (void *address : outcome.frames) {
    if (!seen.insert(address).second || (endless && times[address] < 4))
      continue;
    auto [file, offset] = locate(address);
    key += "," + file + utohexstr(offset);
    if (file.empty())
      continue;
    input += "\"" + file + "\" 0x" + utohexstr(offset) + "\n";
    files.push_back(file);
  }
  auto [entry, inserted] = known.try_emplace(key);
  Trace &trace = entry->second;
  if (!inserted)
    return trace;

  auto [program, offset] = locate(reinterpret_cast<void *>(&locate));
  std::string first, firstOfOurs;
  SmallVector<StringRef> frames;
  std::string answer = runSymbolizer(input);
  StringRef(answer).rtrim().split(frames, "\n\n");
  for (auto [number, frame] : llvm::enumerate(frames)) {
    // Function and place in turn, once for each inlined call.
    SmallVector<StringRef> lines;
    frame.trim().split(lines, '\n');
    for (size_t at = 0; at + 1 < lines.size(); at += 2) {
      StringRef function = lines[at], place = lines[at + 1];
      bool hasPlace = place.starts_with("/") && !place.ends_with(":0:0");
      bool isOurs = hasPlace
                        ? place.starts_with(sourceFolder) &&
                              !place.contains("/test/Fuzz/")
                        : number < files.size() && files[number] == program;
      trace.text += ("  " + function + " " + place + "\n").str();
      if (isRuntime(function) || place.contains("/test/Fuzz/"))
        continue;
      if (first.empty())
        first =
            (function.take_front(160) + (hasPlace ? " " + place : "")).str();
      if (isOurs && firstOfOurs.empty())
        firstOfOurs =
            (function.take_front(160) + (hasPlace ? " " + place : "")).str();
    }
  }
  trace.ours = !firstOfOurs.empty() || outcome.frames.empty();
  const char *name = strsignal(outcome.signal);
  trace.signature =
      (Twine(name ? name : "exit") + " in " + first +
       (firstOfOurs.empty() || firstOfOurs == first ? ""
                                                    : " from " + firstOfOurs))
          .str();
  return trace;
}
