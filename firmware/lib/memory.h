/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of <string.h>, of which the compiler calls some by itself. */
#ifndef TESSERA_MEMORY_H
#define TESSERA_MEMORY_H

#include <stddef.h>

void* memcpy(void* to, const void* from, size_t bytes);
void* memmove(void* to, const void* from, size_t bytes);
void* memset(void* at, int value, size_t bytes);
int memcmp(const void* a, const void* b, size_t bytes);
size_t strlen(const char* text);
int strcmp(const char* a, const char* b);

#endif
