// SPDX-License-Identifier: Apache-2.0
#include "modules/bridge/axi4_manager_config.h"

#include <algorithm>

#include "modules/kernel/configuration_errors.h"

namespace tessera {

std::vector<std::string> Axi4ManagerConfig::validate() const {
  std::vector<std::string> errors = shape.validate();
  if (!errors.empty()) return errors;
  const auto power = [](std::uint64_t n) { return n != 0 && (n & (n - 1)) == 0; };
  if (beat_bytes != 0 && (!power(beat_bytes) || beat_bytes > shape.data_bytes)) {
    errors.emplace_back("beat_bytes: must be 0 or a power of two up to data_bytes");
  }
  if (!power(line_bytes)) errors.emplace_back("line_bytes: must be a power of two");
  require_from_one(errors, "entries", entries, 1U << 16);
  require_from_one(errors, "ids", ids,
                   std::min<std::uint64_t>(std::uint64_t{shape.max_id()} + 1, 1U << 16));
  require_from_one(errors, "reads", reads, 1U << 16);
  require_from_one(errors, "writes", writes, 1U << 16);
  if (cache > 15 || ((cache & 2U) == 0 && (cache & 12U) != 0)) {
    errors.emplace_back("cache: is a reserved value of AxCACHE");
  }
  if (prot > 7) errors.emplace_back("prot: must be 0 to 7");
  return errors;
}

void describe(StatisticsVisitor& v, Axi4ManagerStats& s) {
  v.counter("reads", s.reads, "request", "read requests issued");
  v.counter("writes", s.writes, "request", "write requests issued");
  v.counter("bursts", s.bursts, "burst", "AXI4 bursts of the requests");
  v.counter("read_beats", s.read_beats, "beat", "transfers on R");
  v.counter("write_beats", s.write_beats, "beat", "transfers on W");
  v.counter("errors", s.errors, "request", "requests that ended with SLVERR or DECERR");
  v.counter("resets", s.resets, "request", "issued requests ended by a reset");
  v.histogram("latency", s.latency, "cycle", "from a request's arrival to its response");
}

}  // namespace tessera
