// SPDX-License-Identifier: Apache-2.0
#include "stimuli/traces/kernel_spool.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <tuple>
#include <unordered_map>

#include "common/hex.h"
#include "stimuli/traces/spool_codec.h"

namespace tessera::traces {
namespace {

constexpr std::uint64_t kProgressInterval = 1U << 16;
/// Registers that a thread can have; R255 is the constant 0.
constexpr std::uint32_t kMostRegisters = 255;

auto fields_of(const TraceOperation& o) {
  return std::tie(o.pc, o.action, o.unit, o.cost, o.access, o.space, o.scope, o.read_only,
                  o.asynchronous, o.lane_bytes, o.groups, o.read_count, o.write_count, o.line,
                  o.opcode, o.registers);
}

std::string key_of(const TraceOperation& o) {
  std::string key;
  const auto add = [&key](auto v) {
    char raw[sizeof v];
    std::memcpy(raw, &v, sizeof v);
    key.append(raw, sizeof v);
  };
  add(o.pc);
  add(o.line);
  for (const unsigned v : {static_cast<unsigned>(o.action), static_cast<unsigned>(o.unit),
                           unsigned{o.cost}, static_cast<unsigned>(o.access),
                           static_cast<unsigned>(o.space), static_cast<unsigned>(o.scope),
                           unsigned{o.read_only}, unsigned{o.asynchronous}, unsigned{o.lane_bytes},
                           unsigned{o.groups}, unsigned{o.read_count}, unsigned{o.write_count}}) {
    add(static_cast<std::uint8_t>(v));
  }
  for (const std::uint16_t r : o.registers) add(r);
  key.append(o.opcode);
  return key;
}

OpInfo info_of(const TraceOperation& o, std::uint32_t index) {
  OpInfo info;
  info.unit = o.unit;
  info.cost = o.cost;
  info.read_count = o.read_count;
  info.write_count = o.write_count;
  info.registers = o.registers;
  info.pc = index;
  info.line = o.line;
  return info;
}

}  // namespace

struct KernelSpool::Interning {
  std::unordered_map<std::uint32_t, std::uint32_t> last;  ///< by PC
  std::unordered_map<std::string, std::uint32_t> all;
};

KernelSpool::~KernelSpool() = default;

KernelSpool::KernelSpool(KernelTraceReader& reader, const std::function<void(double)>& progress)
    : kernel_(reader.kernel()), check_(kernel_), interning_(std::make_unique<Interning>()) {
  Dim3 at;
  while (reader.next_block(at)) read_block(reader, at, progress);
  unknown_ = reader.unknown_opcodes();
  correct_registers();
  finish();
  progress(1);
}

void KernelSpool::read_block(KernelTraceReader& reader, const Dim3& at,
                             const std::function<void(double)>& progress) {
  check_.begin_block(reader, at);
  std::vector<WarpPart> parts;
  TraceInstruction instruction;
  std::uint32_t warp = 0;
  while (reader.next_warp(warp)) {
    check_.begin_warp(reader, warp);
    WarpPart part{warp, file_.bytes(), 0, 0};
    SpoolState state;
    while (reader.next_instruction(instruction)) {
      check_.count(instruction);
      note_addresses(instruction);
      record_.clear();
      encode(instruction, intern(instruction.operation), state, record_);
      file_.append(record_);
      ++part.instructions;
      if (++instructions_ % kProgressInterval == 0) progress(reader.done());
    }
    part.bytes = file_.bytes() - part.offset;
    if (part.instructions != 0) parts.push_back(part);
  }
  const Dim3& grid = kernel_.grid;
  const std::uint64_t cta = at.x + std::uint64_t{grid.x} * (at.y + std::uint64_t{grid.y} * at.z);
  blocks_.push_back({static_cast<std::uint32_t>(cta), file_.bytes()});
  const std::uint64_t count = parts.size();
  file_.append({reinterpret_cast<const char*>(&count), sizeof count});
  if (count != 0) {
    file_.append({reinterpret_cast<const char*>(parts.data()), parts.size() * sizeof parts[0]});
  }
}

/// Addresses of shared and local memory become relative to their window; all become multiples of
/// the width.
void KernelSpool::note_addresses(TraceInstruction& i) {
  const TraceOperation& o = i.operation;
  if (o.action != TraceAction::kMemory) return;
  if (o.asynchronous && i.piece_bytes != 0 && !i.pieces.empty()) {
    ++bulk_copies_;
    for (const Address at : i.pieces) touch(at, i.piece_bytes);
    return;
  }
  if (o.space == Space::kConst) return;
  const Address base = o.space == Space::kShared  ? kernel_.shared_base
                       : o.space == Space::kLocal ? kernel_.local_base
                                                  : 0;
  const std::uint64_t offset = o.lane_bytes - 1U;
  bool aligned = true;
  for (std::uint32_t left = i.mask; left != 0; left &= left - 1) {
    Address& a = i.address[static_cast<unsigned>(__builtin_ctz(left))];
    if (o.space != Space::kGlobal) a = (a - base) % kWindowBytes;
    aligned = aligned && (a & offset) == 0;
    a &= ~offset;
    if (o.space == Space::kGlobal) touch(a, o.lane_bytes);
  }
  if (!aligned) ++unaligned_;
}

void KernelSpool::touch(Address begin, std::uint64_t bytes) {
  const std::uint64_t first = begin / kChunkBytes;
  const std::uint64_t last = (begin + bytes - 1) / kChunkBytes;
  if (first == last_chunk_ && first == last) return;
  for (std::uint64_t chunk = first; chunk <= last; ++chunk) chunks_.insert(chunk);
  last_chunk_ = last;
}

std::uint32_t KernelSpool::intern(const TraceOperation& o) {
  const auto before = interning_->last.find(o.pc);
  if (before != interning_->last.end() && fields_of(operations_[before->second]) == fields_of(o)) {
    return before->second;
  }
  const auto next = static_cast<std::uint32_t>(operations_.size());
  const auto [found, fresh] = interning_->all.emplace(key_of(o), next);
  if (fresh) {
    operations_.push_back(o);
    operations_.back().opcode = *opcodes_.emplace(o.opcode).first;
    infos_.push_back(info_of(operations_.back(), next));
  }
  interning_->last[o.pc] = found->second;
  return found->second;
}

/// Headers of NVBit 1.7.6 under drivers that are newer have any number of registers.
void KernelSpool::correct_registers() {
  if (kernel_.registers <= kMostRegisters) return;
  impossible_registers_ = kernel_.registers;
  kernel_.registers = 0;
  for (const TraceOperation& o : operations_) {
    for (unsigned i = 0; i < o.read_count + o.write_count; ++i) {
      const std::uint32_t name = o.registers[i];
      if (name < kMostRegisters) kernel_.registers = std::max(kernel_.registers, name + 1);
    }
  }
}

void KernelSpool::finish() {
  interning_.reset();
  check_.finish();
  file_.flush();
  OpInfo exit;
  exit.unit = Unit::kExit;
  exit.pc = static_cast<std::uint32_t>(operations_.size());
  infos_.push_back(exit);

  std::sort(blocks_.begin(), blocks_.end(),
            [](const Block& a, const Block& b) { return a.cta < b.cta; });
}

std::vector<KernelSpool::WarpPart> KernelSpool::warps(std::uint64_t cta) const {
  const std::uint64_t offset = blocks_.at(cta).offset;
  std::uint64_t count = 0;
  file_.read(offset, &count, sizeof count);
  std::vector<WarpPart> parts(count);
  if (count != 0) file_.read(offset + sizeof count, parts.data(), count * sizeof parts[0]);
  return parts;
}

std::string KernelSpool::text(std::uint32_t index) const {
  const std::string file = std::filesystem::path(kernel_.file).filename().string();
  if (index >= operations_.size()) return file + ", end of the warp's trace";
  const TraceOperation& o = operations_[index];
  return file + ", PC " + hex(o.pc) + " '" + std::string(o.opcode) + "'";
}

}  // namespace tessera::traces
