// SPDX-License-Identifier: Apache-2.0
#include "stimuli/traces/trace_program.h"

#include <algorithm>
#include <stdexcept>

namespace tessera::traces {
namespace {

constexpr std::size_t kBufferBytes = 4096;
/// Bytes of one lane in an access of a bulk copy.
constexpr std::uint64_t kUnitBytes = kMaxLaneBytes;

AtomicType atomic_type_of(unsigned bytes) {
  switch (bytes) {
    case 8:
      return AtomicType::kU64;
    case 16:
      return AtomicType::kF32x4;
    case 2:
      return AtomicType::kF16;
    default:
      return AtomicType::kU32;
  }
}

}  // namespace

CtaResources TraceProgram::resources() const {
  const TraceKernel& k = spool_->kernel();
  return CtaResources{static_cast<std::uint32_t>(k.block.count()), k.registers, k.shared_bytes};
}

std::unique_ptr<CtaProgram> TraceProgram::start_cta(CtaId cta) {
  return std::make_unique<TraceCta>(*this, cta);
}

TraceCta::TraceCta(const TraceProgram& program, CtaId id)
    : threads_(program.spool().kernel().block.count()) {
  const TraceKernel& kernel = program.spool().kernel();
  const Dim3& grid = kernel.grid;
  const Dim3 at{id.value % grid.x, id.value / grid.x % grid.y, id.value / grid.x / grid.y};
  std::vector<KernelSpool::WarpPart> parts(kernel.warps());
  for (const KernelSpool::WarpPart& p : program.spool().warps(id.value)) parts[p.warp] = p;
  bool any = false;
  for (unsigned w = 0; w < kernel.warps(); ++w) {
    parts[w].warp = w;
    warps_.emplace_back(program, at, parts[w]);
    any = any || parts[w].instructions != 0;
  }
  // A warp without records has ended, unless no warp has any: a CTA ends with a warp's exit.
  for (unsigned w = any ? 0 : 1; w < kernel.warps(); ++w) {
    if (parts[w].instructions == 0) end_warp(w);
  }
}

unsigned TraceCta::warp_threads(unsigned index) const {
  return static_cast<unsigned>(
      std::min<std::uint64_t>(kWarpLanes, threads_ - std::uint64_t{index} * kWarpLanes));
}

TraceWarp::TraceWarp(const TraceProgram& program, Dim3 cta, const KernelSpool::WarpPart& part)
    : program_(program), cta_(cta), part_(part) {
  advance();
}

unsigned TraceWarp::next_byte() {
  if (buffer_at_ == buffer_.size()) {
    buffer_.resize(std::min<std::uint64_t>(kBufferBytes, part_.bytes));
    const std::size_t n = program_.spool().read(part_.offset, buffer_.data(), buffer_.size());
    if (n == 0 || n != buffer_.size()) {
      throw std::logic_error("a warp's records in the traces' spool file are too short");
    }
    part_.offset += n;
    part_.bytes -= n;
    buffer_at_ = 0;
  }
  return buffer_[buffer_at_++];
}

/// Reads the next record.
void TraceWarp::advance() {
  half_ = 0;
  piece_ = 0;
  in_piece_ = 0;
  if (part_.instructions == 0) {
    operation_ = nullptr;
    info_ = &program_.spool().exit_info();
    return;
  }
  --part_.instructions;
  decode(state_, record_, [this] { return next_byte(); });
  operation_ = &program_.spool().operation(record_.operation);
  info_ = &program_.spool().info(record_.operation);
}

bool TraceWarp::wait_ended() const {
  if (operation_ == nullptr || operation_->action != TraceAction::kWaitCopies) return true;
  return std::none_of(copies_.begin(), copies_.end(),
                      [this](const Copy& c) { return c.group + operation_->groups < group_; });
}

void TraceWarp::issue(const IssueContext& context, IssueResult& result) {
  result.kind = IssueResult::Kind::kCompute;
  result.warp_done = false;
  if (operation_ == nullptr) {
    result.kind = IssueResult::Kind::kExit;
    result.active = 0;
    result.warp_done = true;
    return;
  }
  result.active = record_.mask;
  const bool executes = record_.mask != 0;
  switch (operation_->action) {
    case TraceAction::kCompute:
      break;
    case TraceAction::kMemory:
      if (executes && !(record_.pieces.empty() ? access(context, result) : access_pieces(result))) {
        return;
      }
      break;
    case TraceAction::kBarrier:
    case TraceAction::kBarrierArrive:
      if (!executes) break;
      barrier_pc_ = info_->pc;
      result.kind = IssueResult::Kind::kBarrier;
      result.barrier_id = 0;
      result.barrier_threads = 0;
      result.barrier_arrive_only = operation_->action == TraceAction::kBarrierArrive;
      break;
    case TraceAction::kFence:
      if (executes) result.kind = IssueResult::Kind::kFence;
      break;
    case TraceAction::kCommitCopies:
      ++group_;
      break;
    case TraceAction::kWaitCopies:
      if (!context.end_wait && !wait_ended()) {
        result.kind = IssueResult::Kind::kBlocked;
        return;
      }
      break;
    case TraceAction::kExit:
      result.kind = IssueResult::Kind::kExit;
      result.warp_done = part_.instructions == 0;
      if (result.warp_done) return;
      break;
  }
  advance();
}

MemoryOp& TraceWarp::begin_access(IssueResult& result) {
  const TraceOperation& o = *operation_;
  MemoryOp& m = result.memory;
  result.kind = IssueResult::Kind::kMemory;
  m.kind = o.access;
  m.space = o.space;
  m.scope = o.scope;
  m.read_only = o.read_only;
  m.lane_bytes = static_cast<std::uint8_t>(std::min<unsigned>(o.lane_bytes, kMaxLaneBytes));
  m.values_done = true;
  m.asynchronous = o.asynchronous;
  m.atomic = AtomicOp::kAdd;
  m.atomic_type = atomic_type_of(m.lane_bytes);
  m.active = record_.mask;
  m.pc = info_->pc;
  m.line = info_->line;
  m.copy = 0;
  if (o.asynchronous) {
    m.copy = next_copy_++;
    if (next_copy_ == 0) next_copy_ = 1;  // 0 is no copy
    copies_.push_back({m.copy, group_});
  }
  return m;
}

Address TraceWarp::to_device(Address a) {
  if (range_ == nullptr || !range_->holds(a)) range_ = &program_.map().find(a);
  return range_->to_device(a);
}

/// Returns false if the instruction has another access left.
bool TraceWarp::access(const IssueContext& context, IssueResult& result) {
  const TraceOperation& o = *operation_;
  MemoryOp& m = begin_access(result);
  const Address half = Address{half_} * kMaxLaneBytes;
  const LocalSlots& local = program_.local();
  const Address slot =
      local.begin + context.sm * local.sm_bytes + context.warp_slot * local.warp_bytes;
  const std::uint64_t width = std::max<std::uint64_t>(m.lane_bytes, 4);
  for (std::uint32_t left = record_.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    Address a = record_.address[lane] + half;
    if (o.space == Space::kGlobal) {
      a = to_device(a);
    } else if (o.space == Space::kLocal) {
      a -= program_.spool().local_begin() / kMaxLaneBytes * kMaxLaneBytes;
      a = slot + (a / width * kWarpLanes + lane) * width + a % width;
    }
    m.address[lane] = a;
  }
  if (o.lane_bytes <= kMaxLaneBytes) return true;
  ++half_;
  return half_ == o.lane_bytes / kMaxLaneBytes;
}

/// One access of a bulk copy: 16 bytes by each lane. Returns false if pieces are left.
bool TraceWarp::access_pieces(IssueResult& result) {
  MemoryOp& m = begin_access(result);
  m.active = 0;
  for (unsigned lane = 0; lane < kWarpLanes && piece_ < record_.pieces.size(); ++lane) {
    const Address begin = record_.pieces[piece_];
    const Address at = (begin + in_piece_) / kUnitBytes * kUnitBytes;
    m.address[lane] = to_device(at);
    m.active |= std::uint32_t{1} << lane;
    in_piece_ = at + kUnitBytes - begin;
    if (in_piece_ >= record_.piece_bytes) {
      ++piece_;
      in_piece_ = 0;
    }
  }
  return piece_ == record_.pieces.size();
}

std::string TraceWarp::place_of(std::uint32_t pc) const {
  return "kernel '" + program_.name() + "', CTA " + text_of(cta_) + ", warp " +
         std::to_string(part_.warp) + ", " + program_.spool().text(pc);
}

void TraceWarp::complete(const AccessEnd& access, const std::byte* /*data*/) {
  if (access.copy == 0) return;
  const auto ended = std::find_if(copies_.begin(), copies_.end(),
                                  [&](const Copy& c) { return c.number == access.copy; });
  if (ended != copies_.end()) copies_.erase(ended);
}

}  // namespace tessera::traces
