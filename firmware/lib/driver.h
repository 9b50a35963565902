/* SPDX-License-Identifier: Apache-2.0 */
/* The driver: queues of the command processor and GPU services, one call a step of the hardware.
   No locks and no waiting: gpu.h has both. docs/blocks/command-processor.md describes the hardware.

   1. A packet, its argument block and its signal (0) are written to memory.
   2. A fence: the command processor reads memory when the doorbell has been written.
   3. The doorbell: TAIL of the queue.
   4. The kernel ends: the signal is written, INTERRUPT_STATUS of the queue is set, and the
   interrupt (source 11 of the PLIC) is high while any queue has an enabled bit there.
   5. The interrupt's handler claims the source at the PLIC, reads INTERRUPT_STATUS of each queue,
      and writes what it has read: that acknowledges these causes and no later ones. It reads the
      signals after that: a packet that completes later raises the interrupt again. Then it
   completes the source at the PLIC.
   6. After an error the queue halts. ERROR has the code, ERROR_PACKET the id of the packet. A write
      of ERROR clears it, and the queue goes on, except after KERNEL_FAILED. */
#ifndef TESSERA_DRIVER_H
#define TESSERA_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu_registers.h"

/* 0, an error of the command processor (enum gpu_command_error), of GPU services
   (GPU_SERVICES_ERROR), or of the library. */
typedef int gpu_error;
#define GPU_SERVICES_ERROR(status) (0x100 | (status))
enum {
  GPU_SUCCESS = 0,
  GPU_UNKNOWN_KERNEL = GPU_SERVICES_ERROR(GPU_SERVICES_STATUS_UNKNOWN_KERNEL),
  GPU_UNKNOWN_STATISTIC = GPU_SERVICES_ERROR(GPU_SERVICES_STATUS_UNKNOWN_STATISTIC),
  GPU_BUSY = GPU_SERVICES_ERROR(GPU_SERVICES_STATUS_BUSY),
  GPU_NO_MEMORY = GPU_SERVICES_ERROR(GPU_SERVICES_STATUS_NO_MEMORY),
  GPU_NOT_READY = 0x200,
  GPU_NO_DEVICE,
  GPU_NOT_OPEN,
  GPU_BAD_ARGUMENT,
  GPU_RING_FULL,
  GPU_NO_ROOM,
};
/* "QUEUE_OVERFLOW", and what that means. */
const char* gpu_error_name(gpu_error error);
const char* gpu_error_text(gpu_error error);

#define GPU_MOST_QUEUES 32
#define GPU_RING_PACKETS 16

/* GPU_NO_DEVICE if the machine has no GPUs. */
gpu_error gpu_driver_open(void);
/* Queues of the command processor, at most GPU_MOST_QUEUES. */
uint32_t gpu_queues(void);
/* Sets the ring of a queue, and enables its interrupts. */
gpu_error gpu_queue_open(uint32_t queue);
/* Packets that the ring has room for. */
uint32_t gpu_queue_room(uint32_t queue);
/* Copies a packet to the ring, with an id of its own, and rings the doorbell. GPU_RING_FULL: a
   packet must be retired first. */
gpu_error gpu_queue_push(uint32_t queue, const struct gpu_command_packet* packet);
/* Frees the place of the oldest packet, whose signal has been written. */
void gpu_queue_retire(uint32_t queue);
/* Writes a tail of the caller's to the doorbell. */
void gpu_queue_doorbell(uint32_t queue, uint32_t tail);
/* Packets pushed. */
uint32_t gpu_queue_tail(uint32_t queue);

struct gpu_queue_event {
  uint64_t causes; /* GPU_COMMAND_INTERRUPT_* that were pending */
  gpu_error error; /* the first since the last call */
  uint32_t packet; /* that has failed; of no use for BAD_QUEUE and QUEUE_OVERFLOW */
};
/* Reads and acknowledges a queue's interrupts, and clears its error. */
struct gpu_queue_event gpu_queue_acknowledge(uint32_t queue);

/* A command of GPU services. */
gpu_error gpu_service(uint64_t command, uint64_t a, uint64_t b, uint64_t* result);
/* DETAIL of GPU services. */
gpu_error gpu_services_set_detail(bool detailed);

#endif
