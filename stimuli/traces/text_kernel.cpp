// SPDX-License-Identifier: Apache-2.0
// .traceg: a header, then CTAs between #BEGIN_TB and #END_TB.

#include <utility>

#include "common/error.h"
#include "common/text.h"
#include "stimuli/traces/kernel_files.h"
#include "stimuli/traces/line_reader.h"
#include "stimuli/traces/record_decoder.h"
#include "stimuli/traces/tokens.h"

namespace tessera::traces {
namespace {

class TextKernel final : public KernelTraceReader {
 public:
  explicit TextKernel(const std::string& path)
      : lines_(path), kernel_(read_header()), decoder_(kernel_) {}

  const TraceKernel& kernel() const override { return kernel_; }
  std::string place() const override { return lines_.place(); }
  double done() const override { return lines_.done(); }
  std::vector<Unknown> unknown_opcodes() const override { return decoder_.unknown_opcodes(); }

  bool next_block(Dim3& coordinates) override {
    std::string_view text = "#BEGIN_TB";
    while (std::exchange(begun_, false) || next_line(text)) {
      if (text == "#BEGIN_TB") {
        checked([&] { coordinates = read_block(); });
        return true;
      }
      if (text.front() != '#') {
        fail("expected '#BEGIN_TB', found " + quoted(text));
      }
      if (lower_case(text) == "#begin_tb" || begins_with(text, "#BEGIN")) {
        fail("expected '#BEGIN_TB', found " + quoted(text) + "; did you mean '#BEGIN_TB'?");
      }
    }
    return false;
  }

  bool next_warp(std::uint32_t& warp) override {
    std::string_view text;
    do {
      if (!next_line(text)) fail_end("'warp = NUMBER' or '#END_TB'");
    } while (begins_with(text, "cluster "));  // since Hopper; no part of the model
    if (text == "#END_TB") return false;
    checked([&] {
      const std::uint64_t number = parse_setting(text, "warp");
      if (number >= kernel_.warps()) {
        throw FormatError("expected a warp of the block's " + std::to_string(kernel_.warps()) +
                          " warps, found warp " + std::to_string(number));
      }
      warp = static_cast<std::uint32_t>(number);
    });
    if (!next_line(text)) fail_end("'insts = NUMBER'");
    checked([&] { left_ = parse_setting(text, "insts"); });
    return true;
  }

  bool next_instruction(TraceInstruction& out) override {
    if (left_ == 0) return false;
    std::string_view text;
    if (!next_line(text)) fail_end(std::to_string(left_) + " more instructions of the warp");
    if (text.front() == '#' || begins_with(text, "warp =")) {
      fail("expected " + std::to_string(left_) + " more instructions of the warp, found " +
           quoted(text));
    }
    checked([&] { decoder_.decode(text, out); });
    --left_;
    return true;
  }

 private:
  /// The next line that is not blank.
  bool next_line(std::string_view& text) {
    while (lines_.next(text)) {
      text = trimmed(text);
      if (!text.empty()) return true;
    }
    return false;
  }

  TraceKernel read_header() {
    HeaderDecoder header;
    std::string_view text;
    TraceKernel out;
    bool ended = false;
    while (!ended && next_line(text)) {
      ended = text.front() == '#';
      if (!ended) checked([&] { header.line(text); });
    }
    if (!ended) {
      if (lines_.number() == 0) {
        throw InputError(lines_.path() + ": expected a kernel's trace, found an empty file");
      }
      fail_end("a line that begins with '#' after the header");
    }
    checked([&] { out = header.finish(lines_.path()); });
    begun_ = text == "#BEGIN_TB";
    return out;
  }

  /// The line "thread block = x,y,z".
  Dim3 read_block() {
    std::string_view text;
    if (!next_line(text)) fail_end("'thread block = x,y,z'");
    std::string_view name;
    std::string_view value;
    if (!split_setting(text, name, value) || name != "thread block") {
      throw FormatError("expected 'thread block = x,y,z', found " + quoted(text));
    }
    return parse_dim3(value, "the CTA's coordinates", 0);
  }

  template <class F>
  void checked(F f) const {
    try {
      f();
    } catch (const FormatError& e) {
      fail(e.what());
    }
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(lines_.place() + ": " + what);
  }
  [[noreturn]] void fail_end(const std::string& what) const {
    fail("expected " + what + ", found the end of the file");
  }

  LineReader lines_;
  bool begun_ = false;  ///< the header ended with #BEGIN_TB
  const TraceKernel kernel_;
  RecordDecoder decoder_;
  std::uint64_t left_ = 0;  ///< instructions of the warp
};

}  // namespace

std::unique_ptr<KernelTraceReader> open_text_kernel(const std::string& path) {
  return std::make_unique<TextKernel>(path);
}

}  // namespace tessera::traces
