/* SPDX-License-Identifier: Apache-2.0 */
/* Written by scripts/generate-registers from modules/vp/registers.json; do not edit. */
#ifndef TESSERA_GPU_REGISTERS_H
#define TESSERA_GPU_REGISTERS_H

#include <stddef.h>
#include <stdint.h>

/* ROM: start-up code and device tree. */
#define ROM_BASE 0x1000UL
#define ROM_BYTES 0xf000UL

/* Test finisher (SiFive): ends the run. */
#define FINISHER_BASE 0x100000UL
#define FINISHER_BYTES 0x1000UL

/* RW. Ends the run; other values of CODE have no effect. */
#define FINISHER_END_OFFSET 0x0UL
#define FINISHER_END (FINISHER_BASE + FINISHER_END_OFFSET)

/* Fields: END. */
#define FINISHER_END_CODE 0xffffUL
#define FINISHER_END_CODE_SHIFT 0
#define FINISHER_END_STATUS 0xffff0000UL
#define FINISHER_END_STATUS_SHIFT 16

enum finisher_code {
  /* With status 0 */
  FINISHER_CODE_PASS = 0x5555,
  /* With STATUS */
  FINISHER_CODE_FAIL = 0x3333,
  /* Asks for a reset, which ends the run too */
  FINISHER_CODE_RESET = 0x7777,
};
/* X(value, name, description) for each value of enum finisher_code. */
#define FINISHER_CODE_VALUES(X) \
  X(FINISHER_CODE_PASS, "PASS", "with status 0") \
  X(FINISHER_CODE_FAIL, "FAIL", "with STATUS") \
  X(FINISHER_CODE_RESET, "RESET", "asks for a reset, which ends the run too")

/* CLINT: software and timer interrupts of each hart; mtime counts at 10 MHz. */
#define CLINT_BASE 0x2000000UL
#define CLINT_BYTES 0x10000UL
/* Frequency of mtime. */
#define CLINT_HZ 10000000UL

/* RW. Bit 0 raises the software interrupt; a written 0 acknowledges it. */
#define CLINT_MSIP_OFFSET 0x0UL
#define CLINT_MSIP(hart) (CLINT_BASE + CLINT_MSIP_OFFSET + 0x4UL * (hart))

/* RW. The timer interrupt is pending while mtime >= mtimecmp; a later time acknowledges it. */
#define CLINT_MTIMECMP_OFFSET 0x4000UL
#define CLINT_MTIMECMP(hart) (CLINT_BASE + CLINT_MTIMECMP_OFFSET + 0x8UL * (hart))
#define CLINT_MTIMECMP_RESET 0xffffffffffffffffUL

/* RW. Time since the start, in periods of 100 ns. */
#define CLINT_MTIME_OFFSET 0xbff8UL
#define CLINT_MTIME (CLINT_BASE + CLINT_MTIME_OFFSET)

/* PLIC: 53 sources; contexts are machine and supervisor mode of each hart. */
#define PLIC_BASE 0xc000000UL
#define PLIC_BYTES 0x600000UL
/* Sources, from 1 on. */
#define PLIC_SOURCES 53UL

/* RW. 0 to 7; a source of priority 0 never interrupts. */
#define PLIC_PRIORITY_OFFSET 0x0UL
#define PLIC_PRIORITY(source) (PLIC_BASE + PLIC_PRIORITY_OFFSET + 0x4UL * (source))

/* RO. Bit n: source 32 word + n is pending. */
#define PLIC_PENDING_OFFSET 0x1000UL
#define PLIC_PENDING(word) (PLIC_BASE + PLIC_PENDING_OFFSET + 0x4UL * (word))

/* RW. Bit n: source 32 word + n interrupts the context (2 hart: machine mode, 2 hart + 1:
   supervisor mode). */
#define PLIC_ENABLE_OFFSET 0x2000UL
#define PLIC_ENABLE(context, word) \
  (PLIC_BASE + PLIC_ENABLE_OFFSET + 0x80UL * (context) + 0x4UL * (word))

/* RW. Only sources of a higher priority interrupt the context. */
#define PLIC_THRESHOLD_OFFSET 0x200000UL
#define PLIC_THRESHOLD(context) (PLIC_BASE + PLIC_THRESHOLD_OFFSET + 0x1000UL * (context))

/* RW. A read returns the source of the highest priority, 0 for none, and claims it; a write of
   the source completes it. */
#define PLIC_CLAIM_OFFSET 0x200004UL
#define PLIC_CLAIM(context) (PLIC_BASE + PLIC_CLAIM_OFFSET + 0x1000UL * (context))

/* UART 16550. */
#define UART_BASE 0x10000000UL
#define UART_BYTES 0x100UL
#define UART_SOURCE 10 /* of the PLIC */

/* WO. Sends a character at once; with LCR.DLAB, byte 0 of the divisor. */
#define UART_THR_OFFSET 0x0UL
#define UART_THR (UART_BASE + UART_THR_OFFSET)

/* RO. The next received character, 0 if there is none. */
#define UART_RBR_OFFSET 0x0UL
#define UART_RBR (UART_BASE + UART_RBR_OFFSET)

/* RW. Interrupts that are enabled; with LCR.DLAB, byte 1 of the divisor. */
#define UART_IER_OFFSET 0x1UL
#define UART_IER (UART_BASE + UART_IER_OFFSET)

/* RO. The pending interrupt: 4 received, 2 empty, 1 none. */
#define UART_IIR_OFFSET 0x2UL
#define UART_IIR (UART_BASE + UART_IIR_OFFSET)
#define UART_IIR_RESET 0x1UL

/* WO. Bit 0: FIFOs are on; bit 1: drops the received characters. */
#define UART_FCR_OFFSET 0x2UL
#define UART_FCR (UART_BASE + UART_FCR_OFFSET)

/* RW. Bit 7, DLAB: offsets 0 and 1 are the divisor. */
#define UART_LCR_OFFSET 0x3UL
#define UART_LCR (UART_BASE + UART_LCR_OFFSET)

/* RW. Modem control, without effect. */
#define UART_MCR_OFFSET 0x4UL
#define UART_MCR (UART_BASE + UART_MCR_OFFSET)

/* RO. State of the line. */
#define UART_LSR_OFFSET 0x5UL
#define UART_LSR (UART_BASE + UART_LSR_OFFSET)
#define UART_LSR_RESET 0x60UL

/* RO. Modem status: CTS, DSR and DCD. */
#define UART_MSR_OFFSET 0x6UL
#define UART_MSR (UART_BASE + UART_MSR_OFFSET)
#define UART_MSR_RESET 0xb0UL

/* RW. Scratch. */
#define UART_SCR_OFFSET 0x7UL
#define UART_SCR (UART_BASE + UART_SCR_OFFSET)

/* Fields: IER. */
#define UART_IER_RECEIVED 0x1UL
#define UART_IER_EMPTY 0x2UL

/* Fields: LSR. */
#define UART_LSR_READY 0x1UL
#define UART_LSR_EMPTY 0x20UL

/* Command processor of the GPUs. */
#define GPU_COMMAND_BASE 0x20000000UL
#define GPU_COMMAND_BYTES 0x2000UL
#define GPU_COMMAND_SOURCE 11 /* of the PLIC */
/* Largest ring. */
#define GPU_COMMAND_MAX_QUEUE_PACKETS 65536UL
/* Signal of a completed packet. */
#define GPU_COMMAND_SIGNAL_DONE 1UL
/* Signal of a failed packet: this bit and its error code. */
#define GPU_COMMAND_SIGNAL_ERROR 0x8000000000000000UL

/* RO. "TESS", version 1. */
#define GPU_COMMAND_ID_OFFSET 0x0UL
#define GPU_COMMAND_ID(queue) (GPU_COMMAND_BASE + GPU_COMMAND_ID_OFFSET + 0x100UL * (queue))
#define GPU_COMMAND_ID_RESET 0x153534554UL

/* RW. Address of the ring, a multiple of 64. */
#define GPU_COMMAND_QUEUE_BASE_OFFSET 0x8UL
#define GPU_COMMAND_QUEUE_BASE(queue) \
  (GPU_COMMAND_BASE + GPU_COMMAND_QUEUE_BASE_OFFSET + 0x100UL * (queue))

/* RW. Packets of the ring, a power of two up to 65536; 0: no queue. A write sets HEAD and TAIL
   to 0. */
#define GPU_COMMAND_QUEUE_SIZE_OFFSET 0x10UL
#define GPU_COMMAND_QUEUE_SIZE(queue) \
  (GPU_COMMAND_BASE + GPU_COMMAND_QUEUE_SIZE_OFFSET + 0x100UL * (queue))

/* RO. Packets consumed since then, modulo 2^32. */
#define GPU_COMMAND_HEAD_OFFSET 0x18UL
#define GPU_COMMAND_HEAD(queue) (GPU_COMMAND_BASE + GPU_COMMAND_HEAD_OFFSET + 0x100UL * (queue))

/* RW. Doorbell: packets written since then, modulo 2^32. A write starts the fetch. */
#define GPU_COMMAND_TAIL_OFFSET 0x20UL
#define GPU_COMMAND_TAIL(queue) (GPU_COMMAND_BASE + GPU_COMMAND_TAIL_OFFSET + 0x100UL * (queue))

/* RO. State of the queue. */
#define GPU_COMMAND_STATUS_OFFSET 0x28UL
#define GPU_COMMAND_STATUS(queue) (GPU_COMMAND_BASE + GPU_COMMAND_STATUS_OFFSET + 0x100UL * (queue))

/* RW. Interrupts that are enabled. */
#define GPU_COMMAND_INTERRUPT_ENABLE_OFFSET 0x30UL
#define GPU_COMMAND_INTERRUPT_ENABLE(queue) \
  (GPU_COMMAND_BASE + GPU_COMMAND_INTERRUPT_ENABLE_OFFSET + 0x100UL * (queue))

/* W1C. Interrupts that are pending; a written 1 acknowledges. */
#define GPU_COMMAND_INTERRUPT_STATUS_OFFSET 0x38UL
#define GPU_COMMAND_INTERRUPT_STATUS(queue) \
  (GPU_COMMAND_BASE + GPU_COMMAND_INTERRUPT_STATUS_OFFSET + 0x100UL * (queue))

/* RW. Code of the error, 0: none. Any write clears it, and the queue goes on with the packet
   after the failed one. */
#define GPU_COMMAND_ERROR_OFFSET 0x40UL
#define GPU_COMMAND_ERROR(queue) (GPU_COMMAND_BASE + GPU_COMMAND_ERROR_OFFSET + 0x100UL * (queue))

/* RO. Id of the packet that failed. */
#define GPU_COMMAND_ERROR_PACKET_OFFSET 0x48UL
#define GPU_COMMAND_ERROR_PACKET(queue) \
  (GPU_COMMAND_BASE + GPU_COMMAND_ERROR_PACKET_OFFSET + 0x100UL * (queue))

/* RO. Id of the packet that was completed last. */
#define GPU_COMMAND_LAST_COMPLETED_OFFSET 0x50UL
#define GPU_COMMAND_LAST_COMPLETED(queue) \
  (GPU_COMMAND_BASE + GPU_COMMAND_LAST_COMPLETED_OFFSET + 0x100UL * (queue))

/* RO. Packets completed without an error. */
#define GPU_COMMAND_COMPLETED_OFFSET 0x58UL
#define GPU_COMMAND_COMPLETED(queue) \
  (GPU_COMMAND_BASE + GPU_COMMAND_COMPLETED_OFFSET + 0x100UL * (queue))

/* RO. Number of queues. */
#define GPU_COMMAND_QUEUES_OFFSET 0x60UL
#define GPU_COMMAND_QUEUES(queue) (GPU_COMMAND_BASE + GPU_COMMAND_QUEUES_OFFSET + 0x100UL * (queue))

/* Fields: STATUS. */
#define GPU_COMMAND_STATUS_QUEUE_SET 0x1UL
#define GPU_COMMAND_STATUS_BUSY 0x2UL
#define GPU_COMMAND_STATUS_HALTED 0x4UL

/* Fields: INTERRUPT. */
#define GPU_COMMAND_INTERRUPT_COMPLETION 0x1UL
#define GPU_COMMAND_INTERRUPT_ERROR 0x2UL

enum gpu_command_error {
  /* No error */
  GPU_COMMAND_ERROR_NONE = 0,
  /* Ring size or base not legal; a doorbell without a queue */
  GPU_COMMAND_ERROR_BAD_QUEUE = 1,
  /* The doorbell names more packets than the ring holds; it was ignored */
  GPU_COMMAND_ERROR_QUEUE_OVERFLOW = 2,
  /* Packet, argument block or signal cannot be accessed */
  GPU_COMMAND_ERROR_MEMORY = 3,
  /* Packet type unknown, or one of its addresses misaligned */
  GPU_COMMAND_ERROR_BAD_PACKET = 4,
  /* The handle names no kernel */
  GPU_COMMAND_ERROR_UNKNOWN_KERNEL = 5,
  /* Grid, block, arguments or plan not legal, or a CTA does not fit an SM */
  GPU_COMMAND_ERROR_REFUSED = 6,
  /* The kernel failed: its CTAs still hold their SMs */
  GPU_COMMAND_ERROR_KERNEL_FAILED = 7,
};
/* X(value, name, description) for each value of enum gpu_command_error. */
#define GPU_COMMAND_ERROR_VALUES(X) \
  X(GPU_COMMAND_ERROR_NONE, "NONE", "no error") \
  X(GPU_COMMAND_ERROR_BAD_QUEUE, "BAD_QUEUE", "ring size or base not legal; a doorbell without a queue") \
  X(GPU_COMMAND_ERROR_QUEUE_OVERFLOW, "QUEUE_OVERFLOW", "the doorbell names more packets than the ring holds; it was ignored") \
  X(GPU_COMMAND_ERROR_MEMORY, "MEMORY", "packet, argument block or signal cannot be accessed") \
  X(GPU_COMMAND_ERROR_BAD_PACKET, "BAD_PACKET", "packet type unknown, or one of its addresses misaligned") \
  X(GPU_COMMAND_ERROR_UNKNOWN_KERNEL, "UNKNOWN_KERNEL", "the handle names no kernel") \
  X(GPU_COMMAND_ERROR_REFUSED, "REFUSED", "grid, block, arguments or plan not legal, or a CTA does not fit an SM") \
  X(GPU_COMMAND_ERROR_KERNEL_FAILED, "KERNEL_FAILED", "the kernel failed: its CTAs still hold their SMs")

/* A packet of the ring. */
struct gpu_command_packet {
  /* 1: kernel dispatch */
  uint16_t type;
  /* CTAs of kernels with lower numbers are dispatched first; 0 is the default */
  int16_t priority;
  /* Software's own number: LAST_COMPLETED, ERROR_PACKET */
  uint32_t id;
  /* Handle of KernelTable::add, of GPU services for firmware */
  uint64_t kernel;
  /* CTAs in x, y, z */
  uint32_t grid[3];
  /* Threads of a CTA in x, y, z */
  uint32_t block[3];
  /* Dynamic shared memory of a CTA */
  uint32_t dynamic_shared_bytes;
  /* Reserved */
  uint32_t reserved;
  /* Address of the argument block, a multiple of 8 */
  uint64_t arguments;
  /* Address of the signal, a multiple of 8; 0: none */
  uint64_t completion;
};
#define GPU_COMMAND_PACKET_KERNEL_DISPATCH 1
_Static_assert(sizeof(struct gpu_command_packet) == 64, "64 bytes");
_Static_assert(offsetof(struct gpu_command_packet, type) == 0, "at byte 0");
_Static_assert(offsetof(struct gpu_command_packet, priority) == 2, "at byte 2");
_Static_assert(offsetof(struct gpu_command_packet, id) == 4, "at byte 4");
_Static_assert(offsetof(struct gpu_command_packet, kernel) == 8, "at byte 8");
_Static_assert(offsetof(struct gpu_command_packet, grid) == 16, "at byte 16");
_Static_assert(offsetof(struct gpu_command_packet, block) == 28, "at byte 28");
_Static_assert(offsetof(struct gpu_command_packet, dynamic_shared_bytes) == 40, "at byte 40");
_Static_assert(offsetof(struct gpu_command_packet, reserved) == 44, "at byte 44");
_Static_assert(offsetof(struct gpu_command_packet, arguments) == 48, "at byte 48");
_Static_assert(offsetof(struct gpu_command_packet, completion) == 56, "at byte 56");

/* GPU services: kernels by name, device memory, statistics, region of interest. */
#define GPU_SERVICES_BASE 0x20010000UL
#define GPU_SERVICES_BYTES 0x1000UL
/* Longest name of a kernel or statistic, bytes. */
#define GPU_SERVICES_MOST_NAME 4096UL

/* RO. "GTSV", version 1. */
#define GPU_SERVICES_ID_OFFSET 0x0UL
#define GPU_SERVICES_ID (GPU_SERVICES_BASE + GPU_SERVICES_ID_OFFSET)
#define GPU_SERVICES_ID_RESET 0x156535447UL

/* RW. First argument of a command. */
#define GPU_SERVICES_ARG0_OFFSET 0x8UL
#define GPU_SERVICES_ARG0 (GPU_SERVICES_BASE + GPU_SERVICES_ARG0_OFFSET)

/* RW. Second argument of a command. */
#define GPU_SERVICES_ARG1_OFFSET 0x10UL
#define GPU_SERVICES_ARG1 (GPU_SERVICES_BASE + GPU_SERVICES_ARG1_OFFSET)

/* WO. A write executes a command, which takes no time. */
#define GPU_SERVICES_COMMAND_OFFSET 0x18UL
#define GPU_SERVICES_COMMAND (GPU_SERVICES_BASE + GPU_SERVICES_COMMAND_OFFSET)

/* RO. Result of the last command; 0 after an error. */
#define GPU_SERVICES_RESULT_OFFSET 0x20UL
#define GPU_SERVICES_RESULT (GPU_SERVICES_BASE + GPU_SERVICES_RESULT_OFFSET)

/* RO. Status of the last command, or write of DETAIL. */
#define GPU_SERVICES_STATUS_OFFSET 0x28UL
#define GPU_SERVICES_STATUS (GPU_SERVICES_BASE + GPU_SERVICES_STATUS_OFFSET)

/* RW. 1: the region of interest, which is simulated in detail; 0: kernels, and accesses of the
   cores to device memory, take no time. It can be written while no kernel runs. */
#define GPU_SERVICES_DETAIL_OFFSET 0x30UL
#define GPU_SERVICES_DETAIL (GPU_SERVICES_BASE + GPU_SERVICES_DETAIL_OFFSET)

enum gpu_services_command {
  /* The kernel whose name is ARG1 bytes at ARG0; RESULT is its handle, for packets */
  GPU_SERVICES_COMMAND_FIND_KERNEL = 1,
  /* Reserves ARG0 bytes of device memory; RESULT is its address */
  GPU_SERVICES_COMMAND_ALLOCATE = 2,
  /* The present value of the statistic whose name is ARG1 bytes at ARG0,
     `system.gpu0.sm0.warp_instructions`; RESULT is the value, rounded down */
  GPU_SERVICES_COMMAND_READ_STATISTIC = 3,
};
/* X(value, name, description) for each value of enum gpu_services_command. */
#define GPU_SERVICES_COMMAND_VALUES(X) \
  X(GPU_SERVICES_COMMAND_FIND_KERNEL, "FIND_KERNEL", "the kernel whose name is ARG1 bytes at ARG0; RESULT is its handle, for packets") \
  X(GPU_SERVICES_COMMAND_ALLOCATE, "ALLOCATE", "reserves ARG0 bytes of device memory; RESULT is its address") \
  X(GPU_SERVICES_COMMAND_READ_STATISTIC, "READ_STATISTIC", "the present value of the statistic whose name is ARG1 bytes at ARG0, `system.gpu0.sm0.warp_instructions`; RESULT is the value, rounded down")

enum gpu_services_status {
  /* The command has been executed */
  GPU_SERVICES_STATUS_OK = 0,
  /* There is no such command */
  GPU_SERVICES_STATUS_UNKNOWN_COMMAND = 1,
  /* The name is not in memory, is empty, or is too long */
  GPU_SERVICES_STATUS_BAD_ADDRESS = 2,
  /* No file of --kernels, or more than one kernel of a file, has the name */
  GPU_SERVICES_STATUS_UNKNOWN_KERNEL = 3,
  /* Not enough device memory is left */
  GPU_SERVICES_STATUS_NO_MEMORY = 4,
  /* There is no such statistic, or it is no number from 0 on */
  GPU_SERVICES_STATUS_UNKNOWN_STATISTIC = 5,
  /* DETAIL cannot be written while a kernel runs */
  GPU_SERVICES_STATUS_BUSY = 6,
};
/* X(value, name, description) for each value of enum gpu_services_status. */
#define GPU_SERVICES_STATUS_VALUES(X) \
  X(GPU_SERVICES_STATUS_OK, "OK", "the command has been executed") \
  X(GPU_SERVICES_STATUS_UNKNOWN_COMMAND, "UNKNOWN_COMMAND", "there is no such command") \
  X(GPU_SERVICES_STATUS_BAD_ADDRESS, "BAD_ADDRESS", "the name is not in memory, is empty, or is too long") \
  X(GPU_SERVICES_STATUS_UNKNOWN_KERNEL, "UNKNOWN_KERNEL", "no file of --kernels, or more than one kernel of a file, has the name") \
  X(GPU_SERVICES_STATUS_NO_MEMORY, "NO_MEMORY", "not enough device memory is left") \
  X(GPU_SERVICES_STATUS_UNKNOWN_STATISTIC, "UNKNOWN_STATISTIC", "there is no such statistic, or it is no number from 0 on") \
  X(GPU_SERVICES_STATUS_BUSY, "BUSY", "DETAIL cannot be written while a kernel runs")

/* Fault queue: page faults of the GPUs that software handles. */
#define FAULT_QUEUE_BASE 0x20011000UL
#define FAULT_QUEUE_BYTES 0x1000UL
#define FAULT_QUEUE_SOURCE 12 /* of the PLIC */

/* RO. "FLTQ", version 1. */
#define FAULT_QUEUE_ID_OFFSET 0x0UL
#define FAULT_QUEUE_ID (FAULT_QUEUE_BASE + FAULT_QUEUE_ID_OFFSET)
#define FAULT_QUEUE_ID_RESET 0x151544c46UL

/* RW. Who handles page faults. */
#define FAULT_QUEUE_CONTROL_OFFSET 0x8UL
#define FAULT_QUEUE_CONTROL (FAULT_QUEUE_BASE + FAULT_QUEUE_CONTROL_OFFSET)

/* RO. Faults that wait. */
#define FAULT_QUEUE_PENDING_OFFSET 0x10UL
#define FAULT_QUEUE_PENDING (FAULT_QUEUE_BASE + FAULT_QUEUE_PENDING_OFFSET)

/* RO. Virtual address of the oldest one's page; 0: none waits. */
#define FAULT_QUEUE_ADDRESS_OFFSET 0x18UL
#define FAULT_QUEUE_ADDRESS (FAULT_QUEUE_BASE + FAULT_QUEUE_ADDRESS_OFFSET)

/* RO. Its requester, an SM of the whole system; all ones: no SM. */
#define FAULT_QUEUE_SM_OFFSET 0x20UL
#define FAULT_QUEUE_SM (FAULT_QUEUE_BASE + FAULT_QUEUE_SM_OFFSET)

/* RO. GPU of the requester. */
#define FAULT_QUEUE_GPU_OFFSET 0x28UL
#define FAULT_QUEUE_GPU (FAULT_QUEUE_BASE + FAULT_QUEUE_GPU_OFFSET)

/* RO. The memory nearest to the requester. */
#define FAULT_QUEUE_LOCAL_OFFSET 0x30UL
#define FAULT_QUEUE_LOCAL (FAULT_QUEUE_BASE + FAULT_QUEUE_LOCAL_OFFSET)

/* RO. Virtual address of the first page of the allocation. */
#define FAULT_QUEUE_ARRAY_OFFSET 0x38UL
#define FAULT_QUEUE_ARRAY (FAULT_QUEUE_BASE + FAULT_QUEUE_ARRAY_OFFSET)

/* RO. Bytes of the allocation's pages. */
#define FAULT_QUEUE_ARRAY_BYTES_OFFSET 0x40UL
#define FAULT_QUEUE_ARRAY_BYTES (FAULT_QUEUE_BASE + FAULT_QUEUE_ARRAY_BYTES_OFFSET)

/* RO. Memories (channels or GPUs), numbered from 0 on. */
#define FAULT_QUEUE_MEMORIES_OFFSET 0x48UL
#define FAULT_QUEUE_MEMORIES (FAULT_QUEUE_BASE + FAULT_QUEUE_MEMORIES_OFFSET)

/* RO. Bytes of a page. */
#define FAULT_QUEUE_PAGE_BYTES_OFFSET 0x50UL
#define FAULT_QUEUE_PAGE_BYTES (FAULT_QUEUE_BASE + FAULT_QUEUE_PAGE_BYTES_OFFSET)

/* WO. Places the oldest one's page in the memory of this number; the accesses that wait for it
   go on. */
#define FAULT_QUEUE_PLACE_OFFSET 0x58UL
#define FAULT_QUEUE_PLACE (FAULT_QUEUE_BASE + FAULT_QUEUE_PLACE_OFFSET)

/* RO. Status of the last write of PLACE. */
#define FAULT_QUEUE_STATUS_OFFSET 0x60UL
#define FAULT_QUEUE_STATUS (FAULT_QUEUE_BASE + FAULT_QUEUE_STATUS_OFFSET)

/* RO. Faults that software has handled. */
#define FAULT_QUEUE_PLACED_OFFSET 0x68UL
#define FAULT_QUEUE_PLACED (FAULT_QUEUE_BASE + FAULT_QUEUE_PLACED_OFFSET)

/* Fields: CONTROL. */
#define FAULT_QUEUE_CONTROL_SOFTWARE 0x1UL
#define FAULT_QUEUE_CONTROL_INTERRUPT 0x2UL

enum fault_queue_status {
  /* The page has been placed */
  FAULT_QUEUE_STATUS_OK = 0,
  /* No fault waits */
  FAULT_QUEUE_STATUS_NO_FAULT = 1,
  /* There is no memory of this number */
  FAULT_QUEUE_STATUS_NO_SUCH_MEMORY = 2,
};
/* X(value, name, description) for each value of enum fault_queue_status. */
#define FAULT_QUEUE_STATUS_VALUES(X) \
  X(FAULT_QUEUE_STATUS_OK, "OK", "the page has been placed") \
  X(FAULT_QUEUE_STATUS_NO_FAULT, "NO_FAULT", "no fault waits") \
  X(FAULT_QUEUE_STATUS_NO_SUCH_MEMORY, "NO_SUCH_MEMORY", "there is no memory of this number")

/* RAM (--ram). */
#define RAM_BASE 0x80000000UL

/* Device memory, by the GPUs' virtual addresses. */
#define GPU_MEMORY_BASE 0x100000000UL
#define GPU_MEMORY_BYTES 0x10000000000UL

#endif
