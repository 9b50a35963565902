// SPDX-License-Identifier: Apache-2.0
#include "app/stored_points.h"

#include <map>
#include <utility>

#include "app/console.h"
#include "common/error.h"
#include "common/json.h"

namespace tessera::app {

std::string PointTally::text() const {
  return std::to_string(kept + run) + " points: " + std::to_string(run) + " run, " +
         std::to_string(kept) + " kept from earlier, " + std::to_string(failed) + " failed";
}

std::vector<FinishedPoint> StoredPoints::results(const std::vector<KeyedPoint>& points) {
  std::map<std::string, FinishedPoint> by_key;
  std::vector<const KeyedPoint*> different;
  std::vector<std::string> keys;
  for (const KeyedPoint& p : points) {
    if (!by_key.try_emplace(p.key).second) continue;
    different.push_back(&p);
    keys.push_back(p.key);
  }
  std::vector<bool> found(keys.size());
  if (command_.store != nullptr) {
    command_.store->load_each(
        keys,
        [&](std::size_t i, nlohmann::ordered_json stats) {
          // Parameters that change nothing can have other values.
          stats["config"] = different[i]->point.config->to_json();
          by_key[keys[i]].stats = command_.kept(std::move(stats));
          found[i] = true;
          if (counted_.insert(keys[i]).second) ++tally_.kept;
        },
        complain);
  }
  PointBatch missing{{}, {}, command_.options, command_.progress, command_.store, command_.kept};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (found[i]) continue;
    missing.points.push_back(different[i]->point);
    missing.keys.push_back(keys[i]);
  }
  std::vector<FinishedPoint> finished = command_.executor->run(missing);
  for (std::size_t i = 0; i < finished.size(); ++i) {
    if (counted_.insert(missing.keys[i]).second) ++tally_.run;
    if (!finished[i].failure.empty()) ++tally_.failed;
    if (!finished[i].unsaved.empty()) delivery_.failed(finished[i].unsaved);
    by_key[missing.keys[i]] = std::move(finished[i]);
  }
  std::vector<FinishedPoint> out;
  out.reserve(points.size());
  for (const KeyedPoint& p : points) out.push_back(by_key.at(p.key));
  return out;
}

void StoredPoints::refuse_interrupted() const {
  if (!interrupted() || tally_.failed == 0) return;
  throw RunError("interrupted: " + std::to_string(tally_.kept + tally_.run - tally_.failed) +
                 " points are done and kept; the same command goes on from there");
}

}  // namespace tessera::app
