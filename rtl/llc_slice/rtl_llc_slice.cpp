// SPDX-License-Identifier: Apache-2.0
#include "rtl/llc_slice/rtl_llc_slice.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/error.h"
#include "modules/kernel/report.h"
#include "modules/kernel/sc_time.h"
#include "modules/kernel/statistics_visitor.h"
#include "modules/kernel/unlikely.h"
#include "modules/llc/slice_observer.h"
#include "modules/plan/block_family.h"
#include "modules/protocol/transaction_pool.h"

namespace tessera {

namespace {

PayloadRules rules(const LlcSite& site) {
  PayloadRules r =
      PayloadRules::whole_lines(site.config.line_bytes, site.map->geometry().total_bytes());
  r.reads = PayloadRules::kinds(RequestKind::kLoad, RequestKind::kFill);
  r.writes = PayloadRules::kinds(RequestKind::kStore, RequestKind::kCoherentStore,
                                 RequestKind::kAtomic, RequestKind::kWriteBack);
  r.performs_atomics = true;
  return r;
}

/// Reasons why the RTL cannot stand for the slice of a site.
std::vector<std::string> unfit(const LlcSite& site) {
  using Pins = LlcSlicePins;
  const LlcSliceConfig& c = site.config;
  std::vector<std::string> why;
  const auto most = [&](const char* name, std::uint64_t value, std::uint64_t limit) {
    if (value <= limit) return;
    why.push_back(std::string(name) + " = " + std::to_string(value) + ", and the RTL has " +
                  std::to_string(limit) + " at most");
  };
  most("llc.sets", c.sets, Pins::kSets);
  most("llc.ways", c.ways, Pins::kWays);
  most("llc.mshr_entries", c.mshr_entries, Pins::kMshrs);
  most("llc.mshr_targets", c.mshr_targets, Pins::kTargets);
  most("llc.latency_cycles + llc.queue_depth", c.latency_cycles + c.queue_depth, Pins::kEntries);
  most("llc.response_queue_depth", c.response_queue_depth, Pins::kDepth);
  most("llc.memory_queue_depth", c.memory_queue_depth, Pins::kDepth);
  most("llc.remote_queue_depth", c.remote_queue_depth, Pins::kDepth);
  most("llc.line_bytes", c.line_bytes, kMaxLineBytes);
  most("the number of the slice's inputs", site.inputs, Pins::kPorts);
  // Requests that bypass the arrays have no limit of their own.
  most("(llc.latency_cycles + llc.queue_depth) x inputs + llc.remote_queue_depth",
       std::uint64_t{c.latency_cycles + c.queue_depth} * site.inputs + c.remote_queue_depth,
       Pins::kRemote);
  if (c.latency_cycles < 2) why.push_back("llc.latency_cycles must be 2 or more");
  if (c.replacement.name != "lru") why.push_back("llc.replacement must be lru");
  if (c.arbitration.name != "round-robin" && c.arbitration.name != "oldest-first") {
    why.push_back("llc.arbitration must be round-robin or oldest-first");
  }
  if (site.slice.role != "home" && site.slice.role != "partition") {
    why.push_back("the slice's role is \"" + site.slice.role +
                  "\", and the RTL has the roles \"home\" and \"partition\"");
  } else if (site.slice.role == "partition" && site.slice.caching->copies_written_lines()) {
    why.push_back(
        "RemoteCaching copies lines that kernels write, and the RTL has no copies of "
        "such lines");
  }
  return why;
}

const LlcSite& fit(const LlcSite& site, const std::string& implementation) {
  const std::vector<std::string> why = unfit(site);
  if (why.empty()) return site;
  std::string text = site.path + ".impl = " + implementation + ": ";
  for (const std::string& w : why) text += (&w == &why.front() ? "" : "; ") + w;
  throw InputError(text);
}

std::optional<PartitionCaching> caching_of(const LlcSite& site) {
  if (site.slice.role != "partition") return std::nullopt;
  return PartitionCaching(site.slice);
}

LlcSlicePins::Configuration configuration(const LlcSite& site) {
  const LlcSliceConfig& config = site.config;
  LlcSlicePins::Configuration c;
  c.sets = config.sets;
  c.ways = config.ways;
  c.mshrs = config.mshr_entries;
  c.targets = config.mshr_targets;
  c.latency = config.latency_cycles;
  c.response_depth = config.response_queue_depth;
  c.memory_depth = config.memory_queue_depth;
  c.remote_depth = config.remote_queue_depth;
  c.local_ports = site.slice.local_inputs;
  c.line_bytes = config.line_bytes;
  c.oldest_first = config.arbitration.name == "oldest-first";
  c.flush_copies = config.flush == FlushScope::kCopies;
  return c;
}

bool is_write_back(const tlm::tlm_generic_payload& payload) {
  return payload.is_write() &&
         payload.get_extension<MemoryRequest>()->kind == RequestKind::kWriteBack;
}

}  // namespace

RtlLlcSlice::RtlLlcSlice(const sc_core::sc_module_name& name, const LlcSite& site,
                         std::string implementation, const LlcSliceFactory& make_model)
    : BlockBase(name, fit(site, implementation).config),
      path_(site.path),
      implementation_(std::move(implementation)),
      site_(site.slice),
      map_(*site.map),
      pool_(*site.pool),
      caching_(caching_of(site)),
      model_(make_model(path_)),
      clock_(config_.clock_hz, *model_),
      checker_(this->name(), clock_.clock(), model_->pins, configuration(site)),
      atomics_(config_.line_bytes),
      check_(rules(site)),
      own_untimed_(config_.line_bytes, [this](Payload& payload) { return debug_below(payload); }) {
  own_untimed_.add(*this);
  clock_.add(checker_);
  clock_.add(*this);
  LlcSlicePins& pins = model_->pins;
  for (std::uint32_t p = 0; p < site.inputs; ++p) {
    inputs.push_back(std::make_unique<LineTarget>(
        ("in" + std::to_string(p)).c_str(), clock_, p, config_.latency_cycles + config_.queue_depth,
        pins.in[p], pins.out[p], tokens_, atomics_, *this));
    check_channel(("in" + std::to_string(p)).c_str(), pins.in[p], pins.out[p], false);
  }
  memory = std::make_unique<LineInitiator>("memory", clock_, pins.memory, pins.memory_response,
                                           *this, true);
  remote = std::make_unique<LineInitiator>("remote", clock_, pins.remote, pins.remote_response,
                                           *this, site.outputs == 2);
  check_channel("memory", pins.memory, pins.memory_response, true);
  check_channel("remote", pins.remote, pins.remote_response, false);
  model_->configure(configuration(site));
  clock_.power_on();
}

void RtlLlcSlice::check_channel(const char* channel, const LineRequestPins& requests,
                                const LineResponsePins& responses, bool to_memory) {
  LineCheckerConfig c;
  c.line_bytes = config_.line_bytes;
  // Write-backs have no ids; an acknowledgement of one says what it is.
  c.writes_have_ids = !to_memory;
  c.responses_have_kind = to_memory;
  channel_checkers_.push_back(std::make_unique<LineChecker>(
      std::string(name()) + "." + channel, clock_.clock(), requests, responses, c));
  clock_.add(*channel_checkers_.back());
}

std::string RtlLlcSlice::why_values() const {
  return path_ + ".impl = " + implementation_ + ": RTL has bytes in each request";
}

// Requests.

MemoryRequest* RtlLlcSlice::admit(std::uint32_t port, Payload& payload, const tlm::tlm_phase& phase,
                                  Tick at, std::uint32_t& user) {
  MemoryRequest* const request = check_.admit(payload, phase);
  if (unlikely(request == nullptr)) return nullptr;
  if (unlikely(!request->carries_data)) {
    SC_REPORT_FATAL("/tessera/bridge/values", why_values().c_str());
  }
  const std::uint64_t address = payload.get_address();
  if (!request->home_known(address)) request->decode_home(map_, address);
  const Home home = request->home();
  const std::uint64_t line = address / config_.line_bytes;
  user = static_cast<std::uint32_t>(home.slice_line % config_.sets);
  if (!owns(home)) {
    if (!caching_) return nullptr;
    const bool cached = request->kind == RequestKind::kLoad && !request->fine_grained &&
                        caching_->at_requester(*request, line);
    user |= cached ? LlcSlicePins::kForeign : LlcSlicePins::kBypass;
  }
  const bool kept =
      local(port) || (caching_ ? caching_->at_home(*request, line) : site_.keeps_remote_misses);
  if (kept) user |= LlcSlicePins::kKeep;
  if ((user & LlcSlicePins::kBypass) == 0) request->stamp(Hop::kAtLlc) = at;
  return request;
}

tlm::tlm_sync_enum RtlLlcSlice::refuse(std::uint32_t port, Payload& payload,
                                       const tlm::tlm_phase& phase) {
  const bool sound = check_.admit(payload, phase) != nullptr;
  return check_.refuse(inputs[port]->in, payload, phase,
                       sound ? PayloadFault::kHome : PayloadFault::kNone);
}

void RtlLlcSlice::taken(std::uint32_t id) {
  const LineToken& token = tokens_[id];
  if (!passes(token.user)) return;
  ++stats_.bypasses;
  if (local(token.port) && token.request->kind == RequestKind::kLoad) ++stats_.sm_loads;
  observe(token, true);
}

void RtlLlcSlice::departing(Payload& payload, MemoryRequest& request, Tick arrival) {
  // A request that another block still has.
  if (const auto out = outside_.find(&payload); unlikely(out != outside_.end())) {
    report_unknown("responded to a request that another block still has", out->second.id);
  }
  Tick& left = request.stamp(Hop::kFromLlc);
  if (!owns(request.home()) && left == kNever) {
    left = arrival;
    request.served_by = ServedBy::kCopy;
  }
  if (owns(request.home())) {
    left = arrival;
    request.served_by = ServedBy::kHome;
    if (request.kind == RequestKind::kAtomic) {
      ++stats_.atomics;
      stats_.atomic_lanes += request.atomics->count;
    }
  }
  const std::uint32_t bytes = payload.is_read() ? config_.line_bytes : request.useful_bytes;
  (payload.is_read() ? stats_.bytes_read : stats_.bytes_written) += bytes;
  stats_.bandwidth.add(bytes, now());
  counts_[request.launch].bytes += bytes;
}

void RtlLlcSlice::observe(const LineToken& token, bool leaving) {
  if (site_.observers.empty()) return;
  const AccessOrigin origin = leaving || !owns(token.request->home()) ? AccessOrigin::kRemoteLeaving
                              : local(token.port)                     ? AccessOrigin::kLocal
                                                  : AccessOrigin::kRemoteArriving;
  const ObservedAccess access{origin, token.address, *token.request};
  for (SliceObserver* o : site_.observers) o->on_access(access);
}

// Events of the RTL.

void RtlLlcSlice::drive(Tick t) {
  LlcSlicePins& pins = model_->pins;
  pins.flush = walk_.at == t && !walk_.keeps_lines;
  pins.drop_copies = drop_at_ <= t;
}

void RtlLlcSlice::collect(Tick t) {
  LlcSlicePins& pins = model_->pins;
  if (pins.drop_copies) {
    pins.drop_copies = false;
    drop_at_ = kNever;
    holds_copies_ = false;
  }
  pins.flush = false;
  LlcSlicePins::Events& e = pins.events;
  if (e.copy_kept) holds_copies_ = true;
  for (unsigned h = 0; h < 2; ++h) {
    switch (e.stall[h]) {
      case LlcSlicePins::Stall::kRuns:
        break;
      case LlcSlicePins::Stall::kNoMshr:
        stalls_[h].stall(stats_.stalls_mshr, t);
        break;
      case LlcSlicePins::Stall::kNoWay:
        stalls_[h].stall(stats_.stalls_ways, t);
        break;
      case LlcSlicePins::Stall::kNoRoom:
        stalls_[h].stall(stats_.stalls_output, t);
        break;
    }
  }
  if (e.write_back) {
    ++stats_.write_backs;
    write_launches_.push_back(e.lookup ? tokens_[e.id].request->launch : walk_.launch);
  }
  if (e.lookup) count_lookup(e, t);
  const bool flushed = pins.flush_done;
  // The events belong to the edge: a second call at the same time must not see them.
  e = {};
  pins.flush_done = false;
  if (flushed) {
    ++stats_.flushes;
    stats_.flush_cycles += clock_.clock().cycle_at(t) - clock_.clock().cycle_at(walk_.at);
    holds_copies_ = false;
    walk_.at = kNever;
    std::exchange(walk_.done, nullptr)();
  } else if (walk_.keeps_lines && walk_.at <= t) {
    if (walk_.at == t) walk_.awaited = writes_;
    if (walk_.awaited.empty()) {
      walk_.at = kNever;
      walk_.keeps_lines = false;
      std::exchange(walk_.done, nullptr)();
    }
  }
}

void RtlLlcSlice::report_unknown(const char* what, std::uint32_t id) const {
  const std::string text =
      std::string(name()) + ": the RTL has " + what + ", for the id " + std::to_string(id);
  SC_REPORT_FATAL("/tessera/bridge/line", text.c_str());
}

void RtlLlcSlice::count_lookup(const LlcSlicePins::Events& e, Tick t) {
  using Outcome = LlcSlicePins::Outcome;
  if (unlikely(!tokens_.known(e.id)))
    report_unknown("looked up a request that it does not have", e.id);
  const LineToken& token = tokens_[e.id];
  MemoryRequest& request = *token.request;
  const bool foreign = !owns(request.home());
  const bool write = token.use == LineToken::Use::kAtomicStore ||
                     (token.payload != nullptr && token.payload->is_write());
  LevelCounts& counts = counts_[request.launch];
  stalls_[e.local ? 1 : 0].proceed(t);
  ++(e.local ? stats_.local_lookups : stats_.remote_lookups);
  if (e.evict) ++stats_.evictions;
  bool served_here = !foreign;
  switch (e.outcome) {
    case Outcome::kReadHit:
      if (foreign) ++stats_.replica_hits;
      served_here = true;
      [[fallthrough]];
    case Outcome::kWriteHit:
      ++stats_.hits;
      ++counts.hits;
      break;
    case Outcome::kWriteAllocate:
      ++stats_.write_allocations;
      ++counts.hits;
      break;
    case Outcome::kMerge:
      ++stats_.merges;
      ++counts.merged;
      break;
    case Outcome::kMiss:
    case Outcome::kPartialFetch:
      ++(e.outcome == Outcome::kMiss ? stats_.misses : stats_.partial_fetches);
      ++counts.misses;
      if (foreign) ++stats_.replica_misses;
      misses_[e.mshr] = {&request, t};
      break;
    case Outcome::kForward:
      ++stats_.bypasses;
      break;
    case Outcome::kNothing:
      break;
  }
  if (e.outcome != Outcome::kForward) ++(write ? stats_.writes : stats_.reads);
  if (e.local && request.kind == RequestKind::kLoad) {
    ++stats_.sm_loads;
    if (served_here && e.outcome != Outcome::kForward) ++stats_.sm_loads_served;
  }
  // An atomic keeps its entry until its response.
  if (token.use != LineToken::Use::kAtomicStore) observe(token, false);
  if (token.use == LineToken::Use::kRequest) inputs[token.port]->free_entry();
}

bool RtlLlcSlice::quiet() const {
  return drop_at_ == kNever && (walk_.at == kNever || (walk_.keeps_lines && walk_.at < now()));
}

// The channel and other slices.

tlm::tlm_generic_payload& RtlLlcSlice::issue(LineInitiator& from, const LineRequestPins& request) {
  const bool to_memory = &from == memory.get();
  const bool known =
      to_memory && request.write ? !write_launches_.empty() : tokens_.known(request.user);
  if (unlikely(!known)) report_unknown("sent a request that it does not have", request.user);
  if (to_memory && request.write) return write_back_of(request);
  const LineToken& token = tokens_[request.user];
  if (to_memory || (request.id & LlcSlicePins::kFetch) != 0) return fetch(token, request.id);
  // A request that passes. One that its lookup has forwarded has freed its entry there.
  if (passes(token.user)) inputs[token.port]->free_entry();
  outside_[token.payload] = {request.id, false};
  return *token.payload;
}

/// A load of a line is sent on itself, as by LlcSlice; for an atomic the slice reads the line.
tlm::tlm_generic_payload& RtlLlcSlice::fetch(const LineToken& token, std::uint32_t id) {
  if (token.use == LineToken::Use::kRequest && token.payload->is_read()) {
    outside_[token.payload] = {id, false};
    return *token.payload;
  }
  Transaction& fetch = pool_.acquire();
  fetch.set_line(tlm::TLM_READ_COMMAND, token.address, config_.line_bytes);
  MemoryRequest& r = fetch.request();
  r.kind = RequestKind::kFill;
  r.read_only = token.request->read_only;
  r.carries_data = true;
  r.requester = token.request->requester;
  r.launch = token.request->launch;
  r.allocation = token.request->allocation;
  r.reports_refusal = token.request->reports_refusal;
  r.useful_bytes = static_cast<std::uint16_t>(config_.line_bytes);
  r.set_home(token.request->home(), token.address);
  outside_[&fetch] = {id, true};
  return fetch;
}

tlm::tlm_generic_payload& RtlLlcSlice::write_back_of(const LineRequestPins& request) {
  Transaction& out = pool_.acquire();
  out.set_line(tlm::TLM_WRITE_COMMAND, request.address, config_.line_bytes);
  out.set_byte_mask(request.mask);
  MemoryRequest& r = out.request();
  r.kind = RequestKind::kWriteBack;
  r.launch = write_launches_.front();
  write_launches_.pop_front();
  r.useful_bytes = static_cast<std::uint16_t>(request.mask.count());
  r.decode_home(map_, request.address);
  r.carries_data = true;
  std::memcpy(out.data(), request.data, config_.line_bytes);
  writes_.push_back(&out);
  return out;
}

void RtlLlcSlice::answer(LineInitiator& from, Payload& payload, LineResponsePins& pins) {
  pins.write = &from == memory.get() && is_write_back(payload);
  pins.error = failed(payload);
  pins.data = payload.get_data_ptr();
  pins.id = pins.write ? 0 : outside_.at(&payload).id;
}

void RtlLlcSlice::finished(LineInitiator& from, Payload& payload, Tick t) {
  if (&from == memory.get() && is_write_back(payload)) {
    if (failed(payload)) {
      const std::string text = std::string(name()) + ": a write-back was refused with " +
                               payload.get_response_string() + "; its bytes are lost";
      SC_REPORT_ERROR("/tessera/llc/lost_write", text.c_str());
    }
    writes_.erase(std::find(writes_.begin(), writes_.end(), &payload));
    auto& awaited = walk_.awaited;
    awaited.erase(std::remove(awaited.begin(), awaited.end(), &payload), awaited.end());
    payload.release();
    return;
  }
  const auto [id, own] = outside_.at(&payload);
  outside_.erase(&payload);
  const bool fetch = &from == memory.get() || (id & LlcSlicePins::kFetch) != 0;
  if (!fetch) return;
  Miss& miss = misses_[id & (LlcSlicePins::kMshrs - 1)];
  if (unlikely(miss.first == nullptr)) report_unknown("fetched a line without a miss", id);
  if (owns(miss.first->home())) {
    miss.first->stamp(Hop::kToDram) = miss.sent;
    miss.first->stamp(Hop::kFromDram) = t;
  }
  stats_.miss_latency.add(clock_.clock().cycles_in(t - miss.sent));
  if (own) payload.release();
}

// Maintenance.

void RtlLlcSlice::flush(LaunchSlot launch, std::function<void()> done) {
  sc_assert(walk_.at == kNever);
  walk_ = {clock_.clock().after(now() + 1, 0), false, launch, {}, std::move(done)};
  clock_.wake(walk_.at);
}

void RtlLlcSlice::write_back_copies(LaunchSlot launch, std::function<void()> done) {
  // Copies are never dirty. A slice visits its ways all the same.
  sc_assert(walk_.at == kNever);
  const Tick begin = clock_.clock().after(now() + 1, 0);
  walk_ = {clock_.clock().after(begin, std::uint64_t{config_.sets} * config_.ways),
           true,
           launch,
           {},
           std::move(done)};
  clock_.wake(walk_.at);
}

void RtlLlcSlice::drop_copies() {
  if (!caching_) return;
  if (drop_at_ == kNever) drop_at_ = clock_.clock().after(now(), 1);
  clock_.wake(drop_at_);
}

LlcSliceModel::Line RtlLlcSlice::find(std::uint64_t address) const {
  return model_->find(static_cast<std::uint32_t>(home_of(address).slice_line % config_.sets),
                      address / config_.line_bytes);
}

void RtlLlcSlice::drop_page(std::uint64_t address, std::uint64_t bytes) {
  for (std::uint64_t at = address; at < address + bytes; at += config_.line_bytes) {
    if (find(at).present) model_->drop_found();
    checker_.drop(at);
  }
}

bool RtlLlcSlice::page_in_flight(std::uint64_t address, std::uint64_t bytes) const {
  const std::uint64_t end = address + bytes;
  for (const Payload* w : writes_) {
    if (w->get_address() >= address && w->get_address() < end) return true;
  }
  for (std::uint64_t at = address; at < end; at += config_.line_bytes) {
    if (find(at).locked) return true;
    for (std::uint32_t i = 0; i < model_->memory_queue(); ++i) {
      if (model_->find_write_back(i, at / config_.line_bytes).present) return true;
    }
  }
  return false;
}

// Untimed accesses.

void RtlLlcSlice::blocking(std::uint32_t port, Payload& payload, sc_core::sc_time& delay) {
  const sc_core::sc_object& socket = inputs[port]->in;
  if (check_.refuse_blocking(socket, payload)) return;
  const std::uint64_t address = payload.get_address() / config_.line_bytes * config_.line_bytes;
  const bool foreign = !owns(home_of(address));
  if (foreign && !caching_) {
    check_.response(socket, payload, PayloadFault::kHome);
    return;
  }
  if (foreign) {
    remote->out->b_transport(payload, delay);
    if (!payload.is_read() && !failed(payload)) {
      refresh_copy(*this, address, config_.line_bytes,
                   [this](Payload& line) { return debug_below(line); });
    }
    return;
  }
  delay += to_sc_time(clock_.clock().time_of(config_.latency_cycles));
  if (!find(address).present) {
    // The probe only measures the channel's latency.
    sc_core::sc_time below = sc_core::SC_ZERO_TIME;
    Payload probe;
    unsigned char byte = 0;
    probe.set_read();
    probe.set_address(address);
    probe.set_data_ptr(&byte);
    probe.set_data_length(1);
    probe.set_streaming_width(1);
    memory->out->b_transport(probe, below);
    delay += below;
  }
  untimed_->access(payload);
}

unsigned RtlLlcSlice::debug(Payload& payload) {
  return PayloadCheck::admits_debug(payload) ? untimed_->access_debug(payload) : 0;
}

unsigned RtlLlcSlice::debug_below(Payload& payload) {
  return (owns(home_of(payload.get_address())) ? memory : remote)->out->transport_dbg(payload);
}

void RtlLlcSlice::overlay(std::uint64_t address, unsigned char* bytes) {
  // From the oldest to the newest: write-backs outside of the RTL, in its queue, and the arrays.
  for (Payload* w : writes_) {
    if (w->get_address() != address || w->is_response_ok()) continue;
    copy_masked(bytes, w->get_data_ptr(), byte_mask_of(*w), config_.line_bytes);
  }
  const std::uint64_t line = address / config_.line_bytes;
  for (std::uint32_t i = 0; i < model_->memory_queue(); ++i) {
    const LlcSliceModel::Line found = model_->find_write_back(i, line);
    if (found.present) copy_masked(bytes, found.bytes, found.dirty, config_.line_bytes);
  }
  const LlcSliceModel::Line found = find(address);
  if (found.present) copy_masked(bytes, found.bytes, found.dirty, config_.line_bytes);
}

void RtlLlcSlice::replace(std::uint64_t address, const unsigned char* bytes, const ByteMask& mask) {
  for (const auto& [payload, outside] : outside_) {
    if (payload->get_address() == address && payload->is_read()) {
      copy_masked(payload->get_data_ptr(), bytes, mask, config_.line_bytes);
    }
  }
  for (Payload* w : writes_) {
    if (w->get_address() == address) {
      copy_masked(w->get_data_ptr(), bytes, mask & byte_mask_of(*w), config_.line_bytes);
    }
  }
  const std::uint64_t line = address / config_.line_bytes;
  for (std::uint32_t i = 0; i < model_->memory_queue(); ++i) {
    if (model_->find_write_back(i, line).present) model_->write_found(bytes, mask);
  }
  if (find(address).present) model_->write_found(bytes, mask);
  checker_.replace(address, bytes, mask);
}

// Housekeeping.

bool RtlLlcSlice::idle() const {
  return !model_->busy() && tokens_.used() == 0 && writes_.empty() && walk_.at == kNever &&
         memory->idle() && remote->idle() &&
         std::all_of(inputs.begin(), inputs.end(), [](const auto& i) { return i->idle(); });
}

void RtlLlcSlice::describe_waiting(std::vector<Waiting>& out) const {
  const LlcSlicePins& pins = model_->pins;
  const std::string base = std::string(name()) + ".";
  const auto queue = [&](const char* what, std::size_t items, WaitKind kind,
                         const char* waits_for) {
    if (items != 0) out.push_back({base + what, items, kind, waits_for});
  };
  queue("lmr", pins.queued[1], WaitKind::kResourceBusy, "its turn at the arrays");
  queue("rmr", pins.queued[0], WaitKind::kResourceBusy, "its turn at the arrays");
  queue("mshr", pins.mshrs_used, WaitKind::kDataDependence,
        "lines from the channel or their home slice");
  queue("write_backs", writes_.size(), WaitKind::kDataDependence,
        "acknowledgement from the channel");
  queue("atomics", atomics_.lines(), WaitKind::kDataDependence, "reads and stores of their lines");
  for (const auto& i : inputs) i->describe_waiting(out);
  memory->describe_waiting(out);
  remote->describe_waiting(out);
}

void RtlLlcSlice::register_statistics(StatisticsRegistry& registry) const {
  StatisticsRegistrar registrar(registry, name());
  for (const Counter LlcSliceStats::*time :
       {&LlcSliceStats::lookup_wait_cycles, &LlcSliceStats::merge_wait_cycles,
        &LlcSliceStats::response_wait_cycles}) {
    registrar.leave_out(stats_.*time);
  }
  registrar.add(stats_);
}

void RtlLlcSlice::reset() {
  for (const auto& [payload, outside] : outside_) {
    if (outside.own) payload->release();
  }
  outside_.clear();
  for (Payload* w : writes_) w->release();
  writes_.clear();
  write_launches_.clear();
  for (const auto& i : inputs) i->reset();
  memory->reset();
  remote->reset();
  checker_.reset();
  for (const auto& c : channel_checkers_) c->reset();
  tokens_.clear();
  atomics_.reset();
  counts_.clear();
  stats_ = Stats();
  stalls_ = {};
  walk_ = {};
  drop_at_ = kNever;
  holds_copies_ = false;
  clock_.power_on();
}

namespace {

BlockHandle make(const LlcSite& site, const std::string& implementation,
                 const LlcSliceFactory& make_model) {
  auto slice = std::make_unique<RtlLlcSlice>(site.name.c_str(), site, implementation, make_model);
  RtlLlcSlice& s = *slice;
  BlockHandle h = BlockHandle::of(std::move(slice));
  h.offer<SliceFlushIf>(s);
  h.offer<PageDropIf>(s);
  h.offer<HoldsBytes>(s);
  h.offer<NeedsValuesIf>(s);
  h.offer<RecordsSignalsIf>(s);
  h.offer(s.launch_counts());
  for (const auto& input : s.inputs) h.in.push_back(&input->in);
  h.out = {&s.memory->out};
  if (site.outputs == 2) h.out.push_back(&s.remote->out);
  return h;
}

}  // namespace

void register_llc_slice(const std::string& name, LlcSliceFactory make_model) {
  register_block<LlcSite>(name, [name, make_model = std::move(make_model)](const LlcSite& site) {
    return make(site, name, make_model);
  });
}

}  // namespace tessera
