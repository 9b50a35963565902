// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/ended_warps.h"

#include <algorithm>

namespace tessera {

std::string EndedWarps::place_of(std::uint64_t age, std::uint32_t pc) const {
  const auto w = std::find_if(warps_.begin(), warps_.end(), [age](const EndedWarp& e) {
    return e.kernel != nullptr && e.age == age;
  });
  if (w == warps_.end()) return "";
  const Dim3 grid = w->kernel->grid();
  const std::uint32_t cta = w->cta.value;
  return "kernel '" + w->kernel->name() + "', CTA (" + std::to_string(cta % grid.x) + "," +
         std::to_string(cta / grid.x % grid.y) + "," + std::to_string(cta / grid.x / grid.y) +
         "), warp " + std::to_string(w->index) + ", " + w->kernel->instruction_text(pc);
}

}  // namespace tessera
