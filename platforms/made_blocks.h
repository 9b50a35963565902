// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include "common/error.h"
#include "modules/plan/block_handle.h"
#include "modules/plan/plan.h"

namespace tessera {

/// The blocks of a plan that have been made, with the interfaces that they offer. Blocks of the
/// system count as GPU 0's.
class MadeBlocks {
 public:
  /// The plan must outlive it.
  explicit MadeBlocks(const PlatformPlan& plan) : plan_(plan), handles_(plan.blocks.size()) {}

  void add(PlannedBlockId id, BlockHandle handle);
  const BlockHandle& operator[](PlannedBlockId id) const { return handles_[id]; }
  /// Blocks of a kind, of one GPU or of all, in the order of the plan.
  std::vector<const BlockHandle*> of_kind(const std::string& kind,
                                          std::optional<std::uint32_t> gpu = {}) const;
  /// All interfaces of that type that blocks offer, of one GPU or of all, in the order of the plan.
  template <class Interface>
  std::vector<Interface*> offered(std::optional<std::uint32_t> gpu = {}) const {
    std::vector<Interface*> all;
    for (void* const found : offered(typeid(Interface), gpu)) {
      all.push_back(static_cast<Interface*>(found));
    }
    return all;
  }
  std::vector<void*> offered(std::type_index interface,
                             std::optional<std::uint32_t> gpu = {}) const;
  /// The interface that one block must offer. Throws InputError. `what`: "CTA dispatcher".
  template <class Interface>
  Interface& only(const char* what) const {
    const std::vector<Interface*> all = offered<Interface>();
    if (all.empty()) {
      throw InputError(std::string("this implementation of the ") + what +
                       " does not offer itself (BlockHandle::offer)");
    }
    return *all.front();
  }

 private:
  const PlatformPlan& plan_;
  std::vector<BlockHandle> handles_;  ///< in the order of the plan
  std::map<std::string, std::vector<PlannedBlockId>, std::less<>> by_kind_;
  /// Each list is in the order of the plan.
  std::map<std::type_index, std::vector<std::pair<PlannedBlockId, void*>>> by_interface_;
};

}  // namespace tessera
