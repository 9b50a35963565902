/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of devices, the hart, time, locks and interrupts. */
#ifndef TESSERA_HART_H
#define TESSERA_HART_H

#include <stdbool.h>
#include <stdint.h>

#define MOST_HARTS 8

/* Registers of devices, by their addresses (gpu_registers.h). */
static inline uint64_t read64(uint64_t address) { return *(volatile uint64_t*)address; }
static inline uint32_t read32(uint64_t address) { return *(volatile uint32_t*)address; }
static inline uint8_t read8(uint64_t address) { return *(volatile uint8_t*)address; }
static inline void write64(uint64_t address, uint64_t value) {
  *(volatile uint64_t*)address = value;
}
static inline void write32(uint64_t address, uint32_t value) {
  *(volatile uint32_t*)address = value;
}
static inline void write8(uint64_t address, uint8_t value) { *(volatile uint8_t*)address = value; }

/* All accesses before it, to memory and devices, are performed before those after it. */
static inline void fence(void) { __asm__ volatile("fence iorw, iorw" ::: "memory"); }

/* Number of this hart. */
static inline uint32_t hart_id(void) {
  uint64_t hart;
  __asm__ volatile("csrr %0, mhartid" : "=r"(hart));
  return (uint32_t)hart;
}

/* Simulated time, in periods of 100 ns (CLINT_HZ). */
uint64_t mtime(void);
/* The same in nanoseconds. */
uint64_t time_ns(void);

/* A lock for all harts. The holder's interrupts are disabled, because interrupt handlers take locks
   too. A hart must not take a lock that it holds. */
typedef struct {
  volatile uint32_t held;
} lock;
/* Returns the state of the hart's interrupts, for lock_release(). */
uint64_t lock_take(lock* l);
void lock_release(lock* l, uint64_t interrupts);

/* Disables the hart's interrupts; returns their state, for interrupts_restore(). */
uint64_t interrupts_disable(void);
void interrupts_restore(uint64_t interrupts);

/* Called at an interrupt of a source of the PLIC, between claim and completion, with interrupts
   disabled: it must remove the cause at the device. */
typedef void (*interrupt_handler)(uint32_t source);
/* Sets the handler of a source, and enables the source at the PLIC for this hart. Other harts that
   shall take it call interrupt_enable(). */
void interrupt_connect(uint32_t source, interrupt_handler handler);
void interrupt_enable(uint32_t source);
/* Enables external and software interrupts of this hart. */
void interrupts_open(void);
/* Sleeps until an interrupt is pending, and serves it. Call it with interrupts disabled, after a
   test whether there is anything to wait for: an interrupt after the test ends the sleep. */
void interrupts_wait(void);
/* Ends interrupts_wait() of another hart, by its software interrupt. */
void hart_wake(uint32_t hart);

/* Called once at `at` (mtime) by the timer interrupt of this hart; null: no more. */
void timer_set(uint64_t at, void (*handler)(void));

/* Called for each interrupt and exception; returns the pc to go on at. The library's own one (weak)
   serves interrupts, and ends the run at an exception. */
uint64_t trap(uint64_t cause, uint64_t pc, uint64_t value);
/* Serves the interrupt with this mcause: for a trap() of your own. */
void interrupt_serve(uint64_t cause);

#endif
