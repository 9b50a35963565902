// SPDX-License-Identifier: Apache-2.0
#include "common/block_name.h"

#include <cctype>
#include <cstddef>

namespace tessera {

std::string block_name(const std::string& module) {
  std::string out;
  for (std::size_t i = 0; i < module.size(); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(module[i])) != 0;
    // A digit that belongs to a name ("l1") has no letter pair before it.
    const bool index =
        digit && !(i >= 1 && module[i - 1] == 'l' &&
                   (i == 1 || std::isalpha(static_cast<unsigned char>(module[i - 2])) == 0));
    if (!index) {
      out += module[i];
      continue;
    }
    if (out.empty() || out.back() != '*') out += '*';
  }
  return out;
}

}  // namespace tessera
