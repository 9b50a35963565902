/* SPDX-License-Identifier: Apache-2.0 */
/* The machine, as its device tree describes it. Needs no GPUs. */
#include "tessera.h"

int main(void) {
  const bool gpus = device_tree_has("tessera,command-processor");
  printf("hello from %s: harts %u, GPUs %s\n", device_tree_model(), device_tree_harts(),
         gpus ? "yes" : "no");
  return 0;
}
