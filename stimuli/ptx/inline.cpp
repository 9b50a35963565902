// SPDX-License-Identifier: Apache-2.0
#include "common/error.h"
#include "stimuli/ptx/decoder.h"

namespace tessera::ptx {

Function expand_calls(const Module& module, const Function& entry) {
  for (const Instruction& i : entry.body) {
    if (i.opcode == "call") {
      throw InputError(module.file + ":" + std::to_string(i.line) + ": '" + i.text +
                       "' is not supported: calls");
    }
  }
  return entry;
}

}  // namespace tessera::ptx
