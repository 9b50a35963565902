// SPDX-License-Identifier: Apache-2.0
#include "platforms/timeline/counter_sampler.h"

#include <algorithm>
#include <map>
#include <utility>

#include "modules/kernel/sc_time.h"

namespace tessera {

namespace {

/// Statistics of a port of a network: "request_egress3_bytes".
bool of_one_port(const std::string& name) { return name.find("egress") != std::string::npos; }

}  // namespace

CounterSampler::CounterSampler(const sc_core::sc_module_name& name, EventTrace& trace,
                               const PlatformPlan& plan, const std::vector<std::int64_t>& in_flight)
    : sc_module(name), trace_(trace), plan_(plan), in_flight_(in_flight) {
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.dont_initialize();
  options.set_sensitivity(&wake_);
  sc_core::sc_spawn([this] { process(); }, "process", &options);
}

double CounterSampler::Delta::take(const StatisticsRegistry& registry) {
  const double value = registry.number(path).value_or(0);
  const double change = value < before ? value : value - before;
  before = value;
  return change;
}

void CounterSampler::start(const StatisticsRegistry& registry) {
  registry_ = &registry;
  std::map<std::string, PlannedBlockId> blocks;
  for (PlannedBlockId b = 0; b < plan_.blocks.size(); ++b) {
    blocks.emplace(plan_.path_of(plan_.blocks[b]), b);
    if (plan_.blocks[b].inputs == 0) continue;
    InFlight track;
    track.track = trace_.counter(trace_.block(b), "in flight", "requests");
    track.block = b;
    occupancies_.push_back(track);
  }
  for (const StatisticInfo& info : registry.all()) {
    const auto at = blocks.find(info.module);
    if (at != blocks.end()) add(trace_.block(at->second), registry, info);
  }
  // Values before the recorded time are not part of it.
  since_ = trace_.options().from;
  wake_.notify(to_sc_time(since_ == 0 ? trace_.options().interval : since_));
}

void CounterSampler::add(std::uint64_t track, const StatisticsRegistry& registry,
                         const StatisticInfo& info) {
  if (info.kind != "counter") return;
  const std::string path = info.module + "." + info.name;
  if (info.unit == "byte" && !of_one_port(info.name)) {
    Bandwidth b;
    b.track = trace_.counter(track, info.name, "GB/s");
    b.bytes.path = path;
    bandwidths_.push_back(std::move(b));
    return;
  }
  HitRate rate;
  rate.hits.path = path;
  const auto out_of = [&](const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (!registry.number(info.module + "." + name)) return;
      rate.accesses.push_back({info.module + "." + name});
    }
    rate.track = trace_.counter(track, "hit rate", "%");
    hit_rates_.push_back(rate);
  };
  if (info.name == "hits") out_of({"hits", "misses"});
  if (info.name == "load_hits") out_of({"loads"});
  if (info.name == "row_hits") out_of({"reads", "writes"});
}

void CounterSampler::process() {
  if (registry_ == nullptr) return;
  const Tick t = now();
  if (t == trace_.options().from && t != 0) {
    for (Bandwidth& b : bandwidths_) b.bytes.take(*registry_);
    for (HitRate& r : hit_rates_) {
      r.hits.take(*registry_);
      for (Delta& d : r.accesses) d.take(*registry_);
    }
  } else {
    sample(t);
  }
  if (t < trace_.options().until) {
    wake_.notify(to_sc_time(std::min(trace_.options().interval, trace_.options().until - t)));
  }
}

/// Records the interval that ends.
void CounterSampler::sample(Tick until) {
  const Tick whole = until / kTicksPerNs - since_ / kTicksPerNs;
  if (whole == 0) return;
  const auto ns = static_cast<double>(whole);
  for (Bandwidth& b : bandwidths_) write(b, b.bytes.take(*registry_) / ns, since_);
  for (HitRate& r : hit_rates_) {
    double accesses = 0;
    for (Delta& d : r.accesses) accesses += d.take(*registry_);
    const double hits = r.hits.take(*registry_);
    if (accesses != 0) write(r, 100 * hits / accesses, since_);
  }
  for (InFlight& f : occupancies_) {
    write(f, static_cast<double>(in_flight_[f.block]), until);
  }
  since_ = until;
}

void CounterSampler::write(Track& track, double value, Tick at) {
  if (value == track.written) return;
  trace_.count(track.track, at, value);
  track.written = value;
}

void CounterSampler::finish(Tick at) {
  wake_.cancel();
  if (registry_ != nullptr && since_ < trace_.options().until && at >= since_) {
    // A part of a nanosecond counts as a whole one.
    const Tick end = std::min((at / kTicksPerNs + 1) * kTicksPerNs, trace_.options().until);
    sample(end);
    for (Bandwidth& b : bandwidths_) write(b, 0, end);
  }
  registry_ = nullptr;
}

}  // namespace tessera
