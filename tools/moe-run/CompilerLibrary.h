//===- CompilerLibrary.h - The compiler, opened when needed -----*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_TOOLS_MOE_RUN_COMPILERLIBRARY_H
#define MOE_TOOLS_MOE_RUN_COMPILERLIBRARY_H

#include "Support/Status.h"
#include "moe-c/compiler.h"

#include <string>
#include <vector>

namespace moe::run {

/// What the compiler gives: text that it has to say, and whether it is an
/// error.
struct Compilation {
  bool succeeded = false;
  std::string diagnostics;
  std::vector<char> bundle;
};

/// libmoe-compiler.so, looked for in ../lib beside the executable and then by
/// the loader. It stays open to the end of the process.
class CompilerLibrary {
public:
  static runtime::Expected<CompilerLibrary> open();

  Compilation compile(const std::string &text, const std::string &filename,
                      const moe_compile_options &options) const;
  Compilation targetEnv(const moe_compile_options &options) const;
  const char *version() const { return functions.version(); }

private:
  struct Functions {
    decltype(&moe_compile) compile;
    decltype(&moe_compile_target_env) targetEnv;
    decltype(&moe_compile_version) version;
    decltype(&moe_compile_result_bundle) bundle;
    decltype(&moe_compile_result_diagnostics) diagnostics;
    decltype(&moe_compile_result_destroy) destroy;
  };
  Compilation take(int failed, moe_compile_result *result) const;

  Functions functions = {};
};

} // namespace moe::run

#endif // MOE_TOOLS_MOE_RUN_COMPILERLIBRARY_H
