// SPDX-License-Identifier: Apache-2.0
#include "tests/support/statistics_table.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>

#include "common/json.h"

namespace tessera::test {

using nlohmann::ordered_json;

void StatisticsTable::add_fields(const void* begin, std::size_t bytes) {
  fields_.push_back({static_cast<const std::byte*>(begin), std::vector<unsigned>(bytes)});
}

/// Fields on the heap (elements of a vector) are in no structure that is checked byte by byte.
void StatisticsTable::name_bytes(const void* field, std::size_t bytes) {
  const auto* const first = static_cast<const std::byte*>(field);
  for (Fields& f : fields_) {
    if (first < f.begin || first >= f.begin + f.entries.size()) continue;
    const auto offset = static_cast<std::size_t>(first - f.begin);
    for (std::size_t i = 0; i < bytes; ++i) ++f.entries.at(offset + i);
  }
}

void StatisticsTable::expect(const std::string& name, ordered_json value) {
  INFO("'" << name << "' is in the table twice");
  REQUIRE(expected_.emplace(name, std::move(value)).second);
}

void StatisticsTable::counter(const std::string& name, Counter& field) {
  name_bytes(&field, sizeof field);
  field = fresh();
  expect(name, field);
}

void StatisticsTable::cycles(const std::string& name, Tick& field, const ClockDomain& clock) {
  name_bytes(&field, sizeof field);
  const std::uint64_t n = fresh();
  field = clock.time_of(n);
  expect(name, static_cast<double>(n));
}

void StatisticsTable::real(const std::string& name, double& field) {
  name_bytes(&field, sizeof field);
  field = static_cast<double>(fresh()) / 8;
  expect(name, field);
}

void StatisticsTable::histogram(const std::string& name, Histogram& field) {
  name_bytes(&field, sizeof field);
  const std::uint64_t most = fresh();
  for (const std::uint64_t v : {most, most / 2, std::uint64_t{1}}) field.add(v);
  const std::uint64_t sum = most + most / 2 + 1;
  expect(name, {{"count", 3}, {"sum", sum}, {"mean", static_cast<double>(sum) / 3}, {"max", most}});
}

void StatisticsTable::occupancy(const std::string& name, Occupancy& field) {
  name_bytes(&field, sizeof field);
  const std::uint64_t most = fresh();
  field.set(most, now());
  expect(name, {{"max", most}});
}

void StatisticsTable::bandwidth(const std::string& name, BandwidthSeries& field) {
  name_bytes(&field, sizeof field);
  const std::uint64_t bytes = fresh();
  field.add(bytes, now());
  expect(name, {{"total", bytes}});
}

void StatisticsTable::value(const std::string& name, double expected) { expect(name, expected); }

void StatisticsTable::check(const Block& block) const {
  StatisticsRegistry registry;
  block.register_statistics(registry);
  const ordered_json modules = registry.to_json();
  REQUIRE(modules.size() == 1);
  const ordered_json& registered = modules.front();
  for (const auto& [name, shown] : registered.items()) {
    CAPTURE(name);
    const auto entry = expected_.find(name);
    CHECK(entry != expected_.end());
    if (entry == expected_.end()) continue;
    if (!entry->second.is_object()) {
      CHECK(shown == entry->second);
      continue;
    }
    for (const auto& [part, value] : entry->second.items()) {
      CAPTURE(part);
      CHECK(shown.at(part) == value);
    }
  }
  for (const auto& entry : expected_) {
    INFO("'" << entry.first << "' is not registered");
    CHECK(registered.contains(entry.first));
  }
  for (const Fields& f : fields_) {
    const auto odd = std::find_if(f.entries.begin(), f.entries.end(),
                                  [](unsigned entries) { return entries != 1; });
    INFO("byte " << odd - f.entries.begin() << " of " << f.entries.size()
                 << " of the counters is in no entry, or in two");
    CHECK(odd == f.entries.end());
  }
}

}  // namespace tessera::test
