/* SPDX-License-Identifier: Apache-2.0 */
#include "device_tree.h"

#include <stddef.h>

#include "memory.h"

#define MAGIC 0xd00dfeedU
#define BEGIN_NODE 1U
#define END_NODE 2U
#define PROPERTY 3U
#define NOTHING 4U

const void* device_tree;

/* Word n of the tree. */
static uint32_t big(const void* from, uint32_t n) {
  const uint32_t v = ((const uint32_t*)from)[n];
  return v << 24 | (v << 8 & 0xff0000) | (v >> 8 & 0xff00) | v >> 24;
}

static const uint32_t* after(const void* from, uint32_t bytes) {
  return (const uint32_t*)((const char*)from + (bytes + 3) / 4 * 4);
}

bool device_tree_visit(device_tree_visitor visitor, void* context) {
  if (device_tree == NULL || big(device_tree, 0) != MAGIC) return false;
  const char* const names = (const char*)device_tree + big(device_tree, 3);
  const uint32_t* at = (const uint32_t*)((const char*)device_tree + big(device_tree, 2));
  const char* node = "";
  for (;;) {
    switch (big(at, 0)) {
      case BEGIN_NODE:
        node = (const char*)(at + 1);
        at = after(node, (uint32_t)strlen(node) + 1);
        break;
      case PROPERTY: {
        const uint32_t bytes = big(at, 1);
        if (visitor(context, node, names + big(at, 2), at + 3, bytes)) return true;
        at = after(at + 3, bytes);
        break;
      }
      case END_NODE:
      case NOTHING:
        ++at;
        break;
      default: /* the end */
        return false;
    }
  }
}

static bool find_model(void* context, const char* node, const char* property, const void* value,
                       uint32_t bytes) {
  if (*node != 0 || strcmp(property, "model") != 0 || bytes == 0) return false;
  *(const char**)context = value;
  return true;
}

const char* device_tree_model(void) {
  const char* model = "";
  device_tree_visit(find_model, &model);
  return model;
}

static bool count_hart(void* context, const char* node, const char* property, const void* value,
                       uint32_t bytes) {
  (void)node;
  if (strcmp(property, "device_type") == 0 && bytes == 4 && strcmp(value, "cpu") == 0) {
    ++*(uint32_t*)context;
  }
  return false;
}

uint32_t device_tree_harts(void) {
  uint32_t harts = 0;
  device_tree_visit(count_hart, &harts);
  return harts;
}

static bool is_compatible(void* context, const char* node, const char* property, const void* value,
                          uint32_t bytes) {
  (void)node;
  if (strcmp(property, "compatible") != 0) return false;
  const char* const end = (const char*)value + bytes;
  for (const char* text = value; text < end; text += strlen(text) + 1) {
    if (strcmp(text, context) == 0) return true;
  }
  return false;
}

bool device_tree_has(const char* compatible) {
  return device_tree_visit(is_compatible, (void*)compatible);
}
