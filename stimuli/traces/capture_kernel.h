// SPDX-License-Identifier: Apache-2.0
#pragma once

// A launch of a captured run as a kernel's trace: for summaries and for exports.

#include <memory>
#include <string>
#include <vector>

#include "stimuli/traces/capture_codec.h"
#include "stimuli/traces/capture_file.h"
#include "stimuli/traces/trace_instruction.h"

namespace tessera::traces {

/// Windows of generic addresses that shared and local addresses of a captured run are in.
inline constexpr Address kCapturedSharedWindow = Address{0x7e} << 40;
inline constexpr Address kCapturedLocalWindow = kCapturedSharedWindow + kWindowBytes;

/// The instructions are those that the SMs issued. Local addresses are offsets of each thread's
/// memory in the window. Not kept of a captured run: numbers of barriers, waits for other warps.
class CaptureKernelReader final : public KernelTraceReader {
 public:
  CaptureKernelReader(std::shared_ptr<const CaptureFile> file, std::uint64_t launch);

  const TraceKernel& kernel() const override { return kernel_; }
  bool next_block(Dim3& coordinates) override;
  bool next_warp(std::uint32_t& warp) override;
  bool next_instruction(TraceInstruction& out) override;
  std::string place() const override;
  double done() const override {
    return static_cast<double>(next_cta_) / static_cast<double>(kernel_.grid.count());
  }
  std::vector<Unknown> unknown_opcodes() const override { return {}; }

 private:
  const std::shared_ptr<const CaptureFile> file_;
  const std::uint64_t launch_;
  TraceKernel kernel_;
  std::vector<TraceOperation> operations_;  ///< by index of the run's
  std::uint64_t next_cta_ = 0;
  CaptureFile::Cta cta_;
  std::size_t next_warp_ = 0;
  CaptureFile::Warp part_;  ///< what is left of the warp
  CaptureState state_;
  CapturedRecord record_;
};

/// The number of the launch's stream: 0 for the default stream.
std::uint64_t stream_number(const CapturedRun& run, std::uint64_t launch);

}  // namespace tessera::traces
