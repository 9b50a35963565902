// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a platform registers, with a number of its own in place of every number: a figure that reads
// another statistic, reads one twice or leaves one out comes to another value.

#include <cstdint>
#include <string>
#include <vector>

#include "common/json.h"
#include "platforms/simulation.h"

namespace tessera::test {

class NumberedStatistics {
 public:
  /// Builds the platform, once a process, and numbers its statistics with different primes.
  explicit NumberedStatistics(const std::string& preset, const std::vector<std::string>& sets = {});

  const ResolvedConfig& config() const { return config_; }
  /// The `modules` section of stats.json.
  const nlohmann::ordered_json& modules() const { return modules_; }

  /// A number of "system." + module; `field`: of a statistic with several. It must be registered.
  double of(const std::string& module, const std::string& statistic,
            const std::string& field = "") const;
  /// Over several modules.
  double sum(const std::vector<std::string>& modules, const std::string& statistic,
             const std::string& field = "") const;

 private:
  void number(nlohmann::ordered_json& value);
  std::uint64_t next_prime();

  ResolvedConfig config_;
  nlohmann::ordered_json modules_;
  std::uint64_t last_ = 1000;
};

/// "gpu0.llc0", "gpu0.llc1" ... "gpu1.llc0" ...: `each` blocks of a kind in each GPU.
std::vector<std::string> blocks(const std::string& kind, unsigned each, unsigned gpus = 1);

}  // namespace tessera::test
