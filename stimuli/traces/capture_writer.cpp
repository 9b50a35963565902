// SPDX-License-Identifier: Apache-2.0
#include "stimuli/traces/capture_writer.h"

#include <zstd.h>

#include "common/error.h"
#include "common/json.h"
#include "stimuli/traces/varint.h"

namespace tessera::traces {
namespace {

constexpr int kLevel = 3;  // zstd's default

template <class T>
void add_number(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    out.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> 8 * i));
  }
}

std::string zstd_frame(std::string_view raw) {
  std::string out(ZSTD_compressBound(raw.size()), '\0');
  const std::size_t n = ZSTD_compress(out.data(), out.size(), raw.data(), raw.size(), kLevel);
  if (ZSTD_isError(n) != 0) throw RunError(std::string("zstd: ") + ZSTD_getErrorName(n));
  out.resize(n);
  return out;
}

/// Bytes of names that are not UTF-8 (a folder's) are replaced.
std::string json_text(const nlohmann::ordered_json& document) {
  return document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

CaptureWriter::CaptureWriter(const std::string& path, const CapturedRun& run) : file_(path) {
  const std::string header = json_text(header_of(run));
  std::string begin(CaptureLayout::kMagic);
  add_number(begin, CaptureLayout::kVersion);
  add_number(begin, static_cast<std::uint32_t>(header.size()));
  write(begin + header);
}

void CaptureWriter::write(std::string_view bytes) {
  file_.write(bytes);
  written_ += bytes.size();
}

void CaptureWriter::add_cta(std::uint64_t launch, std::uint64_t cta, std::uint64_t ctas,
                            const std::vector<std::string>& warps,
                            const std::vector<std::uint64_t>& counts) {
  if (places_.size() <= launch) places_.resize(launch + 1);
  places_[launch].resize(ctas);
  places_[launch][cta] = {blocks_.size(), raw_.size()};
  const std::size_t before = raw_.size();
  add_varint(raw_, warps.size());
  for (std::size_t w = 0; w < warps.size(); ++w) {
    add_varint(raw_, counts[w]);
    add_varint(raw_, warps[w].size());
  }
  for (const std::string& w : warps) raw_ += w;
  record_bytes_ += raw_.size() - before;
  if (raw_.size() >= CaptureLayout::kBlockBytes) write_block();
}

void CaptureWriter::write_block() {
  if (raw_.empty()) return;
  const std::string block = zstd_frame(raw_);
  blocks_.push_back({written_, block.size(), raw_.size()});
  write(block);
  raw_.clear();
}

void CaptureWriter::finish(const CapturedRun& run) {
  write_block();
  places_.resize(run.launches.size());
  for (std::size_t l = 0; l < run.launches.size(); ++l) {
    places_[l].resize(run.launches[l].grid.count());
    for (std::size_t cta = 0; cta < places_[l].size(); ++cta) {
      if (places_[l][cta].block != CaptureLayout::CtaPlace::kNone) continue;
      throw RunError(file_.path() + ": CTA " + std::to_string(cta) + " of launch " +
                     std::to_string(l) + " has not run");
    }
  }
  const std::string contents = json_text(contents_of(run));
  std::string index;
  add_number<std::uint64_t>(index, contents.size());
  index += contents;
  add_number<std::uint64_t>(index, blocks_.size());
  for (const CaptureLayout::Block& b : blocks_) {
    add_number(index, b.offset);
    add_number(index, b.compressed);
    add_number(index, b.raw);
  }
  for (const auto& launch : places_) {
    for (const CaptureLayout::CtaPlace& p : launch) {
      add_number(index, p.block);
      add_number(index, p.offset);
    }
  }
  const std::string packed = zstd_frame(index);
  std::string end;
  add_number(end, written_);  // offset of the index
  add_number<std::uint64_t>(end, packed.size());
  add_number<std::uint64_t>(end, index.size());
  end += CaptureLayout::kEnd;
  write(packed);
  write(end);
  const std::string why = file_.complete();
  if (!why.empty()) throw RunError(file_.path() + ": cannot be written: " + why);
}

}  // namespace tessera::traces
