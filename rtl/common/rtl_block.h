// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "modules/bridge/axi4_checker.h"
#include "modules/bridge/axi4_manager.h"
#include "modules/bridge/axi4_subordinate.h"
#include "modules/bridge/line_checker.h"
#include "modules/bridge/line_initiator.h"
#include "modules/bridge/line_target.h"
#include "modules/bridge/rtl_clock.h"
#include "modules/kernel/block_base.h"
#include "modules/protocol/payload_check.h"
#include "modules/protocol/platform_interfaces.h"
#include "rtl/common/design.h"
#include "rtl/common/rtl_block_config.h"
#include "rtl/common/sites.h"

namespace tessera {

struct BlockHandle;

/// A design in RTL as a block of a platform: in a link (one input, one output), or as a memory (n
/// inputs, no output).
///
/// Timing: that of the design, and of the transactors at its sides. Requests of several inputs
/// enter it in the order of their arrival.
///
/// Requests must carry values. A request that leaves the design is a transaction of its own; it has
/// the kind, requester, launch and allocation of the request above to the same line, if there is
/// one. Untimed accesses pass a link: it must not hold bytes that memory does not have. A memory is
/// read and written through its pins, outside of simulated time, while no request is in it. An
/// untimed write to a memory with requests waits until they have ended, and later requests wait for
/// it; an untimed read of other bytes is then an SC_ERROR "/tessera/bridge/untimed".
///
/// Violations of rules are SC_ERRORs "/tessera/bridge/axi4" and "/tessera/bridge/line". Phases: all
/// four.
class RtlBlock final : public BlockBase<RtlBlockConfig, RtlBlockStats, RtlLinkSite>,
                       public NeedsValuesIf,
                       public RecordsSignalsIf,
                       public LineTargetOwner,
                       public LineInitiatorOwner,
                       public ClockedPart {
 public:
  /// Bus address of a physical address; none if it is not the memory's.
  using BusAddress = Axi4Manager::BusAddress;

  /// `implementation`: its name, for messages. Throws InputError, with the path and all reasons, if
  /// the design does not fit the site. `bus_address`: of a memory; empty: the same.
  RtlBlock(const sc_core::sc_module_name& name, const BlockSite& site, const RtlBlockConfig& config,
           std::string implementation, std::unique_ptr<Design> design, BusAddress bus_address = {});
  ~RtlBlock() override;

  /// Its sockets.
  void add_sockets(BlockHandle& handle);

  bool idle() const override;
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

  // NeedsValuesIf, RecordsSignalsIf.
  std::string why_values() const override;
  const std::string& path() const override { return path_; }
  void record_waves(const std::string& file, Tick from, Tick until) override {
    clock_.record_waves(file, from, until);
  }
  bool write_coverage(const std::string& file) override { return design_->write_coverage(file); }

  // LineTargetOwner.
  MemoryRequest* admit(std::uint32_t port, tlm::tlm_generic_payload& payload,
                       const tlm::tlm_phase& phase, Tick at, std::uint32_t& user) override;
  tlm::tlm_sync_enum refuse(std::uint32_t port, tlm::tlm_generic_payload& payload,
                            const tlm::tlm_phase& phase) override;
  bool passes(std::uint32_t) const override { return false; }
  void taken(std::uint32_t id) override;
  void blocking(std::uint32_t port, tlm::tlm_generic_payload& payload,
                sc_core::sc_time& delay) override;
  unsigned debug(tlm::tlm_generic_payload& payload) override;

  // LineInitiatorOwner.
  tlm::tlm_generic_payload& issue(LineInitiator& from, const LineRequestPins& request) override;
  void answer(LineInitiator& from, tlm::tlm_generic_payload& payload,
              LineResponsePins& pins) override;
  void finished(LineInitiator& from, tlm::tlm_generic_payload& payload, Tick t) override;

  // ClockedPart.
  void sample(Tick t) override;
  void collect(Tick t) override;
  bool quiet() const override;

 private:
  using Payload = tlm::tlm_generic_payload;
  static constexpr unsigned kMostIdBits = 16;  ///< of ids in use

  void check_fit(const BlockSite& site) const;
  void make_above(unsigned inputs);
  void make_below();
  std::unique_ptr<Axi4Checker> checker(const char* side, const Axi4Pins& pins,
                                       const Axi4Shape& shape);
  std::unique_ptr<LineChecker> checker(const char* side, const LineRequestPins& requests,
                                       const LineResponsePins& responses);
  template <class Checker>
  void watch(Checker& checker, const char* report);
  /// The request above whose line a request below has; null if there is none.
  MemoryRequest* source(bool write, std::uint64_t address) const;
  void prepare(Transaction& below);
  /// Times that the blocks below have noted go back to the request above.
  void return_stamps(Transaction& below);
  unsigned access_memory(Payload& payload, bool with_enables);
  bool access_line(bool write, std::uint64_t bus_address, unsigned char* data,
                   const unsigned char* enables, unsigned count);
  void write_waiting();
  void report_refused(bool write, std::uint64_t bus_address) const;

  const std::string path_;
  const std::string implementation_;
  const AddressMap& map_;
  TransactionPool& pool_;
  const BusAddress bus_address_;
  const std::unique_ptr<Design> design_;
  RtlClock clock_;
  LineTokens tokens_;
  AtomicUnit atomics_;
  PayloadCheck check_;
  std::unique_ptr<Axi4Manager> manager_;
  std::unique_ptr<LineTarget> target_;
  std::unique_ptr<Axi4Subordinate> subordinate_;
  std::unique_ptr<LineInitiator> initiator_;
  std::unique_ptr<Axi4Checker> above_check_;
  std::unique_ptr<Axi4Checker> below_check_;
  std::unique_ptr<LineChecker> above_lines_check_;
  std::unique_ptr<LineChecker> below_lines_check_;
  std::unordered_map<const Payload*, std::uint32_t> outside_;  ///< kLines below: ids
  std::map<std::uint64_t, unsigned char> waiting_;             ///< untimed writes, by bus address
  std::uint32_t quiet_edges_ = 0;                              ///< since the block has been idle
};

}  // namespace tessera
