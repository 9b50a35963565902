// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "policies/registry.h"

namespace tessera {

/// How a GPU reads other GPUs' lines (DualOpt section 4). It does not change writes and atomics.
/// L1s and RDMA engines use it for every remote load.
struct RemoteAccessMode {
  bool bypass_l1 = false;     ///< the L1 caches no line of another GPU
  bool fine_grained = false;  ///< only the requested words are transferred; needs bypass_l1
  bool coalesce = false;      ///< responses share packets; needs fine_grained
  bool remote_cache = false;  ///< a cache before the RDMA engine holds other GPUs' lines

  friend bool operator==(const RemoteAccessMode& a, const RemoteAccessMode& b) {
    return a.bypass_l1 == b.bypass_l1 && a.fine_grained == b.fine_grained &&
           a.coalesce == b.coalesce && a.remote_cache == b.remote_cache;
  }
};

/// Events in a GPU's L1s during the monitoring phase (DualOpt section 4.3).
struct TransferSample {
  std::uint64_t accesses = 0;         ///< line accesses, local and remote
  std::uint64_t remote_accesses = 0;  ///< to other GPUs' lines
  std::uint64_t remote_loads = 0;
  std::uint64_t remote_load_hits = 0;   ///< in the L1
  std::uint64_t remote_load_words = 0;  ///< 4-byte words that remote loads requested
  std::uint32_t words_per_line = 16;

  double remote_ratio() const { return ratio(remote_accesses, accesses); }
  double hit_rate() const { return ratio(remote_load_hits, remote_loads); }
  /// Requested words of a line divided by all its words, averaged over remote loads.
  double block_utilisation() const {
    return ratio(remote_load_words, remote_loads * words_per_line);
  }

 private:
  static double ratio(std::uint64_t a, std::uint64_t b) {
    return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
  }
};

/// Selects the transfer mode of remote lines.
class TransferPolicy : public SystemPolicy {
 public:
  static constexpr const char* kFamily = "transfer";
  /// The mode from the start.
  virtual RemoteAccessMode start() const = 0;
  /// Whether a decision engine monitors the L1s and calls decide() once.
  virtual bool decides() const { return false; }
  virtual RemoteAccessMode decide(const TransferSample&) const { return start(); }
  /// Remote ratio below which decide() returns start(), so that an engine need not wait for as many
  /// remote accesses as it monitors; 0 if there is no such ratio.
  virtual double least_remote_ratio() const { return 0; }
};

/// Whether a system with this policy can use a remote cache, either from the start or after a
/// decision.
inline bool may_use_remote_cache(const TransferPolicy& policy) {
  return policy.start().remote_cache || policy.decides();
}

}  // namespace tessera
