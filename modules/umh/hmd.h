// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "modules/umh/coherence_config.h"
#include "modules/umh/coherence_message.h"

namespace tessera::umh {

/// Bytes of the host memory, without their timing.
class HostMemory {
 public:
  using Line = std::array<unsigned char, kLineBytes>;
  virtual ~HostMemory() = default;
  virtual Line read(std::uint64_t line) = 0;
  /// Writes the masked bytes. `launch`: for which the write is counted.
  virtual void write(const LineBytes& bytes, LaunchSlot launch) = 0;
};

/// Host memory directory (UMH section 5.2), without its timing: the root of the coherent hierarchy.
/// Each secondary block has an owner field and sharer bits, and no tag and no state, because host
/// memory contains every block. The children are SMDs, which request blocks, and the LLC of the
/// CPU, which requests lines. The fields of the LLC apply to all lines of the block.
///
/// A block has one transaction at a time. Dirty bytes are merged in host memory under their masks.
/// If non-coherent bytes are merged, the other copies of the block are invalidated before the
/// transaction ends, so that a copy never has older bytes than the host memory. Therefore a flush
/// of one device makes its bytes visible to all.
///
/// Not modelled: time, limits on pending transactions.
class Hmd {
 public:
  static constexpr unsigned kNoOwner = ~0U;
  struct Entry {
    unsigned owner = kNoOwner;  ///< position in `children`
    std::uint64_t sharers = 0;  ///< bit i: children[i]; includes the owner
  };

  /// `children`: at most 64. `smds`: the first `smds` children are SMDs.
  Hmd(const HmdConfig& config, AgentId self, CoherenceNetwork& network, HostMemory& memory,
      std::vector<AgentId> children, unsigned smds);

  void receive(const CoherenceMessage& message);
  /// Calls `done` when the transactions that are pending now have ended: last stage of a flush.
  void barrier(const std::function<void()>& done);

  Entry entry(std::uint64_t line) const;
  bool idle() const { return active_.empty(); }
  /// Requests that have not been completed.
  std::size_t pending() const { return pending_; }
  std::uint32_t block_lines() const { return block_lines_; }
  std::string describe_waiting() const;
  /// Directory bits of a secondary block for n SMDs: n sharers, and the owner in ceil(log2(n + 1)).
  /// The bits of the LLC belong to the LLC's directory (section 5.3).
  std::uint32_t entry_bits() const;

 private:
  /// A request, or a barrier if `done` is set.
  struct Item {
    CoherenceMessage request;
    std::function<void()> done;
  };
  struct Transaction {
    CoherenceMessage request;
    unsigned child = 0;
    unsigned awaited = 0;       ///< responses to snoops
    bool supplied = false;      ///< a peer sends the block
    bool acknowledged = false;  ///< the requester has the block
    std::uint64_t origins = 0;  ///< children whose non-coherent bytes were merged
    bool finishing = false;     ///< waits only for the grant's acknowledgement
  };
  struct Activity {
    std::deque<Item> queue;
    bool busy = false;
    Transaction current;
  };

  std::uint64_t block_of(std::uint64_t line) const { return line / block_lines_; }
  unsigned position_of(AgentId agent) const;
  void advance(std::uint64_t block);
  void start(std::uint64_t block, Activity& a);
  /// Children whose copies lack bytes that the transaction has merged.
  std::uint64_t stale_copies(std::uint64_t block, const Transaction& t) const;
  void continue_after_snoops(std::uint64_t block, Activity& a);
  void snoop(MessageType type, std::uint64_t block, Activity& a, unsigned child);
  void handle_response(const CoherenceMessage& message);
  void merge(const CoherenceMessage& message);
  void grant(std::uint64_t block, Activity& a);
  void remove(std::uint64_t block, unsigned child);
  void finish_if_complete(Activity& a);
  void run_done();

  HmdConfig config_;
  AgentId self_;
  CoherenceNetwork& network_;
  HostMemory& memory_;
  std::vector<AgentId> children_;
  unsigned smds_;
  std::uint32_t block_lines_;
  std::unordered_map<std::uint64_t, Entry> directory_;
  std::unordered_map<std::uint64_t, Activity> active_;
  std::vector<std::uint64_t> voided_;  ///< line * 64 + child
  std::vector<std::function<void()>> done_;
  std::size_t pending_ = 0;
};

}  // namespace tessera::umh
