// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "modules/kernel/unlikely.h"
#include "modules/llc/slice_role.h"
#include "policies/registry.h"

namespace tessera {

/// The request flow of a slice: from the inputs to the arrays or past them, to memory or other
/// slices, and the responses back. The role (interface: SliceRole) makes the decisions that differ
/// between roles; the pipeline has no code for a particular role.
///
/// A user-defined role is one source file:
///
///   class Mine : public SliceRole { using SliceRole::SliceRole; ... };
///   const PolicyRegistration<LlcSlice> kRegistered("mine", "what it does", make_slice<Mine>);
template <class Role>
class SlicePipeline final : public SliceStages {
 public:
  SlicePipeline(const sc_core::sc_module_name& name, const LlcSliceConfig& config,
                const AddressMap& map, TransactionPool& pool, const SliceSite& site);

  bool reaches_slices() const override { return Role::kReachesSlices; }
  void drop_page(std::uint64_t address, std::uint64_t bytes) override;
  bool page_in_flight(std::uint64_t address, std::uint64_t bytes) const override;

  bool idle() const override { return stages_idle() && role_.idle(); }
  void describe_waiting(std::vector<Waiting>& out) const override {
    describe_stages(Role::kBelow, out);
    role_.describe_waiting(out);
  }
  void reset() override {
    reset_stages();
    role_.reset();
  }
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  using Route = SliceRole::Route;

  void end_of_elaboration() override;
  bool holds_copy(CacheArray::Way way) const override {
    return array_.occupied(way) && role_.is_copy(map_.locate(array_.line(way) << line_shift_));
  }
  CacheArray::Way way_at(std::uint64_t address) const override {
    return array_.find(role_.set_index(map_.locate(address)), address >> line_shift_);
  }
  unsigned debug_below(Payload& payload) override;

  tlm::tlm_sync_enum forward(int port, Payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  tlm::tlm_sync_enum memory_backward(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    return responded_at(to_memory_, payload, phase, delay);
  }
  tlm::tlm_sync_enum remote_backward(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    return responded_at(to_remote_, payload, phase, delay);
  }
  tlm::tlm_sync_enum responded_at(Output& output, Payload& payload, tlm::tlm_phase& phase,
                                  sc_core::sc_time& delay);
  void blocking(int port, Payload& payload, sc_core::sc_time& delay);
  void pass_untimed(Payload& payload, sc_core::sc_time& delay);
  unsigned debug(int, Payload& payload) {
    return PayloadCheck::admits_debug(payload) ? untimed().access_debug(payload) : 0;
  }
  bool direct(int, Payload&, tlm::tlm_dmi&) { return false; }

  void process();
  void handle_fills(Tick t);
  void handle_remote(Tick t);
  void handle_bypassing(Tick t);
  bool fills_can_wait() const;
  void send_all(Tick t);
  void send_responses(QueuedOutput<ResponseSender>& out, Tick t);
  void look_up(Tick t);
  bool arbitrate() const;
  bool try_queue(TimedQueue<Access>& queue, Tick t);
  void schedule_next(Tick t);

  Outcome access(const Access& a, Tick t);
  Outcome write(const Access& a, std::uint64_t line, CacheArray::Way way, Tick t);
  Outcome miss(const Access& a, std::uint64_t line, CacheArray::Way way, Tick t);
  Payload& fetch_for(const Access& a, std::uint64_t line);
  void fill(Payload& payload, Tick t);
  void finish(const Access& a, Tick t);
  void notify_observers(const Access& a, bool leaving) {
    if (!observers_.empty()) notify(a, leaving);
  }
  void notify(const Access& a, bool leaving);

  Role role_;
};

/// The factory of a role that is constructed from (SliceStages&, const SliceSite&).
template <class Role>
std::unique_ptr<LlcSlice> make_slice(const SliceContext& c) {
  return std::make_unique<SlicePipeline<Role>>(c.name, c.config, c.map, c.pool, c.site);
}

}  // namespace tessera

#include "modules/llc/slice_pipeline_arrays.h"
#include "modules/llc/slice_pipeline_fills.h"
#include "modules/llc/slice_pipeline_process.h"
#include "modules/llc/slice_pipeline_transport.h"
#include "modules/llc/slice_pipeline_untimed.h"
