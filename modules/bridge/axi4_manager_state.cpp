// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "modules/bridge/axi4_manager.h"

namespace tessera {

bool Axi4Manager::quiet() const {
  if (after_reset_ || !arrivals_.empty() || !failed_.empty()) return false;
  if (pins_.aw.valid || pins_.w.valid || pins_.ar.valid) return false;
  if (!aw_queue_.empty() || !ar_queue_.empty() || !w_queue_.empty()) return false;
  if (r_for_ > now() || b_for_ > now()) return false;
  // A response waits for END_RESP, without a known time at which its channel is free.
  const auto waits = [this](bool valid, unsigned port) {
    return !valid || ports_[port].sender.free_at() == kNever;
  };
  return waits(pins_.r.valid, r_port_) && waits(pins_.b.valid, b_port_);
}

bool Axi4Manager::idle() const {
  return reads_ + writes_ == 0 && failed_.empty() &&
         std::all_of(ports_.begin(), ports_.end(),
                     [](const Port& p) { return p.receiver.used() == 0; });
}

void Axi4Manager::describe_waiting(std::vector<Waiting>& out) const {
  const std::string base = std::string(name()) + ".";
  if (pins_.aw.valid)
    out.push_back({base + "aw", aw_queue_.size() + 1, WaitKind::kQueueFull, "AWREADY"});
  if (pins_.w.valid)
    out.push_back({base + "w", w_queue_.size() + 1, WaitKind::kQueueFull, "WREADY"});
  if (pins_.ar.valid)
    out.push_back({base + "ar", ar_queue_.size() + 1, WaitKind::kQueueFull, "ARREADY"});
  if (reads_ != 0)
    out.push_back({base + "reads", reads_, WaitKind::kDataDependence, "RVALID of the RTL block"});
  if (writes_ != 0)
    out.push_back({base + "writes", writes_, WaitKind::kDataDependence, "BVALID of the RTL block"});
  if (!arrivals_.empty()) {
    const bool full = reads_ == config_.reads || writes_ == config_.writes;
    out.push_back({base + "requests", arrivals_.size(),
                   full ? WaitKind::kResourceBusy : WaitKind::kOrdering,
                   full ? "the end of a request in the RTL block"
                        : "a free ID or a request to the same line"});
  }
  if (!failed_.empty())
    out.push_back({base + "failed", failed_.size(), WaitKind::kOrdering, "the end of reset"});
  for (const Port& p : ports_) {
    if (p.sender.waiting_for() == nullptr) continue;
    out.push_back({base + "response", 1, WaitKind::kQueueFull, "END_RESP from the initiator"});
  }
}

void Axi4Manager::on_reset(bool active) {
  in_reset_ = active;
  after_reset_ = !active;
  if (!active) return;
  const std::size_t before = failed_.size();
  for (const Access& a : accesses_) {
    if (a.payload != nullptr) failed_.push_back({a.serial, a.payload, a.port});
  }
  stats_.resets += failed_.size() - before;
  std::sort(failed_.begin(), failed_.end(),
            [](const Failed& a, const Failed& b) { return a.serial < b.serial; });
  clear_issued();
  clear_pins();
}

void Axi4Manager::clear_pins() {
  pins_.aw.valid = pins_.w.valid = pins_.ar.valid = false;
  pins_.b.ready = pins_.r.ready = false;
  aw_taken_ = w_taken_ = ar_taken_ = false;
  r_for_ = b_for_ = 0;
}

void Axi4Manager::clear_issued() {
  std::fill(accesses_.begin(), accesses_.end(), Access{});
  reads_ = writes_ = 0;
  aw_queue_.clear();
  ar_queue_.clear();
  w_queue_.clear();
  for (auto& queue : read_data_) queue.clear();
  for (auto& queue : written_) queue.clear();
}

void Axi4Manager::reset() {
  for (Port& p : ports_) {
    p.receiver.reset();
    p.sender.reset();
  }
  arrivals_.clear();
  failed_.clear();
  clear_issued();
  clear_pins();
  stats_ = {};
  serial_ = next_read_id_ = next_write_id_ = 0;
  sent_for_ = 0;
  read_first_ = true;
  holds_ = in_reset_ = after_reset_ = false;
}

}  // namespace tessera
