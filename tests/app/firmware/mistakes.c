/* SPDX-License-Identifier: Apache-2.0 */
/* Two vector additions by a driver of its own, with a mistake: -DMISTAKE=NAME (tests/app/vp_test.py
   has what must be seen). Kernel: stimuli/kernels/vecadd/vecadd.ptx. */
#include "tessera.h"

enum {
  NONE,
  DOORBELL_BEFORE_PACKET,
  NO_FENCE,
  WRONG_STRIDE,
  NOT_ACKNOWLEDGED,
  NOT_COMPLETED,
  NOT_ENABLED,
  STALE_SIGNAL,
  EARLY_READ,
  MISALIGNED_ARGUMENTS,
  SHARED_ARGUMENTS,
  RING_OVERRUN,
  MISSING_ARGUMENT,
  WRONG_HANDLE,
  WRONG_REGISTER,
  FAULTS_WITHOUT_HANDLER,
  CONTROL_WHILE_BUSY,
};

#define N 4096
#define SLOTS 4
#define STRIDE (MISTAKE == WRONG_STRIDE ? 2 : 1)

static struct gpu_command_packet ring[2 * SLOTS] __attribute__((aligned(64)));
static unsigned char arguments[2][64] __attribute__((aligned(8)));
static volatile uint64_t signals[2];
static float *a, *b, *c[2];
static uint32_t tail;
static uint64_t kernel;

static uint64_t service(uint64_t command, uint64_t x, uint64_t y) {
  write64(GPU_SERVICES_ARG0, x);
  write64(GPU_SERVICES_ARG1, y);
  fence();
  write64(GPU_SERVICES_COMMAND, command);
  return read64(GPU_SERVICES_RESULT);
}

static float* allocate(void) {
  return (float*)service(GPU_SERVICES_COMMAND_ALLOCATE, N * sizeof(float), 0);
}

uint64_t trap(uint64_t cause, uint64_t pc, uint64_t value) {
  if (cause != (1UL << 63 | 11)) {
    printf("cause %lu, address %lx\n", cause, value);
    finish(3);
  }
  const uint32_t source = read32(PLIC_CLAIM(0));
  if (MISTAKE != NOT_ACKNOWLEDGED) {
    write64(GPU_COMMAND_INTERRUPT_STATUS(0), read64(GPU_COMMAND_INTERRUPT_STATUS(0)));
  }
  if (MISTAKE != NOT_COMPLETED) write32(PLIC_CLAIM(0), source);
  const uint64_t error = read64(GPU_COMMAND_ERROR(0));
  if (error != 0) {
    printf("%s\n", gpu_error_name((gpu_error)error));
    finish(2);
  }
  return pc;
}

static void open(void) {
  write64(GPU_COMMAND_QUEUE_BASE(0), (uint64_t)ring);
  write64(GPU_COMMAND_QUEUE_SIZE(0), SLOTS);
  write64(GPU_COMMAND_INTERRUPT_ENABLE(0), 3);
  write32(PLIC_PRIORITY(GPU_COMMAND_SOURCE), 1);
  if (MISTAKE != NOT_ENABLED) write32(PLIC_ENABLE(0, 0), 1U << GPU_COMMAND_SOURCE);
  __asm__ volatile("csrs mie, %0" ::"r"(0x800UL));
  __asm__ volatile("csrsi mstatus, 8");
}

static void doorbell(void) {
  if (MISTAKE != NO_FENCE) fence();
  write64(GPU_COMMAND_TAIL(0), MISTAKE == RING_OVERRUN ? tail + SLOTS : tail);
}

static void launch(unsigned n) {
  unsigned char* const block = arguments[MISTAKE == SHARED_ARGUMENTS ? 0 : n];
  const uint64_t pointers[] = {(uint64_t)a, (uint64_t)b, (uint64_t)c[n]};
  const uint32_t count = MISTAKE == MISSING_ARGUMENT ? 0 : N;
  memcpy(block, pointers, sizeof pointers);
  memcpy(block + sizeof pointers, &count, sizeof count);
  const struct gpu_command_packet packet = {
      .type = GPU_COMMAND_PACKET_KERNEL_DISPATCH,
      .id = n,
      .kernel = MISTAKE == WRONG_HANDLE ? kernel + 1 : kernel,
      .grid = {N / 256, 1, 1},
      .block = {256, 1, 1},
      .arguments = (uint64_t)block + (MISTAKE == MISALIGNED_ARGUMENTS ? 4 : 0),
      .completion = (uint64_t)&signals[MISTAKE == STALE_SIGNAL ? 0 : n],
  };
  const uint32_t slot = tail++ % SLOTS * STRIDE;
  if (MISTAKE == DOORBELL_BEFORE_PACKET) doorbell();
  memcpy(&ring[slot], &packet, sizeof packet);
  if (MISTAKE != DOORBELL_BEFORE_PACKET) doorbell();
}

static void wait_for(unsigned n) {
  const volatile uint64_t* const signal = &signals[MISTAKE == STALE_SIGNAL ? 0 : n];
  while (*signal == 0) __asm__ volatile("wfi");
}

static void check(unsigned n) {
  unsigned wrong = 0;
  for (unsigned i = 0; i < N; ++i) wrong += c[n][i] != (float)(3 * i + 1);
  if (wrong == 0) return;
  printf("%u of %u wrong\n", wrong, N);
  finish(4);
}

int main(void) {
  kernel = service(GPU_SERVICES_COMMAND_FIND_KERNEL, (uint64_t)"vecadd", 6);
  a = allocate();
  b = allocate();
  c[0] = allocate();
  c[1] = allocate();
  for (unsigned i = 0; i < N; ++i) {
    a[i] = (float)i;
    b[i] = (float)(2 * i + 1);
  }
  open();
  if (MISTAKE == FAULTS_WITHOUT_HANDLER) {
    write64(FAULT_QUEUE_CONTROL, FAULT_QUEUE_CONTROL_SOFTWARE);
  }
  if (MISTAKE == WRONG_REGISTER) write64(GPU_COMMAND_QUEUES(0) + 8, 1);
  launch(0);
  if (MISTAKE == CONTROL_WHILE_BUSY) write64(GPU_COMMAND_QUEUE_SIZE(0), 2 * SLOTS);
  if (MISTAKE == EARLY_READ) check(0);
  if (MISTAKE == SHARED_ARGUMENTS) {
    launch(0);
    launch(1);
    launch(0);
    wait_for(1);
    while (read64(GPU_COMMAND_COMPLETED(0)) != 4) {
    }
  } else {
    wait_for(0);
    check(0);
    launch(1);
    wait_for(1);
  }
  check(1);
  check(0);
  printf("right\n");
  return 0;
}
