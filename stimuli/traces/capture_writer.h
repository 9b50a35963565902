// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes the file of a captured run (docs/guide/captured-traces.md, "Layout").

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/partial_file.h"
#include "stimuli/traces/captured_run.h"

namespace tessera::traces {

/// Layout of a .ttrace. All numbers are little-endian.
struct CaptureLayout {
  static constexpr std::string_view kMagic{"TTRACE\r\n", 8};
  static constexpr std::string_view kEnd{"TTRACE\n.", 8};
  static constexpr std::uint32_t kVersion = 1;
  /// Raw bytes from which on a block is written.
  static constexpr std::size_t kBlockBytes = 256 * 1024;

  /// A zstd frame of records of whole CTAs.
  struct Block {
    std::uint64_t offset = 0;      ///< in the file
    std::uint64_t compressed = 0;  ///< bytes
    std::uint64_t raw = 0;         ///< bytes
  };
  /// Where a CTA's records begin.
  struct CtaPlace {
    std::uint64_t block = kNone;
    std::uint64_t offset = 0;  ///< in the raw block
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  };
};

class CaptureWriter {
 public:
  /// Writes the header of `run`. The file has its name after finish() only. Throws InputError if it
  /// cannot be made.
  CaptureWriter(const std::string& path, const CapturedRun& run);

  /// Records of a CTA's warps, by warp, and the numbers of their instructions. `cta` is below
  /// `ctas`, the launch's number of CTAs. Errors are thrown by finish().
  void add_cta(std::uint64_t launch, std::uint64_t cta, std::uint64_t ctas,
               const std::vector<std::string>& warps, const std::vector<std::uint64_t>& counts);
  /// Writes the contents, and gives the file its name. Throws RunError if a write failed, or if a
  /// CTA of a launch has not been added.
  void finish(const CapturedRun& run);

  /// Raw bytes of records, and those of the file. After finish().
  std::uint64_t record_bytes() const { return record_bytes_; }
  std::uint64_t file_bytes() const { return written_; }

 private:
  void write(std::string_view bytes);
  void write_block();

  PartialFile file_;
  std::uint64_t written_ = 0;
  std::uint64_t record_bytes_ = 0;
  std::string raw_;  ///< of the block that is being filled
  std::vector<CaptureLayout::Block> blocks_;
  std::vector<std::vector<CaptureLayout::CtaPlace>> places_;  ///< by launch, by CTA
};

}  // namespace tessera::traces
