// SPDX-License-Identifier: Apache-2.0
#include "modules/llc/llc_slice.h"

#include <algorithm>
#include <cstring>

#include "modules/core/report.h"

namespace tessera {

using tlm::tlm_generic_payload;

LlcSlice::LlcSlice(const sc_core::sc_module_name& name, const LlcSliceConfig& config,
                   const AddressMap& map, TransactionPool& pool, const std::vector<Queue>& ports)
    : sc_module(name),
      in("in", ports.size()),
      memory("memory"),
      config_(config),
      map_(map),
      pool_(pool),
      clock_(config.clock_hz),
      ports_(ports),
      array_(config.sets, config.ways, config.line_bytes),
      mshr_(config.mshr_entries, config.mshr_targets),
      replies_(ports.size()),
      // Pipeline registers hold a request as well as queue entries do.
      request_in_(ports.size(), RequestReceiver(config.latency_cycles + config.queue_depth)),
      reply_out_(ports.size()),
      memory_in_(ResponseReceiver::kUnlimited) {
  for (unsigned i = 0; i < ports.size(); ++i) {
    in[i].register_nb_transport_fw(this, &LlcSlice::fw, static_cast<int>(i));
    in[i].register_b_transport(this, &LlcSlice::blocking, static_cast<int>(i));
    in[i].register_transport_dbg(this, &LlcSlice::debug, static_cast<int>(i));
    in[i].register_get_direct_mem_ptr(this, &LlcSlice::direct, static_cast<int>(i));
  }
  memory.register_nb_transport_bw(this, &LlcSlice::bw);
  wake_.drives([this] { process(); });
}

void LlcSlice::end_of_elaboration() {
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    request_in_[i].bind(in[i].operator->());
    reply_out_[i].bind(in[i].operator->());
  }
  memory_out_.bind(memory.operator->());
  memory_in_.bind(memory.operator->());
}

void LlcSlice::end_of_simulation() {
  if (!idle()) SC_REPORT_WARNING(report::kInFlight, name());
}

// Transport.

tlm::tlm_sync_enum LlcSlice::fw(int port, tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                sc_core::sc_time& delay) {
  const auto p = static_cast<std::size_t>(port);
  const Tick at = now() + delay.value();
  if (phase == tlm::END_RESP) {
    reply_out_[p].end_response(payload, at);
    if (!replies_[p].empty())
      wake_.at(departure_edge(clock_, reply_out_[p], replies_[p].next_due(), now()));
    return tlm::TLM_COMPLETED;
  }
  MemoryRequest& request = request_of(payload);
  request.stamps[static_cast<std::size_t>(Hop::kAtLlc)] = at;
  const Tick due = clock_.after(at, config_.latency_cycles - 1);
  TimedQueue<Access>& queue = ports_[p] == Queue::kLocal ? lmr_ : rmr_;
  queue.push(due, static_cast<std::uint32_t>(port),
             Access{&payload, &request, static_cast<std::uint32_t>(port)});
  wake_.at(std::max(due, lookup_free_at_));
  return request_in_[p].begin(payload, phase, delay, 0);
}

tlm::tlm_sync_enum LlcSlice::bw(tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                sc_core::sc_time& delay) {
  const Tick at = now() + delay.value();
  memory_out_.end_request(payload, at);
  if (phase == tlm::END_REQ) {
    if (!to_memory_.empty())
      wake_.at(departure_edge(clock_, memory_out_, to_memory_.next_due(), now()));
    return tlm::TLM_ACCEPTED;
  }
  const Tick due = clock_.after(at, 0);
  fills_.push(due, 0, &payload);
  wake_.at(due);
  return memory_in_.begin(payload, phase, delay, 0);
}

void LlcSlice::blocking(int, tlm_generic_payload& payload, sc_core::sc_time& delay) {
  // Loosely timed: values where they are, no allocation, the latencies added up.
  delay += to_sc_time(clock_.time_of(config_.latency_cycles));
  const std::uint64_t line = payload.get_address() / config_.line_bytes;
  const std::uint64_t index = map_.locate(payload.get_address()).slice_line;
  const CacheArray::Frame f = array_.find(index, line);
  if (f == CacheArray::kNone || !array_.valid(f).contains(ByteMask::first(config_.line_bytes))) {
    sc_core::sc_time below = sc_core::SC_ZERO_TIME;
    tlm_generic_payload probe;
    unsigned char byte = 0;
    probe.set_read();
    probe.set_address(payload.get_address());
    probe.set_data_ptr(&byte);
    probe.set_data_length(1);
    probe.set_streaming_width(1);
    memory->b_transport(probe, below);
    delay += below;
  }
  if (debug(0, payload) == payload.get_data_length()) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  } else {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
}

unsigned LlcSlice::debug(int, tlm_generic_payload& payload) {
  const unsigned done = memory->transport_dbg(payload);
  const std::uint64_t address = payload.get_address();
  const unsigned offset = static_cast<unsigned>(address % config_.line_bytes);
  const unsigned length = std::min(done, config_.line_bytes - offset);
  const CacheArray::Frame f =
      array_.find(map_.locate(address).slice_line, address / config_.line_bytes);
  if (f == CacheArray::kNone) return length;
  for (unsigned i = 0; i < length; ++i) {
    if (!array_.valid(f).test(offset + i)) continue;
    unsigned char& cached = array_.data(f)[offset + i];
    unsigned char& given = payload.get_data_ptr()[i];
    (payload.is_write() ? cached : given) = payload.is_write() ? given : cached;
  }
  return length;
}

// Processes.

void LlcSlice::process() {
  wake_.fired();
  const Tick t = now();
  clock_.standing_at(t);
  take_fills(t);
  send_replies(t);
  send_to_memory(t);
  look_up(t);
  arm(t);
}

void LlcSlice::take_fills(Tick t) {
  while (fills_.due(t)) {
    tlm_generic_payload& payload = *fills_.pop();
    memory_in_.release();
    if (payload.is_write()) {
      writes_.erase(std::find(writes_.begin(), writes_.end(), &payload));
      payload.release();
      continue;
    }
    fill(payload, t);
  }
}

void LlcSlice::fill(tlm_generic_payload& payload, Tick t) {
  Mshr<Access>::Entry& entry = *mshr_.find(payload.get_address() / config_.line_bytes);
  const CacheArray::Frame f = entry.frame;
  const ByteMask whole = ByteMask::first(config_.line_bytes);
  if (request_of(payload).carries_data) {
    copy_masked(array_.data(f), payload.get_data_ptr(), whole.without(array_.valid(f)),
                config_.line_bytes);
  }
  array_.valid(f) = whole;
  array_.lock(f, false);
  array_.touch(f);
  MemoryRequest& first = *entry.targets.front().request;
  first.stamps[static_cast<std::size_t>(Hop::kFromDram)] = t;
  stats_.miss_latency.add(
      clock_.cycle_at(t - first.stamps[static_cast<std::size_t>(Hop::kToDram)]));
  for (const Access& a : entry.targets) {
    apply(a, f);
    replies_[a.port].push(t, 0, a.payload);
  }
  if (entry.targets.front().payload != &payload) payload.release();
  mshr_.release(entry);
}

void LlcSlice::send_replies(Tick t) {
  for (std::size_t p = 0; p < replies_.size(); ++p) {
    const Tick delay = cycles_after(t, 1) - t;
    while (replies_[p].due(t) && reply_out_[p].free(t + delay)) {
      tlm_generic_payload& payload = *replies_[p].pop();
      MemoryRequest& request = request_of(payload);
      request.stamps[static_cast<std::size_t>(Hop::kFromLlc)] = t + delay;
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
      const std::uint32_t bytes = payload.is_read() ? config_.line_bytes : request.useful_bytes;
      (payload.is_read() ? stats_.bytes_read : stats_.bytes_written) += bytes;
      stats_.bandwidth.add(bytes, t);
      reply_out_[p].send(payload, delay);
    }
  }
}

void LlcSlice::send_to_memory(Tick t) {
  const Tick delay = cycles_after(t, 1) - t;
  while (to_memory_.due(t) && memory_out_.free(t + delay)) {
    tlm_generic_payload& payload = *to_memory_.pop();
    const SendOutcome outcome = memory_out_.send(payload, delay);
    if (outcome.responded) {
      const Tick due = clock_.after(outcome.response_at, 0);
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time annotated = to_sc_time(outcome.response_at - now());
      memory_in_.begin(payload, phase, annotated, 0);
      fills_.push(due, 0, &payload);
    }
  }
}

bool LlcSlice::output_backed_up() const {
  if (to_memory_.size() >= config_.memory_queue_depth) return true;
  return std::any_of(replies_.begin(), replies_.end(),
                     [this](const auto& q) { return q.size() >= config_.reply_queue_depth; });
}

void LlcSlice::look_up(Tick t) {
  stalled_ = false;
  if (lookup_free_at_ > t || (!lmr_.due(t) && !rmr_.due(t))) return;
  if (output_backed_up()) {
    ++stats_.stalls_output;
    stalled_ = true;
    return;
  }
  // Round-robin: the queue whose turn it is goes first; a queue whose head cannot go yields.
  TimedQueue<Access>& first = local_turn_ ? lmr_ : rmr_;
  TimedQueue<Access>& second = local_turn_ ? rmr_ : lmr_;
  if (try_queue(first, t)) {
    local_turn_ = !local_turn_;
  } else {
    stalled_ = !try_queue(second, t);
  }
  send_replies(t);
  send_to_memory(t);
}

bool LlcSlice::try_queue(TimedQueue<Access>& queue, Tick t) {
  if (!queue.due(t)) return false;
  const Access a = queue.front();
  if (access(a, t) == Outcome::kStalled) return false;
  queue.pop();
  ++(&queue == &lmr_ ? stats_.local_lookups : stats_.remote_lookups);
  std::uint64_t cycles = 1;
  if (a.request->kind == RequestKind::kAtomic) {
    cycles = (a.request->atomics->count + config_.atomic_lanes_per_cycle - 1) /
             config_.atomic_lanes_per_cycle;
  }
  lookup_free_at_ = cycles_after(t, std::max<std::uint64_t>(cycles, 1));
  request_in_[a.port].release();
  return true;
}

LlcSlice::Outcome LlcSlice::access(const Access& a, Tick t) {
  const std::uint64_t line = a.payload->get_address() / config_.line_bytes;
  const std::uint64_t index = a.request->home.slice_line;
  const CacheArray::Frame f = array_.find(index, line);
  const bool atomic = a.request->kind == RequestKind::kAtomic;
  const bool write = a.payload->is_write() && !atomic;

  if (f != CacheArray::kNone && array_.locked(f)) {
    Mshr<Access>::Entry& entry = *mshr_.find(line);
    if (!mshr_.can_merge(entry)) {
      ++stats_.stalls_mshr;
      return Outcome::kStalled;
    }
    entry.targets.push_back(a);
    ++stats_.merges;
  } else if (write) {
    CacheArray::Frame frame = f;
    if (frame == CacheArray::kNone) {
      frame = take_frame(index, line);
      if (frame == CacheArray::kNone) return Outcome::kStalled;
      ++stats_.write_allocations;
    } else {
      ++stats_.hits;
    }
    array_.touch(frame);
    apply(a, frame);
    replies_[a.port].push(t, 0, a.payload);
  } else if (f != CacheArray::kNone &&
             array_.valid(f).contains(ByteMask::first(config_.line_bytes))) {
    ++stats_.hits;
    array_.touch(f);
    apply(a, f);
    replies_[a.port].push(t, 0, a.payload);
  } else if (miss(a, line, f, t) == Outcome::kStalled) {
    return Outcome::kStalled;
  }
  ++(atomic ? stats_.atomics : write ? stats_.writes : stats_.reads);
  return Outcome::kDone;
}

LlcSlice::Outcome LlcSlice::miss(const Access& a, std::uint64_t line, CacheArray::Frame frame,
                                 Tick t) {
  const std::uint64_t index = a.request->home.slice_line;
  if (mshr_.full()) {
    ++stats_.stalls_mshr;
    return Outcome::kStalled;
  }
  if (frame == CacheArray::kNone) {
    frame = take_frame(index, line);
    if (frame == CacheArray::kNone) return Outcome::kStalled;
    ++stats_.misses;
  } else {
    ++stats_.partial_fetches;
  }
  array_.lock(frame, true);
  Mshr<Access>::Entry& entry = mshr_.allocate(line);
  entry.frame = frame;
  entry.targets.push_back(a);
  a.request->stamps[static_cast<std::size_t>(Hop::kToDram)] = t;

  entry.fetch = a.payload;
  // A read of the line itself goes on to the channel; for an atomic, a read of our own does.
  if (!a.payload->is_read() || a.payload->get_data_length() != config_.line_bytes) {
    Transaction& fetch = pool_.acquire();
    fetch.set_line(tlm::TLM_READ_COMMAND, line * config_.line_bytes, config_.line_bytes);
    MemoryRequest& r = fetch.request();
    r.kind = RequestKind::kFill;
    r.carries_data = a.request->carries_data;
    r.gpu = a.request->gpu;
    r.sm = a.request->sm;
    r.useful_bytes = static_cast<std::uint16_t>(config_.line_bytes);
    r.home = a.request->home;
    entry.fetch = &fetch;
  }
  to_memory_.push(t, 0, entry.fetch);
  return Outcome::kDone;
}

/// A frame for the line, its old line evicted; kNone when every way waits for a fill.
CacheArray::Frame LlcSlice::take_frame(std::uint64_t index, std::uint64_t line) {
  const CacheArray::Frame f = array_.victim(index);
  if (f == CacheArray::kNone) {
    ++stats_.stalls_ways;
    return f;
  }
  if (array_.occupied(f)) {
    ++stats_.evictions;
    if (!array_.dirty(f).none()) {
      ++stats_.write_backs;
      const std::uint64_t address = array_.line(f) * config_.line_bytes;
      Transaction& out = pool_.acquire();
      out.set_line(tlm::TLM_WRITE_COMMAND, address, config_.line_bytes);
      out.set_byte_mask(array_.dirty(f));
      MemoryRequest& r = out.request();
      r.kind = RequestKind::kWriteBack;
      r.useful_bytes = static_cast<std::uint16_t>(array_.dirty(f).count());
      r.home = map_.locate(address);
      // An array that holds bytes was filled by carried requests.
      r.carries_data = carried_;
      if (carried_) std::memcpy(out.data(), array_.data(f), config_.line_bytes);
      writes_.push_back(&out);
      to_memory_.push(now(), 0, &out);
    }
  }
  array_.install(f, line);
  return f;
}

/// The access takes effect on a frame whose bytes are there.
void LlcSlice::apply(const Access& a, CacheArray::Frame frame) {
  const bool carried = a.request->carries_data;
  carried_ = carried_ || carried;
  if (a.request->kind == RequestKind::kAtomic) {
    perform_atomics(*a.request->atomics, frame, carried);
    return;
  }
  if (a.payload->is_write()) {
    const ByteMask mask = byte_mask_of(*a.payload);
    if (carried) {
      copy_masked(array_.data(frame), a.payload->get_data_ptr(), mask, config_.line_bytes);
    }
    array_.valid(frame) |= mask;
    array_.dirty(frame) |= mask;
  } else if (carried) {
    std::memcpy(a.payload->get_data_ptr(), array_.data(frame), config_.line_bytes);
  }
}

void LlcSlice::perform_atomics(AtomicOperands& operands, CacheArray::Frame frame, bool carried) {
  const unsigned bytes = atomic_bytes(operands.type);
  stats_.atomic_lanes += operands.count;
  for (unsigned i = 0; i < operands.count; ++i) {
    AtomicOperands::Lane& lane = operands.lanes[i];
    array_.dirty(frame) |= ByteMask::range(lane.offset, bytes);
    if (!carried) continue;
    unsigned char* at = array_.data(frame) + lane.offset;
    std::uint64_t old = 0;
    std::memcpy(&old, at, bytes);
    lane.old = old;
    const std::uint64_t result =
        apply_atomic(operands.op, operands.type, old, lane.operand, lane.compare);
    std::memcpy(at, &result, bytes);
  }
}

void LlcSlice::arm(Tick t) {
  for (std::size_t p = 0; p < replies_.size(); ++p) {
    if (replies_[p].empty() || reply_out_[p].free_at() == kNever) continue;
    wake_.at(departure_edge(clock_, reply_out_[p], replies_[p].next_due(), t));
  }
  if (!to_memory_.empty() && memory_out_.free_at() != kNever) {
    wake_.at(departure_edge(clock_, memory_out_, to_memory_.next_due(), t));
  }
  wake_.at(fills_.next_due());
  // A stalled head is tried again when something has moved: a fill, a reply or a memory request
  // sent, each of which wakes the process.
  for (const TimedQueue<Access>* queue : {&lmr_, &rmr_}) {
    const Tick head = queue->next_due();
    if (head == kNever || (stalled_ && head <= t)) continue;
    wake_.at(std::max({head, lookup_free_at_, t}));
  }
}

// Housekeeping.

bool LlcSlice::idle() const {
  return lmr_.empty() && rmr_.empty() && mshr_.empty() && fills_.empty() && to_memory_.empty() &&
         writes_.empty() &&
         std::all_of(replies_.begin(), replies_.end(), [](const auto& q) { return q.empty(); });
}

void LlcSlice::describe_waiting(std::vector<Waiting>& out) const {
  const std::string base = std::string(name()) + ".";
  std::string blocked_by = "its turn at the arrays";
  if (mshr_.full()) blocked_by = "a free MSHR";
  if (to_memory_.size() >= config_.memory_queue_depth) blocked_by = "room in to_memory";
  if (!lmr_.empty()) out.push_back({base + "lmr", lmr_.size(), blocked_by});
  if (!rmr_.empty()) out.push_back({base + "rmr", rmr_.size(), blocked_by});
  if (!mshr_.empty()) out.push_back({base + "mshr", mshr_.used(), "lines from the channel"});
  if (!to_memory_.empty()) {
    out.push_back({base + "to_memory", to_memory_.size(), "END_REQ from the channel"});
  }
  if (!writes_.empty()) {
    out.push_back({base + "write_backs", writes_.size(), "acknowledgement from the channel"});
  }
  for (std::size_t p = 0; p < replies_.size(); ++p) {
    if (replies_[p].empty()) continue;
    out.push_back({base + "reply" + std::to_string(p), replies_[p].size(),
                   "END_RESP from " + std::string(in[p].name()) + "'s initiator"});
  }
}

void LlcSlice::reset() {
  lmr_.clear();
  rmr_.clear();
  fills_.clear();
  to_memory_.clear();
  for (auto& q : replies_) q.clear();
  mshr_.drain([](Mshr<Access>::Entry& e) {
    if (e.fetch != e.targets.front().payload) e.fetch->release();
  });
  for (tlm_generic_payload* w : writes_) w->release();
  writes_.clear();
  for (auto& r : request_in_) r.reset();
  for (auto& r : reply_out_) r.reset();
  memory_out_.reset();
  memory_in_.reset();
  array_.invalidate_all();
  local_turn_ = true;
  lookup_free_at_ = 0;
  stalled_ = false;
  wake_.cancel();
}

void LlcSlice::register_statistics(StatisticsRegistry& registry) const {
  const std::string m = name();
  const LlcSliceStats& s = stats_;
  registry.counter(m, "reads", s.reads, "access", "line reads looked up");
  registry.counter(m, "writes", s.writes, "access", "writes looked up");
  registry.counter(m, "atomics", s.atomics, "access", "atomic accesses looked up");
  registry.counter(m, "atomic_lanes", s.atomic_lanes, "operation", "lane atomics performed");
  registry.counter(m, "hits", s.hits, "access", "accesses that found what they need");
  registry.counter(m, "misses", s.misses, "access", "accesses that fetch an absent line");
  registry.counter(m, "merges", s.merges, "access", "accesses to a line that is being fetched");
  registry.counter(m, "partial_fetches", s.partial_fetches, "access",
                   "reads of a line of which only written bytes were valid");
  registry.counter(m, "write_allocations", s.write_allocations, "access",
                   "writes that took a line without fetching it");
  registry.counter(m, "evictions", s.evictions, "line", "lines replaced");
  registry.counter(m, "write_backs", s.write_backs, "line", "dirty lines sent to the channel");
  registry.counter(m, "local_lookups", s.local_lookups, "access", "lookups from the LMR queue");
  registry.counter(m, "remote_lookups", s.remote_lookups, "access", "lookups from the RMR queue");
  registry.counter(m, "stalls_mshr", s.stalls_mshr, "attempt", "lookups put off: MSHRs full");
  registry.counter(m, "stalls_ways", s.stalls_ways, "attempt",
                   "lookups put off: every way of the set waits for a fill");
  registry.counter(m, "stalls_output", s.stalls_output, "attempt",
                   "lookups put off: replies or memory requests are backed up");
  registry.counter(m, "bytes_read", s.bytes_read, "byte", "bytes of read answers");
  registry.counter(m, "bytes_written", s.bytes_written, "byte", "bytes of acknowledged writes");
  registry.histogram(m, "miss_latency", s.miss_latency, "cycle",
                     "from the request to the channel to the line's arrival");
  registry.bandwidth(m, "bandwidth", s.bandwidth, "bytes answered over time");
}

}  // namespace tessera
