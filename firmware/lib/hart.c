/* SPDX-License-Identifier: Apache-2.0 */
#include "hart.h"

#include <stddef.h>

#include "console.h"
#include "gpu_registers.h"

/* Bits of mstatus, mie and mip. */
#define MSTATUS_MIE 0x8UL
#define SOFTWARE 3
#define TIMER 7
#define EXTERNAL 11
#define INTERRUPT_CAUSE (1UL << 63)

#define NEVER (~0UL)

static interrupt_handler handlers[PLIC_SOURCES + 1];
static void (*timers[MOST_HARTS])(void);

uint64_t mtime(void) { return read64(CLINT_MTIME); }

uint64_t time_ns(void) { return mtime() * (1000000000 / CLINT_HZ); }

uint64_t interrupts_disable(void) {
  uint64_t before;
  __asm__ volatile("csrrc %0, mstatus, %1" : "=r"(before) : "r"(MSTATUS_MIE) : "memory");
  return before & MSTATUS_MIE;
}

void interrupts_restore(uint64_t interrupts) {
  __asm__ volatile("csrs mstatus, %0" ::"r"(interrupts) : "memory");
}

uint64_t lock_take(lock* l) {
  const uint64_t interrupts = interrupts_disable();
  for (;;) {
    uint32_t held;
    __asm__ volatile("amoswap.w.aq %0, %1, (%2)" : "=r"(held) : "r"(1), "r"(&l->held) : "memory");
    if (held == 0) return interrupts;
    while (l->held != 0) {
    }
  }
}

void lock_release(lock* l, uint64_t interrupts) {
  __asm__ volatile("amoswap.w.rl zero, zero, (%0)" ::"r"(&l->held) : "memory");
  interrupts_restore(interrupts);
}

/* Context of the PLIC: machine mode of this hart. */
static uint64_t context(void) { return 2 * (uint64_t)hart_id(); }

void interrupt_connect(uint32_t source, interrupt_handler handler) {
  handlers[source] = handler;
  write32(PLIC_PRIORITY(source), 1);
  interrupt_enable(source);
}

void interrupt_enable(uint32_t source) {
  const uint64_t interrupts = interrupts_disable();
  const uint64_t word = PLIC_ENABLE(context(), source / 32);
  write32(word, read32(word) | 1U << source % 32);
  interrupts_restore(interrupts);
}

void interrupts_open(void) {
  __asm__ volatile("csrs mie, %0" ::"r"(1UL << EXTERNAL | 1UL << SOFTWARE));
  interrupts_restore(MSTATUS_MIE);
}

/* One source: if others are pending, so is the interrupt. */
static void serve_external(void) {
  const uint32_t source = read32(PLIC_CLAIM(context()));
  if (source == 0) return; /* another hart has claimed it */
  if (handlers[source] != NULL) handlers[source](source);
  write32(PLIC_CLAIM(context()), source);
}

static void serve_timer(void) {
  const uint32_t hart = hart_id();
  void (*const handler)(void) = timers[hart];
  write64(CLINT_MTIMECMP(hart), NEVER);
  timers[hart] = NULL;
  if (handler != NULL) handler();
}

void interrupt_serve(uint64_t cause) {
  switch (cause & ~INTERRUPT_CAUSE) {
    case EXTERNAL:
      serve_external();
      break;
    case SOFTWARE:
      write32(CLINT_MSIP(hart_id()), 0);
      break;
    case TIMER:
      serve_timer();
      break;
    default:
      break;
  }
}

/* Interrupts are served by calls and not by traps, so that none is taken between the caller's test
   and WFI. */
void interrupts_wait(void) {
  __asm__ volatile("wfi" ::: "memory");
  const uint32_t hart = hart_id();
  if (read32(CLINT_MSIP(hart)) != 0) write32(CLINT_MSIP(hart), 0);
  if (timers[hart] != NULL && mtime() >= read64(CLINT_MTIMECMP(hart))) serve_timer();
  serve_external();
}

void hart_wake(uint32_t hart) { write32(CLINT_MSIP(hart), 1); }

void timer_set(uint64_t at, void (*handler)(void)) {
  const uint64_t interrupts = interrupts_disable();
  const uint32_t hart = hart_id();
  timers[hart] = handler;
  write64(CLINT_MTIMECMP(hart), handler == NULL ? NEVER : at);
  __asm__ volatile("csrs mie, %0" ::"r"(1UL << TIMER));
  interrupts_restore(interrupts);
}

__attribute__((weak)) uint64_t trap(uint64_t cause, uint64_t pc, uint64_t value) {
  if ((cause & INTERRUPT_CAUSE) != 0) {
    interrupt_serve(cause);
    return pc;
  }
  put_text("hart ");
  put_number(hart_id());
  put_text(": cause ");
  put_number(cause);
  put_text(" at ");
  put_hex(pc);
  put_text(", value ");
  put_hex(value);
  put_char('\n');
  fail("an exception");
}
