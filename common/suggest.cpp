// SPDX-License-Identifier: Apache-2.0
#include "common/suggest.h"

#include <algorithm>
#include <cstddef>

#include "common/text.h"

namespace tessera {

namespace {

// Optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_back;
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], two_back[j - 2] + 1);
      }
    }
    two_back = previous;
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
  const std::string given = lower_case(name);
  std::string best;
  // A distance of the name's whole length keeps none of its characters.
  std::size_t best_distance =
      std::min(std::max<std::size_t>(2, given.size() / 3) + 1, given.size());
  for (const std::string& candidate : known) {
    const std::size_t d = distance(given, lower_case(candidate));
    if (d < best_distance) {
      best_distance = d;
      best = candidate;
    }
  }
  if (!best.empty() || given.size() < 3 || given.back() == '.') return best;
  for (const std::string& candidate : known) {
    if (!begins_with(lower_case(candidate), given)) continue;
    // The name of a group is no abbreviation of a member.
    if (candidate.find('.', name.size()) != std::string::npos) continue;
    if (best.empty() || candidate.size() < best.size()) best = candidate;
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  const std::string best = nearest_name(name, known);
  return best.empty() ? std::string() : "; did you mean '" + best + "'?";
}

}  // namespace tessera
