/* SPDX-License-Identifier: Apache-2.0 */
#include "tessera.h"

#define UART 0x10000000UL
#define FINISHER 0x100000UL

void put_char(char c) { *(volatile uint8_t*)UART = (uint8_t)c; }

void put_text(const char* text) {
  while (*text != 0) put_char(*text++);
}

void put_number(uint64_t value) {
  char digits[20];
  unsigned n = 0;
  do {
    digits[n++] = (char)('0' + value % 10);
    value /= 10;
  } while (value != 0);
  while (n != 0) put_char(digits[--n]);
}

void put_hex(uint64_t value) {
  put_text("0x");
  int begun = 0;
  for (int shift = 60; shift >= 0; shift -= 4) {
    const unsigned digit = value >> shift & 15;
    begun |= digit != 0 || shift == 0;
    if (begun) put_char("0123456789abcdef"[digit]);
  }
}

void finish(int status) {
  write32(FINISHER, status == 0 ? 0x5555 : 0x3333 | (uint32_t)status << 16);
  for (;;) __asm__ volatile("wfi");
}

void fail(const char* why) {
  put_text("failed: ");
  put_text(why);
  put_char('\n');
  finish(1);
}

void* memcpy(void* to, const void* from, size_t bytes) {
  unsigned char* t = to;
  const unsigned char* f = from;
  while (bytes-- != 0) *t++ = *f++;
  return to;
}

void* memset(void* at, int value, size_t bytes) {
  unsigned char* t = at;
  while (bytes-- != 0) *t++ = (unsigned char)value;
  return at;
}

size_t strlen(const char* text) {
  size_t n = 0;
  while (text[n] != 0) ++n;
  return n;
}
