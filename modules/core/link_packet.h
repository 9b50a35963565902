// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tlm>
#include <vector>

#include "common/ids.h"
#include "modules/core/time.h"

namespace tessera {

/// The virtual channel of a packet between GPUs: answers never stand behind requests, or GPUs that
/// wait for each other would never go on.
enum class PacketClass : std::uint8_t { kRequest, kResponse };
inline constexpr unsigned kPacketClasses = 2;

/// What travels between two RDMA engines: one request, or one or more answers. Posted: a receiver
/// that takes it completes it (TLM_COMPLETED, or BEGIN_RESP once it has room); nothing else comes
/// back. The payload's own address and data are not used; it has one byte of them, since the base
/// protocol wants some.
class LinkPacket final : public tlm::tlm_generic_payload {
 public:
  /// Responses that fit one packet at most.
  static constexpr std::size_t kMost = 32;

  explicit LinkPacket(tlm::tlm_mm_interface* mm) : tlm::tlm_generic_payload(mm) {
    set_data_ptr(&no_data_);
    set_data_length(1);
    set_streaming_width(1);
  }

  GpuId from;
  GpuId to;
  PacketClass channel = PacketClass::kRequest;
  /// On the link, header included; 1 or more.
  std::uint32_t bytes = 0;

  /// The transactions whose request (or answer) it carries, in order; kept alive by their
  /// initiators. `ready_at`: since when each has been waiting for the link.
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

/// The packet that a payload is. Any other payload is a platform error (SC_FATAL).
LinkPacket& link_packet_of(tlm::tlm_generic_payload& payload);

/// Gives out packets and takes them back when their reference count falls to 0.
class PacketPool final : public tlm::tlm_mm_interface {
 public:
  PacketPool() = default;
  ~PacketPool() override = default;
  PacketPool(const PacketPool&) = delete;
  PacketPool& operator=(const PacketPool&) = delete;

  /// An empty packet, held once.
  LinkPacket& acquire();
  void free(tlm::tlm_generic_payload* packet) override;
  /// Packets in use now; 0 at the end of every run.
  std::size_t live() const { return all_.size() - free_.size(); }

 private:
  std::vector<std::unique_ptr<LinkPacket>> all_;
  std::vector<LinkPacket*> free_;
};

}  // namespace tessera
