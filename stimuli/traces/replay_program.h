// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plays a launch of a captured run on SMs: what an SM sees of each warp is what was captured.
//
// Properties that the SM depends on:
// * There are no values: all accesses have values_done, in both modes of values.
// * Global addresses are those of the device's allocations with the captured names. Local addresses
//   are those of the warp slot.
// * A wait for asynchronous copies or for other warps ends when all has happened that had happened
//   when the captured one ended.
// * A CTA's records are read when it starts.

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "stimuli/traces/address_map.h"
#include "stimuli/traces/capture_codec.h"
#include "stimuli/traces/capture_file.h"
#include "stimuli/traces/trace_program.h"

namespace tessera::traces {

class ReplayProgram final : public KernelProgram {
 public:
  /// `map`: captured addresses and the device's, in ascending order.
  ReplayProgram(std::shared_ptr<const CaptureFile> file, std::uint64_t launch,
                std::shared_ptr<const AddressMap> map, const LocalSlots& local)
      : file_(std::move(file)), launch_(launch), map_(std::move(map)), local_(local) {}

  const CapturedLaunch& captured() const { return file_->run().launches[launch_]; }
  const std::string& name() const override { return captured().kernel; }
  Dim3 grid() const override { return captured().grid; }
  Dim3 block() const override { return captured().block; }
  CtaResources resources() const override { return captured().resources; }
  unsigned register_names() const override { return captured().register_names; }
  bool cooperative() const override { return captured().cooperative; }
  std::unique_ptr<CtaProgram> start_cta(CtaId cta) override;
  std::string instruction_text(std::uint32_t pc) const override;

  const CaptureFile& file() const { return *file_; }
  std::uint64_t launch() const { return launch_; }
  const AddressMap& map() const { return *map_; }
  const LocalSlots& local() const { return local_; }

 private:
  const std::shared_ptr<const CaptureFile> file_;
  const std::uint64_t launch_;
  const std::shared_ptr<const AddressMap> map_;
  const LocalSlots local_;
};

class ReplayCta;

class ReplayWarp final : public WarpProgram {
 public:
  ReplayWarp(const ReplayProgram& program, const ReplayCta& cta, unsigned index,
             const CaptureFile::Warp& part);

  const OpInfo& next() const override { return operation_->info; }
  bool wait_ended() const override;
  bool wait_is_limited() const override { return record_.has_wait && record_.wait.limited; }
  void issue(const IssueContext& context, IssueResult& result) override;
  std::string where() const override;
  std::string place_of(std::uint32_t pc) const override;
  std::string last_barrier() const override { return place_of(barrier_pc_); }
  void complete(const AccessEnd& access, const std::byte* data) override;

  WaitEnd::Progress progress() const { return progress_; }

 private:
  void advance();
  void access(const IssueContext& context, MemoryOp& m);
  Address to_device(Address a);

  const ReplayProgram& program_;
  const ReplayCta& cta_;
  const unsigned index_;
  CaptureFile::Warp part_;  ///< what is left
  CaptureState state_;
  CapturedRecord record_;
  const CapturedOperation* operation_ = nullptr;
  const MappedRange* range_ = nullptr;  ///< of the last global access
  std::uint32_t barrier_pc_ = 0;
  WaitEnd::Progress progress_;
  struct Copy {
    std::uint32_t number;
    bool ended;
  };
  std::deque<Copy> copies_;  ///< from the first that has not ended on
  std::uint32_t next_copy_ = 1;
  std::uint32_t first_copies_ = 0;  ///< that have all ended
};

class ReplayCta final : public CtaProgram {
 public:
  ReplayCta(const ReplayProgram& program, CtaId id);

  unsigned warp_count() const override { return static_cast<unsigned>(warps_.size()); }
  WarpProgram& warp(unsigned index) override { return warps_[index]; }
  unsigned warp_threads(unsigned index) const override;

  const std::string& bytes() const { return records_.bytes; }
  WaitEnd::Progress progress(std::size_t warp) const { return warps_[warp].progress(); }
  /// "(1,2,3)"
  std::string place() const;

 private:
  const ReplayProgram& program_;
  const CtaId id_;
  const CaptureFile::Cta records_;
  std::deque<ReplayWarp> warps_;
};

}  // namespace tessera::traces
