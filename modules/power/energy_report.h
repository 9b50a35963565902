// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "common/json_fwd.h"
#include "modules/power/energy_model.h"

namespace tessera {

/// The energy of a run, by groups of blocks: "sm", "l1", "llc", "noc", "dram", which all platforms
/// have, and further ones of kinds of blocks. Sums do not depend on the order of the additions.
class EnergyReport {
 public:
  /// Adds the energy of a block. `order`: of the block in the sum.
  void add(const std::string& group, std::uint64_t order, const Energy& energy);
  /// Adds one direction of a network on a die. `traffic`: its class; `name` and `gpu`: of the
  /// block.
  void add_network(const std::string& traffic, const std::string& name, std::uint32_t gpu,
                   bool requests, const Energy& energy, double area_mm2);
  /// `seconds`: of the run. A group that all platforms have and that got no energy has 0 J, and
  /// "not_modelled" with the reason.
  nlohmann::ordered_json to_json(double seconds) const;

 private:
  struct Network {
    std::string traffic;
    Energy energy;
    double area_mm2 = 0;
  };
  std::map<std::string, std::multimap<std::uint64_t, Energy>> groups_;
  /// By name, GPU and direction, requests first.
  std::multimap<std::tuple<std::string, std::uint32_t, bool>, Network> networks_;
};

}  // namespace tessera
