// SPDX-License-Identifier: Apache-2.0
#include "modules/llc/sharing_profiler.h"

#include "modules/protocol/memory_request.h"

namespace tessera {

void SharingProfiler::on_access(const ObservedAccess& access) {
  if (!access.at_home() || !access.request.requester.is_sm()) return;
  const std::uint64_t line = access.address / line_bytes_;
  switch (access.request.kind) {
    case RequestKind::kLoad:
      readers_.touch(line, access.request.requester.sm());
      ++stats_.loads;
      stats_.bytes_requested += access.request.useful_bytes;
      break;
    case RequestKind::kStore:
    case RequestKind::kCoherentStore:
    case RequestKind::kAtomic:
      written_.insert(line);
      break;
    default:
      break;  // not an access of an SM
  }
}

std::uint64_t SharingProfiler::read_only_shared_lines() const {
  std::uint64_t lines = 0;
  readers_.for_each([&](std::uint64_t line, unsigned sms) {
    if (sms > 1 && written_.count(line) == 0) ++lines;
  });
  return lines;
}

void SharingProfiler::reset() {
  readers_.clear();
  written_.clear();
  stats_ = {};
}

void describe(StatisticsVisitor& v, SharingProfilerStats& s) {
  v.counter("loads", s.loads, "request", "loads that reached a line's home");
  v.counter("bytes_wanted", s.bytes_requested, "byte", "requested bytes of the loaded lines");
}

void SharingProfiler::register_statistics(StatisticsRegistry& r) const {
  const auto lines = [&](const char* name, std::uint64_t (SharingProfiler::*count)() const,
                         const char* description) {
    r.value(
        name_, name, [this, count] { return static_cast<double>((this->*count)()); }, "line",
        description);
  };
  lines("read_lines", &SharingProfiler::read_lines, "lines that SMs loaded, as their homes saw it");
  lines("written_lines", &SharingProfiler::written_lines, "lines that SMs wrote or updated");
  lines("read_only_shared_lines", &SharingProfiler::read_only_shared_lines,
        "lines that several SMs loaded and none wrote, as their homes saw it");
  register_statistics_of(r, name_, stats_);
}

}  // namespace tessera
