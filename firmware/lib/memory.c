/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include <stdint.h>

/* The compiler must not turn a loop of these functions into a call of the function itself. */
#define PLAIN __attribute__((optimize("no-tree-loop-distribute-patterns")))

PLAIN void* memcpy(void* to, const void* from, size_t bytes) {
  unsigned char* t = to;
  const unsigned char* f = from;
  if ((uintptr_t)t % 8 == 0 && (uintptr_t)f % 8 == 0) {
    for (; bytes >= 8; bytes -= 8, t += 8, f += 8) {
      *(uint64_t __attribute__((may_alias))*)t = *(const uint64_t __attribute__((may_alias))*)f;
    }
  }
  while (bytes-- != 0) *t++ = *f++;
  return to;
}

PLAIN void* memmove(void* to, const void* from, size_t bytes) {
  unsigned char* t = to;
  const unsigned char* f = from;
  if ((uintptr_t)t - (uintptr_t)f >= bytes) return memcpy(to, from, bytes);
  while (bytes-- != 0) t[bytes] = f[bytes];
  return to;
}

PLAIN void* memset(void* at, int value, size_t bytes) {
  unsigned char* t = at;
  while (bytes-- != 0) *t++ = (unsigned char)value;
  return at;
}

int memcmp(const void* a, const void* b, size_t bytes) {
  const unsigned char* x = a;
  const unsigned char* y = b;
  for (; bytes-- != 0; ++x, ++y) {
    if (*x != *y) return *x < *y ? -1 : 1;
  }
  return 0;
}

PLAIN size_t strlen(const char* text) {
  size_t n = 0;
  while (text[n] != 0) ++n;
  return n;
}

int strcmp(const char* a, const char* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return (unsigned char)*a - (unsigned char)*b;
}
