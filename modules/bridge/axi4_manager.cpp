// SPDX-License-Identifier: Apache-2.0
#include "modules/bridge/axi4_manager.h"

#include <algorithm>

#include "modules/bridge/axi4_bursts.h"
#include "modules/kernel/configuration_errors.h"

namespace tessera {

namespace {

constexpr char kManagerReport[] = "/tessera/bridge/axi4";

bool byte_enabled(const tlm::tlm_generic_payload& payload, std::uint64_t offset) {
  const unsigned char* const enables = payload.get_byte_enable_ptr();
  return enables == nullptr || enables[offset % payload.get_byte_enable_length()] != 0;
}

unsigned first_word(const tlm::tlm_generic_payload& payload) {
  const auto* const request = payload.get_extension<MemoryRequest>();
  if (request == nullptr || request->word_mask == 0) return 0;
  return 4 * static_cast<unsigned>(__builtin_ctz(request->word_mask));
}

PayloadRules manager_rules() {
  PayloadRules rules = PayloadRules::within_lines(0, ~std::uint64_t{0});
  rules.most_bytes = kAxi4PageBytes;
  return rules;
}

}  // namespace

// Construction.

Axi4Manager::Axi4Manager(const sc_core::sc_module_name& name, RtlClock& clock, Axi4Pins& pins,
                         const Axi4ManagerConfig& config, unsigned ports)
    : sc_module(name),
      in("in", ports),
      clock_(clock),
      pins_(pins),
      config_(sound(this->name(), config)),
      beat_bytes_(config.beat_bytes == 0 ? config.shape.data_bytes : config.beat_bytes),
      critical_(first_word),
      check_(manager_rules()),
      accesses_(config.reads + config.writes),
      read_data_(config.ids),
      written_(config.ids) {
  ports_.reserve(ports);
  for (unsigned i = 0; i < ports; ++i) {
    ports_.emplace_back(config.entries);
    const int port = static_cast<int>(i);
    in[i].register_nb_transport_fw(this, &Axi4Manager::forward, port);
    in[i].register_b_transport(this, &Axi4Manager::blocking, port);
    in[i].register_transport_dbg(this, &Axi4Manager::debug, port);
  }
  clock.add(*this);
}

void Axi4Manager::end_of_elaboration() {
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    ports_[i].receiver.bind(in[i].operator->());
    ports_[i].sender.bind(in[i].operator->());
  }
}

void Axi4Manager::register_statistics(StatisticsRegistry& registry) const {
  register_statistics_of(registry, name(), stats_);
}

// Transport.

tlm::tlm_sync_enum Axi4Manager::forward(int port, Payload& payload, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay) {
  const auto number = static_cast<unsigned>(port);
  Port& p = ports_[number];
  const sc_core::sc_object& socket = in[number];
  const Tick at = now() + delay.value();
  if (phase == tlm::END_RESP) {
    p.sender.end_response(payload, at);
    clock_.timer().at(next_send_edge(clock_.clock(), p.sender, now(), now()));
    return tlm::TLM_COMPLETED;
  }
  if (phase != tlm::BEGIN_REQ) return check_.refuse(socket, payload, phase);
  PayloadFault fault = fault_of(payload);
  if (fault == PayloadFault::kNone && !payload.has_mm()) fault = PayloadFault::kNoManager;
  if (fault != PayloadFault::kNone) {
    check_.response(socket, payload, fault);
    return tlm::TLM_COMPLETED;
  }
  const auto* const request = payload.get_extension<MemoryRequest>();
  if (request != nullptr && !request->carries_data) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    const std::string text = std::string(name()) +
                             ": RTL has bytes in each request, and this request has none (--values "
                             "carried; in a coherent platform, requests to memory never have any)";
    SC_REPORT_ERROR(kManagerReport, text.c_str());
    return tlm::TLM_COMPLETED;
  }
  const Tick due = clock_.clock().after(at, 0);
  arrivals_.push(due, 0, {&payload, number});
  clock_.wake(due);
  return p.receiver.begin(payload, phase, delay, 0);
}

PayloadFault Axi4Manager::fault_of(const Payload& payload) const {
  if (!payload.is_read() && !payload.is_write()) return PayloadFault::kCommand;
  const auto* const request = payload.get_extension<MemoryRequest>();
  if (request != nullptr) {
    constexpr std::uint16_t kReads = PayloadRules::kinds(RequestKind::kLoad, RequestKind::kFill);
    constexpr std::uint16_t kWrites = PayloadRules::kinds(
        RequestKind::kStore, RequestKind::kCoherentStore, RequestKind::kWriteBack);
    const unsigned kinds = payload.is_read() ? kReads : kWrites;
    if ((kinds >> static_cast<unsigned>(request->kind) & 1U) == 0) return PayloadFault::kCommand;
  }
  if (payload.get_data_ptr() == nullptr) return PayloadFault::kNoData;
  const unsigned length = payload.get_data_length();
  if (length == 0 || length > kAxi4PageBytes) return PayloadFault::kLength;
  const std::optional<std::uint64_t> begin = bus_address(payload.get_address());
  const std::uint64_t last = config_.shape.max_address();
  if (!begin || *begin > last || last - *begin < length - 1) return PayloadFault::kAddress;
  if (payload.get_streaming_width() < length) return PayloadFault::kStreaming;
  if (payload.get_byte_enable_ptr() != nullptr && payload.get_byte_enable_length() == 0) {
    return PayloadFault::kByteEnables;
  }
  return PayloadFault::kNone;
}

void Axi4Manager::blocking(int port, Payload& payload, sc_core::sc_time& delay) {
  const PayloadFault fault = fault_of(payload);
  if (fault != PayloadFault::kNone) {
    return check_.response(in[static_cast<unsigned>(port)], payload, fault);
  }
  if (blocking_) return blocking_(payload, delay);
  if (!debug_) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    const std::string text =
        std::string(name()) + ": b_transport needs a debug function (set_debug())";
    SC_REPORT_ERROR(kManagerReport, text.c_str());
    return;
  }
  const bool served = debug_(payload) == payload.get_data_length();
  payload.set_response_status(served ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

// Requests to the pins.

void Axi4Manager::drive(Tick t) {
  if (in_reset_) return;
  if (after_reset_) {
    after_reset_ = false;
    return;
  }
  issue_next(t);
  present_address(pins_.aw, aw_queue_);
  present_address(pins_.ar, ar_queue_);
  present_data();
}

void Axi4Manager::issue_next(Tick t) {
  if (!arrivals_.due(t) || !failed_.empty() || holds_) return;
  Payload& payload = *arrivals_.front().payload;
  Access access;
  access.payload = &payload;
  access.port = arrivals_.front().port;
  access.arrival = arrivals_.next_due();
  access.begin = *bus_address(payload.get_address());
  access.write = payload.is_write();
  if (access.write ? writes_ == config_.writes : reads_ == config_.reads) return;
  access.first_line = access.begin / config_.line_bytes;
  access.last_line = (access.begin + payload.get_data_length() - 1) / config_.line_bytes;
  if (!choose_id(access, access.id)) return;
  access.serial = serial_++;
  const auto free = std::find_if(accesses_.begin(), accesses_.end(),
                                 [](const Access& a) { return a.payload == nullptr; });
  *free = access;
  make_bursts(access, static_cast<std::uint32_t>(free - accesses_.begin()));
  ++(access.write ? writes_ : reads_);
  ++(access.write ? stats_.writes : stats_.reads);
  arrivals_.pop();
  ports_[access.port].receiver.release();
}

const tlm::tlm_generic_payload* Axi4Manager::issued(bool write, std::uint64_t bus_address) const {
  const std::uint64_t line = bus_address / config_.line_bytes;
  const Access* oldest = nullptr;
  for (const Access& a : accesses_) {
    const bool covers =
        a.payload != nullptr && a.write == write && a.first_line <= line && line <= a.last_line;
    if (covers && (oldest == nullptr || a.serial < oldest->serial)) oldest = &a;
  }
  return oldest == nullptr ? nullptr : oldest->payload;
}

/// Returns false if the request must wait for one with a common line.
bool Axi4Manager::choose_id(const Access& access, std::uint32_t& id) {
  bool shared = false;
  for (const Access& a : accesses_) {
    if (a.payload == nullptr || a.first_line > access.last_line ||
        access.first_line > a.last_line) {
      continue;
    }
    if (a.write != access.write || (shared && a.id != id)) return false;
    shared = true;
    id = a.id;
  }
  if (shared) return true;
  std::uint32_t& next = access.write ? next_write_id_ : next_read_id_;
  id = next;
  next = (next + 1) % config_.ids;
  return true;
}

void Axi4Manager::make_bursts(const Access& access, std::uint32_t slot) {
  Payload& payload = *access.payload;
  const std::uint64_t length = payload.get_data_length();
  Axi4Address base;
  base.id = access.id;
  base.addr = access.begin;
  base.size = static_cast<std::uint8_t>(__builtin_ctz(beat_bytes_));
  base.cache = config_.cache;
  base.prot = config_.prot;
  std::vector<Axi4Address> bursts;
  if (config_.wrap_reads && !access.write && fits_wrap(base, length)) {
    bursts = {wrap_burst(base, length, critical_(payload))};
  } else {
    bursts = incr_bursts(base, length);
  }
  for (const Axi4Address& address : bursts) {
    const Burst burst{address, slot};
    ++accesses_[slot].bursts_left;
    ++stats_.bursts;
    if (access.write) {
      aw_queue_.push_back(burst);
      w_queue_.push_back(burst);
      written_[access.id].push_back(slot);
    } else {
      ar_queue_.push_back(burst);
      read_data_[access.id].push_back(burst);
    }
  }
}

void Axi4Manager::present_address(Axi4AddressPins& pins, std::deque<Burst>& queue) {
  if (pins.valid || queue.empty()) return;
  static_cast<Axi4Address&>(pins) = queue.front().address;
  pins.valid = true;
  queue.pop_front();
}

void Axi4Manager::present_data() {
  Axi4WritePins& w = pins_.w;
  if (w.valid || w_queue_.empty()) return;
  Burst& burst = w_queue_.front();
  const Payload& payload = *accesses_[burst.access].payload;
  const std::uint64_t begin = accesses_[burst.access].begin;
  const std::uint64_t first = burst.address.beat_address(burst.beat);
  const std::uint64_t last =
      std::min(burst.address.beat_end(burst.beat), begin + payload.get_data_length());
  w.strobe = {};
  w.data.fill(0);
  for (std::uint64_t a = first; a < last; ++a) {
    if (!byte_enabled(payload, a - begin)) continue;
    const auto lane = static_cast<unsigned>(a & (config_.shape.data_bytes - 1));
    w.strobe |= ByteMask::range(lane, 1);
    w.data[lane] = payload.get_data_ptr()[a - begin];
  }
  w.last = burst.beat == burst.address.len;
  w.valid = true;
  if (burst.beat++ == burst.address.len) w_queue_.pop_front();
}

void Axi4Manager::sample(Tick /*t*/) {
  aw_taken_ = pins_.aw.valid && pins_.aw.ready;
  w_taken_ = pins_.w.valid && pins_.w.ready;
  ar_taken_ = pins_.ar.valid && pins_.ar.ready;
  if (w_taken_) ++stats_.write_beats;
}

// Responses from the pins.

void Axi4Manager::collect(Tick t) {
  if (aw_taken_) pins_.aw.valid = false;
  if (w_taken_) pins_.w.valid = false;
  if (ar_taken_) pins_.ar.valid = false;
  aw_taken_ = w_taken_ = ar_taken_ = false;
  if (in_reset_ || after_reset_) return;
  const Tick next = clock_.next_edge(t);
  if (!failed_.empty() && can_respond(failed_.front().port, next)) {
    const Failed failed = failed_.front();
    failed_.pop_front();
    respond(failed.port, *failed.payload, tlm::TLM_GENERIC_ERROR_RESPONSE, next);
  }
  const bool read_first = read_first_;
  if (read_first) take_read(t, next);
  take_write_response(t, next);
  if (!read_first) take_read(t, next);
}

void Axi4Manager::take_read(Tick t, Tick next) {
  if (r_for_ > t) return;
  Axi4ReadPins& r = pins_.r;
  r.ready = false;
  if (!r.valid) return;
  if (r.id >= read_data_.size() || read_data_[r.id].empty()) {
    report_unknown("RID", r.id);
    r.ready = true;
    r_for_ = next;
    return;
  }
  std::deque<Burst>& bursts = read_data_[r.id];
  Burst& burst = bursts.front();
  Access& access = accesses_[burst.access];
  const bool end = burst.beat == burst.address.len;
  const bool completes = end && access.bursts_left == 1;
  r_port_ = access.port;
  if (completes && !can_respond(access.port, next)) return;
  r.ready = true;
  r_for_ = next;
  ++stats_.read_beats;
  if (r.resp == Axi4Response::kSlvErr || r.resp == Axi4Response::kDecErr) {
    access.worst = std::max(access.worst, r.resp);
  } else {
    copy_beat(burst);
  }
  ++burst.beat;
  if (!end) return;
  const std::uint32_t slot = burst.access;
  bursts.pop_front();
  --access.bursts_left;
  if (!completes) return;
  read_first_ = false;
  complete(slot, next);
}

void Axi4Manager::copy_beat(const Burst& burst) const {
  const Access& access = accesses_[burst.access];
  Payload& payload = *access.payload;
  const std::uint64_t begin = access.begin;
  const std::uint64_t first = std::max(burst.address.beat_address(burst.beat), begin);
  const std::uint64_t last =
      std::min(burst.address.beat_end(burst.beat), begin + payload.get_data_length());
  for (std::uint64_t a = first; a < last; ++a) {
    if (!byte_enabled(payload, a - begin)) continue;
    payload.get_data_ptr()[a - begin] = pins_.r.data[a & (config_.shape.data_bytes - 1)];
  }
}

void Axi4Manager::take_write_response(Tick t, Tick next) {
  if (b_for_ > t) return;
  Axi4ResponsePins& b = pins_.b;
  b.ready = false;
  if (!b.valid) return;
  if (b.id >= written_.size() || written_[b.id].empty()) {
    report_unknown("BID", b.id);
    b.ready = true;
    b_for_ = next;
    return;
  }
  const std::uint32_t slot = written_[b.id].front();
  Access& access = accesses_[slot];
  const bool completes = access.bursts_left == 1;
  b_port_ = access.port;
  if (completes && !can_respond(access.port, next)) return;
  b.ready = true;
  b_for_ = next;
  if (b.resp != Axi4Response::kExOkay) access.worst = std::max(access.worst, b.resp);
  written_[b.id].pop_front();
  --access.bursts_left;
  if (!completes) return;
  read_first_ = true;
  complete(slot, next);
}

void Axi4Manager::complete(std::uint32_t slot, Tick next) {
  const Access access = accesses_[slot];
  accesses_[slot].payload = nullptr;
  --(access.write ? writes_ : reads_);
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  if (access.worst != Axi4Response::kOkay) {
    ++stats_.errors;
    status = access.worst == Axi4Response::kDecErr ? tlm::TLM_ADDRESS_ERROR_RESPONSE
                                                   : tlm::TLM_GENERIC_ERROR_RESPONSE;
    const auto* const request = access.payload->get_extension<MemoryRequest>();
    if (request == nullptr || !request->reports_refusal) {
      report_error(*access.payload, access.worst);
    }
  }
  stats_.latency.add(clock_.clock().cycles_in(next - access.arrival));
  respond(access.port, *access.payload, status, next);
}

void Axi4Manager::respond(unsigned port, Payload& payload, tlm::tlm_response_status status,
                          Tick next) {
  payload.set_response_status(status);
  sent_for_ = next;
  ports_[port].sender.send(payload, next - now());
}

void Axi4Manager::report_error(const Payload& payload, Axi4Response response) const {
  const std::string text = std::string(name()) + ": " + (payload.is_read() ? "read" : "write") +
                           " of address " + std::to_string(payload.get_address()) + " returns " +
                           (response == Axi4Response::kDecErr ? "DECERR" : "SLVERR") + " at " +
                           std::to_string(now() / 1000) + " ps";
  SC_REPORT_WARNING(kManagerReport, text.c_str());
}

void Axi4Manager::report_unknown(const char* channel, std::uint32_t id) const {
  const std::string text = std::string(name()) + ": " + channel + " is " + std::to_string(id) +
                           ", which no outstanding request has, at " +
                           std::to_string(now() / 1000) + " ps";
  SC_REPORT_ERROR(kManagerReport, text.c_str());
}

}  // namespace tessera
