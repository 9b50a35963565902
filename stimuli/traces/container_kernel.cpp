// SPDX-License-Identifier: Apache-2.0
// .tracez: a header, an optional zstd dictionary, the warps' records in zstd frames, and an index
// at the end. All numbers are little-endian.

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "common/error.h"
#include "common/input_file.h"
#include "stimuli/traces/kernel_files.h"
#include "stimuli/traces/record_decoder.h"
#include "stimuli/traces/tokens.h"

namespace tessera::traces {
namespace {

constexpr std::uint64_t kMostHeaderBytes = 1U << 20;
constexpr std::uint64_t kMostDictionaryBytes = 64U << 20;
constexpr std::uint64_t kMostChunkBytes = 256U << 20;
/// Bytes of an index entry of a CTA without its warps.
constexpr std::uint64_t kBlockEntryBytes = 11 * 4;

struct FreeDecompressor {
  void operator()(ZSTD_DCtx* c) const { ZSTD_freeDCtx(c); }
  void operator()(ZSTD_DDict* d) const { ZSTD_freeDDict(d); }
};

class ContainerKernel final : public KernelTraceReader {
 public:
  explicit ContainerKernel(const std::string& path)
      : file_(path), kernel_(read_begin()), decoder_(kernel_) {
    open_index();
  }

  const TraceKernel& kernel() const override { return kernel_; }
  std::string place() const override { return place_text(); }
  double done() const override {
    return blocks_ == 0 ? 1 : static_cast<double>(block_) / static_cast<double>(blocks_);
  }
  std::vector<Unknown> unknown_opcodes() const override { return decoder_.unknown_opcodes(); }

  bool next_block(Dim3& coordinates) override {
    if (block_ == blocks_) return false;
    ++block_;
    in_warp_ = false;
    coordinates.x = index_u32("a CTA's entry in the index");
    coordinates.y = index_u32("a CTA's entry in the index");
    coordinates.z = index_u32("a CTA's entry in the index");
    // The cluster: no part of the model.
    for (unsigned i = 0; i < 7; ++i) index_u32("a CTA's entry in the index");
    coordinates_ = coordinates;
    warps_ = index_u32("a CTA's number of warps");
    if (warps_ > kernel_.warps()) {
      fail("expected at most " + std::to_string(kernel_.warps()) + " warps, found " +
           std::to_string(warps_));
    }
    warp_ = 0;
    return true;
  }

  bool next_warp(std::uint32_t& warp) override {
    if (warp_ == warps_) return false;
    warp = warp_++;
    in_warp_ = true;
    line_ = 0;
    left_ = index_u32("a warp's number of instructions");
    chunks_ = index_u32("a warp's number of sub-chunks");
    const std::uint64_t offset = index_number(8, "a warp's offset");
    index_at_ += std::uint64_t{chunks_} * 4;  // instructions of each sub-chunk
    if (index_at_ > index_end_)
      fail("expected the sub-chunks' numbers of instructions, found the end of the index");
    chunk_at_ = offset;
    const auto instructions =
        static_cast<std::uint32_t>(number_at(chunk_at_, 4, "the warp's data"));
    const auto chunks = static_cast<std::uint32_t>(number_at(chunk_at_ + 4, 4, "the warp's data"));
    if (instructions != left_ || chunks != chunks_) {
      fail("expected " + std::to_string(left_) + " instructions in " + std::to_string(chunks_) +
           " sub-chunks as in the index, found " + std::to_string(instructions) + " in " +
           std::to_string(chunks));
    }
    chunk_at_ += 8;
    text_.clear();
    text_at_ = 0;
    return true;
  }

  bool next_instruction(TraceInstruction& out) override {
    if (left_ == 0) return false;
    std::string_view line;
    while (line.empty()) line = trimmed(next_line());
    try {
      decoder_.decode(line, out);
    } catch (const FormatError& e) {
      fail(e.what());
    }
    --left_;
    return true;
  }

 private:
  std::string place_text() const {
    std::string out = file_.path();
    if (block_ == 0) return out;
    out += ": CTA " + text_of(coordinates_);
    if (in_warp_) out += ", warp " + std::to_string(warp_ - 1);
    if (line_ != 0) out += ", line " + std::to_string(line_);
    return out;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(place_text() + ": " + what);
  }

  void read_exactly(std::uint64_t offset, void* out, std::size_t bytes,
                    const std::string& what) const {
    if (offset > file_.bytes() || file_.read(offset, out, bytes) != bytes) {
      fail("expected " + what + " at byte " + std::to_string(offset) +
           ", found the end of the file");
    }
  }
  std::uint64_t number_at(std::uint64_t offset, unsigned bytes, const std::string& what) const {
    unsigned char raw[8] = {};
    read_exactly(offset, raw, bytes, what);
    std::uint64_t out = 0;
    for (unsigned i = 0; i < bytes; ++i) out |= std::uint64_t{raw[i]} << 8 * i;
    return out;
  }
  std::uint64_t index_number(unsigned bytes, const std::string& what) {
    if (index_end_ - index_at_ < bytes) {
      fail("expected " + what + ", found the end of the index");
    }
    const std::uint64_t out = number_at(index_at_, bytes, what);
    index_at_ += bytes;
    return out;
  }
  std::uint32_t index_u32(const std::string& what) {
    return static_cast<std::uint32_t>(index_number(4, what));
  }

  /// Header, sizes and dictionary.
  TraceKernel read_begin() {
    std::string header;
    char block[4096];
    std::size_t end = std::string::npos;
    while (end == std::string::npos) {
      const std::size_t n = file_.read(header.size(), block, sizeof block);
      header.append(block, n);
      end = header.find('\0');
      if (end == std::string::npos && (n == 0 || header.size() > kMostHeaderBytes)) {
        throw InputError(file_.path() +
                         ": expected a header that a NUL byte ends, in the first MiB of the file");
      }
    }
    header.resize(end);
    HeaderDecoder decoder;
    std::size_t at = 0;
    for (unsigned line = 1; at < header.size(); ++line) {
      const std::size_t stop = std::min(header.find('\n', at), header.size());
      const std::string_view text = trimmed(std::string_view(header).substr(at, stop - at));
      at = stop + 1;
      try {
        if (!text.empty() && text.front() == '#') continue;
        decoder.line(text);
      } catch (const FormatError& e) {
        throw InputError(file_.path() + ":" + std::to_string(line) + ": " + e.what());
      }
    }
    const std::uint64_t after = end + 1;
    const std::uint64_t dictionary_bytes = number_at(after, 4, "the size of the dictionary");
    number_at(after + 4, 4, "the instructions of a sub-chunk");
    if (dictionary_bytes > kMostDictionaryBytes) {
      fail("expected a dictionary of at most 64 MiB, found " + std::to_string(dictionary_bytes) +
           " bytes");
    }
    if (dictionary_bytes != 0) {
      if (dictionary_bytes > file_.bytes()) {
        fail("expected a dictionary of " + std::to_string(dictionary_bytes) +
             " bytes, found the end of the file");
      }
      std::vector<char> raw(dictionary_bytes);
      read_exactly(after + 8, raw.data(), raw.size(), "the dictionary");
      dictionary_.reset(ZSTD_createDDict(raw.data(), raw.size()));
      if (dictionary_ == nullptr) fail("expected a zstd dictionary, found other bytes");
    }
    try {
      return decoder.finish(file_.path());
    } catch (const FormatError& e) {
      throw InputError(file_.path() + ": " + e.what());
    }
  }

  void open_index() {
    if (file_.bytes() < 8) fail("expected the offset of the index in the last 8 bytes");
    index_end_ = file_.bytes() - 8;
    index_at_ = number_at(index_end_, 8, "the offset of the index");
    if (index_at_ > index_end_ || index_end_ - index_at_ < 4) {
      const std::uint64_t found = index_at_;
      throw InputError(
          file_.path() + ": expected the offset of the index in the last 8 bytes, found " +
          std::to_string(found) + " in a file of " + std::to_string(file_.bytes()) + " bytes");
    }
    blocks_ = index_u32("the number of CTAs");
    if (blocks_ > (index_end_ - index_at_) / kBlockEntryBytes) {
      throw InputError(file_.path() + ": expected an index of " + std::to_string(blocks_) +
                       " CTAs, found one of " + std::to_string(index_end_ - index_at_) + " bytes");
    }
  }

  /// The next line of the warp's sub-chunks.
  std::string_view next_line() {
    while (text_at_ >= text_.size()) next_chunk();
    const std::size_t stop = std::min(text_.find('\n', text_at_), text_.size());
    const std::string_view line = std::string_view(text_).substr(text_at_, stop - text_at_);
    text_at_ = stop + 1;
    ++line_;
    return line;
  }

  void next_chunk() {
    if (chunks_ == 0) {
      fail("expected " + std::to_string(left_) + " more instructions of the warp, found its end");
    }
    --chunks_;
    const std::uint64_t bytes = number_at(chunk_at_, 4, "the size of a sub-chunk");
    if (bytes > file_.bytes()) {
      fail("expected a sub-chunk of " + std::to_string(bytes) +
           " bytes, found the end of the file");
    }
    packed_.resize(bytes);
    read_exactly(chunk_at_ + 4, packed_.data(), packed_.size(), "a sub-chunk");
    chunk_at_ += 4 + bytes;
    const unsigned long long size = ZSTD_getFrameContentSize(packed_.data(), packed_.size());
    if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR ||
        size > kMostChunkBytes) {
      fail("expected a sub-chunk as a zstd frame with its content's size, of at most 256 MiB");
    }
    text_.resize(size);
    text_at_ = 0;
    if (context_ == nullptr) context_.reset(ZSTD_createDCtx());
    if (dictionary_ != nullptr) ZSTD_DCtx_refDDict(context_.get(), dictionary_.get());
    const std::size_t n = ZSTD_decompressDCtx(context_.get(), text_.data(), text_.size(),
                                              packed_.data(), packed_.size());
    if (ZSTD_isError(n) != 0) {
      fail(std::string("expected a sub-chunk of zstd data, found damaged data (") +
           ZSTD_getErrorName(n) + ")");
    }
    text_.resize(n);
  }

  InputFile file_;
  std::unique_ptr<ZSTD_DDict, FreeDecompressor> dictionary_;
  std::unique_ptr<ZSTD_DCtx, FreeDecompressor> context_;
  std::uint64_t index_at_ = 0;
  std::uint64_t index_end_ = 0;
  std::uint64_t blocks_ = 0;
  std::uint64_t block_ = 0;  ///< CTAs that have begun
  Dim3 coordinates_;
  std::uint32_t warps_ = 0;
  std::uint32_t warp_ = 0;  ///< warps that have begun
  bool in_warp_ = false;
  std::uint64_t left_ = 0;  ///< instructions of the warp
  std::uint32_t chunks_ = 0;
  std::uint64_t chunk_at_ = 0;
  std::string packed_;
  std::string text_;
  std::size_t text_at_ = 0;
  std::uint64_t line_ = 0;  ///< of the warp's text
  const TraceKernel kernel_;
  RecordDecoder decoder_;
};

/// Whether a header that NUL ends begins the file: only a container's does. A text with a damaged
/// byte has the begin of a CTA, which no container has.
bool is_container(const std::string& path) {
  const InputFile file(path);
  std::string begin(1U << 16, ' ');
  begin.resize(file.read(0, begin.data(), begin.size()));
  return !begin.empty() && begin.front() == '-' && begin.find('\0') != std::string::npos &&
         begin.find("#BEGIN_TB") == std::string::npos;
}

}  // namespace

std::unique_ptr<KernelTraceReader> open_container_kernel(const std::string& path) {
  return std::make_unique<ContainerKernel>(path);
}

std::unique_ptr<KernelTraceReader> open_kernel(const std::string& path) {
  return is_container(path) ? open_container_kernel(path) : open_text_kernel(path);
}

}  // namespace tessera::traces
