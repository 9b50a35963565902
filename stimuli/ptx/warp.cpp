// SPDX-License-Identifier: Apache-2.0
// A warp: issue, divergence, barriers and exits.

#include "stimuli/ptx/warp.h"

#include "common/error.h"
#include "stimuli/ptx/lane_access.h"

namespace tessera::ptx {

Warp::Warp(Cta& cta, unsigned index, std::byte* storage)
    : code_(cta.launch().kernel().code.data()),
      alu_(AluTable::get()),
      info_(cta.launch().kernel().info.data()),
      cta_(cta),
      launch_(cta.launch()),
      index_(index) {
  const Kernel& kernel = launch_.kernel();
  const auto set = [&](BankId id, std::byte* at) {
    frame_.bank[static_cast<std::size_t>(id)] = at;
  };
  set(BankId::kRegisters, storage);
  // const_cast, because all banks have one type; handlers do not write constants.
  set(BankId::kConstants, const_cast<std::byte*>(kernel.constants.data()));
  set(BankId::kLaunch, launch_.launch_bank());
  set(BankId::kCta, cta.cta_bank());
  set(BankId::kThread, launch_.thread_bank(index));
  set(BankId::kParam, launch_.parameters());
  set(BankId::kLocal, storage + ((std::size_t{kernel.register_bytes} + 63) & ~std::size_t{63}));
  frame_.local_stride = launch_.local_bytes();
  const unsigned threads = launch_.warp_threads(index);
  active_ = live_ = threads == kWarpLanes ? kAllLanes : (1u << threads) - 1;
  reconverge_ = static_cast<std::uint32_t>(kernel.code.size());
  if (cta.races() != nullptr) races_ = std::make_unique<WarpRaces>();
}

void Warp::issue(const IssueContext& context, IssueResult& result) {
  if (reduction_pc_ != 0) finish_reduction();
  const Decoded& d = code_[pc_];
  std::uint32_t guard;
  __builtin_memcpy(&guard, frame_.at(d.guard), 4);
  const std::uint32_t mask = active_ & (guard ^ d.guard_flip);
  result.kind = IssueResult::Kind::kCompute;
  result.active = mask;
  result.warp_done = false;
  switch (d.action) {
    case Action::kCompute:
      if (mask != 0) {
        frame_.mask = mask;
        frame_.context = &context;
        d.run(frame_, d);
      }
      break;
    case Action::kWarpSync:
      if (mask != 0 && !synchronise(d, mask)) return;
      break;
    case Action::kTogether:
      if (mask != 0) {
        check_together(mask);
        frame_.mask = mask;
        frame_.context = &context;
        d.run(frame_, d);
      }
      break;
    case Action::kBranch:
      branch(d, mask);
      return;
    case Action::kCall:
      return call(d);
    case Action::kReturn:
      return return_lanes(d);
    case Action::kLoad:
    case Action::kStore:
    case Action::kAtomic:
      if (mask == 0) break;
      access(d, unserved_ != 0 ? unserved_ : mask, context, result);
      if (unserved_ != 0) return;
      break;
    case Action::kMatrixLoad:
    case Action::kMatrixStore:
      if (mask != 0) access_matrix(d, mask, result);
      break;
    case Action::kBarrier:
    case Action::kBarrierReduce:
      if (mask != 0 && !barrier(d, mask, result)) return;
      break;
    case Action::kFence:
      if (mask == 0) break;
      result.kind = IssueResult::Kind::kFence;
      turn_.observes = true;
      if (races_) races_->fenced = true;
      break;
    case Action::kExit:
      exit_lanes(mask, result);
      return;
    case Action::kTrap:
      if (mask != 0) fail(first_lane(mask), "it stops itself");
      break;
    case Action::kPrint:
      if (mask != 0) print(d, mask);
      break;
    case Action::kMalloc:
    case Action::kFree:
      if (mask != 0) heap_call(d, mask);
      break;
    case Action::kAlloca:
      if (mask != 0) allocate_stack(d, mask);
      break;
    case Action::kAssert:
      if (mask != 0) assertion_failed(d, mask);
      break;
    case Action::kTexelLoad:
      return load_texel(d, mask, result);
    case Action::kTextureFilter:
      filter_texels(d, result);
      break;
    case Action::kTextureQuery:
      if (mask != 0) query_texture(d, mask);
      break;
    case Action::kSurfaceAccess:
      if (mask != 0) access_surface(d, mask, result);
      break;
    case Action::kAsync:
      if (mask != 0 && !execute_async(d, mask, context, result)) return;
      break;
  }
  go_to(pc_ + 1);
}

void Warp::check_together(std::uint32_t mask) const {
  if (mask == kAllLanes) return;
  fail(first_lane(mask), std::to_string(__builtin_popcount(mask)) +
                             " lanes of the warp execute it; it needs all 32 together (blocks of a "
                             "multiple of 32 threads, no divergence around it)");
}

/// Sets the pc. At the reconvergence point, the lanes wait and another path is selected.
void Warp::go_to(std::uint32_t pc) {
  pc_ = pc;
  if (pc_ == reconverge_ && !stack_.empty()) resume();
}

void Warp::resume() {
  if (waiting_ != 0) return select_path();
  do {
    const Level& top = stack_.back();
    pc_ = top.pc;
    reconverge_ = top.reconverge;
    active_ = top.mask;
    stack_.pop_back();
  } while (active_ == 0 && !stack_.empty());
}

// On divergence, a level for all lanes at the reconvergence point is pushed, unless a lower level
// already waits there (the back edge of a loop). If both paths have code before that point, the
// lanes that take the branch are pushed above it and the other lanes continue.
void Warp::branch(const Decoded& d, std::uint32_t taken) {
  const std::uint32_t not_taken = active_ & ~taken;
  if (taken == 0) return go_to(pc_ + 1);
  if (not_taken == 0) {
    if (d.target <= pc_ && active_ != live_) return loop_back(d);
    return go_to(d.target);
  }
  if (d.target == pc_ + 1) return go_to(pc_ + 1);
  const std::uint32_t meet = d.reconverge;
  if (meet != reconverge_) {
    stack_.push_back(Level{meet, reconverge_, active_});
    reconverge_ = meet;
  }
  if (d.target == meet) {
    active_ = not_taken;
    pc_ = pc_ + 1;
  } else if (pc_ + 1 == meet) {
    active_ = taken;
    pc_ = d.target;
  } else {
    stack_.push_back(Level{d.target, meet, taken});
    active_ = not_taken;
    pc_ = pc_ + 1;
  }
}

void Warp::exit_lanes(std::uint32_t lanes, IssueResult& result) {
  result.kind = IssueResult::Kind::kExit;
  active_ &= ~lanes;
  live_ &= ~lanes;
  for (Level& level : stack_) level.mask &= ~lanes;
  if (waiting_ != 0) rendezvous_after_exit();
  if (active_ != 0) return go_to(pc_ + 1);
  if (!stack_.empty()) resume();
  result.warp_done = active_ == 0;
}

/// Returns false if the lanes wait for other lanes of the warp; another path has been selected
/// then.
bool Warp::barrier(const Decoded& d, std::uint32_t mask, IssueResult& result) {
  const unsigned lane = first_lane(mask);
  const std::uint32_t id = cell(frame_, d.slot[2], lane);
  const std::uint32_t threads = cell(frame_, d.slot[3], lane);
  if (id >= 16) fail(lane, "barrier " + std::to_string(id) + " does not exist (0 to 15)");
  if (threads % kWarpLanes != 0) {
    fail(lane, "a barrier for " + std::to_string(threads) + " threads is not a number of warps");
  }
  for_lanes(mask, [&](unsigned other) {
    if (cell(frame_, d.slot[2], other) != id || cell(frame_, d.slot[3], other) != threads) {
      fail(other, "the lanes of the warp name different barriers or numbers of threads");
    }
  });
  if (races_ && mask != live_ && (d.aux & Decoded::kUnaligned) == 0) tell_divergent_barrier(mask);
  if (mask != live_ && !gather_at_barrier(d, id, threads, mask)) return false;
  barrier_pc_ = pc_;
  result.kind = IssueResult::Kind::kBarrier;
  result.active = mask;
  result.barrier_id = static_cast<std::uint8_t>(id);
  result.barrier_threads = threads;
  result.barrier_arrive_only = d.action == Action::kBarrier && (d.aux & 1u) != 0;
  if (races_) arrive_for_races(result);
  if (d.action == Action::kBarrierReduce) {
    const std::uint32_t yes = (cell(frame_, d.slot[4], 0) ^ d.flip) & mask;
    reduction_ = cta_.reduction(id, threads);
    ++reduction_->warps;
    reduction_->count += static_cast<std::uint32_t>(__builtin_popcount(yes));
    reduction_->threads += static_cast<std::uint32_t>(__builtin_popcount(mask));
    reduction_pc_ = pc_ + 1;
    reduction_mask_ = mask;
  }
  return true;
}

/// The result of a bar.red is complete when the warp issues again.
void Warp::finish_reduction() {
  const Decoded& d = code_[reduction_pc_ - 1];
  const std::shared_ptr<Reduction> held = std::move(reduction_);
  held->fetched = true;
  const Reduction& r = *held;
  reduction_pc_ = 0;
  std::byte* to = frame_.at(d.slot[0]);
  const std::uint32_t operation = d.aux & ~Decoded::kUnaligned;
  if (operation == 0) {
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      if ((reduction_mask_ >> i & 1u) != 0) __builtin_memcpy(to + 4 * i, &r.count, 4);
    }
    return;
  }
  const bool value = operation == 1 ? r.count == r.threads : r.count != 0;
  std::uint32_t p;
  __builtin_memcpy(&p, to, 4);
  p = (p & ~reduction_mask_) | (value ? reduction_mask_ : 0);
  __builtin_memcpy(to, &p, 4);
}

std::string Warp::line_text(std::uint32_t pc) const { return launch_.instruction_text(pc); }

std::string Warp::place_of(std::uint32_t pc) const {
  return "kernel '" + launch_.kernel().name + "', " + where(pc);
}

std::string Warp::where(std::uint32_t pc) const {
  return "CTA " + text_of(cta_.coordinates()) + ", warp " + std::to_string(index_) + ", " +
         line_text(pc);
}

/// "kernel 'k', CTA (0,0,0), thread (1,0,0), k.ptx:12 'text': what"
std::string Warp::describe(unsigned lane, const std::string& what) const {
  const Dim3 block = launch_.block();
  const std::uint32_t t = index_ * kWarpLanes + lane;
  const Dim3 tid{t % block.x, t / block.x % block.y, t / block.x / block.y};
  return "kernel '" + launch_.kernel().name + "', CTA " + text_of(cta_.coordinates()) +
         ", thread " + text_of(tid) + ", " + line_text(pc_) + ": " + what;
}

void Warp::fail(unsigned lane, const std::string& what) const {
  throw RunError(describe(lane, what));
}

}  // namespace tessera::ptx
