/* SPDX-License-Identifier: Apache-2.0 */
/* The driver: docs/blocks/command-processor.md has registers and packets. */
#include "tessera.h"

#define PLIC 0x0c000000UL
#define PLIC_CLAIM (PLIC + 0x200004)
#define GPU_INTERRUPT 11

#define QUEUE 0x20000000UL
#define QUEUE_BASE (QUEUE + 0x08)
#define QUEUE_SIZE (QUEUE + 0x10)
#define QUEUE_TAIL (QUEUE + 0x20)
#define QUEUE_INTERRUPT_ENABLE (QUEUE + 0x30)
#define QUEUE_INTERRUPT_STATUS (QUEUE + 0x38)
#define QUEUE_ERROR (QUEUE + 0x40)
#define QUEUE_ID 0x0000000153534554UL

#define SERVICES 0x20010000UL
#define SERVICES_ARG0 (SERVICES + 0x08)
#define SERVICES_ARG1 (SERVICES + 0x10)
#define SERVICES_COMMAND (SERVICES + 0x18)
#define SERVICES_RESULT (SERVICES + 0x20)
#define FIND_KERNEL 1
#define ALLOCATE 2

#define PACKETS 16
#define ARGUMENT_BYTES 256
#define DONE 1UL

struct packet {
  uint16_t type;
  int16_t priority;
  uint32_t id;
  uint64_t kernel;
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t dynamic_shared_bytes;
  uint32_t reserved;
  uint64_t arguments;
  uint64_t completion;
};
_Static_assert(sizeof(struct packet) == 64, "a packet has 64 bytes");

static struct packet ring[PACKETS] __attribute__((aligned(64)));
static unsigned char argument_blocks[PACKETS][ARGUMENT_BYTES] __attribute__((aligned(8)));
static volatile uint64_t signals[PACKETS];
static uint32_t tail;

static void fence(void) { __asm__ volatile("fence" ::: "memory"); }

void gpu_open(void) {
  if (read64(QUEUE) != QUEUE_ID) fail("there is no command processor");
  write64(QUEUE_BASE, (uint64_t)ring);
  write64(QUEUE_SIZE, PACKETS);
  write64(QUEUE_INTERRUPT_ENABLE, 3);
  write32(PLIC + 4 * GPU_INTERRUPT, 1);
  write32(PLIC + 0x2000, 1U << GPU_INTERRUPT);
  __asm__ volatile("csrs mie, %0" ::"r"(0x800UL));
}

static uint64_t service(uint64_t command, uint64_t a, uint64_t b) {
  write64(SERVICES_ARG0, a);
  write64(SERVICES_ARG1, b);
  write64(SERVICES_COMMAND, command);
  return read64(SERVICES_RESULT);
}

gpu_kernel gpu_load(const char* name) {
  const gpu_kernel kernel = service(FIND_KERNEL, (uint64_t)name, strlen(name));
  if (kernel == 0) fail(name);
  return kernel;
}

device_pointer gpu_malloc(uint64_t bytes) {
  const device_pointer at = service(ALLOCATE, bytes, 0);
  if (at == 0) fail("no device memory");
  return at;
}

/* Device memory is in the cores' address space. */
void gpu_write(device_pointer to, const void* from, uint64_t bytes) {
  const unsigned char* f = from;
  for (; bytes >= 8 && to % 8 == 0; bytes -= 8, to += 8, f += 8) {
    uint64_t word;
    memcpy(&word, f, 8);
    write64(to, word);
  }
  for (; bytes != 0; --bytes) *(volatile uint8_t*)to++ = *f++;
}

void gpu_read(void* to, device_pointer from, uint64_t bytes) {
  unsigned char* t = to;
  for (; bytes >= 8 && from % 8 == 0; bytes -= 8, from += 8, t += 8) {
    const uint64_t word = read64(from);
    memcpy(t, &word, 8);
  }
  for (; bytes != 0; --bytes) *t++ = *(volatile uint8_t*)from++;
}

uint32_t gpu_launch(gpu_kernel kernel, dim3 grid, dim3 block, const gpu_argument* arguments,
                    unsigned count) {
  const uint32_t launch = tail;
  const unsigned slot = launch % PACKETS;
  if (launch >= PACKETS) gpu_wait(launch - PACKETS);
  /* Arguments are aligned to their size. */
  unsigned char* const to = argument_blocks[slot];
  unsigned offset = 0;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned size = arguments[i].size;
    offset = (offset + size - 1) / size * size;
    if (offset + size > ARGUMENT_BYTES) fail("too many arguments");
    memcpy(to + offset, arguments[i].bytes, size);
    offset += size;
  }
  signals[slot] = 0;
  ring[slot] = (struct packet){
      .type = 1,
      .id = launch,
      .kernel = kernel,
      .grid = {grid.x, grid.y, grid.z},
      .block = {block.x, block.y, block.z},
      .arguments = (uint64_t)to,
      .completion = (uint64_t)&signals[slot],
  };
  fence(); /* the packet before its doorbell */
  write64(QUEUE_TAIL, ++tail);
  return launch;
}

void gpu_wait(uint32_t launch) {
  const unsigned slot = launch % PACKETS;
  /* With interrupts disabled between the test and WFI, none is lost: WFI ends when one is pending. */
  while (signals[slot] == 0) {
    __asm__ volatile("wfi");
    __asm__ volatile("csrsi mstatus, 8");
    __asm__ volatile("nop");
    __asm__ volatile("csrci mstatus, 8");
  }
  if (signals[slot] != DONE) {
    put_text("error ");
    put_number(signals[slot] & 0xff);
    put_char('\n');
    fail("a kernel");
  }
}

uint64_t trap(uint64_t cause, uint64_t pc, uint64_t value) {
  const uint64_t external = 1UL << 63 | 11;
  if (cause == external) {
    const uint32_t source = read32(PLIC_CLAIM);
    if (source == GPU_INTERRUPT) write64(QUEUE_INTERRUPT_STATUS, 3);
    write32(PLIC_CLAIM, source);
    return pc;
  }
  put_text("cause ");
  put_number(cause);
  put_text(" at ");
  put_hex(pc);
  put_text(", value ");
  put_hex(value);
  put_char('\n');
  fail("an exception");
}
