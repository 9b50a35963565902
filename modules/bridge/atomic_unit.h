// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <tlm>
#include <unordered_map>
#include <vector>

#include "modules/protocol/byte_mask.h"
#include "modules/protocol/memory_request.h"

namespace tessera {

class LineTarget;

/// A store by which an AtomicUnit writes the results of atomics to a line.
struct AtomicStore {
  std::uint64_t address = 0;
  MemoryRequest* request = nullptr;  ///< of the first atomic
  std::uint32_t user = 0;
  ByteMask mask;
  std::array<unsigned char, kMaxLineBytes> data{};
};

/// Performs atomics in front of a block that knows none: reads the line from the block, performs
/// all atomics to it that have arrived, one after the other, and writes the results with one store.
/// The acknowledgement of the store completes them. Atomics that arrive meanwhile are the next
/// store's.
///
/// The unit keeps the line's bytes until no atomic to it is left. A plain store to such a line
/// waits at the head of its port until then, and later atomics wait with it. An atomic waits in the
/// same way for plain stores to its line that the block has not acknowledged. Loads pass.
///
/// Shared by the ports of a block. Its operations have no latency of their own.
class AtomicUnit {
 public:
  explicit AtomicUnit(std::uint32_t line_bytes) : line_bytes_(line_bytes) {}

  enum class Action : std::uint8_t {
    kPass,   ///< send the request to the block
    kHold,   ///< the request waits at its port
    kRead,   ///< send a read of the line; the unit has taken the atomic
    kTaken,  ///< the unit has taken the atomic, and needs nothing now
  };
  /// The first request of a port.
  Action offer(LineTarget& port, tlm::tlm_generic_payload& payload, MemoryRequest& request,
               std::uint32_t user, std::uint64_t address);

  /// The block has acknowledged a plain store that has passed.
  void acknowledged(std::uint64_t address);
  /// The block has responded to the unit's read. `bytes`: null if it is an error.
  void loaded(std::uint64_t address, const unsigned char* bytes);
  /// The block has acknowledged the unit's store to the line.
  void stored(std::uint64_t address, bool error);

  std::size_t lines() const { return lines_.size(); }
  void reset() {
    lines_.clear();
    plain_stores_.clear();
  }

 private:
  struct Waiting {
    LineTarget* port;
    tlm::tlm_generic_payload* payload;
    MemoryRequest* request;
    std::uint32_t user;
  };
  struct Line {
    bool loaded = false;
    bool closing = false;  ///< a plain store waits
    std::array<unsigned char, kMaxLineBytes> bytes{};
    std::vector<Waiting> waiting;  ///< to be performed
    std::vector<Waiting> stored;   ///< whose results the block is storing
  };

  void store(std::uint64_t address, Line& line);

  const std::uint32_t line_bytes_;
  std::map<std::uint64_t, Line> lines_;
  std::unordered_map<std::uint64_t, unsigned> plain_stores_;  ///< not acknowledged, by line
};

}  // namespace tessera
