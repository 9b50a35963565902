/* SPDX-License-Identifier: Apache-2.0 */
/* Page faults of the GPUs, handled by software: it chooses the memory of each page that a kernel
   touches first. docs/guide/virtual-platform.md has the registers (fault queue). */
#ifndef TESSERA_FAULTS_H
#define TESSERA_FAULTS_H

#include <stdint.h>

#include "driver.h"

typedef struct {
  uint64_t address; /* of the page */
  uint64_t sm;      /* the requester; all ones: no SM */
  uint32_t gpu;     /* of the requester */
  uint32_t local;   /* the memory nearest to it */
  uint64_t array;   /* first page of the allocation */
  uint64_t array_bytes;
} gpu_fault;

/* Returns the memory of the page, 0 to gpu_memories() - 1. Called in the interrupt of the fault. */
typedef uint32_t (*gpu_placement)(const gpu_fault* fault);

/* From now on this hart handles the faults. NULL: the platform's driver does again. The hart has
   called gpu_open(). GPU_NO_DEVICE if there is no fault queue. */
gpu_error gpu_handle_faults(gpu_placement placement);
/* Memories of the platform: channels, or GPUs. */
uint32_t gpu_memories(void);
uint64_t gpu_page_bytes(void);

#endif
