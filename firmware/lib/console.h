/* SPDX-License-Identifier: Apache-2.0 */
/* Output at the UART, and the end of the run. */
#ifndef TESSERA_CONSOLE_H
#define TESSERA_CONSOLE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

void put_char(char c);
void put_text(const char* text);
void put_number(uint64_t value);
void put_hex(uint64_t value);

/* Conversions d i u x X c s p f %, with flags 0 and -, a width, a precision (of f: up to 9 digits,
   6 by default; of s: most characters) and lengths l, ll and z. An f of 2^64 or more is printed as
   a multiple of a power of ten ("1.5e+20"), and is not exact there. Returns the characters that are
   printed. A call's text is not mixed with that of other harts. */
int printf(const char* format, ...) __attribute__((format(printf, 1, 2)));
/* Writes at most `room` characters, of which the last is 0. Returns the length of the whole text.
 */
int snprintf(char* to, size_t room, const char* format, ...) __attribute__((format(printf, 3, 4)));
int vsnprintf(char* to, size_t room, const char* format, va_list arguments);

/* Ends the run; `status`: exit status of the command, 0 to 255. */
void finish(int status) __attribute__((noreturn));
/* Prints "failed: WHY" and ends the run with status 1. */
void fail(const char* why) __attribute__((noreturn));

#endif
