// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which field of a block's counters each registered statistic shows:
//
//   StatisticsTable table;
//   L1Stats& s = table.fields_of(cache.stats());
//   table.counter("loads", s.loads);
//   ...
//   table.check(cache);
//
// Every entry writes a number of its own into its field. check() registers the block and compares
// name by name. A statistic that shows another field, a name that the table lacks, a name that is
// not registered and a field that no entry names each fail the test.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/json.h"
#include "modules/kernel/block.h"
#include "modules/kernel/stats.h"

namespace tessera::test {

class StatisticsTable {
 public:
  /// A block's counters, to be written. From now on each of their bytes must belong to one entry.
  /// The counters are a member of the block, which is not const itself.
  template <class Stats>
  Stats& fields_of(const Stats& stats) {
    add_fields(&stats, sizeof stats);
    return const_cast<Stats&>(stats);
  }

  void counter(const std::string& name, Counter& field);
  /// A duration in ticks that is registered in cycles of `clock`.
  void cycles(const std::string& name, Tick& field, const ClockDomain& clock);
  void real(const std::string& name, double& field);
  /// Compared: count, sum, mean and max.
  void histogram(const std::string& name, Histogram& field);
  /// Compared: max.
  void occupancy(const std::string& name, Occupancy& field);
  /// Compared: total.
  void bandwidth(const std::string& name, BandwidthSeries& field);
  /// A statistic that is computed when it is read, or whose field the test has written.
  void value(const std::string& name, double expected);
  /// A statistic that is joined from several fields, which the test has written: an object, of
  /// which these parts are compared.
  void shown(const std::string& name, const nlohmann::ordered_json& parts) { expect(name, parts); }
  /// A field that is not registered under a name of its own.
  template <class Field>
  void unregistered(const Field& field) {
    name_bytes(&field, sizeof field);
  }
  /// A number that no entry has had yet.
  std::uint64_t fresh() { return last_ += 97; }

  /// Registers the block's statistics, which must be of one module, and compares.
  void check(const Block& block) const;

 private:
  struct Fields {
    const std::byte* begin = nullptr;
    std::vector<unsigned> entries;  ///< of each byte
  };

  void add_fields(const void* begin, std::size_t bytes);
  void name_bytes(const void* field, std::size_t bytes);
  void expect(const std::string& name, nlohmann::ordered_json value);

  std::uint64_t last_ = 10'007;
  std::vector<Fields> fields_;
  std::map<std::string, nlohmann::ordered_json> expected_;
};

}  // namespace tessera::test
