// SPDX-License-Identifier: Apache-2.0
#include "stimuli/traces/trace_summary.h"

#include <algorithm>

namespace tessera::traces {
namespace {

constexpr std::uint64_t kSummaryInterval = 1U << 16;

const char* class_of(const TraceOperation& o) {
  if (o.matrix) return "matrix";
  switch (o.unit) {
    case Unit::kAlu:
      return o.cost > 1 ? "alu_multi_slot" : "alu";
    case Unit::kIntMul:
      return "int_mul";
    case Unit::kFp64:
      return "fp64";
    case Unit::kSfu:
      return "sfu";
    case Unit::kMemory:
      return "memory";
    case Unit::kBarrier:
      return "barrier";
    case Unit::kFence:
      return "fence";
    case Unit::kWait:
      return "wait";
    case Unit::kExit:
      return "exit";
  }
  return "alu";
}

std::string access_name(const TraceOperation& o) {
  static constexpr const char* kSpaces[] = {"global", "shared", "local", "constant", "parameter"};
  static constexpr const char* kKinds[] = {"load", "store", "atomic"};
  std::string name = kSpaces[static_cast<unsigned>(o.space)];
  name += " ";
  if (o.asynchronous) return name + (o.access == AccessKind::kStore ? "copy out" : "copy");
  return name + kKinds[static_cast<unsigned>(o.access)];
}

}  // namespace

AccessCounts& AccessCounts::operator+=(const AccessCounts& other) {
  instructions += other.instructions;
  lanes += other.lanes;
  lines += other.lines;
  sectors += other.sectors;
  bytes += other.bytes;
  return *this;
}

void TraceSummary::add(KernelTraceReader& reader, const std::function<void(double)>& progress) {
  Dim3 at;
  std::uint32_t warp = 0;
  TraceInstruction instruction;
  KernelCheck check(reader.kernel());
  while (reader.next_block(at)) {
    check.begin_block(reader, at);
    ++ctas_;
    while (reader.next_warp(warp)) {
      check.begin_warp(reader, warp);
      const std::uint64_t before = warp_instructions_;
      while (reader.next_instruction(instruction)) {
        check.count(instruction);
        count(instruction);
        if (warp_instructions_ % kSummaryInterval == 0) progress(reader.done());
      }
      if (warp_instructions_ != before) ++warps_;
    }
  }
  check.finish();
  warnings_ = check.warnings();
  for (const auto& u : reader.unknown_opcodes()) unknown_[u.opcode] += u.count;
  progress(1);
}

void TraceSummary::count(const TraceInstruction& i) {
  const TraceOperation& o = i.operation;
  const auto lanes = static_cast<unsigned>(__builtin_popcount(i.mask));
  ++warp_instructions_;
  thread_instructions_ += lanes;
  ++classes_[class_of(o)];
  if (o.action != TraceAction::kMemory) return;
  AccessCounts& counts = accesses_[access_name(o)];
  ++counts.instructions;
  counts.lanes += lanes;
  if (o.space == Space::kGlobal && i.mask != 0) count_bytes(i, counts);
}

/// Lines, sectors and bytes of an access to global memory.
void TraceSummary::count_bytes(const TraceInstruction& i, AccessCounts& out) {
  spans_.clear();
  if (i.pieces.empty()) {
    const Address width = i.operation.lane_bytes;
    for (std::uint32_t left = i.mask; left != 0; left &= left - 1) {
      const Address at = i.address[static_cast<unsigned>(__builtin_ctz(left))] & ~(width - 1);
      spans_.emplace_back(at, at + width);
    }
  } else {
    for (const Address at : i.pieces) spans_.emplace_back(at, at + i.piece_bytes);
  }
  std::sort(spans_.begin(), spans_.end());
  Address end = 0;  // of what has been counted
  std::uint64_t line = ~std::uint64_t{0};
  std::uint64_t sector = ~std::uint64_t{0};
  for (auto [from, to] : spans_) {
    from = std::max(from, end);
    if (from >= to) continue;
    out.bytes += to - from;
    end = to;
    for (std::uint64_t s = from / kSectorBytes; s <= (to - 1) / kSectorBytes; ++s) {
      if (s == sector) continue;
      sector = s;
      ++out.sectors;
      const std::uint64_t chunk = s / (kChunkBytes / kSectorBytes);
      if (chunk != last_chunk_) {
        last_chunk_ = chunk;
        last_sectors_ = &touched_[chunk];
      }
      last_sectors_->set(s % (kChunkBytes / kSectorBytes));
      if (s / (kLineBytes / kSectorBytes) == line) continue;
      line = s / (kLineBytes / kSectorBytes);
      ++out.lines;
    }
  }
}

TraceSummary& TraceSummary::operator+=(const TraceSummary& other) {
  ctas_ += other.ctas_;
  warps_ += other.warps_;
  warp_instructions_ += other.warp_instructions_;
  thread_instructions_ += other.thread_instructions_;
  for (const auto& [name, count] : other.classes_) classes_[name] += count;
  for (const auto& [name, counts] : other.accesses_) accesses_[name] += counts;
  for (const auto& [name, count] : other.unknown_) unknown_[name] += count;
  for (const auto& [chunk, sectors] : other.touched_) touched_[chunk] |= sectors;
  return *this;
}

AccessCounts TraceSummary::global() const {
  AccessCounts all;
  for (const auto& [name, counts] : accesses_) {
    if (name.compare(0, 6, "global") == 0) all += counts;
  }
  return all;
}

std::uint64_t TraceSummary::bytes_touched() const {
  std::uint64_t sectors = 0;
  for (const auto& entry : touched_) sectors += entry.second.count();
  return sectors * kSectorBytes;
}

}  // namespace tessera::traces
