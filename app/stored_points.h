// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "app/delivery.h"
#include "app/point_executor.h"

namespace tessera::app {

/// Numbers of different points by outcome.
struct PointTally {
  std::size_t kept = 0;  ///< from an earlier run
  std::size_t run = 0;
  std::size_t failed = 0;  ///< of `run`

  std::string text() const;
};

struct KeyedPoint {
  RunnablePoint point;
  std::string key;  ///< studies::point_key()
};

/// The points of `compare`, `study` and `sweep`: each is loaded from the store, or run by an
/// executor.
class StoredPoints {
 public:
  /// What the points of a command have in common. The pointers outlive the object.
  struct Command {
    PointExecutor* executor = nullptr;
    const PointStore* store = nullptr;  ///< can be null: all points are run, none is saved
    RunOptions options;
    PointsProgress progress;
    /// PointBatch::kept.
    std::function<nlohmann::ordered_json(nlohmann::ordered_json)> kept;
  };
  explicit StoredPoints(Command command) : command_(std::move(command)) {}

  /// The results of the points, in their order. Points with one key are run once.
  std::vector<FinishedPoint> results(const std::vector<KeyedPoint>& points);
  /// Throws RunError if an interrupt has ended points early.
  void refuse_interrupted() const;

  /// Of all calls.
  const PointTally& tally() const { return tally_; }
  /// Gets the points that could not be saved.
  Delivery& delivery() { return delivery_; }

 private:
  Command command_;
  std::set<std::string> counted_;  ///< keys of the points in the tally
  PointTally tally_;
  Delivery delivery_;
};

}  // namespace tessera::app
