/* SPDX-License-Identifier: Apache-2.0 */
#include "console.h"

#include <stdbool.h>

#include "gpu_registers.h"
#include "hart.h"
#include "memory.h"

static lock console;

void put_char(char c) { write8(UART_THR, (uint8_t)c); }

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
  bool begun = false;
  for (int shift = 60; shift >= 0; shift -= 4) {
    const unsigned digit = value >> shift & 15;
    begun |= digit != 0 || shift == 0;
    if (begun) put_char("0123456789abcdef"[digit]);
  }
}

void finish(int status) {
  write32(FINISHER_END, status == 0
                            ? FINISHER_CODE_PASS
                            : FINISHER_CODE_FAIL | (uint32_t)status << FINISHER_END_STATUS_SHIFT);
  for (;;) __asm__ volatile("wfi");
}

void fail(const char* why) {
  put_text("failed: ");
  put_text(why);
  put_char('\n');
  finish(1);
}

/* Text that goes to the UART, or to memory. */
struct output {
  char* to; /* null: the UART */
  size_t room;
  size_t written;
};

static void put(struct output* out, char c) {
  if (out->to == NULL) {
    put_char(c);
  } else if (out->written + 1 < out->room) {
    out->to[out->written] = c;
  }
  ++out->written;
}

/* A conversion of printf. */
struct conversion {
  bool zeros; /* instead of spaces */
  bool left;
  unsigned width;
  int precision; /* negative: none */
};

static void put_field(struct output* out, const struct conversion* c, const char* sign,
                      const char* text, size_t length) {
  const size_t signs = strlen(sign);
  const size_t all = signs + length;
  const size_t fill = c->width > all ? c->width - all : 0;
  if (!c->left && !c->zeros) {
    for (size_t i = 0; i < fill; ++i) put(out, ' ');
  }
  for (size_t i = 0; i < signs; ++i) put(out, sign[i]);
  if (!c->left && c->zeros) {
    for (size_t i = 0; i < fill; ++i) put(out, '0');
  }
  for (size_t i = 0; i < length; ++i) put(out, text[i]);
  if (c->left) {
    for (size_t i = 0; i < fill; ++i) put(out, ' ');
  }
}

/* Writes digits in front of `end`; returns the first. */
static char* digits_of(char* end, uint64_t value, unsigned base, bool upper) {
  do {
    *--end = (upper ? "0123456789ABCDEF" : "0123456789abcdef")[value % base];
    value /= base;
  } while (value != 0);
  return end;
}

static void put_integer(struct output* out, const struct conversion* c, const char* sign,
                        uint64_t value, unsigned base, bool upper) {
  char text[64];
  char* const end = text + sizeof text;
  char* const first = digits_of(end, value, base, upper);
  put_field(out, c, sign, first, (size_t)(end - first));
}

static void put_float(struct output* out, const struct conversion* c, double value) {
  const char* sign = "";
  if (__builtin_signbit(value)) {
    sign = "-";
    value = -value;
  }
  struct conversion spaces = *c;
  spaces.zeros = false;
  if (value != value) return put_field(out, &spaces, sign, "nan", 3);
  if (value > 1.7976931348623157e308) return put_field(out, &spaces, sign, "inf", 3);
  const unsigned precision = c->precision < 0 ? 6 : c->precision > 9 ? 9 : (unsigned)c->precision;
  unsigned exponent = 0;
  const bool large = value >= 18446744073709551616.0;
  for (; large && value >= 10; ++exponent) value /= 10;
  uint64_t power = 1;
  for (unsigned i = 0; i < precision; ++i) power *= 10;
  uint64_t whole = (uint64_t)value;
  /* To the nearest; ties to even. The difference is exact, the product is rounded once. */
  const double scaled = (value - (double)whole) * (double)power;
  uint64_t part = (uint64_t)scaled;
  const double rest = scaled - (double)part;
  if (rest > 0.5 || (rest == 0.5 && (part & 1) != 0) ||
      (rest == 0.5 && precision == 0 && (whole & 1) != 0)) {
    ++part;
  }
  if (part >= power) {
    part -= power;
    ++whole;
  }
  char text[64];
  char* const end = text + sizeof text;
  char* first = end;
  if (large) {
    first = digits_of(first, exponent, 10, false);
    *--first = '+';
    *--first = 'e';
  }
  if (precision != 0) {
    for (unsigned i = 0; i < precision; ++i, part /= 10) *--first = (char)('0' + part % 10);
    *--first = '.';
  }
  first = digits_of(first, whole, 10, false);
  put_field(out, c, sign, first, (size_t)(end - first));
}

static int64_t signed_argument(va_list* arguments, bool wide) {
  return wide ? va_arg(*arguments, long) : va_arg(*arguments, int);
}

static uint64_t unsigned_argument(va_list* arguments, bool wide) {
  return wide ? va_arg(*arguments, unsigned long) : va_arg(*arguments, unsigned);
}

static void put_formatted(struct output* out, const char* format, va_list* arguments) {
  for (; *format != 0; ++format) {
    if (*format != '%') {
      put(out, *format);
      continue;
    }
    struct conversion c = {.precision = -1};
    ++format;
    for (; *format == '0' || *format == '-'; ++format) {
      if (*format == '0') c.zeros = true;
      if (*format == '-') c.left = true;
    }
    for (; *format >= '0' && *format <= '9'; ++format) {
      c.width = 10 * c.width + (unsigned)(*format - '0');
    }
    if (*format == '.') {
      c.precision = 0;
      for (++format; *format >= '0' && *format <= '9'; ++format) {
        c.precision = 10 * c.precision + (*format - '0');
      }
    }
    bool wide = false;
    for (; *format == 'l' || *format == 'z'; ++format) wide = true;
    switch (*format) {
      case 'd':
      case 'i': {
        const int64_t value = signed_argument(arguments, wide);
        put_integer(out, &c, value < 0 ? "-" : "", value < 0 ? -(uint64_t)value : (uint64_t)value,
                    10, false);
        break;
      }
      case 'u':
        put_integer(out, &c, "", unsigned_argument(arguments, wide), 10, false);
        break;
      case 'x':
      case 'X':
        put_integer(out, &c, "", unsigned_argument(arguments, wide), 16, *format == 'X');
        break;
      case 'p':
        put_integer(out, &c, "0x", (uintptr_t)va_arg(*arguments, void*), 16, false);
        break;
      case 'f':
        put_float(out, &c, va_arg(*arguments, double));
        break;
      case 'c': {
        const char character = (char)va_arg(*arguments, int);
        put_field(out, &c, "", &character, 1);
        break;
      }
      case 's': {
        const char* const text = va_arg(*arguments, const char*);
        size_t length = 0;
        while (text[length] != 0 && (c.precision < 0 || length < (size_t)c.precision)) ++length;
        put_field(out, &c, "", text, length);
        break;
      }
      case '%':
        put(out, '%');
        break;
      default: /* an unknown conversion is printed as it stands */
        put(out, '%');
        if (*format == 0) return;
        put(out, *format);
    }
  }
}

int printf(const char* format, ...) {
  struct output out = {NULL, 0, 0};
  va_list arguments;
  va_start(arguments, format);
  const uint64_t interrupts = lock_take(&console);
  put_formatted(&out, format, &arguments);
  lock_release(&console, interrupts);
  va_end(arguments);
  return (int)out.written;
}

int vsnprintf(char* to, size_t room, const char* format, va_list arguments) {
  char none;
  struct output out = {room == 0 ? &none : to, room, 0};
  va_list copy;
  va_copy(copy, arguments);
  put_formatted(&out, format, &copy);
  va_end(copy);
  if (room != 0) to[out.written < room ? out.written : room - 1] = 0;
  return (int)out.written;
}

int snprintf(char* to, size_t room, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(to, room, format, arguments);
  va_end(arguments);
  return length;
}
