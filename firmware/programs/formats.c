/* SPDX-License-Identifier: Apache-2.0 */
/* Checks snprintf() of the library. Needs no GPUs. */
#include "tessera.h"

static unsigned wrong;

#define EXPECT(expected, ...)                                             \
  do {                                                                    \
    char text[80];                                                        \
    const int length = snprintf(text, sizeof text, __VA_ARGS__);          \
    if (strcmp(text, expected) != 0 || length != (int)strlen(expected)) { \
      printf("\"%s\" (%d), expected \"%s\"\n", text, length, expected);   \
      ++wrong;                                                            \
    }                                                                     \
  } while (0)

int main(void) {
  const double zero = 0;
  EXPECT("7 -8 2147483648", "%d %i %u", 7, -8, 0x80000000U);
  EXPECT("-9223372036854775808", "%ld", -0x7fffffffffffffffL - 1);
  EXPECT("18446744073709551615", "%lu", ~0UL);
  EXPECT("beef 00BEEF deadbeefcafe", "%x %06X %lx", 0xbeef, 0xbeef, 0xdeadbeefcafeUL);
  EXPECT("   42|42   |00042|-0042", "%5d|%-5d|%05d|%05d", 42, 42, 42, -42);
  EXPECT("0x80000000", "%p", (void*)0x80000000UL);
  EXPECT("a bc  d%", "%s %.2s %2s%%", "a", "bcde", "d");
  EXPECT("x", "%c", 'x');
  EXPECT("0.000000 1.500000 -2.250000", "%f %f %f", 0.0, 1.5, -2.25);
  EXPECT("3.14 3.142 3", "%.2f %.3f %.0f", 3.14159, 3.14159, 3.14159);
  EXPECT("0.999999 1.000000 10.00", "%f %f %.2f", 0.999999, 0.9999999, 9.999);
  EXPECT("2 2 4 -0.5", "%.0f %.0f %.0f %.1f", 1.5, 2.5, 3.5, -0.5);
  EXPECT("0.000000001", "%.9f", 1e-9);
  EXPECT("9007199254740992.0", "%.1f", 9007199254740992.0);
  EXPECT("  1.50|1.50  |001.50", "%6.2f|%-6.2f|%06.2f", 1.5, 1.5, 1.5);
  EXPECT("1.5e+20", "%.1f", 1.5e20);
  EXPECT("inf -inf", "%f %f", 1 / zero, -1 / zero);
  EXPECT("nan", "%.1f", __builtin_nan(""));
  char small[4];
  if (snprintf(small, sizeof small, "%d", 123456) != 6 || strcmp(small, "123") != 0) ++wrong;
  printf("formats: %u wrong\n", wrong);
  return wrong != 0;
}
