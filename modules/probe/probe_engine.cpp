// SPDX-License-Identifier: Apache-2.0
#include "modules/probe/probe_engine.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "modules/kernel/configuration_errors.h"
#include "modules/kernel/report.h"
#include "modules/kernel/unlikely.h"

namespace tessera {

namespace {

constexpr std::size_t kPortEntries = 2;

PayloadRules core_rules(const ProbeConfig& config) {
  PayloadRules r = PayloadRules::whole_lines(config.line_bytes, ~std::uint64_t{0});
  r.reads = PayloadRules::kinds(RequestKind::kLoad);
  r.writes =
      PayloadRules::kinds(RequestKind::kStore, RequestKind::kCoherentStore, RequestKind::kAtomic);
  return r;
}

PayloadRules probe_rules(const ProbeConfig& config, bool slices_forward) {
  PayloadRules r = PayloadRules::whole_lines(config.line_bytes, ~std::uint64_t{0});
  r.reads = slices_forward ? PayloadRules::kinds(RequestKind::kProbe, RequestKind::kLoad)
                           : PayloadRules::kinds(RequestKind::kProbe);
  return r;
}

/// Whether a payload from the network is a load that a slice has forwarded, and not a probe.
bool is_forwarded(tlm::tlm_generic_payload& payload) {
  return request_of(payload).kind == RequestKind::kLoad;
}

}  // namespace

ProbeEngine::ProbeEngine(const sc_core::sc_module_name& name, const ProbeConfig& config,
                         const ProbeSite& site, std::unique_ptr<MissRouting> routing)
    : BlockBase(name, config),
      core("core"),
      probes("probes"),
      network("network"),
      site_(site),
      routing_(std::move(routing)),
      line_shift_(static_cast<unsigned>(__builtin_ctz(config.line_bytes))),
      clock_(config.clock_hz),
      core_check_(core_rules(config)),
      probe_check_(probe_rules(config, site.slices_forward)),
      core_port_(clock_, wake_, requests_, kPortEntries),
      probe_port_(clock_, wake_, arrivals_, kPortEntries),
      network_port_(clock_, wake_) {
  core.register_nb_transport_fw(this, &ProbeEngine::core_forward);
  core.register_b_transport(this, &ProbeEngine::blocking);
  core.register_transport_dbg(this, &ProbeEngine::debug);
  probes.register_nb_transport_fw(this, &ProbeEngine::probes_forward);
  network.register_nb_transport_bw(this, &ProbeEngine::backward);
  wake_.bind<&ProbeEngine::process>(*this);
  site_.l1->attach(*this);
}

void ProbeEngine::end_of_elaboration() {
  core_port_.bind(core.operator->());
  probe_port_.bind(probes.operator->());
  network_port_.bind(network.operator->());
}

void ProbeEngine::end_of_simulation() {
  if (!idle()) SC_REPORT_WARNING(report::kInFlight, name());
}

// Transport.

tlm::tlm_sync_enum ProbeEngine::core_forward(Payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
  return core_port_.forward(payload, phase, delay, core_check_, core);
}

tlm::tlm_sync_enum ProbeEngine::probes_forward(Payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay) {
  return probe_port_.forward(payload, phase, delay, probe_check_, probes);
}

tlm::tlm_sync_enum ProbeEngine::backward(Payload& payload, tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay) {
  const tlm::tlm_sync_enum sync = network_port_.backward(payload, phase, delay);
  schedule_network(now());  // after the END_REQ of the last message
  return sync;
}

void ProbeEngine::blocking(Payload& payload, sc_core::sc_time& delay) {
  network->b_transport(payload, delay);
}

unsigned ProbeEngine::debug(Payload& payload) { return network->transport_dbg(payload); }

// Lookups of the L1.

void ProbeEngine::start_lookup(Tick t) {
  if (looking_up_ || !incoming_.due(t)) return;
  if (probe_port_.responses.queue.size() >= config_.reply_depth) return;
  looking_up_ = true;
  ++stats_.lookups;
  site_.l1->probe(incoming_.front()->get_address() >> line_shift_, clock_.after(t, 1));
}

/// Called within the L1's process. This block's process acts on the result a cycle later.
void ProbeEngine::probed(bool held, const unsigned char* bytes, Tick issued) {
  Payload& probe = *incoming_.front();
  if (held && !site_.directory->supplies(issued)) {
    ++stats_.stale;
    held = false;
  }
  if (held) {
    ++stats_.lookup_hits;
    const bool scout = !is_forwarded(probe) && (*site_.probes)[request_of(probe).tag].scout;
    if (!scout && request_of(probe).carries_data && bytes != nullptr) {
      std::memcpy(probe.get_data_ptr(), bytes, config_.line_bytes);
    }
  }
  const Tick due = clock_.after(now(), 1);
  found_.push(due, 0, {&probe, held});
  wake_.at(due);
}

void ProbeEngine::flushed() {
  site_.directory->flushed(site_.core);
  own_writes_.clear();
}

// The process, from the network's responses to its requests.

void ProbeEngine::process() {
  const Tick t = now();
  handle_responses(t);
  handle_found(t);
  handle_arrivals(t);
  handle_requests(t);
  handle_timeouts(t);
  start_lookup(t);
  send(t);
  schedule_next(t);
}

void ProbeEngine::handle_responses(Tick t) {
  while (network_port_.responses.due(t)) {
    Payload& payload = network_port_.pop_response();
    if (request_of(payload).kind == RequestKind::kProbe) {
      supplied(payload, t);
    } else {
      --at_l2_;
      MemoryRequest& request = request_of(payload);
      if (request.forwarding != Forwarding::kNone) count_forwarded(request, t);
      request.forwarding = Forwarding::kNone;
      core_port_.responses.queue.push(t, 0, &payload);
    }
  }
}

/// The L1's requests, in their order.
void ProbeEngine::handle_requests(Tick t) {
  while (requests_.due(t)) {
    Payload& payload = *requests_.pop();
    core_port_.release();
    const MemoryRequest& request = request_of(payload);
    const std::uint64_t line = payload.get_address() >> line_shift_;
    if (request.kind == RequestKind::kLoad) {
      route(payload, t);
      continue;
    }
    own_writes_.insert(line);
    to_network_[kDirect].push(t, 0, &payload);
  }
}

void ProbeEngine::route(Payload& miss, Tick t) {
  MemoryRequest& request = request_of(miss);
  const std::uint64_t line = miss.get_address() >> line_shift_;
  const std::uint32_t home = request.home().slice.value;
  ProbeTargets targets;
  bool shared = false;
  if (!request.bypass_l1 && !request.fine_grained && home >= site_.first_slice &&
      home < site_.end_slice) {
    ++stats_.read_misses;
    shared = site_.directory->held_elsewhere(line, site_.core);
    if (shared) ++stats_.shared;
    if (own_writes_.count(line) != 0) {
      ++stats_.own_writes;
    } else if (site_.slices_forward) {
      request.forwarding = Forwarding::kPermitted;
    } else {
      targets = routing_->route({line, request.pc, clock_.cycle_at(t)});
      if (!targets.empty() && !routing_->at_once() && groups_.size() >= config_.tracked) {
        ++stats_.untracked;
        targets.clear();
      }
    }
  }
  if (targets.empty()) {
    to_network_[kDirect].push(t, 0, &miss);
    return;
  }
  ++stats_.predicted;
  if (shared) ++stats_.predicted_shared;
  if (routing_->at_once()) {
    supply_at_once(miss, targets.front().front(), t);
    return;
  }
  Group& group = groups_.emplace_back();
  group.id = ++last_group_;
  group.miss = &miss;
  group.pc = request.pc;
  group.begun = t;
  deadlines_.push_back({clock_.after(t, config_.timeout_cycles), group.id});
  for (std::size_t i = 0; i < targets.size(); ++i) {
    send_probe(group, i != 0, std::move(targets[i]), t);
  }
}

/// The bytes are those of the L2: not older than the other core's.
void ProbeEngine::supply_at_once(Payload& miss, std::uint32_t supplier, Tick t) {
  ++stats_.supplied;
  stats_.supply_latency.add(0);
  routing_->supplied(supplier, request_of(miss).pc);
  if (request_of(miss).carries_data) {
    Payload bytes;
    bytes.set_read();
    bytes.set_address(miss.get_address());
    bytes.set_data_ptr(miss.get_data_ptr());
    bytes.set_data_length(config_.line_bytes);
    bytes.set_streaming_width(config_.line_bytes);
    [[maybe_unused]] const unsigned got = network->transport_dbg(bytes);
    sc_assert(got == config_.line_bytes);
  }
  miss.set_response_status(tlm::TLM_OK_RESPONSE);
  core_port_.responses.queue.push(t, 0, &miss);
}

void ProbeEngine::address_to(Payload& probe, std::uint32_t target) const {
  request_of(probe).set_home(Home(SliceId(site_.first_core_exit + target)), probe.get_address());
}

void ProbeEngine::send_probe(Group& group, bool scout, std::vector<std::uint32_t> targets, Tick t) {
  const MemoryRequest& miss = request_of(*group.miss);
  Transaction& payload = site_.pool->acquire();
  payload.set_line(tlm::TLM_READ_COMMAND, group.miss->get_address(), config_.line_bytes);
  MemoryRequest& request = payload.request();
  request.kind = RequestKind::kProbe;
  request.requester = miss.requester;
  request.pc = miss.pc;
  request.carries_data = miss.carries_data;
  request.useful_bytes = miss.useful_bytes;
  Probe probe;
  probe.group = group.id;
  probe.requester = site_.core;
  probe.scout = scout;
  probe.targets = std::move(targets);
  address_to(payload, probe.targets.front());
  request.tag = site_.probes->add(std::move(probe));
  ++group.outstanding;
  ++(scout ? stats_.scouts : stats_.leaders);
  to_network_[kOwn].push(t, 0, &payload);
}

/// Probes and forwarded loads that arrive by the network.
void ProbeEngine::handle_arrivals(Tick t) {
  while (arrivals_.due(t)) {
    Payload& payload = *arrivals_.pop();
    probe_port_.release();
    // The response goes to the requester, not to the core or slice that has sent the payload on.
    MemoryRequest& request = request_of(payload);
    if (is_forwarded(payload)) {
      request.pop_route();
    } else {
      Probe& probe = (*site_.probes)[request.tag];
      if (probe.requester == site_.core) {
        returned(payload, t);
        continue;
      }
      if (probe.route_depth == 0) probe.route_depth = request.route_depth();
      while (request.route_depth() > probe.route_depth) request.pop_route();
    }
    if (incoming_.size() < config_.incoming_depth) {
      incoming_.push(t, 0, &payload);
    } else {
      ++stats_.deflected;
      pass_on(payload, t);
    }
  }
}

void ProbeEngine::handle_found(Tick t) {
  if (!found_.due(t)) return;
  const Found found = found_.pop();
  incoming_.pop();
  looking_up_ = false;
  MemoryRequest& request = request_of(*found.probe);
  Probe* const probe = is_forwarded(*found.probe) ? nullptr : &(*site_.probes)[request.tag];
  if (found.held && (probe == nullptr || !probe->scout)) {
    if (probe == nullptr) {
      request.forwarding = Forwarding::kSupplied;
      request.served_by = ServedBy::kOtherL1;
    } else {
      probe->supplier = site_.core;
    }
    found.probe->set_response_status(tlm::TLM_OK_RESPONSE);
    probe_port_.responses.queue.push(t, 0, found.probe);
    return;
  }
  if (found.held) probe->candidates.push_back(site_.core);
  pass_on(*found.probe, t);
}

void ProbeEngine::pass_on(Payload& payload, Tick t) {
  if (is_forwarded(payload)) {
    MemoryRequest& request = request_of(payload);
    request.forwarding = Forwarding::kReturned;
    request.decode_home(*site_.map, payload.get_address());
    to_network_[kReturned].push(t, 0, &payload);
    return;
  }
  Probe& probe = (*site_.probes)[request_of(payload).tag];
  if (++probe.next < probe.targets.size()) {
    ++stats_.forwarded;
    address_to(payload, probe.targets[probe.next]);
    to_network_[kForwarded].push(t, 0, &payload);
  } else {
    address_to(payload, probe.requester);
    to_network_[kReturned].push(t, 0, &payload);
  }
}

// Own probes that return.

ProbeEngine::Group* ProbeEngine::find(std::uint32_t id) {
  const auto g = std::find_if(groups_.begin(), groups_.end(),
                              [id](const Group& group) { return group.id == id; });
  return g == groups_.end() ? nullptr : &*g;
}

void ProbeEngine::erase(Group& group) { groups_.erase(groups_.begin() + (&group - &groups_[0])); }

void ProbeEngine::drop(Payload& probe) {
  site_.probes->remove(request_of(probe).tag);
  probe.release();
}

void ProbeEngine::returned(Payload& payload, Tick t) {
  MemoryRequest& request = request_of(payload);
  while (request.route_depth() != 0) request.pop_route();
  Probe& probe = (*site_.probes)[request.tag];
  stats_.search_length.add(probe.next);
  Group* const group = find(probe.group);
  if (group == nullptr) {
    ++stats_.late;
  } else {
    group->candidates.insert(group->candidates.end(), probe.candidates.begin(),
                             probe.candidates.end());
    --group->outstanding;
  }
  drop(payload);
  if (group == nullptr || group->outstanding != 0) return;
  if (group->second_level || group->candidates.empty()) {
    ++stats_.failed;
    to_l2(*group, t);
    return;
  }
  group->second_level = true;
  ++stats_.second_level;
  send_probe(*group, false, std::exchange(group->candidates, {}), t);
}

void ProbeEngine::supplied(Payload& payload, Tick t) {
  Probe& probe = (*site_.probes)[request_of(payload).tag];
  stats_.search_length.add(probe.next + 1);
  Group* const group = find(probe.group);
  if (group == nullptr) {
    ++stats_.late;
  } else {
    ++stats_.supplied;
    stats_.supply_latency.add(clock_.cycles_in(t - group->begun));
    routing_->supplied(probe.supplier, group->pc);
    Payload& miss = *group->miss;
    if (request_of(miss).carries_data) {
      std::memcpy(miss.get_data_ptr(), payload.get_data_ptr(), config_.line_bytes);
    }
    miss.set_response_status(tlm::TLM_OK_RESPONSE);
    request_of(miss).served_by = ServedBy::kOtherL1;
    core_port_.responses.queue.push(t, 0, &miss);
    erase(*group);
  }
  drop(payload);
}

void ProbeEngine::count_forwarded(const MemoryRequest& request, Tick t) {
  if (request.forwarding == Forwarding::kPermitted) return;
  ++stats_.predicted;
  if (request.forwarding == Forwarding::kReturned) {
    ++stats_.failed;
    return;
  }
  ++stats_.supplied;
  const Tick issued = request.stamp(Hop::kIssued);
  stats_.supply_latency.add(clock_.cycles_in(t - issued));
}

/// Its probes that are still out come too late.
void ProbeEngine::to_l2(Group& group, Tick t) {
  to_network_[kSelective].push(t, 0, group.miss);
  erase(group);
}

void ProbeEngine::handle_timeouts(Tick t) {
  while (!deadlines_.empty()) {
    Group* const group = find(deadlines_.front().group);
    if (group != nullptr) {
      if (deadlines_.front().at > t) return;
      ++stats_.timeouts;
      to_l2(*group, t);
    }
    deadlines_.pop_front();
  }
}

// Sends.

bool ProbeEngine::can_send(Tick t) const {
  return sends_from_ <= t && network_port_.requests.sender.free(clock_.after(t, 1));
}

void ProbeEngine::send(Tick t) {
  auto& lines = probe_port_.responses;
  if (lines.next(clock_, t) == t) {
    const auto [payload, delay] = lines.take(clock_, t);
    lines.sender.send(*payload, delay);
  }
  auto& responses = core_port_.responses;
  if (responses.next(clock_, t) == t) {
    const auto [payload, delay] = responses.take(clock_, t);
    responses.sender.send(*payload, delay);
  }
  if (!can_send(t)) return;
  for (unsigned c = 0; c < kClasses; ++c) {
    TimedQueue<Payload*>& queue = to_network_[c];
    if (!queue.due(t)) continue;
    Payload& payload = *queue.pop();
    if (c <= kSelective) ++at_l2_;
    sends_from_ = clock_.after(t, 1);
    network_port_.send(payload, sends_from_ - t);
    return;
  }
}

void ProbeEngine::schedule_next(Tick t) {
  wake_.at(requests_.next_due());
  wake_.at(arrivals_.next_due());
  wake_.at(found_.next_due());
  wake_.at(network_port_.responses.next_due());
  wake_.at(core_port_.responses.next(clock_, t));
  wake_.at(probe_port_.responses.next(clock_, t));
  if (!deadlines_.empty()) wake_.at(std::max(deadlines_.front().at, t + 1));
  // If the replies are full, their next END_RESP wakes the process.
  if (!looking_up_ && !incoming_.empty() &&
      probe_port_.responses.queue.size() < config_.reply_depth) {
    wake_.at(clock_.after(t, 1));
  }
  schedule_network(t);
}

/// The next message to the network.
void ProbeEngine::schedule_network(Tick t) {
  Tick due = kNever;
  for (const auto& queue : to_network_) due = std::min(due, queue.next_due());
  const RequestSender& sender = network_port_.requests.sender;
  if (due == kNever || sender.free_at() == kNever) return;
  wake_.at(next_send_edge(clock_, sender, std::max(due, sends_from_), t));
}

// Housekeeping.

bool ProbeEngine::idle() const {
  return requests_.empty() && arrivals_.empty() && incoming_.empty() && groups_.empty() &&
         at_l2_ == 0 && core_port_.responses.queue.empty() && probe_port_.responses.queue.empty() &&
         network_port_.responses.empty() &&
         std::all_of(to_network_.begin(), to_network_.end(),
                     [](const auto& queue) { return queue.empty(); });
}

void ProbeEngine::reset() {
  wake_.cancel();
  core_port_.reset();
  probe_port_.reset();
  network_port_.reset();
  incoming_.clear();
  found_.clear();
  for (auto& queue : to_network_) queue.clear();
  looking_up_ = false;
  groups_.clear();
  deadlines_.clear();
  at_l2_ = 0;
  site_.probes->clear();
  flushed();
  sends_from_ = 0;
  stats_ = {};
}

}  // namespace tessera
