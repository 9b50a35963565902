// SPDX-License-Identifier: Apache-2.0
#include "modules/bridge/axi4_subordinate.h"

#include <algorithm>
#include <cstring>

#include "modules/bridge/axi4_bursts.h"
#include "modules/kernel/configuration_errors.h"

namespace tessera {

namespace {

Axi4Response axi4_response_of(tlm::tlm_response_status status) {
  if (status == tlm::TLM_OK_RESPONSE) return Axi4Response::kOkay;
  return status == tlm::TLM_ADDRESS_ERROR_RESPONSE ? Axi4Response::kDecErr : Axi4Response::kSlvErr;
}

constexpr char kSubordinateReport[] = "/tessera/bridge/axi4";

template <class Bursts>
bool oldest_burst(const Bursts& bursts, const typename Bursts::value_type& burst) {
  for (const auto& b : bursts) {
    if (b == burst) break;
    if (b->address.id == burst->address.id) return false;
  }
  return true;
}

template <class Bursts, class Burst>
void erase_burst(Bursts& bursts, const Burst* burst) {
  bursts.erase(std::find_if(bursts.begin(), bursts.end(),
                            [burst](const auto& b) { return b.get() == burst; }));
}

}  // namespace

// Construction.

Axi4Subordinate::Axi4Subordinate(const sc_core::sc_module_name& name, RtlClock& clock,
                                 Axi4Pins& pins, TransactionPool& pool,
                                 const Axi4SubordinateConfig& config)
    : sc_module(name),
      clock_(clock),
      pins_(pins),
      pool_(pool),
      config_(sound(this->name(), config)) {
  out.register_nb_transport_bw(this, &Axi4Subordinate::backward);
  clock.add(*this);
}

Axi4Subordinate::~Axi4Subordinate() = default;

void Axi4Subordinate::end_of_elaboration() {
  sender_.bind(out.operator->());
  receiver_.bind(out.operator->());
}

void Axi4Subordinate::register_statistics(StatisticsRegistry& registry) const {
  register_statistics_of(registry, name(), stats_);
}

// TLM responses.

tlm::tlm_sync_enum Axi4Subordinate::backward(Payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
  const Tick at = now() + delay.value();
  sender_.end_request(payload, at);
  if (sender_.free_at() != kNever) {
    clock_.timer().at(next_send_edge(clock_.clock(), sender_, now(), now()));
  }
  if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
  const tlm::tlm_sync_enum sync = receiver_.begin(payload, phase, delay, 0);
  enqueue_response(payload, at);
  return sync;
}

/// The response is due after the edge of the transfer that caused the transaction.
void Axi4Subordinate::enqueue_response(Payload& payload, Tick at) {
  const Line& line = lines_[static_cast<Transaction&>(payload).request().tag];
  const Tick due = clock_.clock().after(std::max(at, line.arrival + 1), 0);
  responses_.push(due, 0, &payload);
  clock_.wake(due);
}

void Axi4Subordinate::handle_response(Payload& payload) {
  receiver_.release();
  const std::uint32_t index = static_cast<Transaction&>(payload).request().tag;
  Line& line = lines_[index];
  if (line.burst == nullptr) {
    ++stats_.dropped;
    release_line(index);
    return;
  }
  if (completed_) completed_(*line.payload);
  line.responded = true;
  line.response = axi4_response_of(payload.get_response_status());
  if (line.response != Axi4Response::kOkay) ++stats_.errors;
  if (!payload.is_write()) return;
  Burst& burst = *line.burst;
  burst.worst = std::max(burst.worst, line.response);
  --burst.open_lines;
  release_line(index);
}

// The edge: responses to the pins.

void Axi4Subordinate::drive(Tick t) {
  while (responses_.due(t)) handle_response(*responses_.pop());
  if (in_reset_) return;
  if (after_reset_) {
    after_reset_ = false;
    return;
  }
  if (!pins_.r.valid) {
    Burst* const read = choose_read();
    if (read != nullptr) present_read(*read);
  }
  if (pins_.b.valid) return;
  const Burst* const write = choose_write();
  if (write == nullptr || write->last_data >= t) return;
  pins_.b.valid = true;
  pins_.b.id = write->address.id;
  pins_.b.resp = write->worst;
  erase_burst(writes_, write);
}

/// The burst of the next R beat, or null.
Axi4Subordinate::Burst* Axi4Subordinate::choose_read() const {
  for (const auto& burst : reads_) {
    const bool other = current_read_ != nullptr && current_read_ != burst.get();
    if (other && !config_.interleave) continue;
    if (oldest_burst(reads_, burst) && lines_[line_of(*burst, burst->beat)].responded) {
      return burst.get();
    }
  }
  return nullptr;
}

/// The burst of the next B transfer, or null.
Axi4Subordinate::Burst* Axi4Subordinate::choose_write() const {
  for (const auto& burst : writes_) {
    if (burst->data_done && burst->open_lines == 0 && oldest_burst(writes_, burst)) {
      return burst.get();
    }
  }
  return nullptr;
}

void Axi4Subordinate::present_read(Burst& burst) {
  Axi4ReadPins& r = pins_.r;
  const Line& line = lines_[line_of(burst, burst.beat)];
  const std::uint64_t first = burst.address.beat_address(burst.beat);
  const std::uint64_t last = burst.address.beat_end(burst.beat);
  r.data.fill(0);
  if (line.response == Axi4Response::kOkay) {
    std::memcpy(&r.data[first & (config_.shape.data_bytes - 1)],
                line.payload->get_data_ptr() + (first - line.payload->get_address()), last - first);
  }
  r.valid = true;
  r.id = burst.address.id;
  r.resp = line.response;
  r.last = burst.beat == burst.address.len;
  current_read_ = &burst;
  ++burst.beat;
}

void Axi4Subordinate::sample(Tick /*t*/) {
  r_taken_ = pins_.r.valid && pins_.r.ready;
  b_taken_ = pins_.b.valid && pins_.b.ready;
  if (r_taken_) ++stats_.read_beats;
}

// After the edge: requests from the pins.

void Axi4Subordinate::collect(Tick t) {
  if (b_taken_) pins_.b.valid = false;
  if (r_taken_) {
    pins_.r.valid = false;
    if (pins_.r.last) {
      for (const std::uint32_t line : current_read_->lines) release_line(line);
      erase_burst(reads_, current_read_);
      current_read_ = nullptr;
    }
  }
  r_taken_ = b_taken_ = false;
  if (in_reset_ || after_reset_) return;
  const Tick next = clock_.next_edge(t);
  send_next(t, next);
  if (aw_for_ <= t) {
    pins_.aw.ready = accepts_aw();
    if (pins_.aw.ready) accept_aw(next);
  }
  if (ar_for_ <= t) {
    pins_.ar.ready = accepts_ar();
    if (pins_.ar.ready) accept_ar(next);
  }
  if (w_for_ <= t) {
    pins_.w.ready = accepts_w();
    if (pins_.w.ready) accept_w(next);
  }
  send_next(t, next);
}

bool Axi4Subordinate::accepts_aw() const {
  return pins_.aw.valid && writes_.size() < config_.writes;
}

bool Axi4Subordinate::accepts_ar() const {
  return pins_.ar.valid && reads_.size() < config_.reads && pending_.size() < config_.entries;
}

bool Axi4Subordinate::accepts_w() const {
  return pins_.w.valid && pending_.size() < config_.entries && !writes_.empty() &&
         !writes_.back()->data_done;
}

/// The address, or the nearest one that the transactor can follow.
Axi4Address Axi4Subordinate::sound_address(const Axi4Address& address) const {
  Axi4Address a = address;
  const unsigned beats = a.beats();
  const bool wraps = is_wrap_length(beats);
  const bool wide = a.size > config_.shape.max_size();
  const bool bad_wrap = a.burst == Axi4BurstType::kWrap && (!wraps || a.addr % a.beat_bytes() != 0);
  if (!wide && !bad_wrap) return a;
  const std::string text = std::string(name()) + ": the burst of ID " + std::to_string(a.id) +
                           " at address " + std::to_string(a.addr) +
                           (wide ? " has beats wider than the bus" : " is an illegal WRAP burst");
  if (wide) a.size = config_.shape.max_size();
  if (a.burst == Axi4BurstType::kWrap) a.burst = Axi4BurstType::kIncr;
  SC_REPORT_ERROR(kSubordinateReport, text.c_str());
  return a;
}

void Axi4Subordinate::accept_aw(Tick next) {
  aw_for_ = next;
  ++stats_.writes;
  Burst& burst = *writes_.emplace_back(std::make_unique<Burst>());
  burst.address = sound_address(pins_.aw);
  make_lines(burst, true);
}

void Axi4Subordinate::accept_ar(Tick next) {
  ar_for_ = next;
  ++stats_.reads;
  Burst& burst = *reads_.emplace_back(std::make_unique<Burst>());
  burst.address = sound_address(pins_.ar);
  make_lines(burst, false);
  pending_.insert(pending_.end(), burst.lines.begin(), burst.lines.end());
}

void Axi4Subordinate::accept_w(Tick next) {
  w_for_ = next;
  ++stats_.write_beats;
  const auto write =
      std::find_if(writes_.begin(), writes_.end(), [](const auto& b) { return !b->data_done; });
  Burst& burst = **write;
  const std::uint32_t index = line_of(burst, burst.beat);
  Line& line = lines_[index];
  const std::uint64_t first = burst.address.beat_address(burst.beat);
  const std::uint64_t last = burst.address.beat_end(burst.beat);
  const std::uint64_t begin = line.payload->get_address();
  for (std::uint64_t a = first; a < last; ++a) {
    const auto lane = static_cast<unsigned>(a & (config_.shape.data_bytes - 1));
    if (!pins_.w.strobe.test(lane)) continue;
    line.mask |= ByteMask::range(static_cast<unsigned>(a - begin), 1);
    line.payload->data()[a - begin] = pins_.w.data[lane];
  }
  burst.data_done = burst.beat++ == burst.address.len;
  burst.last_data = next;
  if (--line.beats_left == 0) finish_written_line(index);
}

/// All beats of the line have come.
void Axi4Subordinate::finish_written_line(std::uint32_t index) {
  Line& line = lines_[index];
  if (line.mask.none()) {
    --line.burst->open_lines;
    release_line(index);
    return;
  }
  line.payload->set_byte_mask(line.mask);
  line.payload->request().useful_bytes = static_cast<std::uint16_t>(line.mask.count());
  pending_.push_back(index);
}

void Axi4Subordinate::make_lines(Burst& burst, bool write) {
  const Axi4Address& a = burst.address;
  const std::uint64_t line_mask = ~std::uint64_t{config_.line_bytes - 1};
  if (a.burst == Axi4BurstType::kFixed) {
    for (unsigned beat = 0; beat < a.beats(); ++beat) {
      const std::uint32_t index = allocate_line(burst, write, a.addr, a.beat_end(0));
      lines_[index].beats_left = 1;
    }
    return;
  }
  // The bytes of a burst are contiguous, except of a WRAP burst before the beat that wraps.
  const bool wrap = a.burst == Axi4BurstType::kWrap;
  const std::uint64_t begin = wrap ? a.wrap_begin() : a.addr;
  const std::uint64_t end = wrap ? begin + a.total_bytes() : a.beat_end(a.len);
  for (unsigned beat = 0; beat < a.beats(); ++beat) {
    const std::uint64_t line = a.beat_address(beat) & line_mask;
    std::size_t i = burst.lines.size();
    if (i != 0 && lines_[burst.lines[i - 1]].address == line) {
      --i;
    } else if (wrap) {
      i = 0;
      while (i != burst.lines.size() && lines_[burst.lines[i]].address != line) ++i;
    }
    if (i == burst.lines.size()) {
      allocate_line(burst, write, std::max(begin, line), std::min(end, line + config_.line_bytes));
      lines_[burst.lines.back()].address = line;
    }
    ++lines_[burst.lines[i]].beats_left;
  }
}

/// A transaction for the bytes [first, last) of one line.
std::uint32_t Axi4Subordinate::allocate_line(Burst& burst, bool write, std::uint64_t first,
                                             std::uint64_t last) {
  const auto bytes = static_cast<std::uint16_t>(last - first);
  if (config_.whole_lines) {
    first &= ~std::uint64_t{config_.line_bytes - 1};
    last = first + config_.line_bytes;
  }
  if (free_lines_.empty()) {
    free_lines_.push_back(static_cast<std::uint32_t>(lines_.size()));
    lines_.emplace_back();
  }
  const std::uint32_t index = free_lines_.back();
  free_lines_.pop_back();
  Line& line = lines_[index];
  line = {};
  line.burst = &burst;
  line.payload = &pool_.acquire();
  line.payload->set_line(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, first,
                         static_cast<unsigned>(last - first));
  MemoryRequest& request = line.payload->request();
  request.kind = write ? RequestKind::kWriteBack : RequestKind::kFill;
  request.carries_data = true;
  request.useful_bytes = bytes;
  burst.lines.push_back(index);
  if (write) ++burst.open_lines;
  return index;
}

void Axi4Subordinate::release_line(std::uint32_t index) {
  Line& line = lines_[index];
  line.payload->release();
  line = {};
  free_lines_.push_back(index);
}

/// The line of a beat. Lines are in the order of the beats; a WRAP burst can return to its first.
std::uint32_t Axi4Subordinate::line_of(const Burst& burst, unsigned beat) const {
  const Axi4Address& a = burst.address;
  if (a.burst == Axi4BurstType::kFixed) return burst.lines[beat];
  const std::uint64_t first = a.addr / config_.line_bytes;
  const std::uint64_t line = a.beat_address(beat) / config_.line_bytes;
  if (line >= first) return burst.lines[line - first];
  return burst.lines[burst.lines.size() - (first - line)];
}

void Axi4Subordinate::send_next(Tick t, Tick next) {
  if (pending_.empty() || sent_for_ == next || !sender_.free(next)) return;
  const std::uint32_t index = pending_.front();
  pending_.pop_front();
  Line& line = lines_[index];
  line.sent = true;
  line.arrival = sent_for_ = next;
  if (prepare_) prepare_(*line.payload, line.burst->address);
  line.payload->request().tag = index;
  ++stats_.transactions;
  Transaction& payload = *line.payload;
  const SendOutcome outcome = sender_.send(payload, next - t);
  if (!outcome.responded) return;
  receiver_.count_early();
  enqueue_response(payload, outcome.response_at);
}

}  // namespace tessera
