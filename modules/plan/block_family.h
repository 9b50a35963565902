// SPDX-License-Identifier: Apache-2.0
#pragma once

// Implementations of blocks. Blocks are created by name, so that a user's own sc_module, or a
// Verilated one, can replace a block of Tessera if it has the same sockets. Register a factory
// under a name, and set "impl.llc": "my-llc" in the configuration, or "system.gpu0.llc3.impl":
// "my-llc" for a single instance.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "modules/plan/block_families.h"
#include "modules/plan/block_handle.h"
#include "modules/plan/block_site.h"

namespace tessera {

template <class Site>
using BlockFactory = std::function<BlockHandle(const Site&)>;

/// A factory of one family, type-erased.
using AnyBlockFactory = std::function<BlockHandle(const BlockSite&)>;
void register_any_block(const std::string& family, const std::string& name,
                        AnyBlockFactory factory);
BlockHandle make_any_block(const std::string& family, const std::string& name,
                           const BlockSite& site);

/// `Site` determines the family. Throws InputError if the name exists.
template <class Site>
void register_block(const std::string& name, BlockFactory<Site> factory) {
  register_any_block(Site::kFamily, name, [f = std::move(factory)](const BlockSite& site) {
    return f(static_cast<const Site&>(site));
  });
}

/// Throws InputError with the nearest name if the name is unknown, and if the block lacks required
/// sockets.
template <class Site>
BlockHandle make_block(const std::string& name, const Site& site) {
  return make_any_block(Site::kFamily, name, site);
}

/// Registers a family with our implementation, "tlm".
template <class Site>
class BlockFamilyRegistration {
 public:
  explicit BlockFamilyRegistration(BlockHandle (*make)(const Site&), const char* alias = "");
};
void register_family(const BlockFamily& family, AnyBlockFactory make);
template <class Site>
BlockFamilyRegistration<Site>::BlockFamilyRegistration(BlockHandle (*make)(const Site&),
                                                       const char* alias) {
  register_family({Site::kFamily, alias},
                  [make](const BlockSite& s) { return make(static_cast<const Site&>(s)); });
}

}  // namespace tessera
