// SPDX-License-Identifier: Apache-2.0
#include "tests/platforms/numbered_statistics.h"

#include "common/json.h"

namespace tessera::test {

using nlohmann::ordered_json;

NumberedStatistics::NumberedStatistics(const std::string& preset,
                                       const std::vector<std::string>& sets)
    : config_(resolve_config(preset, sets)) {
  const Simulation simulation(config_);
  modules_ = simulation.statistics().to_json();
  number(modules_);
}

/// Lists (of buckets, of bytes over time) are empty before a run; some entries are made.
void NumberedStatistics::number(ordered_json& value) {
  if (value.is_array()) {
    value = {0, 0, 0, 0, 0};
  } else if (!value.is_object()) {
    value = next_prime();
    return;
  }
  for (ordered_json& part : value) number(part);
}

std::uint64_t NumberedStatistics::next_prime() {
  for (;;) {
    ++last_;
    std::uint64_t divisor = 2;
    while (divisor * divisor <= last_ && last_ % divisor != 0) ++divisor;
    if (divisor * divisor > last_) return last_;
  }
}

double NumberedStatistics::of(const std::string& module, const std::string& statistic,
                              const std::string& field) const {
  const ordered_json& value = modules_.at("system." + module).at(statistic);
  return (field.empty() ? value : value.at(field)).get<double>();
}

double NumberedStatistics::sum(const std::vector<std::string>& modules,
                               const std::string& statistic, const std::string& field) const {
  double total = 0;
  for (const std::string& module : modules) total += of(module, statistic, field);
  return total;
}

std::vector<std::string> blocks(const std::string& kind, unsigned each, unsigned gpus) {
  std::vector<std::string> names;
  for (unsigned g = 0; g < gpus; ++g) {
    for (unsigned i = 0; i < each; ++i) {
      names.push_back("gpu" + std::to_string(g) + "." + kind + std::to_string(i));
    }
  }
  return names;
}

}  // namespace tessera::test
