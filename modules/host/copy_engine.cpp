// SPDX-License-Identifier: Apache-2.0
#include "modules/host/copy_engine.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "modules/kernel/configuration_errors.h"
#include "modules/kernel/statistics_visitor.h"

namespace tessera {

namespace {}  // namespace

std::vector<std::string> HostCopyConfig::validate() const {
  std::vector<std::string> errors;
  require_from_one(errors, "memory_bytes_per_second", memory_bytes_per_second,
                   std::uint64_t{1} << 50);
  return errors;
}

void describe(ParameterVisitor& v, HostCopyConfig& c) {
  v.choice("copies", c.copies,
           "copies that the host program's accesses cause: none, memcpy (UMH section 3.1.2), or "
           "those of software unified memory (UMH section 3)",
           {{"none", HostCopies::kNone},
            {"memcpy", HostCopies::kMemcpy},
            {"unified-memory", HostCopies::kUnifiedMemory}});
  v.integer("setup_ns", c.setup_ns, "ns", "of a copy, before its transfer (ours)", 0,
            1'000'000'000);
  v.integer("memory_bytes_per_second", c.memory_bytes_per_second, "byte/s",
            "of the host's memory (ours: two channels of DDR4-2400)", 1, std::uint64_t{1} << 50);
}

void describe(StatisticsVisitor& v, CopyEngineStats& s) {
  v.counter("copies_to_device", s.copies_to_device, "copy", "to the GPUs");
  v.counter("copies_to_host", s.copies_to_host, "copy", "to the host");
  v.counter("bytes_to_device", s.bytes_to_device, "byte", "copied to the GPUs");
  v.counter("bytes_to_host", s.bytes_to_host, "byte", "copied to the host");
  v.counter("to_device_ns", s.to_device_ns, "ns", "time of the copies to the GPUs");
  v.counter("to_host_ns", s.to_host_ns, "ns", "time of the copies to the host");
}

CopyEngine::CopyEngine(const sc_core::sc_module_name& name, const HostCopyConfig& config,
                       const CopyEngineSite& site)
    : BlockBase(name, config), site_(site), clock_(site.clock_hz) {
  wake_.bind<&CopyEngine::process>(*this);
}

Tick CopyEngine::duration(std::uint64_t bytes) const {
  const std::uint64_t part = (bytes + site_.count - 1) / site_.count;
  const Tick on_link = clock_.time_of((part + site_.bytes_per_cycle - 1) / site_.bytes_per_cycle);
  const auto in_memory =
      static_cast<Tick>(std::ceil(static_cast<long double>(bytes) * kTicksPerSecond /
                                  static_cast<long double>(config_.memory_bytes_per_second)));
  return (config_.setup_ns + site_.latency_ns) * kTicksPerNs + std::max(on_link, in_memory);
}

void CopyEngine::copy(std::uint64_t bytes, bool to_device, std::function<void()> done) {
  queue_.push_back({bytes, to_device, std::move(done)});
  if (queue_.size() > 1) return;
  wake_.at(now() + duration(bytes));
}

void CopyEngine::process() {
  const Copy copy = std::move(queue_.front());
  queue_.pop_front();
  const Tick time = duration(copy.bytes);
  if (copy.to_device) {
    ++stats_.copies_to_device;
    stats_.bytes_to_device += copy.bytes;
    stats_.to_device_ns += time / kTicksPerNs;
  } else {
    ++stats_.copies_to_host;
    stats_.bytes_to_host += copy.bytes;
    stats_.to_host_ns += time / kTicksPerNs;
  }
  if (!queue_.empty()) wake_.at(now() + duration(queue_.front().bytes));
  if (copy.done) copy.done();
}

void CopyEngine::describe_waiting(std::vector<Waiting>& out) const {
  if (queue_.empty()) return;
  out.push_back({std::string(name()) + ".copies", queue_.size(), WaitKind::kBandwidth, "the link"});
}

void CopyEngine::reset() {
  queue_.clear();
  wake_.cancel();
  stats_ = {};
}

}  // namespace tessera
