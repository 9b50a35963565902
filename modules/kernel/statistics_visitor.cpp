// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/statistics_visitor.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "common/json.h"

namespace tessera {

using nlohmann::ordered_json;

void StatisticsRegistrar::counter(std::string_view name, Counter& field, std::string_view unit,
                                  std::string_view description) {
  if (std::find(left_out_.begin(), left_out_.end(), &field) != left_out_.end()) {
    left_out_names_.emplace_back(name);
    return;
  }
  registry_.counter(module_, name, field, unit, description);
}

void StatisticsRegistrar::histogram(std::string_view name, Histogram& field, std::string_view unit,
                                    std::string_view description) {
  registry_.histogram(module_, name, field, unit, description);
}

void StatisticsRegistrar::occupancy(std::string_view name, Occupancy& field, std::string_view unit,
                                    std::string_view description) {
  registry_.occupancy(module_, name, field, unit, description);
}

void StatisticsRegistrar::bandwidth(std::string_view name, BandwidthSeries& field,
                                    std::string_view description) {
  registry_.bandwidth(module_, name, field, description);
}

void StatisticsRegistrar::cycles(std::string_view name, Tick& field, std::string_view description) {
  if (clock_ == nullptr)
    throw std::logic_error("no clock for " + module_ + "." + std::string(name));
  registry_.cycles(module_, name, field, *clock_, description);
}

void StatisticsRegistrar::waits(WaitKind kind, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const bool out =
        std::find(left_out_names_.begin(), left_out_names_.end(), name) != left_out_names_.end();
    if (!out) registry_.waits(module_, name, kind);
  }
}

void StatisticsRegistrar::on_value(std::string_view name, double&, std::string_view,
                                   std::string_view) {
  throw std::logic_error(module_ + "." + std::string(name) + " is a value of a snapshot");
}

StatisticsReader::StatisticsReader(const ordered_json& modules, const std::string& module,
                                   const ClockDomain* clock)
    : block_(modules.contains(module) ? &modules.at(module) : nullptr), clock_(clock) {}

const ordered_json* StatisticsReader::find(std::string_view name) const {
  if (block_ == nullptr) return nullptr;
  const auto found = block_->find(std::string(name));
  return found == block_->end() ? nullptr : &*found;
}

void StatisticsReader::counter(std::string_view name, Counter& field, std::string_view,
                               std::string_view) {
  const ordered_json* const found = find(name);
  if (found != nullptr && found->is_number()) field = found->get<Counter>();
}

void StatisticsReader::histogram(std::string_view name, Histogram& field, std::string_view,
                                 std::string_view) {
  const ordered_json* const found = find(name);
  if (found == nullptr || !found->is_object()) return;
  field = Histogram(found->value("count", std::uint64_t{0}), found->value("sum", std::uint64_t{0}),
                    found->value("max", std::uint64_t{0}),
                    found->value("log2_buckets", std::vector<std::uint64_t>{}));
}

void StatisticsReader::bandwidth(std::string_view name, BandwidthSeries& field, std::string_view) {
  const ordered_json* const found = find(name);
  if (found == nullptr || !found->is_object()) return;
  field = BandwidthSeries::of_total(found->value("total", std::uint64_t{0}));
}

void StatisticsReader::cycles(std::string_view name, Tick& field, std::string_view) {
  const ordered_json* const found = find(name);
  if (found == nullptr || !found->is_number()) return;
  if (clock_ == nullptr) throw std::logic_error("no clock to read " + std::string(name));
  field = clock_->time_of(found->get<std::uint64_t>());
}

void StatisticsReader::on_value(std::string_view name, double& field, std::string_view,
                                std::string_view) {
  const ordered_json* const found = find(name);
  if (found != nullptr && found->is_number()) field = found->get<double>();
}

namespace {

[[noreturn]] void refuse(std::string_view name) {
  throw std::logic_error(std::string(name) + ": a snapshot has values only");
}

}  // namespace

void ValueLister::counter(std::string_view name, Counter&, std::string_view, std::string_view) {
  refuse(name);
}
void ValueLister::histogram(std::string_view name, Histogram&, std::string_view, std::string_view) {
  refuse(name);
}
void ValueLister::occupancy(std::string_view name, Occupancy&, std::string_view, std::string_view) {
  refuse(name);
}
void ValueLister::bandwidth(std::string_view name, BandwidthSeries&, std::string_view) {
  refuse(name);
}
void ValueLister::cycles(std::string_view name, Tick&, std::string_view) { refuse(name); }

void ValueLister::on_value(std::string_view name, double& field, std::string_view unit,
                           std::string_view description) {
  values_.push_back({std::string(name), std::string(unit), std::string(description), field});
}

}  // namespace tessera
