// SPDX-License-Identifier: Apache-2.0
#include "platforms/host_usage.h"

#include <sys/resource.h>

#include <array>
#include <ctime>

#include "common/json.h"

namespace tessera {

namespace {

/// "2026-11-23T17:55:00Z"
std::string utc_date() {
  const std::time_t time = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

double seconds_of(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

}  // namespace

nlohmann::ordered_json host_section(const std::vector<std::string>& command_line,
                                    const HostUsage& usage) {
  rusage process{};
  getrusage(RUSAGE_SELF, &process);
  const auto rate = [&usage](std::uint64_t count) {
    return usage.seconds > 0 ? static_cast<double>(count) / usage.seconds : 0;
  };
  return {{"date", utc_date()},
          {"command_line", command_line},
          {"seconds", usage.seconds},
          {"cpu_seconds", seconds_of(process.ru_utime) + seconds_of(process.ru_stime)},
          {"peak_rss_bytes", static_cast<std::uint64_t>(process.ru_maxrss) * 1024},
          {"threads", usage.threads},
          {"transactions", usage.transactions},
          {"transactions_per_second", rate(usage.transactions)},
          {"warp_instructions_per_second", rate(usage.warp_instructions)}};
}

}  // namespace tessera
