//===- CompilerLibrary.cpp - The compiler, opened when needed -------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerLibrary.h"

#include <dlfcn.h>
#include <filesystem>

using namespace moe::run;
using namespace moe::runtime;

static constexpr const char *kLibrary = "libmoe-compiler.so";

static void *openLibrary() {
  std::error_code error;
  auto executable = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    auto beside = executable.parent_path().parent_path() / "lib" / kLibrary;
    if (void *library = dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL))
      return library;
    // A library that is there but cannot be opened is worth its own message.
    if (std::filesystem::exists(beside, error))
      return nullptr;
  }
  return dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
}

template <typename Function>
static bool find(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

Expected<CompilerLibrary> CompilerLibrary::open() {
  void *library = openLibrary();
  if (!library) {
    const char *reason = dlerror();
    return makeError(Code::InvalidArgument, "expected ", kLibrary,
                     " to compile text, but it cannot be opened: ",
                     reason ? reason : "no reason given");
  }
  CompilerLibrary result;
  Functions &f = result.functions;
  if (!find(library, "moe_compile", f.compile) ||
      !find(library, "moe_compile_target_env", f.targetEnv) ||
      !find(library, "moe_compile_version", f.version) ||
      !find(library, "moe_compile_result_bundle", f.bundle) ||
      !find(library, "moe_compile_result_diagnostics", f.diagnostics) ||
      !find(library, "moe_compile_result_destroy", f.destroy))
    return makeError(Code::InvalidArgument, "expected ", kLibrary,
                     " with the C API of this version, but got another one");
  return result;
}

Compilation CompilerLibrary::take(int failed,
                                  moe_compile_result *result) const {
  Compilation compilation;
  compilation.succeeded = failed == 0;
  if (!result)
    return compilation;
  if (const char *text = functions.diagnostics(result))
    compilation.diagnostics = text;
  size_t size = 0;
  if (const void *bytes = functions.bundle(result, &size)) {
    const char *begin = static_cast<const char *>(bytes);
    compilation.bundle.assign(begin, begin + size);
  }
  functions.destroy(result);
  return compilation;
}

Compilation CompilerLibrary::compile(const std::string &text,
                                     const std::string &filename,
                                     const moe_compile_options &options) const {
  moe_compile_result *result = nullptr;
  int failed = functions.compile(text.data(), text.size(), filename.c_str(),
                                 &options, &result);
  return take(failed, result);
}

Compilation
CompilerLibrary::targetEnv(const moe_compile_options &options) const {
  moe_compile_result *result = nullptr;
  int failed = functions.targetEnv(&options, &result);
  return take(failed, result);
}
