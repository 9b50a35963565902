// SPDX-License-Identifier: Apache-2.0
#include "modules/bridge/axi4_subordinate.h"

namespace tessera {

bool Axi4Subordinate::quiet() const {
  if (after_reset_ || !responses_.empty() || pins_.r.valid || pins_.b.valid) return false;
  const Tick t = now();
  if (aw_for_ > t || ar_for_ > t || w_for_ > t) return false;
  if (accepts_aw() || accepts_ar() || accepts_w()) return false;
  if (!pending_.empty() && sender_.free_at() != kNever) return false;
  return choose_read() == nullptr && choose_write() == nullptr;
}

void Axi4Subordinate::describe_waiting(std::vector<Waiting>& out_list) const {
  const std::string base = std::string(name()) + ".";
  if (!reads_.empty())
    out_list.push_back(
        {base + "reads", reads_.size(), WaitKind::kDataDependence, "TLM responses, or RREADY"});
  if (!writes_.empty()) {
    out_list.push_back({base + "writes", writes_.size(), WaitKind::kDataDependence,
                        "write data, TLM responses, or BREADY"});
  }
  if (!pending_.empty())
    out_list.push_back(
        {base + "pending", pending_.size(), WaitKind::kQueueFull, "the TLM channel"});
  if (sender_.waiting_for() != nullptr) {
    out_list.push_back({base + "request", 1, WaitKind::kQueueFull, "END_REQ from the target"});
  }
}

void Axi4Subordinate::on_reset(bool active) {
  in_reset_ = active;
  after_reset_ = !active;
  if (active) drop_all();
}

/// Drops all bursts. Transactions that are sent stay until their response.
void Axi4Subordinate::drop_all() {
  pins_.b.valid = pins_.r.valid = false;
  pins_.aw.ready = pins_.w.ready = pins_.ar.ready = false;
  for (std::uint32_t i = 0; i < lines_.size(); ++i) {
    Line& line = lines_[i];
    if (line.payload == nullptr) continue;
    line.burst = nullptr;
    if (!line.sent || line.responded) release_line(i);
  }
  reads_.clear();
  writes_.clear();
  pending_.clear();
  current_read_ = nullptr;
  r_taken_ = b_taken_ = false;
  aw_for_ = ar_for_ = w_for_ = 0;
}

void Axi4Subordinate::reset() {
  drop_all();
  receiver_.reset();
  sender_.reset();
  responses_.clear();
  for (const Line& line : lines_) {
    if (line.payload != nullptr) line.payload->release();
  }
  lines_.clear();
  free_lines_.clear();
  stats_ = {};
  sent_for_ = 0;
  in_reset_ = after_reset_ = false;
}

}  // namespace tessera
