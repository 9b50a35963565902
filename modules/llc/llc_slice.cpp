// SPDX-License-Identifier: Apache-2.0
#include "modules/llc/llc_slice.h"

#include <algorithm>

#include "modules/core/report.h"
#include "modules/core/unlikely.h"

namespace tessera {

namespace {

PayloadRules rules(const LlcSliceConfig& config, const AddressMap& map,
                   const LlcSlice::Role& role) {
  PayloadRules r = PayloadRules::whole_lines(config.line_bytes, map.geometry().total_bytes());
  r.reads = PayloadRules::kinds(RequestKind::kLoad, RequestKind::kFill);
  r.writes = PayloadRules::kinds(RequestKind::kStore, RequestKind::kCoherentStore,
                                 RequestKind::kAtomic, RequestKind::kWriteBack);
  if (role.coherent) r.ignores = PayloadRules::kinds(RequestKind::kCoherence);
  r.performs_atomics = true;
  return r;
}

[[gnu::cold, gnu::noinline]] void report_lost_write(const LlcSlice& slice,
                                                    const tlm::tlm_generic_payload& payload) {
  const std::string text = std::string(slice.name()) + ": a write-back was refused with " +
                           payload.get_response_string() + "; its bytes are lost";
  SC_REPORT_ERROR("/tessera/llc/lost_write", text.c_str());
}

}  // namespace

LlcSlice::LlcSlice(const sc_core::sc_module_name& name, const LlcSliceConfig& config,
                   const AddressMap& map, TransactionPool& pool, const Role& role)
    : sc_module(name),
      in("in", role.ports.size()),
      memory("memory"),
      remote("remote"),
      config_(config),
      line_shift_(static_cast<unsigned>(__builtin_ctz(config.line_bytes))),
      map_(map),
      pool_(pool),
      clock_(config.clock_hz),
      role_(role),
      check_(rules(config, map, role)),
      bank_slices_(std::uint64_t{map.geometry().channels} * map.geometry().slices_per_channel /
                   role.remote_banks),
      array_(config.sets, config.ways, config.line_bytes, CacheArray::Bytes::kPerByte,
             config.replacement),
      mshr_(config.mshr_entries, config.mshr_targets),
      directory_(config.directory_sets, config.directory_ways),
      responses_(role.ports.size()),
      // Pipeline registers hold a request as well as queue entries do.
      request_in_(role.ports.size(), RequestReceiver(config.latency_cycles + config.queue_depth)) {
  for (unsigned i = 0; i < in.size(); ++i) {
    in[i].register_nb_transport_fw(this, &LlcSlice::fw, static_cast<int>(i));
    in[i].register_b_transport(this, &LlcSlice::blocking, static_cast<int>(i));
    in[i].register_transport_dbg(this, &LlcSlice::debug, static_cast<int>(i));
    in[i].register_get_direct_mem_ptr(this, &LlcSlice::direct, static_cast<int>(i));
  }
  memory.register_nb_transport_bw(this, &LlcSlice::memory_bw);
  remote.register_nb_transport_bw(this, &LlcSlice::remote_bw);
  wake_.bind<&LlcSlice::process>(*this);
}

void LlcSlice::end_of_elaboration() {
  for (std::size_t i = 0; i < responses_.size(); ++i) {
    request_in_[i].bind(in[i].operator->());
    responses_[i].sender.bind(in[i].operator->());
  }
  to_memory_.sender.bind(memory.operator->());
  fills_.receiver.bind(memory.operator->());
  if (role_.caching == nullptr) return;
  to_remote_.sender.bind(remote.operator->());
  from_remote_.receiver.bind(remote.operator->());
}

void LlcSlice::end_of_simulation() {
  if (!idle()) SC_REPORT_WARNING(report::kInFlight, name());
}

// Transport.

tlm::tlm_sync_enum LlcSlice::fw(int port, Payload& payload, tlm::tlm_phase& phase,
                                sc_core::sc_time& delay) {
  const auto p = static_cast<std::uint32_t>(port);
  const Tick at = now() + delay.value();
  if (phase == tlm::END_RESP) {
    ResponseOutput& out = responses_[p];
    out.sender.end_response(payload, at);
    if (!out.queue.empty()) {
      wake_.at(next_send_edge(clock_, out.sender, out.queue.next_due(), now()));
    }
    return tlm::TLM_COMPLETED;
  }
  MemoryRequest* const admitted = check_.admit(payload, phase);
  if (unlikely(admitted == nullptr)) return check_.refuse(in[p], payload, phase);
  MemoryRequest& request = *admitted;
  const std::uint64_t address = payload.get_address();
  if (unlikely(!request.home_known(address))) request.decode_home(map_, address);
  if (unlikely(!serves(request.home()))) {
    return check_.refuse(in[p], payload, phase, PayloadFault::kHome);
  }
  const Access a{&payload, &request, p, array_.set_of(index_of(request.home()))};
  if (request.kind == RequestKind::kCoherence) {
    const Tick due = clock_.after(at, 0);
    invalidations_.push(due, p, a);
    wake_.at(due);
  } else if (bypasses_cache(a)) {
    const Tick due = clock_.after(at, 0);
    bypassing_.push(due, p, a);
    wake_.at(due);
  } else {
    request.stamps[static_cast<std::size_t>(Hop::kAtLlc)] = at;
    const Tick due = clock_.after(at, config_.latency_cycles - 1);
    TimedQueue<Access>& queue = local(a) ? lmr_ : rmr_;
    queue.push(due, p, a);
    // Behind others it need not: the head has seen to that, or is held up.
    if (queue.next_due() == due) wake_.at(std::max(due, lookup_free_at_));
  }
  return request_in_[p].begin(payload, phase, delay, 0);
}

tlm::tlm_sync_enum LlcSlice::memory_bw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
  return responded_at(to_memory_, fills_, payload, phase, delay);
}

tlm::tlm_sync_enum LlcSlice::remote_bw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
  return responded_at(to_remote_, from_remote_, payload, phase, delay);
}

tlm::tlm_sync_enum LlcSlice::responded_at(Output& output, ResponseInput& responses,
                                          Payload& payload, tlm::tlm_phase& phase,
                                          sc_core::sc_time& delay) {
  const Tick at = now() + delay.value();
  output.sender.end_request(payload, at);
  if (phase == tlm::END_REQ) {
    if (!output.queue.empty()) {
      wake_.at(next_send_edge(clock_, output.sender, output.queue.next_due(), now()));
    }
    return tlm::TLM_ACCEPTED;
  }
  const Tick due = clock_.after(at, 0);
  mshr_.prefetch(line_of(payload));
  array_.prefetch(index_of(request_of(payload).home()));
  responses.queue.push(due, 0, &payload);
  // A BEGIN_RESP may stand for END_REQ: then what waits for the channel may go.
  if (&responses != &fills_ || !output.queue.empty() || !fills_can_wait()) wake_.at(due);
  return responses.receiver.begin(payload, phase, delay, 0);
}

/// Whether what comes from the channel may lie until the process runs next: each reply port has an
/// answer that leaves before those to a fill could, and nothing else is to be seen of a fill (but
/// in the statistics of a run that is cut short).
bool LlcSlice::fills_can_wait() const {
  if (stalled_ == Stall::kArrays || role_.coherent || flush_frame_ != kNotFlushing) return false;
  return std::none_of(responses_.begin(), responses_.end(),
                      [](const ResponseOutput& out) { return out.queue.empty(); });
}

// Processes.

void LlcSlice::process() {
  const Tick t = now();
  clock_.set_current_edge(t);
  if (fills_.queue.due(t)) handle_fills(t);
  if (role_.caching != nullptr) {
    handle_remote(t);
    handle_invalidations(t);
  }
  if (bypassing_.due(t)) handle_bypassing(t);
  send_all(t);
  look_up(t);
  if (flush_frame_ != kNotFlushing) walk_flush(t);
  schedule_next(t);
}

void LlcSlice::handle_fills(Tick t) {
  while (fills_.queue.due(t)) {
    const Tick due = fills_.queue.next_due();
    Payload& payload = *fills_.queue.pop();
    fills_.receiver.release();
    if (is_remote_cache() && !is_own_response(payload)) {
      --outstanding_bypasses_;
      responses_[request_of(payload).pop_route()].queue.push(due, 0, &payload);
      continue;
    }
    if (payload.is_write()) {
      if (unlikely(failed(payload))) report_lost_write(*this, payload);
      writes_.erase(std::find(writes_.begin(), writes_.end(), &payload));
      payload.release();
      continue;
    }
    fill(payload, due);
  }
}

void LlcSlice::handle_remote(Tick t) {
  while (from_remote_.queue.due(t)) {
    Payload& payload = *from_remote_.queue.pop();
    from_remote_.receiver.release();
    MemoryRequest& request = request_of(payload);
    if (request.kind == RequestKind::kCoherence) {
      invalidated(payload, t);
      continue;
    }
    const Mshr<Access>::Entry* entry = mshr_.find(line_of(payload));
    if (entry != nullptr && entry->fetch == &payload) {
      fill(payload, t);
      continue;
    }
    --outstanding_bypasses_;
    responses_[request.pop_route()].queue.push(t, 0, &payload);
  }
}

/// What goes round the arrays has come. It keeps its port's entry until it leaves.
void LlcSlice::handle_bypassing(Tick t) {
  while (bypassing_.due(t)) {
    const Access a = bypassing_.pop();
    ++stats_.bypasses;
    if (local(a) && a.request->kind == RequestKind::kLoad) ++stats_.sm_loads;
    notify_observers(a, true);
    if (is_remote_cache()) {
      pass_to_memory(a, t, kHoldsEntry + a.port);
    } else {
      send_on(a, t, kHoldsEntry + a.port);
    }
  }
}

void LlcSlice::send_all(Tick t) {
  for (ResponseOutput& out : responses_) {
    if (out.queue.due(t)) send_responses(out, t);
  }
  if (to_memory_.queue.due(t)) send(to_memory_, fills_, t);
  if (to_remote_.queue.due(t)) send(to_remote_, from_remote_, t);
}

void LlcSlice::send_responses(ResponseOutput& out, Tick t) {
  const Tick delay = clock_.after(t, 1) - t;
  while (out.queue.due(t) && out.sender.free(t + delay)) {
    Payload& payload = *out.queue.pop();
    MemoryRequest& request = request_of(payload);
    Tick& left = request.stamps[static_cast<std::size_t>(Hop::kFromLlc)];
    // A remote cache leaves the home's own note as it is.
    if (is_remote_cache() ? left == kNever : is_home(request)) left = t + delay;
    const std::uint32_t bytes = payload.is_read() ? config_.line_bytes : request.useful_bytes;
    (payload.is_read() ? stats_.bytes_read : stats_.bytes_written) += bytes;
    stats_.bandwidth.add(bytes, t);
    out.sender.send(payload, delay);
  }
}

void LlcSlice::send(Output& output, ResponseInput& responses, Tick t) {
  const Tick delay = clock_.after(t, 1) - t;
  while (output.queue.due(t) && output.sender.free(t + delay)) {
    const std::uint32_t tag = output.queue.front_port();
    Payload& payload = *output.queue.pop();
    if (tag >= kHoldsEntry) request_in_[tag - kHoldsEntry].release();
    const SendOutcome outcome = output.sender.send(payload, delay);
    if (!outcome.responded) continue;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time annotated = to_sc_time(outcome.response_at - now());
    responses.receiver.begin(payload, phase, annotated, 0);
    responses.queue.push(clock_.after(outcome.response_at, 0), 0, &payload);
  }
}

void LlcSlice::look_up(Tick t) {
  stalled_ = Stall::kNone;
  if (lookup_free_at_ > t || (!lmr_.due(t) && !rmr_.due(t))) return;
  if (output_backed_up()) {
    for (TimedQueue<Access>* queue : {&lmr_, &rmr_}) {
      if (queue->due(t)) stall(queue->front(), stats_.stalls_output);
    }
    stalled_ = Stall::kOutputs;
    return;
  }
  // Round-robin: the queue whose turn it is goes first; a queue whose head cannot go yields.
  TimedQueue<Access>& first = local_turn_ ? lmr_ : rmr_;
  TimedQueue<Access>& second = local_turn_ ? rmr_ : lmr_;
  if (try_queue(first, t)) {
    local_turn_ = !local_turn_;
  } else {
    stalled_ = try_queue(second, t) ? Stall::kNone : Stall::kArrays;
  }
  send_all(t);
}

bool LlcSlice::output_backed_up() const {
  // A plain loop: std::any_of() takes four at a time, in ten times the code.
  for (const ResponseOutput& out : responses_) {
    if (out.queue.size() >= config_.reply_queue_depth) return true;
  }
  return to_memory_.queue.size() >= config_.memory_queue_depth;
}

void LlcSlice::flush(std::function<void()> done) {
  sc_assert(flush_frame_ == kNotFlushing && mshr_.empty() && lmr_.empty() && rmr_.empty() &&
            bypassing_.empty());
  flush_done_ = std::move(done);
  flush_frame_ = 0;
  flush_began_ = flush_at_ = clock_.after(now() + 1, 0);
  wake_.at(flush_at_);
}

/// Passes over frames up to the present cycle. Held up by the queue to the channel.
void LlcSlice::walk_flush(Tick t) {
  while (flush_frame_ < array_.frames()) {
    CacheArray::Frame dirty = flush_frame_;
    while (dirty < array_.frames() && array_.dirty(dirty).none()) ++dirty;
    flush_at_ = clock_.after(flush_at_, dirty - flush_frame_);
    flush_frame_ = dirty;
    if (flush_at_ > t || dirty == array_.frames()) break;
    if (to_memory_.queue.size() >= config_.memory_queue_depth) {
      // A departure wakes the process.
      flush_at_ = clock_.after(t, 1);
      return;
    }
    write_back(dirty, t);
    array_.set_dirty(dirty, ByteMask{});
    ++flush_frame_;
    flush_at_ = clock_.after(flush_at_, 1);
    send(to_memory_, fills_, t);
  }
  if (flush_at_ > t) {
    wake_.at(flush_at_);
  } else if (flush_frame_ == array_.frames() && writes_.empty()) {
    array_.invalidate_all();
    holds_copies_ = false;
    flush_frame_ = kNotFlushing;
    ++stats_.flushes;
    stats_.flush_cycles += clock_.cycle_at(t) - clock_.cycle_at(flush_began_);
    std::exchange(flush_done_, nullptr)();
  }
}

void LlcSlice::schedule_next(Tick t) {
  for (const ResponseOutput& out : responses_) {
    if (out.queue.empty() || out.sender.free_at() == kNever) continue;
    wake_.at(next_send_edge(clock_, out.sender, out.queue.next_due(), t));
  }
  schedule_next(to_memory_, t);
  if (!fills_can_wait()) wake_.at(fills_.queue.next_due());
  wake_.at(bypassing_.next_due());
  if (role_.caching != nullptr) {
    schedule_next(to_remote_, t);
    wake_.at(from_remote_.queue.next_due());
    wake_.at(invalidations_.next_due());
  }
  // A stalled head is tried again when something has moved, which wakes the process: a reply or a
  // request sent, or a fill, if that is what it waits for.
  Tick head = kNever;
  for (const TimedQueue<Access>* queue : {&lmr_, &rmr_}) {
    const Tick due = queue->next_due();
    head = std::min(head, stalled_ != Stall::kNone && due <= t ? kNever : due);
  }
  if (head != kNever) wake_.at(std::max({head, lookup_free_at_, t}));
}

void LlcSlice::schedule_next(const Output& output, Tick t) {
  if (output.queue.empty() || output.sender.free_at() == kNever) return;
  wake_.at(next_send_edge(clock_, output.sender, output.queue.next_due(), t));
}

// Housekeeping.

bool LlcSlice::idle() const {
  return lmr_.empty() && rmr_.empty() && bypassing_.empty() && mshr_.empty() &&
         fills_.queue.empty() && from_remote_.queue.empty() && invalidations_.empty() &&
         invalidating_.empty() && to_memory_.queue.empty() && to_remote_.queue.empty() &&
         writes_.empty() && outstanding_bypasses_ == 0 && flush_frame_ == kNotFlushing &&
         std::all_of(responses_.begin(), responses_.end(),
                     [](const ResponseOutput& out) { return out.queue.empty(); });
}

void LlcSlice::describe_waiting(std::vector<Waiting>& out) const {
  const std::string base = std::string(name()) + ".";
  const auto queue = [&](const char* what, std::size_t items, const std::string& waits_for) {
    if (items != 0) out.push_back({base + what, items, waits_for});
  };
  std::string blocked_by = "its turn at the arrays";
  if (mshr_.full()) blocked_by = "a free MSHR";
  if (to_memory_.queue.size() >= config_.memory_queue_depth) blocked_by = "room in to_memory";
  queue("lmr", lmr_.size(), blocked_by);
  queue("rmr", rmr_.size(), blocked_by);
  queue("bypassing", bypassing_.size(), "its arrival");
  queue("mshr", mshr_.used(), "lines from the channel or their home slice");
  queue("fills", fills_.queue.size(), "their arrival, or an answer before theirs to leave");
  const std::string below = is_remote_cache() ? "the RDMA engine" : "the channel";
  queue("to_memory", to_memory_.queue.size(), "END_REQ from " + below);
  queue("to_remote", to_remote_.queue.size(), "END_REQ from the network");
  queue("passing", static_cast<std::size_t>(outstanding_bypasses_), "answers from other slices");
  queue("invalidating", invalidating_.size(), "answers from the other side");
  queue("write_backs", writes_.size(), "acknowledgement from " + below);
  if (flush_frame_ != kNotFlushing) {
    queue("flush", array_.frames() - flush_frame_, "room in to_memory, and a cycle for each");
  }
  for (std::size_t p = 0; p < responses_.size(); ++p) {
    queue(("reply" + std::to_string(p)).c_str(), responses_[p].queue.size(),
          "END_RESP from " + std::string(in[p].name()) + "'s initiator");
  }
}

void LlcSlice::reset() {
  lmr_.clear();
  rmr_.clear();
  bypassing_.clear();
  invalidations_.clear();
  for (Invalidation& i : invalidating_) i.payload->release();
  invalidating_.clear();
  for (Output* out : {&to_memory_, &to_remote_}) {
    out->queue.clear();
    out->sender.reset();
  }
  for (ResponseOutput& out : responses_) {
    out.queue.clear();
    out.sender.reset();
  }
  mshr_.drain([](Mshr<Access>::Entry& e) {
    if (e.fetch != e.first().payload) e.fetch->release();
  });
  for (Payload* w : writes_) w->release();
  writes_.clear();
  for (auto& r : request_in_) r.reset();
  for (ResponseInput* responses : {&fills_, &from_remote_}) {
    responses->queue.clear();
    responses->receiver.reset();
  }
  array_.invalidate_all();
  directory_.clear();
  outstanding_bypasses_ = 0;
  holds_copies_ = false;
  flush_frame_ = kNotFlushing;
  flush_done_ = nullptr;
  local_turn_ = true;
  lookup_free_at_ = 0;
  stalled_ = Stall::kNone;
  stall_tracker_ = {};
  wake_.cancel();
}

}  // namespace tessera
