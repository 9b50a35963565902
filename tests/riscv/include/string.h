/* SPDX-License-Identifier: Apache-2.0 */
/* What env/v/string.c of riscv-tests defines: Debian's compiler has no C library. */
#ifndef TESSERA_RISCV_STRING_H
#define TESSERA_RISCV_STRING_H

#include <stddef.h>

void* memcpy(void* to, const void* from, size_t bytes);
void* memset(void* to, int byte, size_t bytes);
int memcmp(const void* a, const void* b, size_t bytes);
size_t strlen(const char* text);
int strcmp(const char* a, const char* b);
char* strcpy(char* to, const char* from);
long atol(const char* text);

#endif
