// SPDX-License-Identifier: Apache-2.0
#include "modules/host/cpu_core.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/legal_values.h"
#include "modules/kernel/configuration_errors.h"
#include "modules/kernel/report.h"
#include "modules/kernel/statistics_visitor.h"

namespace tessera {

std::vector<std::string> CpuCoreConfig::validate() const {
  std::vector<std::string> errors;
  require_from_one(errors, "clock_hz", clock_hz, 100'000'000'000);
  require_from_one(errors, "outstanding_lines", outstanding_lines, 4096);
  require_power_of_two(errors, "line_bytes", line_bytes, 8, kMaxLineBytes);
  return errors;
}

void describe(ParameterVisitor& v, CpuCoreConfig& c) {
  v.integer("clock_hz", c.clock_hz, "Hz", "clock of a core (ours)", 1'000'000, 100'000'000'000);
  v.integer("outstanding_lines", c.outstanding_lines, "access",
            "line accesses of an operation in flight (ours: the fill buffers of an x86 core)", 1,
            4096);
}

void describe(StatisticsVisitor& v, CpuCoreStats& s) {
  v.counter("loads", s.loads, "operation", "loads of the host program");
  v.counter("stores", s.stores, "operation", "stores of the host program");
  v.counter("atomics", s.atomics, "operation", "atomics of the host program");
  v.counter("synchronised_loads", s.synchronised_loads, "operation",
            "loads that obtain exclusive access first");
  v.counter("waits", s.waits, "operation", "waits of the host program");
  v.counter("lines", s.lines, "access", "line accesses sent");
  v.counter("bytes", s.bytes, "byte", "bytes loaded and stored");
  v.histogram("latency", s.latency, "cycle", "of an operation, from its begin to its end");
}

CpuCore::CpuCore(const sc_core::sc_module_name& name, const CpuCoreConfig& config,
                 TransactionPool& pool, std::uint32_t index)
    : BlockBase(name, config),
      memory("memory"),
      pool_(pool),
      index_(index),
      clock_(config.clock_hz),
      port_(clock_, wake_) {
  memory.register_nb_transport_bw(this, &CpuCore::backward);
  wake_.bind<&CpuCore::process>(*this);
}

void CpuCore::end_of_elaboration() { port_.bind(memory.operator->()); }

void CpuCore::end_of_simulation() {
  if (!idle()) SC_REPORT_WARNING(report::kInFlight, name());
}

void CpuCore::submit(CpuOperation operation, Done done) {
  if (operation.kind == CpuOperation::Kind::kLoad ||
      operation.kind == CpuOperation::Kind::kSynchronisedLoad) {
    operation.data.assign(operation.bytes, 0);
  }
  queue_.push_back({std::move(operation), std::move(done)});
  if (queue_.size() == 1) wake_.at(clock_.after(now() + 1, 0));
}

void CpuCore::process() {
  const Tick t = now();
  if (!clock_.is_edge(t)) {
    wake_.at(clock_.after(t, 0));
    return;
  }
  handle_responses();
  if (begun_at_ && ended(t)) end(t);
  if (!begun_at_ && !queue_.empty()) begin(t);
  if (begun_at_) send(t);
  schedule_next(t);
}

void CpuCore::begin(Tick t) {
  begun_at_ = t;
  next_ = 0;
  send_at_ = t;
  switch (queue_.front().operation.kind) {
    case CpuOperation::Kind::kLoad:
      ++stats_.loads;
      break;
    case CpuOperation::Kind::kStore:
      ++stats_.stores;
      break;
    case CpuOperation::Kind::kSynchronisedLoad:
      ++stats_.synchronised_loads;
      break;
    case CpuOperation::Kind::kAtomic:
      ++stats_.atomics;
      // One access; its offsets are within the line.
      queue_.front().operation.data.assign(1, 0);
      break;
    case CpuOperation::Kind::kWait:
      ++stats_.waits;
      break;
  }
}

void CpuCore::handle_responses() {
  while (port_.responses.due(now())) {
    Payload& payload = port_.pop_response();
    if (!payload.is_response_ok()) {
      SC_REPORT_FATAL("/tessera/host/memory_error", payload.get_response_string().c_str());
    }
    CpuOperation& op = queue_.front().operation;
    const auto at = in_flight_.find(&payload);
    if (payload.is_read()) {
      const std::uint64_t offset = (op.address + at->second) % config_.line_bytes;
      const std::uint64_t count =
          std::min(config_.line_bytes - offset, op.data.size() - at->second);
      std::memcpy(op.data.data() + at->second, payload.get_data_ptr() + offset, count);
    }
    in_flight_.erase(at);
    payload.release();
  }
}

void CpuCore::send(Tick t) {
  const CpuOperation& op = queue_.front().operation;
  if (op.kind != CpuOperation::Kind::kWait && next_ < op.data.size() && send_at_ <= t &&
      in_flight_.size() < config_.outstanding_lines) {
    send_line(t);
  }
  while (port_.requests.next(clock_, t) == t) {
    const auto [payload, delay] = port_.requests.take(clock_, t);
    port_.send(*payload, delay);
  }
}

/// Makes the access to the operation's next line.
void CpuCore::send_line(Tick t) {
  CpuOperation& op = queue_.front().operation;
  const std::uint64_t first = op.address + next_;
  const auto offset = static_cast<unsigned>(first % config_.line_bytes);
  const auto count = static_cast<unsigned>(
      std::min<std::uint64_t>(config_.line_bytes - offset, op.data.size() - next_));
  const bool load =
      op.kind == CpuOperation::Kind::kLoad || op.kind == CpuOperation::Kind::kSynchronisedLoad;
  Transaction& out = pool_.acquire();
  out.set_line(load ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND, first - offset,
               config_.line_bytes);
  MemoryRequest& r = out.request();
  r.requester = RequesterId(RequesterKind::kCpuCore, index_);
  r.carries_data = true;
  r.useful_bytes = static_cast<std::uint16_t>(count);
  r.bypass_l1 = op.kind == CpuOperation::Kind::kSynchronisedLoad;
  if (op.kind == CpuOperation::Kind::kStore) {
    r.kind = RequestKind::kCoherentStore;
    out.set_byte_mask(ByteMask::range(offset, count));
    std::memcpy(out.data() + offset, op.data.data() + next_, count);
  } else if (op.kind == CpuOperation::Kind::kAtomic) {
    r.kind = RequestKind::kAtomic;
    r.atomics = &op.atomic;
  }
  in_flight_.emplace(&out, next_);
  next_ += count;
  send_at_ = clock_.after(t, 1);
  ++stats_.lines;
  stats_.bytes += count;
  port_.requests.queue.push(t, 0, &out);
}

bool CpuCore::ended(Tick t) const {
  const CpuOperation& op = queue_.front().operation;
  if (op.kind == CpuOperation::Kind::kWait) return clock_.after(*begun_at_, op.cycles) <= t;
  return next_ == op.data.size() && in_flight_.empty();
}

void CpuCore::end(Tick t) {
  stats_.latency.add(clock_.cycles_in(t - *begun_at_));
  begun_at_.reset();
  const Item item = std::move(queue_.front());
  queue_.pop_front();
  if (item.done) item.done(item.operation);
}

void CpuCore::schedule_next(Tick t) {
  Tick next = std::min(port_.responses.next_due(), port_.requests.next(clock_, t));
  if (begun_at_) {
    const CpuOperation& op = queue_.front().operation;
    if (op.kind == CpuOperation::Kind::kWait) {
      next = std::min(next, clock_.after(*begun_at_, op.cycles));
    } else if (next_ < op.data.size() && in_flight_.size() < config_.outstanding_lines) {
      next = std::min(next, send_at_);
    } else if (ended(t)) {  // an operation without bytes
      next = std::min(next, clock_.after(t, 1));
    }
  } else if (!queue_.empty()) {
    next = std::min(next, clock_.after(t, 1));
  }
  wake_.at(next);
}

void CpuCore::describe_waiting(std::vector<Waiting>& out) const {
  if (queue_.empty()) return;
  const std::string me = name();
  out.push_back({me + ".operations", queue_.size(),
                 in_flight_.empty() ? WaitKind::kOrdering : WaitKind::kDataDependence,
                 in_flight_.empty() ? "their turn" : "responses of the L1"});
  if (!in_flight_.empty()) {
    out.push_back(
        {me + ".lines", in_flight_.size(), WaitKind::kDataDependence, "responses of the L1"});
  }
}

void CpuCore::reset() {
  for (const auto& [payload, at] : in_flight_) payload->release();
  in_flight_.clear();
  queue_.clear();
  begun_at_.reset();
  port_.reset();
  next_ = 0;
  send_at_ = 0;
  stats_ = {};
  wake_.cancel();
}

}  // namespace tessera
