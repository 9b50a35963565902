// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/gpu_fabric_stats.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "modules/kernel/statistics_visitor.h"

namespace tessera {

namespace {

using Parts = std::vector<const GpuFabricPortStats*>;

Histogram joined_latency(const Parts& parts) {
  Histogram all;
  for (const GpuFabricPortStats* p : parts) all.add(p->packet_latency);
  return all;
}

BandwidthSeries joined_series(const Parts& parts) {
  BandwidthSeries all;
  for (const GpuFabricPortStats* p : parts) all.add(p->series);
  return all;
}

/// Calls f(the joined field, the part's counter) for each counter.
template <class F>
void for_each_counter(GpuFabricStats& joined, const Parts& parts, const F& f) {
  const std::size_t gpus = parts.size();
  for (std::size_t g = 0; g < gpus; ++g) {
    const GpuFabricPortStats& part = *parts[g];
    f(joined.egress_busy[g], part.egress_busy);
    f(joined.ingress_busy[g], part.ingress_busy);
    for (std::size_t from = 0; from < gpus; ++from) {
      f(joined.packets[from * gpus + g], part.packets[from]);
      f(joined.bytes[from * gpus + g], part.bytes[from]);
    }
  }
}

/// Registers, for each field of the joined counters, what parts count. Each counter has one part;
/// the others are joined when they are read.
class JoinedRegistrar final : public StatisticsVisitor {
 public:
  JoinedRegistrar(StatisticsRegistry& registry, std::string module, Parts parts)
      : registry_(registry), module_(std::move(module)), parts_(std::move(parts)) {}

  void add() {
    GpuFabricStats fields(static_cast<unsigned>(parts_.size()));
    for_each_counter(fields, parts_,
                     [this](Counter& field, const Counter& of) { counted_[&field] = &of; });
    describe(*this, fields);
  }

 private:
  void counter(std::string_view name, Counter& field, std::string_view unit,
               std::string_view description) override {
    registry_.counter(module_, name, *counted_.at(&field), unit, description);
  }
  void histogram(std::string_view name, Histogram&, std::string_view unit,
                 std::string_view description) override {
    registry_.histogram(
        module_, name, [parts = parts_] { return joined_latency(parts); }, unit, description);
  }
  void bandwidth(std::string_view name, BandwidthSeries&, std::string_view description) override {
    registry_.bandwidth(
        module_, name, [parts = parts_] { return joined_series(parts); }, description);
  }
  void occupancy(std::string_view name, Occupancy&, std::string_view, std::string_view) override {
    cannot_join(name);
  }
  void cycles(std::string_view name, Tick&, std::string_view) override { cannot_join(name); }
  void on_value(std::string_view name, double&, std::string_view, std::string_view) override {
    cannot_join(name);
  }
  [[noreturn]] void cannot_join(std::string_view name) const {
    throw std::logic_error(module_ + "." + std::string(name) + " has no sum over parts");
  }

  StatisticsRegistry& registry_;
  const std::string module_;
  const Parts parts_;
  std::map<const Counter*, const Counter*> counted_;
};

}  // namespace

void GpuFabricPortStats::reset() {
  // In place, because the registry holds pointers to the counters.
  for (std::vector<Counter>* counters : {&packets, &bytes}) {
    std::fill(counters->begin(), counters->end(), 0);
  }
  egress_busy = 0;
  ingress_busy = 0;
  packet_latency = Histogram{};
  series = BandwidthSeries{};
}

void describe(StatisticsVisitor& v, GpuFabricStats& s) {
  const std::size_t gpus = s.egress_busy.size();
  for (std::size_t from = 0; from < gpus; ++from) {
    const std::string source = std::to_string(from);
    for (std::size_t to = 0; to < gpus; ++to) {
      if (from == to) continue;
      const std::string target = std::to_string(to);
      const std::string way = "from GPU " + source + " to GPU " + target;
      v.counter("bytes_" + source + "_" + target, s.bytes[from * gpus + to], "byte",
                "Bytes " + way + ", headers included");
      v.counter("packets_" + source + "_" + target, s.packets[from * gpus + to], "packet",
                "Packets " + way);
    }
    v.counter("egress_busy_" + source, s.egress_busy[from], "cycle",
              "Cycles that the link from GPU " + source + " to the switch was busy");
    v.counter("ingress_busy_" + source, s.ingress_busy[from], "cycle",
              "Cycles that the link from the switch to GPU " + source + " was busy");
  }
  v.histogram("packet_latency", s.packet_latency, "cycle",
              "From a packet's arrival at its GPU's port to its delivery");
  v.bandwidth("bytes_over_time", s.series, "Bytes delivered between GPUs over time");
}

GpuFabricStats join(const Parts& parts) {
  GpuFabricStats all(static_cast<unsigned>(parts.size()));
  for_each_counter(all, parts, [](Counter& field, const Counter& of) { field = of; });
  all.packet_latency = joined_latency(parts);
  all.series = joined_series(parts);
  return all;
}

void register_joined(StatisticsRegistry& registry, const std::string& module, const Parts& parts) {
  JoinedRegistrar(registry, module, parts).add();
}

}  // namespace tessera
