/* SPDX-License-Identifier: Apache-2.0 */
/* All of the library, for programs of machine mode: README.md has an overview. */
#ifndef TESSERA_H
#define TESSERA_H

#include "console.h"
#include "device_tree.h"
#include "driver.h"
#include "faults.h"
#include "gpu.h"
#include "gpu_registers.h"
#include "hart.h"
#include "memory.h"

#endif
