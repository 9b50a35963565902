// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "modules/bridge/line_pins.h"
#include "modules/bridge/rtl_model.h"

namespace tessera {

/// Pins of rtl/llc_slice/llc_slice.sv, which documents them.
struct LlcSlicePins {
  static constexpr std::uint32_t kPorts = 4;
  static constexpr std::uint32_t kSets = 64;
  static constexpr std::uint32_t kWays = 16;
  static constexpr std::uint32_t kMshrs = 256;
  static constexpr std::uint32_t kTargets = 4;
  static constexpr std::uint32_t kEntries = 256;  ///< of a port's queue
  /// Largest depth of the queues behind the arrays at which lookups stall.
  static constexpr std::uint32_t kDepth = 48;
  static constexpr std::uint32_t kRemote = 512;  ///< entries of the queue to other slices
  static constexpr std::uint32_t kIds = 1U << 16;
  static constexpr unsigned kLineBits = 40;

  /// LineRequestPins::user of `in`.
  static constexpr std::uint32_t kForeign = 1U << 16;
  static constexpr std::uint32_t kBypass = 1U << 17;
  static constexpr std::uint32_t kKeep = 1U << 18;
  static constexpr std::uint32_t kSetMask = 0xffff;
  /// `id` of the channels to other slices: a fetch by an MSHR, or a request that passes, of a port.
  static constexpr std::uint32_t kFetch = 1U << 31;
  static constexpr unsigned kPortShift = 16;

  struct Configuration {
    std::uint32_t sets = 1;
    std::uint32_t ways = 1;
    std::uint32_t mshrs = 1;
    std::uint32_t targets = 1;
    std::uint32_t latency = 2;
    std::uint32_t response_depth = 1;
    std::uint32_t memory_depth = 1;
    std::uint32_t remote_depth = 1;
    std::uint32_t local_ports = 1;  ///< the first ports
    std::uint32_t line_bytes = 128;
    bool oldest_first = false;
    bool flush_copies = false;
  };

  enum class Outcome : std::uint8_t {
    kReadHit,
    kWriteHit,
    kWriteAllocate,
    kMerge,
    kMiss,
    kPartialFetch,
    kForward,
    kNothing
  };
  enum class Stall : std::uint8_t { kRuns, kNoMshr, kNoWay, kNoRoom };

  /// What happened at the last edge.
  struct Events {
    bool lookup = false;
    bool local = false;
    Outcome outcome = Outcome::kNothing;
    std::uint32_t id = 0;
    bool evict = false;
    bool write_back = false;
    std::uint32_t mshr = 0;
    std::array<Stall, 2> stall{};  ///< of the heads of [RMR, LMR]
    bool copy_kept = false;
  };

  std::array<LineRequestPins, kPorts> in;
  std::array<LineResponsePins, kPorts> out;
  LineRequestPins memory;  ///< user: id of the request for which it is sent
  LineResponsePins memory_response;
  LineRequestPins remote;
  LineResponsePins remote_response;
  bool flush = false;
  bool flush_done = false;
  bool drop_copies = false;
  Events events;
  std::uint32_t mshrs_used = 0;
  std::array<std::uint32_t, 2> queued{};  ///< [RMR, LMR]
};

/// The Verilated slice.
class LlcSliceModel : public RtlModel {
 public:
  struct Line {
    bool present = false;
    bool locked = false;
    ByteMask dirty;
    const unsigned char* bytes = nullptr;  ///< until the next call
  };

  LlcSlicePins pins;

  virtual void configure(const LlcSlicePins::Configuration& configuration) = 0;

  // Debug port: no clock cycle passes. `line`: number of the line.

  /// The line in the arrays.
  virtual Line find(std::uint32_t set, std::uint64_t line) = 0;
  /// The line in entry `i` (0: the oldest) of the queue to the channel, if it is a write-back.
  virtual Line find_write_back(std::uint32_t i, std::uint64_t line) = 0;
  /// Entries of this queue.
  virtual std::uint32_t memory_queue() const = 0;
  /// Writes bytes of the line that find() or find_write_back() has found.
  virtual void write_found(const unsigned char* bytes, const ByteMask& mask) = 0;
  /// Invalidates the line that find() has found.
  virtual void drop_found() = 0;
};

/// A slice after its reset. `name`: in waveforms.
using LlcSliceFactory = std::function<std::unique_ptr<LlcSliceModel>(const std::string& name)>;

/// Registers `name` as an implementation of the family "llc".
void register_llc_slice(const std::string& name, LlcSliceFactory make);

}  // namespace tessera
