// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads the file of a captured run, with random access by CTA.

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/input_file.h"
#include "stimuli/traces/capture_writer.h"
#include "stimuli/traces/captured_run.h"

namespace tessera::traces {

class CaptureFile {
 public:
  /// Reads header and contents. Throws InputError.
  explicit CaptureFile(const std::string& path);

  const std::string& path() const { return file_.path(); }
  const CapturedRun& run() const { return run_; }

  /// A warp's records.
  struct Warp {
    std::uint64_t instructions = 0;
    std::size_t begin = 0;  ///< in `bytes`
    std::size_t end = 0;
  };
  struct Cta {
    std::string bytes;
    std::vector<Warp> warps;
  };
  /// The records of a CTA of the launch's grid. Throws InputError.
  Cta cta(std::uint64_t launch, std::uint64_t cta) const;

  [[noreturn]] void fail(const std::string& what) const;

 private:
  /// Raw bytes of a block; those that were used last are kept.
  std::shared_ptr<const std::string> block(std::uint64_t number) const;
  std::string read(std::uint64_t offset, std::uint64_t bytes) const;
  void read_index(const std::string& index);

  const InputFile file_;
  CapturedRun run_;
  std::vector<CaptureLayout::Block> blocks_;
  std::vector<std::vector<CaptureLayout::CtaPlace>> places_;
  struct Kept {
    std::uint64_t number;
    std::shared_ptr<const std::string> raw;
  };
  mutable std::deque<Kept> kept_;  ///< the one that was used last is the first
};

/// Whether the name is that of a captured run's file.
bool is_capture_name(const std::string& name);

}  // namespace tessera::traces
