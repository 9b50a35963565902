/* SPDX-License-Identifier: Apache-2.0 */
/* Start-up, console and the GPUs' driver for programs of machine mode. One hart uses the driver. */
#ifndef TESSERA_H
#define TESSERA_H

#include <stddef.h>
#include <stdint.h>

/* Console and end of the run. */
void put_char(char c);
void put_text(const char* text);
void put_number(uint64_t value);
void put_hex(uint64_t value);
/* Ends the run; `status`: of the command. */
void finish(int status) __attribute__((noreturn));
/* finish(1) with a message. */
void fail(const char* why) __attribute__((noreturn));

void* memcpy(void* to, const void* from, size_t bytes);
void* memset(void* at, int value, size_t bytes);
size_t strlen(const char* text);

/* Registers of devices: see docs/guide/virtual-platform.md. */
static inline uint64_t read64(uint64_t address) { return *(volatile uint64_t*)address; }
static inline void write64(uint64_t address, uint64_t value) {
  *(volatile uint64_t*)address = value;
}
static inline uint32_t read32(uint64_t address) { return *(volatile uint32_t*)address; }
static inline void write32(uint64_t address, uint32_t value) {
  *(volatile uint32_t*)address = value;
}

/* Called for each interrupt and exception; returns the pc to go on at. The library's own one claims
   the GPUs' interrupt, and fails at all others. */
uint64_t trap(uint64_t cause, uint64_t pc, uint64_t value);

/* The GPUs. */
typedef uint64_t device_pointer; /* a virtual address of the GPUs */
typedef uint64_t gpu_kernel;

typedef struct {
  uint32_t x, y, z;
} dim3;

/* An argument: its bytes, in the order of the kernel's parameters. */
typedef struct {
  const void* bytes;
  uint32_t size; /* 1, 2, 4 or 8 */
} gpu_argument;
#define GPU_ARGUMENT(value) ((gpu_argument){&(value), sizeof(value)})

/* Sets up queue 0 and its interrupt. */
void gpu_open(void);
/* A kernel of the command's --kernels; fails if there is none. */
gpu_kernel gpu_load(const char* name);
device_pointer gpu_malloc(uint64_t bytes);
void gpu_write(device_pointer to, const void* from, uint64_t bytes);
void gpu_read(void* to, device_pointer from, uint64_t bytes);
/* Enqueues a launch; returns its number. */
uint32_t gpu_launch(gpu_kernel kernel, dim3 grid, dim3 block, const gpu_argument* arguments,
                    unsigned count);
/* Sleeps until the launch has ended; fails if it has failed. */
void gpu_wait(uint32_t launch);

#endif
