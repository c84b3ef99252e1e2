/*===- runtime.h - The C API of the moe runtime -------------------*- C -*-===*\
|*                                                                            *|
|* Part of moe, under the Apache License v2.0 with LLVM Exceptions.           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Loads a bundle on a Vulkan device and runs its programs. Functions that    *|
|* can fail return a moe_status: NULL on success, else an error that the      *|
|* caller destroys. Nothing is printed, thrown or kept in global state. A     *|
|* session may be used by one thread at a time; sessions are independent.     *|
|* A caller sets `size` of each struct that it fills to sizeof(the struct).   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef MOE_RUNTIME_H
#define MOE_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define MOE_RUNTIME_API
#else
#define MOE_RUNTIME_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library, as "major.minor.patch". */
MOE_RUNTIME_API const char *moe_runtime_version(void);

/*===-- Status ------------------------------------------------------------===*/

typedef struct moe_status moe_status;

typedef enum moe_status_code {
  MOE_STATUS_OK = 0,
  MOE_STATUS_INVALID_ARGUMENT = 1, /* the bundle, a shape, a type, an index */
  MOE_STATUS_DEVICE = 2, /* Vulkan failed, or the device lacks something */
  MOE_STATUS_RUNTIME_FAULT = 3, /* a kernel has found a fault in the data */
  MOE_STATUS_VALIDATION = 4,    /* the validation layer or a guard has spoken */
  MOE_STATUS_INTERNAL = 5
} moe_status_code;

/* MOE_STATUS_OK for NULL. */
MOE_RUNTIME_API moe_status_code moe_status_get_code(const moe_status *status);
/* One line without a final stop; "" for NULL. Lives as long as the status. */
MOE_RUNTIME_API const char *moe_status_message(const moe_status *status);
MOE_RUNTIME_API void moe_status_destroy(moe_status *status);

/*===-- Devices -----------------------------------------------------------===*/

typedef struct moe_device_list moe_device_list;

/* Lists the Vulkan devices of the machine; the list may be empty. */
MOE_RUNTIME_API moe_status *moe_devices_enumerate(moe_device_list **list);
MOE_RUNTIME_API void moe_device_list_destroy(moe_device_list *list);
MOE_RUNTIME_API size_t moe_device_list_count(const moe_device_list *list);
/* The index of the device that a session takes by default (discrete before
   integrated, virtual and cpu), or -1 when the list is empty. */
MOE_RUNTIME_API int moe_device_list_best(const moe_device_list *list);
/* The driver's name of a device; NULL when the index is out of range. */
MOE_RUNTIME_API const char *moe_device_name(const moe_device_list *list,
                                            size_t index);
/* "discrete", "integrated", "virtual", "cpu" or "other"; NULL likewise. */
MOE_RUNTIME_API const char *moe_device_type(const moe_device_list *list,
                                            size_t index);
/* A finished FlatBuffers buffer of the table DeviceFacts: what the compiler
   needs to know of the device. Lives as long as the list; NULL likewise. */
MOE_RUNTIME_API const void *moe_device_facts(const moe_device_list *list,
                                             size_t index, size_t *size);

/*===-- Sessions ----------------------------------------------------------===*/

typedef struct moe_session moe_session;

typedef enum moe_validation_mode {
  MOE_VALIDATION_OFF = 0,
  MOE_VALIDATION_ON = 1,   /* VK_LAYER_KHRONOS_validation */
  MOE_VALIDATION_SYNC = 2, /* and synchronization validation */
  MOE_VALIDATION_GPU = 3   /* and GPU-assisted validation */
} moe_validation_mode;

typedef struct moe_session_options {
  size_t size;
  int device;                     /* an index, or -1 for the best one */
  const char *pipeline_cache_dir; /* NULL: compiled kernels are not kept */
  moe_validation_mode validation;
  int profile; /* nonzero: time each dispatch */
  /* Bytes before and after each buffer that hold a pattern (a NaN, and a large
     integer). A run in which a kernel has written there ends with
     MOE_STATUS_VALIDATION. 0: none. For tests: memory is not shared then. */
  uint64_t guard_bytes;
} moe_session_options;

/* Checks the bundle, chooses the device (the best one when `options` is NULL),
   and compiles all kernels. The bytes are copied. */
MOE_RUNTIME_API moe_status *
moe_session_create(const void *bundle, size_t size,
                   const moe_session_options *options, moe_session **session);
MOE_RUNTIME_API void moe_session_destroy(moe_session *session);
/* The name of the device of the session. */
MOE_RUNTIME_API const char *moe_session_device_name(const moe_session *session);

/*===-- Programs ----------------------------------------------------------===*/

/* The numbers are those of ElementType in bundle.fbs. */
typedef enum moe_type {
  MOE_TYPE_F32 = 0,
  MOE_TYPE_I32 = 1,
  MOE_TYPE_F16 = 2,
  MOE_TYPE_BF16 = 3,
  MOE_TYPE_I8 = 4,
  MOE_TYPE_U8 = 5,
  MOE_TYPE_I64 = 6,
  MOE_TYPE_I16 = 7
} moe_type;

/* A dense array in row-major order, or what a program says of one: there
   `data` is NULL and a dynamic dim is -1. */
typedef struct moe_tensor {
  size_t size;
  void *data;
  size_t rank;
  const int64_t *shape;
  moe_type type;
} moe_tensor;

typedef struct moe_program_info {
  size_t size;
  const char *name;
  size_t num_inputs;
  const moe_tensor *inputs;
  size_t num_outputs;
  const moe_tensor *outputs;
  /* For each input the output that updates it in place, or -1. Such an input is
     state: a run without a fault leaves the output's value in it, and a later
     run with NULL data starts from there; a run that ends with
     MOE_STATUS_RUNTIME_FAULT leaves it as it was. */
  const int64_t *updates;
} moe_program_info;

MOE_RUNTIME_API size_t moe_session_num_programs(const moe_session *session);
/* Finds a program by its name. NULL finds the only one of the bundle. */
MOE_RUNTIME_API moe_status *moe_session_find_program(const moe_session *session,
                                                     const char *name,
                                                     size_t *program);
/* Fills `info`; what it points to lives as long as the session. */
MOE_RUNTIME_API moe_status *moe_session_program(const moe_session *session,
                                                size_t program,
                                                moe_program_info *info);
/* Checks the types and shapes of the inputs (their data is not read) and writes
   the shape of one output into `shape`, which has room for its rank. */
MOE_RUNTIME_API moe_status *
moe_session_output_shape(const moe_session *session, size_t program,
                         const moe_tensor *inputs, size_t num_inputs,
                         size_t output, int64_t *shape);

/* Runs a program and waits for its end. The caller allocates the outputs; one
   with NULL data is not copied. An input of static shape with NULL data keeps
   the value that an earlier run has left on the device. After an error the
   outputs are unspecified. */
MOE_RUNTIME_API moe_status *
moe_session_run(moe_session *session, size_t program, const moe_tensor *inputs,
                size_t num_inputs, const moe_tensor *outputs,
                size_t num_outputs);

/*===-- What a session tells of itself ------------------------------------===*/

typedef struct moe_timing {
  const char *kernel;
  const char *label;
  double start_milliseconds; /* since the first command of the program */
  double milliseconds;
  double flops; /* 0 when unknown */
  double bytes; /* that must move at the least; 0 when unknown */
} moe_timing;

typedef struct moe_timings {
  size_t size;
  double device_milliseconds; /* without transfers; 0 without timestamps */
  uint64_t arena_bytes;
  size_t count; /* 0 unless the session profiles */
  const moe_timing *dispatches;
} moe_timings;

/* Of the last run; valid until the next call on the session. */
MOE_RUNTIME_API moe_status *moe_session_timings(moe_session *session,
                                                moe_timings *timings);

/* What the driver tells of the `kernel`-th kernel, one "name: value" a line:
   register counts and the like. "" where it tells nothing; only in a session
   that profiles. NULL when there is no such kernel. Valid until the next call
   on the session. */
MOE_RUNTIME_API const char *moe_session_kernel_statistics(moe_session *session,
                                                          size_t kernel,
                                                          const char **name);

/* The warnings and errors of the validation layer so far. */
MOE_RUNTIME_API size_t moe_session_validation_count(const moe_session *session);
/* Valid until the next call on the session; NULL when out of range. */
MOE_RUNTIME_API const char *moe_session_validation_message(moe_session *session,
                                                           size_t index);

typedef struct moe_statistics {
  size_t size;
  uint64_t recordings; /* command buffers recorded */
  uint64_t pipelines;  /* pipelines created */
  uint64_t submits;
  uint64_t waits;
} moe_statistics;

MOE_RUNTIME_API void moe_session_statistics(const moe_session *session,
                                            moe_statistics *statistics);

#ifdef __cplusplus
}
#endif

#endif /* MOE_RUNTIME_H */
