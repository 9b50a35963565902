// SPDX-License-Identifier: Apache-2.0
#pragma once

// Statistics summed over blocks of one kind (slices, channels, networks), and their hot spots.

#include <string>
#include <utility>
#include <vector>

#include "common/json_fwd.h"

namespace tessera::app {

/// Imbalance of a statistic between blocks of one kind (slices, channels, egress ports of a
/// network).
struct HotSpots {
  std::vector<std::string> names;  ///< at most three, in descending order
  std::size_t alike = 0;           ///< blocks within a tenth of the hottest, with the hottest
  std::size_t blocks = 0;          ///< number of blocks
  double over_mean = 0;            ///< the hottest over the average of all; 0 if all are 0
};

/// The blocks of a stats.json document whose last name component is `kind` with or without a
/// number. A missing statistic is 0. The document must outlive the object.
class Blocks {
 public:
  Blocks(const nlohmann::ordered_json& stats, const std::string& kind);

  bool empty() const { return blocks_.empty(); }
  bool has(const std::string& statistic) const;
  /// `field`: a field of a histogram or occupancy.
  double sum(const std::string& statistic, const char* field = nullptr) const;
  double most(const std::string& statistic, const char* field = nullptr) const;
  /// By name, without "system.".
  const std::vector<std::pair<std::string, const nlohmann::ordered_json*>>& each() const {
    return blocks_;
  }
  /// Hot spots of the sum of these statistics.
  HotSpots hottest(const std::vector<std::string>& statistics, const char* field = nullptr) const;

  /// Busy cycles of a network's egress links. `way`: prefix of the direction's statistics.
  std::vector<std::pair<std::string, double>> egress_links(const std::string& way) const;
  /// The same of the links between a mesh's routers.
  std::vector<std::pair<std::string, double>> router_links(const std::string& way) const;
  /// Busy cycles of the links of the fabric between GPUs, in both directions.
  std::vector<std::pair<std::string, double>> fabric_links() const;

 private:
  /// Statistics that begin with `prefix` and end with "_busy_cycles".
  std::vector<std::pair<std::string, double>> busy_links(const std::string& prefix) const;

  std::vector<std::pair<std::string, const nlohmann::ordered_json*>> blocks_;
};

/// A number of a stats.json document's `config`, by group ("umh/link" for nested ones) and name; 0
/// if it is missing.
double setting_of(const nlohmann::ordered_json& stats, const std::string& group, const char* name);

/// Hot spots of `values`.
HotSpots hottest_of(std::vector<std::pair<std::string, double>> values);
double largest_of(const std::vector<std::pair<std::string, double>>& values);

}  // namespace tessera::app
