// SPDX-License-Identifier: Apache-2.0
#include "stimuli/traces/capture_file.h"

#include <zstd.h>

#include <algorithm>

#include "common/error.h"
#include "common/json.h"
#include "common/text.h"
#include "stimuli/traces/capture_codec.h"

namespace tessera::traces {
namespace {

constexpr std::size_t kKeptBlocks = 64;
constexpr std::uint64_t kMostRawBytes = std::uint64_t{1} << 32;
constexpr std::uint64_t kFooterBytes = 3 * 8 + CaptureLayout::kEnd.size();
constexpr std::uint64_t kBeginBytes = CaptureLayout::kMagic.size() + 2 * 4;

template <class T>
T number_at(const std::string& bytes, std::size_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) throw InputError("it is too short");
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << 8 * i;
  }
  return static_cast<T>(value);
}

std::string decompressed(const std::string& packed, std::uint64_t raw) {
  if (raw > kMostRawBytes) throw InputError("a block of " + std::to_string(raw) + " bytes");
  std::string out(raw, '\0');
  const std::size_t n = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
  if (ZSTD_isError(n) != 0) throw InputError(std::string("zstd: ") + ZSTD_getErrorName(n));
  if (n != raw) throw InputError("a block has fewer bytes than the index says");
  return out;
}

nlohmann::ordered_json parsed(const std::string& text, const char* part) {
  nlohmann::ordered_json out = nlohmann::ordered_json::parse(text, nullptr, false);
  if (out.is_discarded()) {
    throw InputError(std::string("expected ") + part + " as a JSON document, found " +
                     (text.empty() ? "no bytes" : std::to_string(text.size()) + " other bytes"));
  }
  return out;
}

}  // namespace

bool is_capture_name(const std::string& name) { return ends_with(name, ".ttrace"); }

CaptureFile::CaptureFile(const std::string& path) : file_(path) {
  try {
    const std::string begin = read(0, kBeginBytes);
    if (begin.compare(0, CaptureLayout::kMagic.size(), CaptureLayout::kMagic) != 0) {
      throw InputError("expected a file of 'tessera run --capture', found other first bytes");
    }
    const auto version = number_at<std::uint32_t>(begin, CaptureLayout::kMagic.size());
    if (version != CaptureLayout::kVersion) {
      throw InputError("expected version " + std::to_string(CaptureLayout::kVersion) + ", found " +
                       std::to_string(version));
    }
    const auto header = number_at<std::uint32_t>(begin, CaptureLayout::kMagic.size() + 4);
    read_header(parsed(read(kBeginBytes, header), "its header"), run_);
    if (file_.bytes() < kFooterBytes) throw InputError("it is too short");
    const std::string end = read(file_.bytes() - kFooterBytes, kFooterBytes);
    if (end.compare(3 * 8, CaptureLayout::kEnd.size(), CaptureLayout::kEnd) != 0) {
      throw InputError("its end is missing");
    }
    read_index(
        decompressed(read(number_at<std::uint64_t>(end, 0), number_at<std::uint64_t>(end, 8)),
                     number_at<std::uint64_t>(end, 16)));
  } catch (const std::exception& e) {
    throw InputError(path + ": the captured run cannot be read: " + e.what());
  }
}

void CaptureFile::fail(const std::string& what) const {
  throw InputError(path() + ": the captured run is damaged: " + what);
}

std::string CaptureFile::read(std::uint64_t offset, std::uint64_t bytes) const {
  if (offset > file_.bytes() || bytes > file_.bytes() - offset) {
    throw InputError("it is too short");
  }
  std::string out(bytes, '\0');
  if (file_.read(offset, out.data(), out.size()) != out.size()) {
    throw InputError("it is too short");
  }
  return out;
}

void CaptureFile::read_index(const std::string& index) {
  const auto json = number_at<std::uint64_t>(index, 0);
  if (json > index.size() - 8) throw InputError("its contents are too short");
  read_contents(parsed(index.substr(8, json), "its contents"), run_);
  std::size_t at = 8 + json;
  const auto next = [&] {
    const auto value = number_at<std::uint64_t>(index, at);
    at += 8;
    return value;
  };
  const std::uint64_t blocks = next();
  for (std::uint64_t i = 0; i < blocks; ++i) {
    CaptureLayout::Block b;
    b.offset = next();
    b.compressed = next();
    b.raw = next();
    blocks_.push_back(b);
  }
  for (const CapturedLaunch& launch : run_.launches) {
    auto& places = places_.emplace_back();
    const std::uint64_t ctas = launch.grid.count();
    for (std::uint64_t i = 0; i < ctas; ++i) {
      CaptureLayout::CtaPlace p;
      p.block = next();
      p.offset = next();
      if (p.block >= blocks_.size()) throw InputError("a block is missing");
      places.push_back(p);
    }
  }
}

std::shared_ptr<const std::string> CaptureFile::block(std::uint64_t number) const {
  const auto known = std::find_if(kept_.begin(), kept_.end(),
                                  [number](const Kept& k) { return k.number == number; });
  if (known != kept_.end()) {
    std::rotate(kept_.begin(), known, known + 1);
    return kept_.front().raw;
  }
  const CaptureLayout::Block& b = blocks_.at(number);
  kept_.push_front(
      {number, std::make_shared<std::string>(decompressed(read(b.offset, b.compressed), b.raw))});
  if (kept_.size() > kKeptBlocks) kept_.pop_back();
  return kept_.front().raw;
}

CaptureFile::Cta CaptureFile::cta(std::uint64_t launch, std::uint64_t cta) const {
  const CaptureLayout::CtaPlace& place = places_.at(launch).at(cta);
  Cta out;
  try {
    const std::shared_ptr<const std::string> raw = block(place.block);
    std::size_t at = place.offset;
    const std::uint64_t warps = take_varint(*raw, at);
    if (warps == 0 || warps > CtaProgram::kMaxWarps) {
      throw InputError("a CTA of " + std::to_string(warps) + " warps");
    }
    std::size_t bytes = 0;
    for (std::uint64_t w = 0; w < warps; ++w) {
      Warp warp;
      warp.instructions = take_varint(*raw, at);
      warp.begin = bytes;
      bytes += take_varint(*raw, at);
      warp.end = bytes;
      out.warps.push_back(warp);
    }
    if (bytes > raw->size() - at) throw InputError("a CTA's records are too short");
    out.bytes = raw->substr(at, bytes);
  } catch (const InputError& e) {
    fail(e.what());
  }
  return out;
}

}  // namespace tessera::traces
