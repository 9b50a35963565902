// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/link_packet.h"

#include <systemc>

#include "common/run_threads.h"
#include "modules/kernel/report.h"

namespace tessera {

LinkPacket& link_packet_of(tlm::tlm_generic_payload& payload) {
  LinkPacket* const packet = dynamic_cast<LinkPacket*>(&payload);
  if (packet == nullptr) {
    SC_REPORT_FATAL(report::kNotAPacket,
                    "a payload that is not a LinkPacket reached the fabric between GPUs: take "
                    "packets from a PacketPool");
  }
  return *packet;
}

LinkPacket& PacketPool::acquire() {
  const auto held = lock_between_threads(mutex_);
  if (free_.empty()) {
    all_.push_back(std::make_unique<LinkPacket>(this));
    free_.push_back(all_.back().get());
  }
  LinkPacket& p = *free_.back();
  free_.pop_back();
  p.count_ = 0;
  p.bytes = 0;
  p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  p.acquire();
  return p;
}

void PacketPool::free(tlm::tlm_generic_payload* packet) {
  const auto held = lock_between_threads(mutex_);
  free_.push_back(static_cast<LinkPacket*>(packet));
}

}  // namespace tessera
