// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/dram_channel.h"

#include <algorithm>
#include <string>

#include "modules/kernel/report.h"
#include "modules/kernel/sc_time.h"
#include "modules/kernel/statistics_visitor.h"
#include "modules/kernel/unlikely.h"

namespace tessera {

namespace {

const DramConfig& checked(const DramConfig& config, const AddressMap& map, unsigned ports) {
  std::vector<std::string> errors = config.validate();
  const MemoryGeometry& g = map.geometry();
  if (g.banks_per_channel != config.banks) {
    errors.push_back("banks (" + std::to_string(config.banks) + ") differ from the address map's " +
                     std::to_string(g.banks_per_channel));
  }
  if (g.row_bytes != config.row_bytes) {
    errors.push_back("row_bytes (" + std::to_string(config.row_bytes) +
                     ") differ from the address map's " + std::to_string(g.row_bytes));
  }
  if (g.line_bytes > kMaxLineBytes) errors.emplace_back("the address map's lines are too long");
  if (ports == 0) errors.emplace_back("a channel needs a port");
  if (!errors.empty()) {
    std::string text = "DRAM channel:";
    for (const std::string& e : errors) text += "\n  " + e;
    SC_REPORT_ERROR(report::kConfiguration, text.c_str());
  }
  return config;
}

PayloadRules rules(const MemoryGeometry& g) {
  PayloadRules r = PayloadRules::within_lines(g.line_bytes, g.total_bytes());
  r.reads = PayloadRules::kinds(RequestKind::kLoad, RequestKind::kFill);
  r.writes = PayloadRules::kinds(RequestKind::kStore, RequestKind::kCoherentStore,
                                 RequestKind::kWriteBack);
  return r;
}

}  // namespace

void DramStats::reset(Tick now) {
  commands = {};
  bytes_read = bytes_written = errors = 0;
  queue.reset(now);
  read_latency = {};
  bandwidth = BandwidthSeries();
}

DramChannel::DramChannel(const sc_core::sc_module_name& name, const DramConfig& config,
                         const AddressMap& map, ChannelId id, unsigned ports)
    : BlockBase(name, checked(config, map, ports), Unvalidated{}),
      in("in", ports),
      map_(map),
      id_(id),
      line_bytes_(map.geometry().line_bytes),
      check_(rules(map.geometry())),
      clock_(config.clock_hz),
      scheduler_(config_.scheduler.make({&config_, line_bytes_, &stats_.commands})),
      store_(map.geometry().channel_bytes),
      queue_(config.queue_entries) {
  for (unsigned i = 0; i < ports; ++i) {
    // The pipeline holds requests in addition to the input buffer.
    ports_.emplace_back(config.input_entries + config.pipeline_clocks, config.queue_entries);
    const int tag = static_cast<int>(i);
    in[i].register_nb_transport_fw(this, &DramChannel::forward, tag);
    in[i].register_b_transport(this, &DramChannel::blocking, tag);
    in[i].register_transport_dbg(this, &DramChannel::debug, tag);
  }
  wake_.bind<&DramChannel::work>(*this);
  reset();
}

DramChannel::~DramChannel() = default;

void DramChannel::end_of_elaboration() {
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    tlm::tlm_bw_transport_if<>* initiator = in[static_cast<unsigned>(i)].operator->();
    ports_[i].receiver.bind(initiator);
    ports_[i].sender.bind(initiator);
  }
}

void DramChannel::end_of_simulation() {
  if (idle()) return;
  const std::size_t held = queue_.size() - free_slots_.size();
  SC_REPORT_WARNING(report::kInFlight, (std::string(name()) + ": " + std::to_string(held) +
                                        " requests in the queue, " +
                                        std::to_string(arriving_.size()) + " in front of it")
                                           .c_str());
}

void DramChannel::reset() {
  wake_.cancel();
  while (!arriving_.empty()) arriving_.pop().payload->release();
  for (InQueue& q : queue_) {
    if (q.payload != nullptr) q.payload->release();
    q = {};
  }
  for (Port& p : ports_) {
    p.receiver.reset();
    p.sender.reset();
    p.pending.clear();
  }
  free_slots_.clear();
  for (std::size_t i = queue_.size(); i > 0; --i) free_slots_.push_back(static_cast<Slot>(i - 1));
  scheduler_->reset();
  store_.reset();
  const Tick t = now();
  next_edge_ = clock_.cycle_from(t);
  edge_time_ = kNever;
  stats_.queue.set(0, t);
  stats_.reset(t);
}

bool DramChannel::idle() const { return arriving_.empty() && free_slots_.size() == queue_.size(); }

void DramChannel::describe_waiting(std::vector<Waiting>& out) const {
  const std::string me = name();
  if (!arriving_.empty()) {
    out.push_back({me + ".input", arriving_.size(),
                   free_slots_.empty() ? WaitKind::kQueueFull : WaitKind::kResourceBusy,
                   free_slots_.empty() ? "a free queue entry" : "the next memory clock"});
  }
  if (!scheduler_->empty()) {
    out.push_back({me + ".queue",
                   std::size_t{scheduler_->waiting_reads()} + scheduler_->waiting_writes(),
                   WaitKind::kResourceBusy,
                   "the DRAM's timing (next command at memory clock " +
                       std::to_string(scheduler_->next_cycle()) + ")"});
  }
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const Port& p = ports_[i];
    if (p.pending.empty()) continue;
    out.push_back(
        {me + ".response" + std::to_string(i), p.pending.size(),
         p.sender.waiting_for() != nullptr ? WaitKind::kQueueFull : WaitKind::kDataDependence,
         p.sender.waiting_for() != nullptr
             ? std::string("END_RESP from ") + in[static_cast<unsigned>(i)].name()
             : "the response channel"});
  }
}

double DramChannel::peak_bytes(Tick since, Tick until) const {
  if (until <= since) return 0;
  return static_cast<double>(until - since) * static_cast<double>(config_.clock_hz) /
         static_cast<double>(kTicksPerSecond) * config_.bus_bytes_per_clock;
}

void describe(StatisticsVisitor& v, DramStats& s) {
  DramCommandCounts& c = s.commands;
  v.counter("reads", c.reads, "access", "reads whose column command was issued");
  v.counter("writes", c.writes, "access", "writes whose column command was issued");
  v.counter("bytes_read", s.bytes_read, "byte", "bytes moved by reads");
  v.counter("bytes_written", s.bytes_written, "byte", "bytes moved by writes");
  v.counter("activates", c.activates, "command", "rows opened");
  v.counter("precharges", c.precharges, "command",
            "rows closed (by command, by auto-precharge, for refresh)");
  v.counter("row_hits", c.row_hits, "access", "accesses whose row was open");
  v.counter("row_misses", c.row_misses, "access", "accesses that found the bank closed");
  v.counter("row_conflicts", c.row_conflicts, "access",
            "accesses for which another row of the bank was closed");
  v.counter("refreshes", c.refreshes, "command", "all-bank refreshes");
  v.counter("write_drains", c.drains, "drain", "times that writes went before reads");
  v.waits(WaitKind::kResourceBusy, {"row_misses", "row_conflicts"});
  v.waits(WaitKind::kOrdering, {"write_drains"});
  v.counter("errors", s.errors, "request", "requests that received an error response");
  v.counter("bus_busy_clocks", c.bus_busy_clocks, "memory clock",
            "clocks in which the data bus moved data");
  v.occupancy("queue_occupancy", s.queue, "request",
              "requests in the controller, from arrival to response");
  v.histogram("read_latency", s.read_latency, "memory clock",
              "reads: from being taken into the queue to the last data");
  v.bandwidth("bandwidth", s.bandwidth, "bytes read and written over time");
}

void DramChannel::register_statistics(StatisticsRegistry& registry) const {
  const std::string m = name();
  BlockBase::register_statistics(registry);
  registry.value(
      m, "bus_utilisation",
      [this, &registry] {
        const double peak = peak_bytes(registry.window_start(), now());
        return peak == 0 ? 0
                         : static_cast<double>(stats_.commands.bus_busy_clocks) *
                               config_.bus_bytes_per_clock / peak;
      },
      "ratio", "share of the data bus's clocks that moved data");
  registry.value(
      m, "row_hit_rate",
      [this] {
        const Counter all = stats_.commands.reads + stats_.commands.writes;
        return all == 0 ? 0
                        : static_cast<double>(stats_.commands.row_hits) / static_cast<double>(all);
      },
      "ratio", "row hits per access");
  registry.counters(m, scheduler_->counters());
}

// ---- transport

tlm::tlm_sync_enum DramChannel::forward(int port, tlm::tlm_generic_payload& payload,
                                        tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  Port& p = ports_[static_cast<std::size_t>(port)];
  const Tick at = now() + delay.value();
  if (phase == tlm::END_RESP) {
    p.sender.end_response(payload, at);
    if (!p.pending.empty()) wake_.at(std::max(p.sender.usable_from(), now()));
    return tlm::TLM_COMPLETED;
  }
  const sc_core::sc_object& socket = in[static_cast<unsigned>(port)];
  MemoryRequest* const request = check_.admit(payload, phase);
  if (unlikely(request == nullptr)) {
    if (phase == tlm::BEGIN_REQ) ++stats_.errors;
    return check_.refuse(socket, payload, phase);
  }
  const DramLocation where = map_.decode(payload.get_address());
  if (unlikely(where.channel != id_)) {
    ++stats_.errors;
    return check_.refuse(socket, payload, phase, PayloadFault::kHome);
  }
  const std::uint64_t edge = clock_.cycle_from(at) + config_.pipeline_clocks;
  payload.acquire();
  const Tick due = config_.pipeline_clocks == 0 ? at : clock_.time_of(edge);
  arriving_.push(due, static_cast<std::uint32_t>(port),
                 {&payload, request, edge, where.row, where.bank});
  // If the queue is full, the response that releases an entry wakes the process.
  if (!free_slots_.empty()) wake_at_edge(std::max(edge, next_edge_));
  return p.receiver.begin(payload, phase, delay, 0);
}

void DramChannel::blocking(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const sc_core::sc_object& socket = in[static_cast<unsigned>(port)];
  if (check_.refuse_blocking(socket, payload)) return;
  if (map_.locate(payload.get_address()).channel != id_) {
    check_.response(socket, payload, PayloadFault::kHome);
    return;
  }
  const auto* request = payload.get_extension<MemoryRequest>();
  if (request == nullptr || request->carries_data) access(payload);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  delay += to_sc_time(clock_.time_of(config_.pipeline_clocks + config_.t_rcd +
                                     (payload.is_write() ? config_.write_latency(line_bytes_)
                                                         : config_.read_latency(line_bytes_))));
}

unsigned DramChannel::debug(int, tlm::tlm_generic_payload& payload) {
  if (!PayloadCheck::admits_debug(payload)) return 0;
  std::uint64_t address = payload.get_address();
  unsigned char* data = payload.get_data_ptr();
  const unsigned length = payload.get_data_length();
  unsigned done = 0;
  while (done < length) {
    if (address >= map_.geometry().total_bytes() || map_.locate(address).channel != id_) break;
    const auto left = static_cast<unsigned>(line_bytes_ - address % line_bytes_);
    const unsigned n = std::min(left, length - done);
    const std::uint64_t at = map_.channel_address(address);
    if (payload.is_write()) {
      store_.write(at, data + done, n);
    } else {
      store_.read(at, data + done, n);
    }
    done += n;
    address += n;
  }
  payload.set_response_status(done == length ? tlm::TLM_OK_RESPONSE
                                             : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  return done;
}

// ---- process

void DramChannel::work() {
  const Tick t = now();
  std::uint64_t cycle = edge_;
  bool edge = t == edge_time_;
  if (!edge) {
    cycle = clock_.cycle_at(t);
    edge = clock_.time_of(cycle) == t;
  }
  const bool first = cycle >= next_edge_;
  next_edge_ = std::max(next_edge_, cycle + 1);
  if (edge && first) {
    handle_requests(t, cycle);
    issue_commands(cycle);
  }
  send_responses(t);
  schedule_next();
}

void DramChannel::handle_requests(Tick t, std::uint64_t cycle) {
  while (arriving_.due(t) && !free_slots_.empty()) {
    const std::uint32_t port = arriving_.front_port();
    const Arrival a = arriving_.pop();
    a.payload->set_response_status(tlm::TLM_OK_RESPONSE);
    if (a.request->carries_data) access(*a.payload);
    const Slot slot = free_slots_.back();
    free_slots_.pop_back();
    queue_[slot] = {a.payload, port, a.request->launch};
    scheduler_->enqueue(slot, {a.bank.value, a.row, a.payload->is_write()}, cycle);
    stats_.queue.set(queue_.size() - free_slots_.size(), t);
    ports_[port].receiver.release();
  }
}

void DramChannel::issue_commands(std::uint64_t cycle) {
  const DramScheduler::Issued issued = scheduler_->tick(cycle);
  if (issued.slot == DramScheduler::kNoSlot) return;
  const Tick end = clock_.time_of(issued.data_end);
  const InQueue& q = queue_[issued.slot];
  ports_[q.port].pending.push({q.payload, end, issued.slot});
  (issued.write ? stats_.bytes_written : stats_.bytes_read) += line_bytes_;
  counts_[q.launch].bytes += line_bytes_;
  if (!issued.write) stats_.read_latency.add(issued.data_end - issued.arrived);
  stats_.bandwidth.add(line_bytes_, end);
}

// A response is sent as soon as the port can accept one. Its delay is the time until its last data
// or until the port is free, the later of the two. A response whose port withholds END_RESP stays
// queued with its queue entry.
void DramChannel::send_responses(Tick t) {
  for (Port& p : ports_) {
    while (!p.pending.empty() && p.sender.free_at() != kNever && p.sender.usable_from() <= t) {
      const Pending r = p.pending.pop();
      queue_[r.slot] = {};
      free_slots_.push_back(r.slot);
      stats_.queue.set(queue_.size() - free_slots_.size(), t);
      p.sender.send(*r.payload, std::max({r.due, p.sender.free_at(), t + 1}) - t);
      r.payload->release();
    }
  }
}

// Schedules the next edge with work. END_RESP wakes the process if a port is not usable yet.
void DramChannel::schedule_next() {
  std::uint64_t next = scheduler_->next_cycle();
  const Slot soon = scheduler_->next_slot();
  if (soon != DramScheduler::kNoSlot) prefetch_payload(queue_[soon].payload);
  if (!arriving_.empty() && !free_slots_.empty()) {
    next = std::min(next, std::max(arriving_.front().edge, next_edge_));
  }
  edge_time_ = kNever;
  if (next != kNoCycle) wake_at_edge(next);
  for (Port& p : ports_) {
    if (!p.pending.empty() && p.sender.free_at() != kNever) {
      wake_.at(std::max(p.sender.usable_from(), now()));
    }
  }
}

void DramChannel::wake_at_edge(std::uint64_t cycle) {
  const Tick time = clock_.time_of(cycle);
  if (time < edge_time_) {
    edge_ = cycle;
    edge_time_ = time;
  }
  wake_.at(time);
}

// ---- values

void DramChannel::access(tlm::tlm_generic_payload& payload) {
  const std::uint64_t at = map_.channel_address(payload.get_address());
  const unsigned length = payload.get_data_length();
  if (payload.is_read()) {
    store_.read(at, payload.get_data_ptr(), length);
  } else {
    store_.write_masked(at, payload.get_data_ptr(), byte_mask_of(payload), length);
  }
}

}  // namespace tessera
