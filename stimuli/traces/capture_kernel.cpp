// SPDX-License-Identifier: Apache-2.0
#include "stimuli/traces/capture_kernel.h"

#include <algorithm>
#include <charconv>

#include "common/error.h"
#include "common/text.h"

namespace tessera::traces {
namespace {

/// The number after "wait_group" of a cp.async.wait_group or cp.async.bulk.wait_group; 0 without.
std::uint8_t groups_of(const std::string& text) {
  static constexpr std::string_view kName = "wait_group";
  const std::size_t at = text.find(kName);
  if (at == std::string::npos) return 0;
  const std::size_t digit = text.find_first_of("0123456789", at + kName.size());
  unsigned groups = 0;
  if (digit != std::string::npos) {
    std::from_chars(text.data() + digit, text.data() + text.size(), groups);
  }
  return static_cast<std::uint8_t>(std::min(groups, 255U));
}

/// Whether an instruction is a product of PTX: "k.ptx:12 '@%p1 mma.sync.aligned...'".
bool is_matrix_product(std::string_view text) {
  const std::size_t quote = text.rfind(" '");
  if (quote == std::string_view::npos) return false;
  text.remove_prefix(quote + 2);
  if (begins_with(text, "@")) text.remove_prefix(std::min(text.find(' '), text.size() - 1) + 1);
  return begins_with(text, "mma.") || begins_with(text, "wmma.mma.");
}

TraceOperation trace_operation_of(const CapturedOperation& c) {
  TraceOperation o;
  o.unit = c.info.unit;
  o.cost = c.info.cost;
  o.matrix = is_matrix_product(c.text);
  o.read_count = c.info.read_count;
  o.write_count = c.info.write_count;
  o.registers = c.info.registers;
  o.pc = c.info.pc;
  o.line = c.info.line;
  o.opcode = c.text;
  switch (c.kind) {
    case IssueResult::Kind::kMemory:
      o.action = TraceAction::kMemory;
      o.access = c.access;
      o.space = c.space;
      o.scope = c.scope;
      o.read_only = c.read_only;
      o.asynchronous = c.asynchronous;
      o.lane_bytes = c.lane_bytes;
      break;
    case IssueResult::Kind::kBarrier:
      o.action = c.arrive_only ? TraceAction::kBarrierArrive : TraceAction::kBarrier;
      break;
    case IssueResult::Kind::kFence:
      o.action = TraceAction::kFence;
      break;
    case IssueResult::Kind::kExit:
      o.action = TraceAction::kExit;
      break;
    case IssueResult::Kind::kCompute:
    case IssueResult::Kind::kBlocked:
      if (c.text.find("commit_group") != std::string::npos) {
        o.action = TraceAction::kCommitCopies;
      } else if (c.info.unit == Unit::kWait && c.text.find("cp.async") != std::string::npos) {
        o.action = TraceAction::kWaitCopies;
        o.groups = groups_of(c.text);
      }
      break;
  }
  return o;
}

}  // namespace

std::uint64_t stream_number(const CapturedRun& run, std::uint64_t launch) {
  std::vector<std::string> names = {""};
  for (const HostOperation& h : run.host) {
    if (h.kind != HostKind::kEnqueue) continue;
    auto known = std::find(names.begin(), names.end(), h.name);
    if (known == names.end()) known = names.insert(names.end(), h.name);
    if (h.launch == launch) return static_cast<std::uint64_t>(known - names.begin());
  }
  return 0;
}

CaptureKernelReader::CaptureKernelReader(std::shared_ptr<const CaptureFile> file,
                                         std::uint64_t launch)
    : file_(std::move(file)), launch_(launch) {
  const CapturedLaunch& l = file_->run().launches.at(launch);
  kernel_.file = file_->path() + "#" + std::to_string(launch + 1);
  kernel_.name = l.kernel;
  kernel_.id = launch + 1;
  kernel_.grid = l.grid;
  kernel_.block = l.block;
  kernel_.shared_bytes = l.resources.shared_bytes;
  kernel_.registers = l.resources.registers_per_thread;
  kernel_.stream = stream_number(file_->run(), launch);
  kernel_.shared_base = kCapturedSharedWindow;
  kernel_.local_base = kCapturedLocalWindow;
  kernel_.version = CaptureLayout::kVersion;
  for (const CapturedOperation& o : file_->run().operations) {
    operations_.push_back(trace_operation_of(o));
  }
}

bool CaptureKernelReader::next_block(Dim3& coordinates) {
  const Dim3& grid = kernel_.grid;
  if (next_cta_ == grid.count()) return false;
  cta_ = file_->cta(launch_, next_cta_);
  coordinates = Dim3{static_cast<std::uint32_t>(next_cta_ % grid.x),
                     static_cast<std::uint32_t>(next_cta_ / grid.x % grid.y),
                     static_cast<std::uint32_t>(next_cta_ / grid.x / grid.y)};
  ++next_cta_;
  next_warp_ = 0;
  return true;
}

bool CaptureKernelReader::next_warp(std::uint32_t& warp) {
  if (next_warp_ == cta_.warps.size()) return false;
  part_ = cta_.warps[next_warp_];
  state_ = CaptureState{};
  warp = static_cast<std::uint32_t>(next_warp_++);
  return true;
}

std::string CaptureKernelReader::place() const {
  return kernel_.file + ", CTA " + std::to_string(next_cta_ - 1);
}

bool CaptureKernelReader::next_instruction(TraceInstruction& out) {
  if (part_.instructions == 0) return false;
  --part_.instructions;
  try {
    decode(std::string_view(cta_.bytes).substr(0, part_.end), part_.begin, state_, record_);
  } catch (const InputError& e) {
    file_->fail(e.what());
  }
  if (record_.operation >= operations_.size()) file_->fail("an instruction is not in the table");
  const TraceOperation& o = operations_[record_.operation];
  out.operation = o;
  out.pieces.clear();
  out.piece_bytes = 0;
  out.mask = record_.mask;
  if (o.action != TraceAction::kMemory) return true;
  out.mask = record_.lanes;
  if (!record_.has_addresses) {
    out.address.fill(0);
    return true;
  }
  const std::uint64_t width = std::max<std::uint64_t>(o.lane_bytes, 4);
  for (std::uint32_t left = record_.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    Address a = record_.address[lane];
    if (o.space == Space::kShared) a += kCapturedSharedWindow;
    if (o.space == Space::kLocal) {
      // The words of a warp's lanes are interleaved in the device's memory.
      a = kCapturedLocalWindow + a / width / kWarpLanes * width + a % width;
    }
    out.address[lane] = a;
  }
  return true;
}

}  // namespace tessera::traces
