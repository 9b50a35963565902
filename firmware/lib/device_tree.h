/* SPDX-License-Identifier: Apache-2.0 */
/* The device tree (Devicetree Specification 0.4, chapter 5): the machine as it is. */
#ifndef TESSERA_DEVICE_TREE_H
#define TESSERA_DEVICE_TREE_H

#include <stdbool.h>
#include <stdint.h>

/* Address of the tree in the ROM. */
extern const void* device_tree;

/* Called for each property, with the name of its node ("cpu@0"; "" is the root). `value`: numbers
   are of the other byte order. Returns true to end the visit. */
typedef bool (*device_tree_visitor)(void* context, const char* node, const char* property,
                                    const void* value, uint32_t bytes);
/* Whether a call has returned true. */
bool device_tree_visit(device_tree_visitor visitor, void* context);

/* "model" of the root; "" if there is none. */
const char* device_tree_model(void);
uint32_t device_tree_harts(void);
/* Whether a device has this text in its property "compatible". */
bool device_tree_has(const char* compatible);

#endif
