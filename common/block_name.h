// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tessera {

/// A module's name with '*' for each index: "system.gpu0.llc12" becomes "system.gpu*.llc*". The
/// digit of a name such as "l1" stays. Blocks of the same kind share it.
std::string block_name(const std::string& module);

}  // namespace tessera
