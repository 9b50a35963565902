// SPDX-License-Identifier: Apache-2.0
#include "studies/results.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/json.h"
#include "common/text.h"
#include "studies/statistic_paths.h"

namespace tessera::studies {

using nlohmann::ordered_json;

namespace {

/// Maximum number of names in a note; the document contains the complete list elsewhere.
constexpr std::size_t kMostNames = 5;

}  // namespace

std::optional<double> Results::value(const Reading& r) const {
  const auto it = results_.find({r.platform, r.workload});
  if (it == results_.end() || !it->second.failure.empty()) return std::nullopt;
  return statistic_at(it->second.stats, r.path);
}

std::set<std::size_t> Results::usable(const std::set<Reading>& readings) const {
  std::set<std::size_t> good;
  for (const Reading& r : readings) good.insert(r.workload);
  for (const Reading& r : readings) {
    if (good.count(r.workload) != 0 && !value(r)) good.erase(r.workload);
  }
  return good;
}

std::string Results::why_not(const Reading& r) const {
  if (!study_.workloads[r.workload].exists) return "no workload yet: ";
  const std::string& platform = study_.platforms[r.platform].name;
  const auto it = results_.find({r.platform, r.workload});
  if (it == results_.end() || !it->second.failure.empty()) return "failed on " + platform + ": ";
  return platform + " gives no " + r.path + ": ";
}

std::string Results::missing(const std::set<Reading>& readings) const {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  std::set<std::size_t> reported;
  for (const Reading& r : readings) {
    if (value(r) || !reported.insert(r.workload).second) continue;
    const std::string why = why_not(r);
    auto it = std::find_if(reasons.begin(), reasons.end(),
                           [&why](const auto& known) { return known.first == why; });
    if (it == reasons.end()) it = reasons.insert(reasons.end(), {why, {}});
    it->second.push_back(study_.workloads[r.workload].name);
  }
  std::string text;
  for (auto& [why, names] : reasons) {
    const std::size_t more = names.size() > kMostNames ? names.size() - kMostNames : 0;
    names.resize(names.size() - more);
    text += (text.empty() ? "" : "; ") + why + joined(names);
    if (more > 0) text += " and " + std::to_string(more) + " more";
  }
  return text;
}

Evaluator Results::evaluator(const Selection& workloads, const std::set<Reading>& readings) const {
  return Evaluator([this](const Reading& r) { return value(r).value(); }, workloads,
                   usable(readings));
}

}  // namespace tessera::studies
