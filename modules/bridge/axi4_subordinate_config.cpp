// SPDX-License-Identifier: Apache-2.0
#include "modules/bridge/axi4_subordinate_config.h"

#include "modules/kernel/configuration_errors.h"

namespace tessera {

std::vector<std::string> Axi4SubordinateConfig::validate() const {
  std::vector<std::string> errors = shape.validate();
  if (!errors.empty()) return errors;
  if (line_bytes < shape.data_bytes || line_bytes > kMaxLineBytes ||
      (line_bytes & (line_bytes - 1)) != 0) {
    errors.emplace_back("line_bytes: must be a power of two, data_bytes to 128");
  }
  require_from_one(errors, "reads", reads, 1U << 16);
  require_from_one(errors, "writes", writes, 1U << 16);
  require_from_one(errors, "entries", entries, 1U << 16);
  return errors;
}

void describe(StatisticsVisitor& v, Axi4SubordinateStats& s) {
  v.counter("reads", s.reads, "burst", "read bursts accepted");
  v.counter("writes", s.writes, "burst", "write bursts accepted");
  v.counter("read_beats", s.read_beats, "beat", "transfers on R");
  v.counter("write_beats", s.write_beats, "beat", "transfers on W");
  v.counter("transactions", s.transactions, "request", "TLM transactions sent");
  v.counter("errors", s.errors, "request", "TLM transactions with an error status");
  v.counter("dropped", s.dropped, "request", "responses to transactions from before a reset");
}

}  // namespace tessera
