// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <tlm>
#include <vector>

#include "common/ids.h"
#include "modules/kernel/time.h"
#include "modules/protocol/packet_class.h"

namespace tessera {

/// A packet between two RDMA engines: one request, or one or more responses. Posted: the receiver
/// completes the packet when it accepts it (TLM_COMPLETED, or BEGIN_RESP when an entry is freed);
/// there is no other response. The payload's own address and data are not used; it has one data
/// byte, because the base protocol requires data.
class LinkPacket final : public tlm::tlm_generic_payload {
 public:
  /// Maximum number of responses in a packet.
  static constexpr std::size_t kMost = kMostInPacket;

  explicit LinkPacket(tlm::tlm_mm_interface* mm) : tlm::tlm_generic_payload(mm) {
    set_data_ptr(&no_data_);
    set_data_length(1);
    set_streaming_width(1);
  }

  GpuId from;
  GpuId to;
  PacketClass channel = PacketClass::kRequest;
  /// Size on the link, with header; 1 or more.
  std::uint32_t bytes = 0;

  /// Appends a transaction whose request or response the packet carries. The initiator keeps it
  /// alive. `ready_at`: start of its wait for the link.
  void add(tlm::tlm_generic_payload& payload, Tick ready_at) {
    contents_[count_++] = {&payload, ready_at};
  }
  std::size_t size() const { return count_; }
  bool full() const { return count_ == kMost; }
  struct Content {
    tlm::tlm_generic_payload* payload = nullptr;
    Tick ready_at = 0;
  };
  const Content* begin() const { return contents_.data(); }
  const Content* end() const { return contents_.data() + count_; }

 private:
  friend class PacketPool;
  std::array<Content, kMost> contents_{};
  std::size_t count_ = 0;
  unsigned char no_data_ = 0;
};

/// Downcast of a payload to a packet. SC_FATAL if the payload is no LinkPacket.
LinkPacket& link_packet_of(tlm::tlm_generic_payload& payload);

/// Allocates packets and reclaims them when their reference count falls to 0.
class PacketPool final : public tlm::tlm_mm_interface {
 public:
  PacketPool() = default;
  ~PacketPool() override = default;
  PacketPool(const PacketPool&) = delete;
  PacketPool& operator=(const PacketPool&) = delete;

  /// An empty packet with a reference count of 1.
  LinkPacket& acquire();
  void free(tlm::tlm_generic_payload* packet) override;
  /// Packets in use now; 0 at the end of every run.
  std::size_t live() const { return all_.size() - free_.size(); }

 private:
  std::mutex mutex_;  ///< guards what follows if run_threads is above 1
  std::vector<std::unique_ptr<LinkPacket>> all_;
  std::vector<LinkPacket*> free_;
};

}  // namespace tessera
