/* SPDX-License-Identifier: Apache-2.0 */
#include "faults.h"

#include <stddef.h>

#include "console.h"
#include "device_tree.h"
#include "gpu_registers.h"
#include "hart.h"

static gpu_placement place_page;

uint32_t gpu_memories(void) { return (uint32_t)read64(FAULT_QUEUE_MEMORIES); }

uint64_t gpu_page_bytes(void) { return read64(FAULT_QUEUE_PAGE_BYTES); }

static void handle_fault(void) {
  const gpu_fault fault = {.address = read64(FAULT_QUEUE_ADDRESS),
                           .sm = read64(FAULT_QUEUE_SM),
                           .gpu = (uint32_t)read64(FAULT_QUEUE_GPU),
                           .local = (uint32_t)read64(FAULT_QUEUE_LOCAL),
                           .array = read64(FAULT_QUEUE_ARRAY),
                           .array_bytes = read64(FAULT_QUEUE_ARRAY_BYTES)};
  const uint32_t memory = place_page(&fault);
  write64(FAULT_QUEUE_PLACE, memory);
  if (read64(FAULT_QUEUE_STATUS) == FAULT_QUEUE_STATUS_OK) return;
  printf("page %lx cannot be placed in memory %u\n", fault.address, memory);
  finish(1);
}

/* The interrupt is high while a fault waits. */
static void handle_faults(uint32_t source) {
  (void)source;
  while (read64(FAULT_QUEUE_PENDING) != 0) handle_fault();
}

gpu_error gpu_handle_faults(gpu_placement placement) {
  if (!device_tree_has("tessera,fault-queue") || read64(FAULT_QUEUE_ID) != FAULT_QUEUE_ID_RESET) {
    return GPU_NO_DEVICE;
  }
  place_page = placement;
  if (placement == NULL) {
    write64(FAULT_QUEUE_CONTROL, 0);
    return GPU_SUCCESS;
  }
  interrupt_connect(FAULT_QUEUE_SOURCE, handle_faults);
  write64(FAULT_QUEUE_CONTROL, FAULT_QUEUE_CONTROL_SOFTWARE | FAULT_QUEUE_CONTROL_INTERRUPT);
  return GPU_SUCCESS;
}
