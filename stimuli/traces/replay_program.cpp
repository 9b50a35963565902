// SPDX-License-Identifier: Apache-2.0
#include "stimuli/traces/replay_program.h"

#include <algorithm>

#include "common/error.h"

namespace tessera::traces {
namespace {

/// Of a warp that has no records.
const CapturedOperation& exit_operation() {
  static const CapturedOperation exit = [] {
    CapturedOperation o;
    o.info.unit = Unit::kExit;
    o.kind = IssueResult::Kind::kExit;
    o.ends_warp = true;
    o.text = "end of the warp's records";
    return o;
  }();
  return exit;
}

}  // namespace

std::unique_ptr<CtaProgram> ReplayProgram::start_cta(CtaId cta) {
  return std::make_unique<ReplayCta>(*this, cta);
}

std::string ReplayProgram::instruction_text(std::uint32_t pc) const {
  const auto& all = file_->run().operations;
  const auto o = std::find_if(all.begin(), all.end(),
                              [pc](const CapturedOperation& c) { return c.info.pc == pc; });
  return o == all.end() ? "instruction " + std::to_string(pc) : o->text;
}

ReplayCta::ReplayCta(const ReplayProgram& program, CtaId id)
    : program_(program), id_(id), records_(program.file().cta(program.launch(), id.value)) {
  const std::uint64_t warps = (program.block().count() + kWarpLanes - 1) / kWarpLanes;
  if (records_.warps.size() != warps) program.file().fail("a CTA lacks warps");
  for (unsigned w = 0; w < warps; ++w) {
    warps_.emplace_back(program, *this, w, records_.warps[w]);
    if (records_.warps[w].instructions == 0) end_warp(w);
  }
}

unsigned ReplayCta::warp_threads(unsigned index) const {
  return static_cast<unsigned>(std::min<std::uint64_t>(
      kWarpLanes, program_.block().count() - std::uint64_t{index} * kWarpLanes));
}

std::string ReplayCta::place() const {
  const Dim3 grid = program_.grid();
  return text_of(
      Dim3{id_.value % grid.x, id_.value / grid.x % grid.y, id_.value / grid.x / grid.y});
}

ReplayWarp::ReplayWarp(const ReplayProgram& program, const ReplayCta& cta, unsigned index,
                       const CaptureFile::Warp& part)
    : program_(program), cta_(cta), index_(index), part_(part) {
  advance();
}

/// Reads the next record.
void ReplayWarp::advance() {
  record_.has_wait = false;
  if (part_.instructions == 0) {
    operation_ = &exit_operation();
    record_.mask = 0;
    return;
  }
  --part_.instructions;
  const CaptureFile& file = program_.file();
  try {
    decode(std::string_view(cta_.bytes()).substr(0, part_.end), part_.begin, state_, record_);
  } catch (const InputError& e) {
    file.fail(e.what());
  }
  const auto& operations = file.run().operations;
  if (record_.operation >= operations.size()) file.fail("an instruction is not in the table");
  operation_ = &operations[record_.operation];
  if (record_.has_addresses != operation_->has_addresses()) {
    file.fail("a record has other addresses than its instruction");
  }
}

bool ReplayWarp::wait_ended() const {
  if (!record_.has_wait) return true;
  const WaitEnd& w = record_.wait;
  if (w.limited || first_copies_ < w.first_copies || progress_.copies < w.copies) return false;
  for (std::size_t i = 0; i < w.warps.size() && i < cta_.warp_count(); ++i) {
    const WaitEnd::Progress now = cta_.progress(i);
    if (now.issued < w.warps[i].issued || now.copies < w.warps[i].copies) return false;
  }
  return true;
}

void ReplayWarp::issue(const IssueContext& context, IssueResult& result) {
  const CapturedOperation& o = *operation_;
  if (record_.has_wait && !context.end_wait && !wait_ended()) {
    result.kind = IssueResult::Kind::kBlocked;
    return;
  }
  result.kind = o.kind;
  result.active = record_.mask;
  result.warp_done = false;
  switch (o.kind) {
    case IssueResult::Kind::kMemory:
      access(context, result.memory);
      break;
    case IssueResult::Kind::kBarrier:
      barrier_pc_ = o.info.pc;
      result.barrier_id = o.barrier;
      result.barrier_threads = o.barrier_threads;
      result.barrier_arrive_only = o.arrive_only;
      break;
    case IssueResult::Kind::kExit:
      result.warp_done = o.ends_warp;
      break;
    case IssueResult::Kind::kCompute:
    case IssueResult::Kind::kFence:
    case IssueResult::Kind::kBlocked:
      break;
  }
  ++progress_.issued;
  if (!result.warp_done) advance();
}

void ReplayWarp::access(const IssueContext& context, MemoryOp& m) {
  const CapturedOperation& o = *operation_;
  m.kind = o.access;
  m.space = o.space;
  m.scope = o.scope;
  m.read_only = o.read_only;
  m.lane_bytes = o.lane_bytes;
  m.values_done = true;
  m.asynchronous = o.asynchronous;
  m.atomic = o.atomic;
  m.atomic_type = o.atomic_type;
  m.active = record_.lanes;
  m.pc = o.info.pc;
  m.line = o.info.line;
  m.copy = 0;
  if (o.asynchronous) {
    m.copy = next_copy_++;
    if (next_copy_ == 0) next_copy_ = 1;  // 0 is no copy
    copies_.push_back({m.copy, false});
  }
  if (!record_.has_addresses) return;
  Address base = 0;
  if (o.space == Space::kLocal) {
    const LocalSlots& local = program_.local();
    base = local.begin + context.sm * local.sm_bytes + context.warp_slot * local.warp_bytes;
  }
  for (std::uint32_t left = record_.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const Address a = record_.address[lane];
    m.address[lane] = o.space == Space::kGlobal ? to_device(a) : base + a;
  }
}

Address ReplayWarp::to_device(Address a) {
  if (range_ == nullptr || !range_->holds(a)) {
    try {
      range_ = &program_.map().find(a);
    } catch (const std::logic_error&) {
      program_.file().fail("an address is in no allocation");
    }
  }
  return range_->to_device(a);
}

std::string ReplayWarp::where() const {
  return "CTA " + cta_.place() + ", warp " + std::to_string(index_) + ", " + operation_->text;
}

std::string ReplayWarp::place_of(std::uint32_t pc) const {
  return "kernel '" + program_.name() + "', CTA " + cta_.place() + ", warp " +
         std::to_string(index_) + ", " + program_.instruction_text(pc);
}

void ReplayWarp::complete(const AccessEnd& access, const std::byte* /*data*/) {
  if (access.copy == 0) return;
  const auto ended = std::find_if(copies_.begin(), copies_.end(), [&](const Copy& c) {
    return c.number == access.copy && !c.ended;
  });
  if (ended == copies_.end()) return;
  ended->ended = true;
  ++progress_.copies;
  for (; !copies_.empty() && copies_.front().ended; copies_.pop_front()) ++first_copies_;
}

}  // namespace tessera::traces
