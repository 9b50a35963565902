// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <vector>

#include "modules/host/cpu_core_config.h"
#include "modules/kernel/block_base.h"
#include "modules/kernel/process_timer.h"
#include "modules/protocol/request_port.h"
#include "modules/protocol/transaction_pool.h"

namespace tessera {

struct CpuCoreSite;

/// One operation of the host program. Addresses are physical.
struct CpuOperation {
  enum class Kind : std::uint8_t {
    kLoad,
    kStore,  ///< coherent
    /// Obtains exclusive access to each line before it loads: sees the bytes of non-coherent stores
    /// (the compiler-assisted load of UMH section 4.2.1).
    kSynchronisedLoad,
    kAtomic,  ///< on one line
    kWait     ///< for `cycles`
  };
  Kind kind = Kind::kLoad;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;          ///< kLoad, kSynchronisedLoad
  std::vector<unsigned char> data;  ///< stored bytes; loaded bytes on completion
  AtomicOperands atomic;            ///< offsets within the line of `address`; old values
  std::uint64_t cycles = 0;
};

/// A CPU core that executes operations of the host program in order, without instructions: the
/// stimulus is the list of operations. Its socket is that of an L1 (CoherentCacheBlock::core); an
/// instruction-set simulator can take its place.
///
/// Timing: an operation begins at the first clock edge after its submission and after the end of
/// the previous one. It sends one line access a cycle while fewer than `outstanding_lines` are in
/// flight; an access arrives a cycle later. It ends when its last response has arrived, so that
/// operations of a core are sequentially consistent.
///
/// Phases: all four. Not modelled: instructions, speculation, address translation.
class CpuCore final : public BlockBase<CpuCoreConfig, CpuCoreStats, CpuCoreSite> {
 public:
  using Done = std::function<void(const CpuOperation&)>;

  tlm_utils::simple_initiator_socket<CpuCore> memory;

  CpuCore(const sc_core::sc_module_name& name, const CpuCoreConfig& config, TransactionPool& pool,
          std::uint32_t index);

  /// Appends an operation. `done` is called in the core's process when it has ended.
  void submit(CpuOperation operation, Done done);

  bool idle() const override { return queue_.empty(); }
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;

 private:
  using Payload = tlm::tlm_generic_payload;
  struct Item {
    CpuOperation operation;
    Done done;
  };

  void end_of_elaboration() override;
  void end_of_simulation() override;
  tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    return port_.backward(payload, phase, delay);
  }
  void process();
  void begin(Tick t);
  void handle_responses();
  void send(Tick t);
  void send_line(Tick t);
  bool ended(Tick t) const;
  void end(Tick t);
  void schedule_next(Tick t);

  TransactionPool& pool_;
  const std::uint32_t index_;
  const ClockDomain clock_;
  ProcessTimer wake_;
  RequestPort<> port_;
  std::deque<Item> queue_;  ///< the first one runs if `begun_at_` is set
  std::optional<Tick> begun_at_;
  std::uint64_t next_ = 0;  ///< first byte that has not been sent
  /// Accesses without response: their first byte in CpuOperation::data.
  std::unordered_map<Payload*, std::uint64_t> in_flight_;
  Tick send_at_ = 0;  ///< earliest time of the next access
};

}  // namespace tessera
