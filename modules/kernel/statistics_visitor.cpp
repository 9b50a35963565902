// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/statistics_visitor.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace tessera {

using nlohmann::ordered_json;

void StatisticsRegistrar::counter(const std::string& name, Counter& field, const std::string& unit,
                                  const std::string& description) {
  if (std::find(left_out_.begin(), left_out_.end(), &field) != left_out_.end()) return;
  registry_.counter(module_, name, field, unit, description);
}

void StatisticsRegistrar::histogram(const std::string& name, Histogram& field,
                                    const std::string& unit, const std::string& description) {
  registry_.histogram(module_, name, field, unit, description);
}

void StatisticsRegistrar::occupancy(const std::string& name, Occupancy& field,
                                    const std::string& unit, const std::string& description) {
  registry_.occupancy(module_, name, field, unit, description);
}

void StatisticsRegistrar::bandwidth(const std::string& name, BandwidthSeries& field,
                                    const std::string& description) {
  registry_.bandwidth(module_, name, field, description);
}

void StatisticsRegistrar::cycles(const std::string& name, Tick& field,
                                 const std::string& description) {
  if (clock_ == nullptr) throw std::logic_error("no clock for " + module_ + "." + name);
  registry_.cycles(module_, name, field, *clock_, description);
}

void StatisticsRegistrar::on_value(const std::string& name, double&, const std::string&,
                                   const std::string&) {
  throw std::logic_error(module_ + "." + name + " is a value of a snapshot");
}

StatisticsReader::StatisticsReader(const ordered_json& modules, const std::string& module,
                                   const ClockDomain* clock)
    : block_(modules.contains(module) ? &modules.at(module) : nullptr), clock_(clock) {}

const ordered_json* StatisticsReader::find(const std::string& name) const {
  if (block_ == nullptr || !block_->contains(name)) return nullptr;
  return &block_->at(name);
}

void StatisticsReader::counter(const std::string& name, Counter& field, const std::string&,
                               const std::string&) {
  const ordered_json* const found = find(name);
  if (found != nullptr && found->is_number()) field = found->get<Counter>();
}

void StatisticsReader::histogram(const std::string& name, Histogram& field, const std::string&,
                                 const std::string&) {
  const ordered_json* const found = find(name);
  if (found == nullptr || !found->is_object()) return;
  field = Histogram(found->value("count", std::uint64_t{0}), found->value("sum", std::uint64_t{0}),
                    found->value("max", std::uint64_t{0}),
                    found->value("log2_buckets", std::vector<std::uint64_t>{}));
}

void StatisticsReader::bandwidth(const std::string& name, BandwidthSeries& field,
                                 const std::string&) {
  const ordered_json* const found = find(name);
  if (found == nullptr || !found->is_object()) return;
  field = BandwidthSeries::of_total(found->value("total", std::uint64_t{0}));
}

void StatisticsReader::cycles(const std::string& name, Tick& field, const std::string&) {
  const ordered_json* const found = find(name);
  if (found == nullptr || !found->is_number()) return;
  if (clock_ == nullptr) throw std::logic_error("no clock to read " + name);
  field = clock_->time_of(found->get<std::uint64_t>());
}

void StatisticsReader::on_value(const std::string& name, double& field, const std::string&,
                                const std::string&) {
  const ordered_json* const found = find(name);
  if (found != nullptr && found->is_number()) field = found->get<double>();
}

namespace {

[[noreturn]] void refuse(const std::string& name) {
  throw std::logic_error(name + ": a snapshot has values only");
}

}  // namespace

void ValueLister::counter(const std::string& name, Counter&, const std::string&,
                          const std::string&) {
  refuse(name);
}
void ValueLister::histogram(const std::string& name, Histogram&, const std::string&,
                            const std::string&) {
  refuse(name);
}
void ValueLister::occupancy(const std::string& name, Occupancy&, const std::string&,
                            const std::string&) {
  refuse(name);
}
void ValueLister::bandwidth(const std::string& name, BandwidthSeries&, const std::string&) {
  refuse(name);
}
void ValueLister::cycles(const std::string& name, Tick&, const std::string&) { refuse(name); }

void ValueLister::on_value(const std::string& name, double& field, const std::string& unit,
                           const std::string& description) {
  values_.push_back({name, unit, description, field});
}

}  // namespace tessera
