// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plays a spooled kernel on SMs: KernelProgram, CTAs and warps.
//
// Properties that the SM depends on:
// * A trace has no values: all accesses have values_done, in both modes of values.
// * Global addresses are those of AddressMap. Local addresses are those of the warp slot, with the
//   same word of consecutive lanes contiguous.
// * A warp ends with its last record. If that is no exit, an exit follows.
// * All barriers of a CTA are barrier 0 for its live warps, because a trace does not name them.
// * A CTA's records are read when it starts, 4 KiB of a warp at a time.

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "stimuli/kernel_source.h"
#include "stimuli/traces/address_map.h"
#include "stimuli/traces/kernel_spool.h"
#include "stimuli/traces/spool_codec.h"

namespace tessera::traces {

/// Device memory for the local memory of all warp slots.
struct LocalSlots {
  Address begin = 0;
  std::uint64_t sm_bytes = 0;
  std::uint64_t warp_bytes = 0;
};

class TraceProgram final : public KernelProgram {
 public:
  TraceProgram(std::shared_ptr<const KernelSpool> spool, std::shared_ptr<const AddressMap> map,
               const LocalSlots& local)
      : spool_(std::move(spool)), map_(std::move(map)), local_(local) {}

  const std::string& name() const override { return spool_->kernel().name; }
  Dim3 grid() const override { return spool_->kernel().grid; }
  Dim3 block() const override { return spool_->kernel().block; }
  CtaResources resources() const override;
  unsigned register_names() const override { return kRegisterNames; }
  std::unique_ptr<CtaProgram> start_cta(CtaId cta) override;
  std::string instruction_text(std::uint32_t pc) const override { return spool_->text(pc); }

  const KernelSpool& spool() const { return *spool_; }
  const AddressMap& map() const { return *map_; }
  const LocalSlots& local() const { return local_; }

 private:
  const std::shared_ptr<const KernelSpool> spool_;
  const std::shared_ptr<const AddressMap> map_;
  const LocalSlots local_;
};

class TraceWarp final : public WarpProgram {
 public:
  TraceWarp(const TraceProgram& program, Dim3 cta, const KernelSpool::WarpPart& part);

  const OpInfo& next() const override { return *info_; }
  bool wait_ended() const override;
  void issue(const IssueContext& context, IssueResult& result) override;
  std::string where() const override { return place_of(info_->pc); }
  std::string place_of(std::uint32_t pc) const override;
  std::string last_barrier() const override { return place_of(barrier_pc_); }
  void complete(const AccessEnd& access, const std::byte* data) override;

 private:
  /// An asynchronous copy that has not ended. Groups are numbered from 0.
  struct Copy {
    std::uint32_t number = 0;
    std::uint64_t group = 0;
  };

  void advance();
  unsigned next_byte();
  bool access(const IssueContext& context, IssueResult& result);
  bool access_pieces(IssueResult& result);
  MemoryOp& begin_access(IssueResult& result);
  Address to_device(Address a);

  const TraceProgram& program_;
  const Dim3 cta_;
  KernelSpool::WarpPart part_;  ///< what is left
  SpoolState state_;
  SpoolRecord record_;
  const TraceOperation* operation_ = nullptr;  ///< null: the exit that the trace lacks
  const OpInfo* info_ = nullptr;
  const MappedRange* range_ = nullptr;  ///< of the last global access
  std::vector<unsigned char> buffer_;
  std::size_t buffer_at_ = 0;
  unsigned half_ = 0;           ///< 32-byte accesses: halves that have issued
  std::size_t piece_ = 0;       ///< bulk copies: the next piece,
  std::uint64_t in_piece_ = 0;  ///< and its bytes that have been copied
  std::uint32_t barrier_pc_ = 0;
  std::uint32_t next_copy_ = 1;
  std::uint64_t group_ = 0;  ///< that later copies belong to
  std::deque<Copy> copies_;  ///< that have not ended
};

class TraceCta final : public CtaProgram {
 public:
  TraceCta(const TraceProgram& program, CtaId id);

  unsigned warp_count() const override { return static_cast<unsigned>(warps_.size()); }
  WarpProgram& warp(unsigned index) override { return warps_[index]; }
  unsigned warp_threads(unsigned index) const override;

 private:
  const std::uint64_t threads_;
  std::deque<TraceWarp> warps_;
};

}  // namespace tessera::traces
