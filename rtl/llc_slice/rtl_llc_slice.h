// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "modules/bridge/line_checker.h"
#include "modules/bridge/line_initiator.h"
#include "modules/bridge/line_target.h"
#include "modules/bridge/rtl_clock.h"
#include "modules/kernel/block_base.h"
#include "modules/kernel/launch_counts.h"
#include "modules/kernel/stall_tracker.h"
#include "modules/llc/llc_config.h"
#include "modules/llc/partition_caching.h"
#include "modules/llc/sites.h"
#include "modules/protocol/backdoor.h"
#include "modules/protocol/flush.h"
#include "modules/protocol/holds_bytes.h"
#include "modules/protocol/payload_check.h"
#include "modules/protocol/platform_interfaces.h"
#include "rtl/llc_slice/llc_slice_checker.h"
#include "rtl/llc_slice/llc_slice_model.h"

namespace tessera {

/// An LLC slice whose arrays, MSHRs and queues are RTL (rtl/llc_slice/llc_slice.sv, or a design of
/// a user with its ports). Stands for a slice of the role "home" or "partition" with the same
/// parameters, and has its statistics.
///
/// Timing: that of LlcSlice, except: each channel carries one message a cycle; atomics are a read
/// and a store of the line (AtomicUnit); whether the home keeps a line is decided at a request's
/// arrival, not at the fill.
///
/// Checkers at the pins: LineChecker at each channel, LlcSliceChecker. A broken rule ends the run.
///
/// Requests must carry values. Phases: all four.
class RtlLlcSlice final : public BlockBase<LlcSliceConfig, LlcSliceStats, LlcSite>,
                          public SliceFlushIf,
                          public PageDropIf,
                          public HoldsBytes,
                          public NeedsValuesIf,
                          public RecordsSignalsIf,
                          public LineTargetOwner,
                          public LineInitiatorOwner,
                          public ClockedPart {
 public:
  /// `implementation`: its name, for messages. Throws InputError, with the path and the reason, if
  /// the RTL cannot stand for the slice.
  RtlLlcSlice(const sc_core::sc_module_name& name, const LlcSite& site, std::string implementation,
              const LlcSliceFactory& make_model);

  std::vector<std::unique_ptr<LineTarget>> inputs;
  std::unique_ptr<LineInitiator> memory;
  std::unique_ptr<LineInitiator> remote;

  LaunchCounts& launch_counts() { return counts_; }
  std::string why_values() const override;
  const std::string& path() const override { return path_; }
  void record_waves(const std::string& file, Tick from, Tick until) override {
    clock_.record_waves(file, from, until);
  }
  bool write_coverage(const std::string& file) override { return model_->write_coverage(file); }

  bool idle() const override;
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  /// Without the times of waits, which no pin shows.
  void register_statistics(StatisticsRegistry& registry) const override;

  // SliceFlushIf, PageDropIf, HoldsBytes.
  void flush(LaunchSlot launch, std::function<void()> done) override;
  void write_back_copies(LaunchSlot launch, std::function<void()> done) override;
  bool needs_flush() const override { return holds_copies_; }
  void drop_copies() override;
  void drop_page(std::uint64_t address, std::uint64_t bytes) override;
  bool page_in_flight(std::uint64_t address, std::uint64_t bytes) const override;
  void overlay(std::uint64_t address, unsigned char* bytes) override;
  void replace(std::uint64_t address, const unsigned char* bytes, const ByteMask& mask) override;
  void use(Backdoor& backdoor) override { untimed_ = &backdoor; }

  // LineTargetOwner.
  MemoryRequest* admit(std::uint32_t port, tlm::tlm_generic_payload& payload,
                       const tlm::tlm_phase& phase, Tick at, std::uint32_t& user) override;
  tlm::tlm_sync_enum refuse(std::uint32_t port, tlm::tlm_generic_payload& payload,
                            const tlm::tlm_phase& phase) override;
  bool passes(std::uint32_t user) const override { return (user & LlcSlicePins::kBypass) != 0; }
  void taken(std::uint32_t id) override;
  void departing(tlm::tlm_generic_payload& payload, MemoryRequest& request, Tick arrival) override;
  void blocking(std::uint32_t port, tlm::tlm_generic_payload& payload,
                sc_core::sc_time& delay) override;
  unsigned debug(tlm::tlm_generic_payload& payload) override;

  // LineInitiatorOwner.
  tlm::tlm_generic_payload& issue(LineInitiator& from, const LineRequestPins& request) override;
  void answer(LineInitiator& from, tlm::tlm_generic_payload& payload,
              LineResponsePins& pins) override;
  void finished(LineInitiator& from, tlm::tlm_generic_payload& payload, Tick t) override;

  // ClockedPart: the slice's maintenance and events.
  void drive(Tick t) override;
  void collect(Tick t) override;
  bool quiet() const override;

 private:
  using Payload = tlm::tlm_generic_payload;
  /// A request that has left the RTL, and its id there.
  struct Outside {
    std::uint32_t id = 0;
    bool own = false;  ///< of the slice's pool
  };
  struct Miss {
    MemoryRequest* first = nullptr;
    Tick sent = 0;
  };
  struct Walk {
    Tick at = kNever;  ///< the edge of the flush, or the end of the walk over copies
    bool keeps_lines = false;
    LaunchSlot launch;
    std::vector<Payload*> awaited;  ///< keeps_lines: write-backs without a response
    std::function<void()> done;
  };

  void check_channel(const char* channel, const LineRequestPins& requests,
                     const LineResponsePins& responses, bool to_memory);
  void report_unknown(const char* what, std::uint32_t id) const;
  void count_lookup(const LlcSlicePins::Events& e, Tick t);
  void observe(const LineToken& token, bool leaving);
  Payload& fetch(const LineToken& token, std::uint32_t id);
  Payload& write_back_of(const LineRequestPins& request);
  unsigned debug_below(Payload& payload);
  Home home_of(std::uint64_t address) const { return map_.locate(address); }
  bool owns(const Home& home) const { return home.slice == site_.self; }
  bool local(std::uint32_t port) const { return port < site_.local_inputs; }
  LlcSliceModel::Line find(std::uint64_t address) const;

  const std::string path_;
  const std::string implementation_;
  const SliceSite site_;
  const AddressMap& map_;
  TransactionPool& pool_;
  const std::optional<PartitionCaching> caching_;  ///< role "partition"
  std::unique_ptr<LlcSliceModel> model_;
  RtlClock clock_;
  LlcSliceChecker checker_;
  std::vector<std::unique_ptr<LineChecker>> channel_checkers_;
  LineTokens tokens_{LlcSlicePins::kIds};
  AtomicUnit atomics_;
  PayloadCheck check_;
  Backdoor own_untimed_;
  Backdoor* untimed_ = &own_untimed_;
  LaunchCounts counts_;
  bool holds_copies_ = false;
  std::array<Miss, LlcSlicePins::kMshrs> misses_{};
  std::unordered_map<Payload*, Outside> outside_;  ///< fetches, and requests that pass
  std::vector<Payload*> writes_;                   ///< write-backs that have left the RTL
  std::deque<LaunchSlot> write_launches_;          ///< of the write-backs in the RTL's queue
  std::array<StallTracker, 2> stalls_{};           ///< [RMR, LMR]
  Walk walk_;
  Tick drop_at_ = kNever;
};

}  // namespace tessera
