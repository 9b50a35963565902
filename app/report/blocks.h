// SPDX-License-Identifier: Apache-2.0
#pragma once

// The statistics of equal blocks (slices, channels, networks) together, and which of them are hot.

#include <string>
#include <utility>
#include <vector>

#include "common/json.h"

namespace tessera::app {

/// How unevenly equal blocks (slices, channels, exits of a network) share something.
struct HotSpots {
  std::vector<std::string> names;  ///< the hottest, at most three, the hottest first
  std::size_t alike = 0;           ///< blocks within a tenth of the hottest, itself included
  std::size_t blocks = 0;          ///< all of them
  double over_mean = 0;            ///< the hottest over the average of all; 0: nothing to share
};

/// The blocks of a stats.json document whose own name is `kind` and then nothing or a number. What
/// they do not count is 0. The document must outlive this.
class Blocks {
 public:
  Blocks(const nlohmann::ordered_json& stats, const std::string& kind);

  bool empty() const { return blocks_.empty(); }
  bool has(const std::string& statistic) const;
  /// `field`: of a histogram or occupancy.
  double sum(const std::string& statistic, const char* field = nullptr) const;
  double most(const std::string& statistic) const;
  /// Which have most of these statistics together.
  HotSpots hottest(const std::vector<std::string>& statistics, const char* field = nullptr) const;

  /// Of a network: the links to its exits, by how long they were busy. `way`: "request_",
  /// "response_".
  std::vector<std::pair<std::string, double>> exits(const std::string& way) const;
  /// Of the fabric between GPUs: its links, in and out.
  std::vector<std::pair<std::string, double>> fabric_links() const;

 private:
  std::vector<std::pair<std::string, const nlohmann::ordered_json*>> blocks_;
};

/// Which of `values` are hot.
HotSpots hottest_of(std::vector<std::pair<std::string, double>> values);
double largest_of(const std::vector<std::pair<std::string, double>>& values);

}  // namespace tessera::app
