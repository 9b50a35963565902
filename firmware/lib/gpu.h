/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime: kernels by name, device memory, streams and events. Harts can call it at the same
   time. Each function returns GPU_SUCCESS or an error (driver.h) and prints nothing. */
#ifndef TESSERA_GPU_H
#define TESSERA_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "console.h"
#include "driver.h"

typedef uint64_t device_pointer; /* a virtual address of the GPUs, which the cores can access too */
typedef uint64_t gpu_kernel;
typedef uint32_t gpu_stream; /* 0: the default stream, always there */
typedef uint32_t gpu_event;

typedef struct {
  uint32_t x, y, z;
} dim3;

/* An argument: its bytes, in the order of the kernel's parameters. */
typedef struct {
  const void* bytes;
  uint32_t size; /* 1, 2, 4 or 8: that of the parameter */
} gpu_argument;
#define GPU_ARGUMENT(variable) ((gpu_argument){&(variable), sizeof(variable)})

typedef struct {
  gpu_kernel kernel;
  dim3 grid, block;      /* a 0 counts as 1 */
  uint32_t shared_bytes; /* dynamic shared memory of a CTA */
  int16_t priority;      /* CTAs of lower numbers are dispatched first */
  gpu_stream stream;
  const gpu_argument* arguments; /* are copied */
  uint32_t count;
} gpu_launch_info;

/* Ends the run with the error's name, unless the call has succeeded. */
#define GPU_CHECK(call) gpu_check((call), #call, __FILE__, __LINE__)
void gpu_check(gpu_error error, const char* call, const char* file, int line);

/* Each hart that uses the runtime calls it first. Enables the hart's interrupts: streams proceed
   while the program computes. */
gpu_error gpu_open(void);

/* A kernel of the command's --kernels: GPU_UNKNOWN_KERNEL. */
gpu_error gpu_load(gpu_kernel* kernel, const char* name);

/* Reserves device memory, whole pages. It is never freed. */
gpu_error gpu_malloc(device_pointer* at, uint64_t bytes);
/* The same memory as a pointer, which the cores access directly and kernels get as an argument. A
   core reads what a kernel has written after the kernel's end, and a kernel what a core has written
   before the launch. */
gpu_error gpu_malloc_managed(void** at, uint64_t bytes);

/* The present value of a statistic, "system.gpu0.sm0.warp_instructions", rounded down. */
gpu_error gpu_statistic(const char* name, uint64_t* value);
/* The region of interest: whether kernels, and the cores' accesses to device memory, are simulated
   in detail. Without, they take no time. Kernels must have ended. */
gpu_error gpu_set_detail(bool detailed);

typedef enum { GPU_HOST_TO_DEVICE, GPU_DEVICE_TO_HOST, GPU_DEVICE_TO_DEVICE } gpu_copy;
/* The core copies at once: it waits for no stream. The ranges must not overlap. */
gpu_error gpu_memcpy(void* to, const void* from, uint64_t bytes, gpu_copy kind);
gpu_error gpu_memset(device_pointer at, int value, uint64_t bytes);

/* Operations of a stream are executed in their order, those of different streams at the same time.
   Streams use the command queues in turn; several of one queue wait for each other. */
#define GPU_MOST_STREAMS 16
#define GPU_MOST_OPERATIONS 32 /* of a stream, that have not ended */
#define GPU_MOST_EVENTS 64
#define GPU_ARGUMENT_BYTES 256

/* GPU_STREAM_NO_WAIT: gpu_launch() returns GPU_RING_FULL where it would wait for room. */
#define GPU_STREAM_NO_WAIT 1U
gpu_error gpu_stream_create(gpu_stream* stream, uint32_t flags);
/* Waits for its operations. */
gpu_error gpu_stream_destroy(gpu_stream stream);
/* Sleeps until all operations have ended. Returns the first error of a launch in the stream since
   the last call, under its name at the command processor. The launches after it have been executed,
   except after GPU_COMMAND_ERROR_KERNEL_FAILED: then the GPUs execute nothing any more. */
gpu_error gpu_stream_synchronize(gpu_stream stream);
/* GPU_NOT_READY, or as gpu_stream_synchronize(). */
gpu_error gpu_stream_query(gpu_stream stream);
/* All streams. Also returns errors of doorbells. */
gpu_error gpu_device_synchronize(void);

/* Puts a launch into a stream. Waits for room if the stream is full. */
gpu_error gpu_launch(const gpu_launch_info* launch);

gpu_error gpu_event_create(gpu_event* event);
/* Waits for it. */
gpu_error gpu_event_destroy(gpu_event event);
/* The event happens when all operations before it in the stream have ended. */
gpu_error gpu_event_record(gpu_event event, gpu_stream stream);
/* Later operations of the stream wait for the event, as recorded last. */
gpu_error gpu_stream_wait_event(gpu_stream stream, gpu_event event);
/* GPU_NOT_READY, or GPU_SUCCESS: it has happened, or is not recorded. */
gpu_error gpu_event_query(gpu_event event);
gpu_error gpu_event_synchronize(gpu_event event);
/* Simulated time between two events that have happened, multiples of 100 ns: between the interrupts
   of the launches before them. */
gpu_error gpu_event_elapsed(gpu_event begin, gpu_event end, uint64_t* ns);

#endif
