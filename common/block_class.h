// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tessera {

/// A name with '*' for each index: "system.gpu0.llc12" becomes "system.gpu*.llc*",
/// "response_egress3_bytes" becomes "response_egress*_bytes". Blocks of the same kind share it. The
/// digit of a level ("l1_3", "l2_tlb") belongs to the name.
std::string block_class(const std::string& name);

/// The same for people: a digit before a letter belongs to the name as well ("p2p7" becomes "p2p*",
/// where block_class() has "p*p*").
std::string block_class_title(const std::string& name);

}  // namespace tessera
