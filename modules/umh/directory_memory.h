// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "modules/kernel/stats.h"
#include "modules/kernel/waiting.h"
#include "modules/protocol/request_port.h"
#include "modules/protocol/transaction_pool.h"
#include "modules/umh/coherence_message.h"

namespace tessera::umh {

struct DirectoryMemoryStats {
  Counter lines_read = 0;
  Counter lines_written = 0;
  Occupancy backlog;
};

void describe(StatisticsVisitor& v, DirectoryMemoryStats& s);

/// A directory's accesses to its DRAM channel, of one line each. Bytes that a grant or a merge
/// writes are written to the channel; the write delays no message. A write-back that is dropped
/// causes no write. A message that leaves waits until its bytes have been
/// read, except those that arrived in the message which causes it. The accesses carry no values,
/// because the directory has them: the SMD in its CoherentCache, the HMD in HostMemory.
///
/// Timing: one access a cycle, in order, arrives at the channel one cycle after it left. A message
/// is ready at the clock edge at or after the response to its last read.
class DirectoryMemory {
 public:
  using Ready = std::function<void(CoherenceMessage&&)>;

  /// `address`: in the channel's address map, of a line. `ready`: enqueues a message.
  DirectoryMemory(const ClockDomain& clock, ProcessTimer& wake, TransactionPool& pool,
                  std::function<std::uint64_t(std::uint64_t line)> address, Ready ready)
      : clock_(clock),
        pool_(pool),
        address_(std::move(address)),
        ready_(std::move(ready)),
        port_(clock, wake) {}

  RequestPort<>& port() { return port_; }
  /// The lookup of a message, during which post() can be called.
  template <class LookUp>
  void arrive(const CoherenceMessage& message, LookUp look_up) {
    arrived_ = &message;
    look_up(message);
    arrived_ = nullptr;
  }
  void write(std::uint64_t line, LaunchSlot launch, Tick t);
  /// Reads the bytes of a message that leaves, and then calls `ready`, within the call if there is
  /// nothing to read.
  void post(CoherenceMessage&& message, Tick t);
  /// Handles responses, and sends the access that can be sent at this clock edge.
  void handle_responses(Tick t);
  void send(Tick t);
  Tick next(Tick t) const;

  /// Accesses without a response.
  std::size_t backlog() const { return accesses_.size(); }
  /// f(message) for each message that waits.
  template <class F>
  void for_each_message(F f) {
    for (Waiter& w : waiters_) f(w.message);
  }
  const DirectoryMemoryStats& stats() const { return stats_; }
  bool idle() const { return accesses_.empty(); }
  void describe_waiting(const std::string& block, std::vector<Waiting>& out) const;
  void reset();

 private:
  struct Waiter {
    CoherenceMessage message;
    std::size_t left = 0;  ///< reads without response
  };
  using WaiterId = std::list<Waiter>::iterator;
  bool has_arrived(std::uint64_t line) const;
  Transaction& access(tlm::tlm_command command, std::uint64_t line, LaunchSlot launch, Tick t);

  const ClockDomain& clock_;
  TransactionPool& pool_;
  const std::function<std::uint64_t(std::uint64_t)> address_;
  const Ready ready_;
  RequestPort<> port_;
  std::list<Waiter> waiters_;
  /// Accesses without response. A write has no waiter: waiters_.end().
  std::unordered_map<tlm::tlm_generic_payload*, WaiterId> accesses_;
  const CoherenceMessage* arrived_ = nullptr;  ///< during its lookup
  DirectoryMemoryStats stats_;
};

}  // namespace tessera::umh
