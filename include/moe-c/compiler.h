/*===- compiler.h - The C API of the moe compiler -----------------*- C -*-===*\
|*                                                                            *|
|* Part of moe, under the Apache License v2.0 with LLVM Exceptions.           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Text of MLIR in, a bundle or diagnostics out. The library                  *|
|* (libmoe-compiler.so) is made to be opened with dlopen: a tool needs this   *|
|* header only. Calls are independent of one another and may come from any    *|
|* thread.                                                                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef MOE_C_COMPILER_H
#define MOE_C_COMPILER_H

#include <stddef.h>

#if defined(_WIN32)
#define MOE_COMPILER_API
#else
#define MOE_COMPILER_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct moe_compile_result moe_compile_result;

/* A caller sets `size` to sizeof(moe_compile_options), and what it does not
   need to NULL or 0. */
typedef struct moe_compile_options {
  size_t size;
  const char *target; /* a named target; NULL: the default one */
  const void *facts;  /* a serialized DeviceFacts, as the runtime gives it; */
  size_t facts_size;  /* overrides the target */
  const char *entry;  /* the function to compile; NULL: all public ones */
} moe_compile_options;

/* The version of the library, as "major.minor.patch". */
MOE_COMPILER_API const char *moe_compile_version(void);

/* Compiles `length` bytes of text; `filename` names them in diagnostics. 0 on
   success. `*result` is always set, and the caller destroys it: after a failure
   it holds the diagnostics only. `options` may be NULL. */
MOE_COMPILER_API int moe_compile(const char *text, size_t length,
                                 const char *filename,
                                 const moe_compile_options *options,
                                 moe_compile_result **result);

/* Leaves the #spirv.target_env attribute that kernels would be compiled for as
   the diagnostics of the result. 0 on success; else they are diagnostics. */
MOE_COMPILER_API int moe_compile_target_env(const moe_compile_options *options,
                                            moe_compile_result **result);

/* The bytes of the bundle; NULL and 0 when there is none. They live as long as
   the result. */
MOE_COMPILER_API const void *
moe_compile_result_bundle(const moe_compile_result *result, size_t *size);

/* Warnings and errors, one or more lines each; "" when there are none. */
MOE_COMPILER_API const char *
moe_compile_result_diagnostics(const moe_compile_result *result);

MOE_COMPILER_API void moe_compile_result_destroy(moe_compile_result *result);

#ifdef __cplusplus
}
#endif

#endif /* MOE_C_COMPILER_H */
