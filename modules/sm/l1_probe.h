// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "modules/kernel/time.h"

namespace tessera {

/// The block that probes an L1 for other cores, and follows the lines that the L1 holds
/// (remote-core paper, section III-F). The L1 calls it within its process.
class L1ProbeClient {
 public:
  virtual ~L1ProbeClient() = default;
  /// Result of the lookup that L1ProbeIf::probe() requested. If the line is held: its bytes, valid
  /// during the call (null if values are not carried), and the time at which the L1 sent the
  /// request that fetched it.
  virtual void probed(bool held, const unsigned char* bytes, Tick issued) = 0;
  /// The L1 can respond to probes of this line from now on.
  virtual void filled(std::uint64_t line) = 0;
  virtual void evicted(std::uint64_t line) = 0;
  /// The L1 has dropped all its lines.
  virtual void flushed() = 0;
};

/// The probe port of an L1. A lookup for the core has priority: a probe takes the first cycle
/// without one, from `due` on. The lookup does not change the replacement state.
class L1ProbeIf {
 public:
  virtual ~L1ProbeIf() = default;
  /// Before the first access. The client outlives the L1's last process.
  virtual void attach(L1ProbeClient& client) = 0;
  /// Requests one lookup; the next one after probed(). `due`: a clock edge after the present time.
  virtual void probe(std::uint64_t line, Tick due) = 0;
};

}  // namespace tessera
