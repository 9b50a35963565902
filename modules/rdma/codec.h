// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace tessera {

/// The coalescer of the CoDec unit (DualOpt section 4.1.3): one staging buffer for each other GPU,
/// in which fine-grained responses wait until they fill a packet, and a round-robin arbiter over
/// the buffers. Plain arithmetic on cycle numbers; the owner calls take() at most once a cycle.
///
/// A packet holds the longest run of the oldest responses that fits; a response is never split. A
/// packet is due
/// * at once if it is full or the next response does not fit;
/// * at once if the buffer has no free entry;
/// * `timeout_cycles` after the arrival of its oldest response (ours: the paper does not define the
///   start of the timeout).
template <class Item>
class ResponseCoalescer {
 public:
  static constexpr std::uint64_t kNoCycle = ~std::uint64_t{0};

  struct Config {
    std::size_t destinations = 3;           ///< other GPUs
    std::size_t entries = 64;               ///< responses per buffer; 1 or more
    std::uint64_t timeout_cycles = 30;      ///< DualOpt Table 1
    std::uint32_t granules_per_packet = 10; /**< PacketFormat::granules_per_packet() */
  };
  struct Packet {
    std::size_t destination = 0;
    std::vector<Item> responses;  ///< in order of arrival
    std::uint32_t granules = 0;   ///< sum over all responses
    bool timed_out = false;       ///< neither the packet nor the buffer was full
  };

  explicit ResponseCoalescer(const Config& config)
      : config_(config), buffers_(config.destinations) {}

  const Config& config() const { return config_; }
  bool full(std::size_t destination) const {
    return buffers_[destination].waiting.size() == config_.entries;
  }
  /// Responses that wait for this destination.
  std::size_t size(std::size_t destination) const { return buffers_[destination].waiting.size(); }
  bool empty() const { return waiting_ == 0; }

  /// Enqueues a response. `cycle` must not decrease from call to call. The buffer must not be full.
  /// `granules`: 1 to granules_per_packet.
  void push(std::size_t destination, const Item& item, std::uint32_t granules,
            std::uint64_t cycle) {
    Buffer& b = buffers_[destination];
    b.waiting.push_back({item, granules, cycle});
    ++waiting_;
    grow(b);
  }

  /// The first cycle, `cycle` or later, at which a packet is due; kNoCycle if all buffers are
  /// empty.
  std::uint64_t next_due(std::uint64_t cycle) const {
    std::uint64_t soonest = kNoCycle;
    for (const Buffer& b : buffers_) {
      const std::uint64_t due = due_at(b);
      if (due < soonest) soonest = due;
    }
    return soonest < cycle ? cycle : soonest;
  }

  /// Dequeues the packet of the next due buffer in round-robin order. Precondition:
  /// next_due(cycle) == cycle. Overwrites `packet` and reuses its memory.
  void take(std::uint64_t cycle, Packet& packet) {
    while (due_at(buffers_[turn_]) > cycle) turn_ = next(turn_);
    Buffer& b = buffers_[turn_];
    packet.destination = turn_;
    packet.responses.clear();
    packet.granules = b.head_granules;
    packet.timed_out = !complete(b);
    for (std::size_t i = 0; i < b.head_answers; ++i) {
      packet.responses.push_back(b.waiting.front().item);
      b.waiting.pop_front();
    }
    waiting_ -= b.head_answers;
    b.head_answers = 0;
    b.head_granules = 0;
    grow(b);
    turn_ = next(turn_);
  }

  /// Drops all responses. The arbiter restarts at the first buffer.
  void clear() {
    buffers_.assign(config_.destinations, {});
    waiting_ = 0;
    turn_ = 0;
  }

 private:
  struct Waiting {
    Item item;
    std::uint32_t granules = 0;
    std::uint64_t since = 0;
  };
  struct Buffer {
    std::deque<Waiting> waiting;
    /// Number and granules of the oldest responses that fit the next packet.
    std::size_t head_answers = 0;
    std::uint32_t head_granules = 0;
  };

  std::size_t next(std::size_t i) const { return i + 1 == buffers_.size() ? 0 : i + 1; }

  void grow(Buffer& b) const {
    while (b.head_answers < b.waiting.size()) {
      const std::uint32_t more = b.waiting[b.head_answers].granules;
      if (b.head_granules + more > config_.granules_per_packet) return;
      b.head_granules += more;
      ++b.head_answers;
    }
  }
  bool complete(const Buffer& b) const {
    return b.head_answers < b.waiting.size() || b.head_granules == config_.granules_per_packet ||
           b.waiting.size() == config_.entries;
  }
  std::uint64_t due_at(const Buffer& b) const {
    if (b.waiting.empty()) return kNoCycle;
    return complete(b) ? 0 : b.waiting.front().since + config_.timeout_cycles;
  }

  const Config config_;
  std::vector<Buffer> buffers_;
  std::size_t waiting_ = 0;
  std::size_t turn_ = 0;
};

}  // namespace tessera
