// SPDX-License-Identifier: Apache-2.0
// Instructions across the lanes of a warp in divergent code (PTX ISA 9.7.9.6 shfl.sync, 9.7.13
// bar.warp.sync, vote.sync, match.sync, redux.sync, elect.sync).
//
// On sm_70 and later, a lane waits until every lane of its member mask that has not exited has
// executed an instruction of the same form with the same mask, at any code position. Other lanes
// run while lanes wait. If no lane can run, lanes at a reconvergence point stop waiting there for
// the lanes that wait for them.

#include <array>

#include "stimuli/ptx/lane_access.h"
#include "stimuli/ptx/warp.h"

namespace tessera::ptx {

namespace {

using u32 = std::uint32_t;

/// Copies the cells of the lanes from one vector of 32-bit or 64-bit cells to another.
void copy_cells(std::byte* to, const std::byte* from, Kind kind, u32 lanes) {
  const std::size_t bytes = kind_bytes(kind) == 8 ? 8 : 4;
  for_lanes(lanes, [&](unsigned lane) {
    __builtin_memcpy(to + bytes * lane, from + bytes * lane, bytes);
  });
}

/// Copies the bits of the lanes from one predicate to another, where they become `from ^ flip`.
void copy_bits(std::byte* to, const std::byte* from, u32 flip, u32 lanes) {
  u32 bits;
  u32 kept;
  __builtin_memcpy(&bits, from, 4);
  __builtin_memcpy(&kept, to, 4);
  kept = (kept & ~lanes) | ((bits ^ flip) & lanes);
  __builtin_memcpy(to, &kept, 4);
}

}  // namespace

/// Returns true if all `lanes` have completed the instruction and the path continues. Returns false
/// if some lanes wait; another path has been selected then.
bool Warp::synchronise(const Decoded& d, u32 lanes) {
  const WarpSync& sync = launch_.kernel().syncs[d.aux];
  if (sync.members) {
    u32 members = 0;
    if (!common_members(*sync.members, lanes, members) || (members & live_) != lanes) {
      return meet_by_mask(d, lanes);
    }
  }
  frame_.mask = lanes;
  execute_sync(frame_, d);
  return true;
}

bool Warp::common_members(Slot s, u32 lanes, u32& members) const {
  members = cell(frame_, s, first_lane(lanes));
  u32 differ = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    differ |= static_cast<u32>(cell(frame_, s, i) != members) << i;
  }
  return (differ & lanes) == 0;
}

/// Lanes with the same member mask form one rendezvous.
bool Warp::meet_by_mask(const Decoded& d, u32 lanes) {
  const Slot masks = *launch_.kernel().syncs[d.aux].members;
  std::vector<Level> incomplete;
  u32 waiting = 0;
  for (u32 rest = lanes; rest != 0;) {
    const u32 members = cell(frame_, masks, first_lane(rest));
    u32 group = 0;
    for_lanes(rest, [&](unsigned lane) {
      if (cell(frame_, masks, lane) == members) group |= 1u << lane;
    });
    rest &= ~group;
    if (const u32 outside = group & ~members; outside != 0) {
      fail(first_lane(outside), "lane " + std::to_string(first_lane(outside)) +
                                    " is not in its own member mask " + hex(members, 8));
    }
    if (try_rendezvous(pc_, group, members)) continue;
    incomplete.push_back(Level{pc_, reconverge_, group, members});
    waiting |= group;
  }
  if (waiting == 0) return true;
  // Lanes of a split path reconverge at the next instruction.
  if (waiting != active_ || incomplete.size() > 1) {
    if (pc_ + 1 != reconverge_) stack_.push_back(Level{pc_ + 1, reconverge_, active_});
    for (Level& level : incomplete) level.reconverge = pc_ + 1;
  }
  stack_.insert(stack_.end(), incomplete.begin(), incomplete.end());
  waiting_ += static_cast<u32>(incomplete.size());
  active_ = 0;
  select_path();
  return false;
}

/// Executes the instruction if all lanes of the mask have arrived, including `lanes` at pc (0: no
/// lanes).
bool Warp::try_rendezvous(u32 pc, u32 lanes, u32 members) {
  if (lanes == (members & live_)) {
    frame_.mask = lanes;
    execute_sync(frame_, code_[pc]);
    return true;
  }
  const auto form_at = [&](u32 at) -> const std::string& {
    return launch_.kernel().syncs[code_[at].aux].form;
  };
  const auto waits_here = [&](const Level& l) {
    return l.members == members && form_at(l.pc) == form_at(pc);
  };
  std::vector<Level> groups;
  if (lanes != 0) groups.push_back(Level{pc, reconverge_, lanes, members});
  u32 present = lanes;
  bool apart = false;
  for (const Level& l : stack_) {
    if (!waits_here(l)) continue;
    groups.push_back(l);
    present |= l.mask;
    apart = apart || l.pc != pc;
  }
  if (present != (members & live_)) return false;
  if (apart) {
    execute_apart(groups, present);
  } else {
    frame_.mask = present;
    execute_sync(frame_, code_[pc]);
  }
  for (std::size_t i = stack_.size(); i-- > 0;) {
    if (waits_here(stack_[i])) release(i, present);
  }
  return true;
}

/// Advances a waiting level past its instruction with all lanes of `together`. Lanes with the same
/// pc and the same reconvergence point continue together in the topmost path.
void Warp::release(std::size_t level, u32 together) {
  Level& l = stack_[level];
  --waiting_;
  l.members = l.barrier = 0;
  if ((together & active_) != 0 && l.pc == pc_ && l.reconverge == reconverge_) {
    active_ |= l.mask;
    l.mask = 0;
  }
  ++l.pc;
  for (std::size_t k = stack_.size(); k-- > level + 1 && l.mask != 0;) {
    Level& above = stack_[k];
    if (above.waits() || above.pc != l.pc || above.reconverge != l.reconverge) continue;
    if ((above.mask & together) != above.mask) continue;
    above.mask |= l.mask;
    l.mask = 0;
  }
  // Lanes at their reconvergence point belong to the level that waits there.
  if (l.mask == 0 || l.pc == l.reconverge) {
    stack_.erase(stack_.begin() + static_cast<std::ptrdiff_t>(level));
  }
}

/// A warp arrives once at a barrier of its CTA. Its lanes wait while other lanes of the warp can
/// run. Lanes that have arrived at the same barrier at another code position join them. Lanes that
/// wait at a reconvergence point also arrive if the whole warp executes the instruction
/// (".aligned"); otherwise they continue and arrive by themselves.
bool Warp::gather_at_barrier(const Decoded& d, u32 id, u32 threads, u32& lanes) {
  const auto waits_here = [&](const Level& l) { return l.barrier == id + 1; };
  u32 present = lanes;
  u32 elsewhere = 0;  // lanes with another reason to wait
  for (const Level& l : stack_) {
    if (waits_here(l)) {
      present |= l.mask;
      const Decoded& other = code_[l.pc];
      const bool reduces = d.action == Action::kBarrierReduce;
      const bool differs = other.action != d.action || (reduces && l.pc != pc_) ||
                           (!reduces && ((other.aux ^ d.aux) & 1u) != 0) ||
                           cell(frame_, other.slot[3], first_lane(l.mask)) != threads;
      if (differs) {
        fail(first_lane(lanes), "lanes of the warp are at this barrier by another instruction, " +
                                    line_text(l.pc) +
                                    "; only bar.sync of one number of threads can be mixed");
      }
    } else if (l.waits()) {
      elsewhere |= l.mask;
    }
  }
  const bool goes_without = (d.aux & Decoded::kUnaligned) == 0 && elsewhere == 0;
  const bool others_can_run = runnable_level() != stack_.size() ||
                              yielding_level() != stack_.size() ||
                              (!goes_without && (live_ & ~present & ~elsewhere) != 0);
  if (present != live_ && others_can_run) {
    if (lanes != active_) {
      // As in meet_by_mask().
      if (pc_ + 1 != reconverge_) stack_.push_back(Level{pc_ + 1, reconverge_, active_});
      reconverge_ = pc_ + 1;
    }
    stack_.push_back(Level{pc_, reconverge_, lanes, 0, id + 1});
    ++waiting_;
    active_ = 0;
    select_path();
    return false;
  }
  if (elsewhere != 0) fail_deadlock();
  for (std::size_t i = stack_.size(); i-- > 0;) {
    if (waits_here(stack_[i])) release(i, present);
  }
  lanes = present;
  return true;
}

/// The topmost level whose lanes have all arrived and can run; stack_.size() if there is none.
std::size_t Warp::runnable_level() const {
  u32 above = active_;
  for (std::size_t i = stack_.size(); i-- > 0;) {
    const Level& l = stack_[i];
    if (!l.waits() && l.mask != 0 && (l.mask & above) == 0) return i;
    above |= l.mask;
  }
  return stack_.size();
}

/// Completes rendezvous that waited for exited lanes.
void Warp::rendezvous_after_exit() {
  const u32 exit_pc = pc_;
  for (std::size_t i = 0; i < stack_.size();) {
    const Level l = stack_[i];
    pc_ = l.pc;
    // A rendezvous removes levels, so that the search restarts.
    i = l.members != 0 && try_rendezvous(l.pc, 0, l.members) ? 0 : i + 1;
  }
  pc_ = exit_pc;
}

void Warp::execute_sync(const Frame& frame, const Decoded& d) {
  const WarpSync& sync = launch_.kernel().syncs[d.aux];
  if (sync.shuffle && frame.mask != kAllLanes) warn_of_idle_sources(frame, d, *sync.shuffle);
  d.run(frame, d);
}

/// Executes one rendezvous at several instructions: gathers operands and distributes results.
void Warp::execute_apart(const std::vector<Level>& groups, u32 lanes) {
  constexpr u32 kSources = 4;
  constexpr u32 kResultAt = kSources * kVector64;
  constexpr u32 kPredicateAt = kResultAt + kVector64;
  alignas(64) std::array<std::byte, kPredicateAt + 64> storage{};
  Decoded joint = code_[groups.front().pc];
  const Signature& s = launch_.kernel().syncs[joint.aux].signature;
  for (u32 i = 0; i < s.sources; ++i) {
    const Kind kind = s.kind[s.results + i];
    for (const Level& g : groups) {
      const Decoded& d = code_[g.pc];
      const std::byte* from = frame_.at(d.slot[Decoded::kSource + i]);
      std::byte* to = storage.data() + i * kVector64;
      if (kind == Kind::kPred) {
        copy_bits(to, from, d.flip, g.mask);
      } else {
        copy_cells(to, from, kind, g.mask);
      }
    }
    joint.slot[Decoded::kSource + i] = Slot{BankId::kRegisters, i * kVector64};
  }
  joint.flip = 0;
  joint.slot[Decoded::kResult] = Slot{BankId::kRegisters, kResultAt};
  joint.slot[Decoded::kResult2] = Slot{BankId::kRegisters, kPredicateAt};
  Frame frame = frame_;
  frame.bank[static_cast<std::size_t>(BankId::kRegisters)] = storage.data();
  frame.mask = lanes;
  execute_sync(frame, joint);
  if (s.results == 0) return;
  for (const Level& g : groups) {
    const Decoded& d = code_[g.pc];
    std::byte* to = frame_.at(d.slot[Decoded::kResult]);
    if (s.kind[0] == Kind::kPred) {
      copy_bits(to, storage.data() + kResultAt, 0, g.mask);
    } else {
      copy_cells(to, storage.data() + kResultAt, s.kind[0], g.mask);
    }
    copy_bits(frame_.at(d.slot[Decoded::kResult2]), storage.data() + kPredicateAt, 0, g.mask);
  }
}

void Warp::warn_of_idle_sources(const Frame& frame, const Decoded& d, Shuffle mode) const {
  for (u32 left = frame.mask; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const ShuffleSource from =
        shuffle_source(mode, lane, cell(frame, d.slot[3], lane), cell(frame, d.slot[4], lane));
    if ((frame.mask >> from.lane & 1u) != 0) continue;
    if (!launch_.first_warning(pc_)) return;
    const char* const why = (live_ >> from.lane & 1u) != 0 ? "does not take part" : "has ended";
    launch_.memory().warn(
        line_text(pc_),
        describe(lane, "lane " + std::to_string(lane) + " reads lane " + std::to_string(from.lane) +
                           ", which " + why + ": the value is undefined, and 0 here"));
    return;
  }
}

/// Selects the topmost path that can run. If there is none, a path that yields lets lanes at a
/// reconvergence point go first; without such lanes, the path that has yielded first continues. If
/// no path yields, the lanes of a path that can stop waiting continue.
void Warp::select_path() {
  active_ = 0;
  std::size_t chosen = runnable_level();
  u32 lanes = chosen != stack_.size() ? stack_[chosen].mask : 0;
  if (lanes == 0 && yielding_level() != stack_.size()) {
    chosen = meeting_level(lanes);
    if (lanes == 0) {
      chosen = yielding_level();
      lanes = stack_[chosen].mask;
    }
  }
  if (lanes == 0) chosen = impatient_level(lanes);
  if (lanes == 0) {
    if (waiting_ != 0) fail_deadlock();
    return;
  }
  Level& l = stack_[chosen];
  pc_ = l.pc;
  reconverge_ = l.reconverge;
  active_ = lanes;
  // The lanes at a barrier execute it again, for the whole warp.
  if (l.waits()) --waiting_;
  l.mask &= ~lanes;
  if (l.mask == 0) stack_.erase(stack_.begin() + static_cast<std::ptrdiff_t>(chosen));
}

/// The topmost level with lanes that have arrived at its reconvergence point while others of its
/// lanes have not. Returns stack_.size() and no lanes if there is none.
std::size_t Warp::meeting_level(u32& lanes) const {
  u32 above = active_;
  for (std::size_t i = stack_.size(); i-- > 0;) {
    const Level& l = stack_[i];
    lanes = l.mask & ~above;
    above |= l.mask;
    if (!l.waits() && lanes != 0) return i;
  }
  lanes = 0;
  return stack_.size();
}

/// The level whose lanes stop waiting if no path can run: lanes at a reconvergence point, otherwise
/// lanes at a barrier of the CTA (see gather_at_barrier). Returns stack_.size() and no lanes if
/// there is none.
std::size_t Warp::impatient_level(u32& lanes) const {
  const std::size_t at_meeting = meeting_level(lanes);
  std::size_t at_barrier = stack_.size();
  bool unaligned = false;
  for (std::size_t i = stack_.size(); i-- > 0;) {
    const Level& l = stack_[i];
    if (l.barrier != 0 && at_barrier == stack_.size()) at_barrier = i;
    unaligned = unaligned || l.members != 0 ||
                (l.barrier != 0 && (code_[l.pc].aux & Decoded::kUnaligned) != 0);
  }
  if (at_barrier == stack_.size() || (unaligned && at_meeting != stack_.size())) return at_meeting;
  lanes = stack_[at_barrier].mask;
  return at_barrier;
}

void Warp::fail_deadlock() {
  const u32 at_barrier = active_;
  std::string text;
  for (const Level& l : stack_) {
    if (!l.waits()) continue;
    text += (text.empty() ? "" : "; ") + std::string("lanes ") + hex(l.mask, 8) + " wait at " +
            line_text(l.pc) + " for " +
            (l.members != 0 ? "lanes " + hex(l.members & live_, 8) : "the rest of the warp");
    if (at_barrier == 0) pc_ = l.pc;
  }
  fail(first_lane(at_barrier != 0 ? at_barrier : stack_.back().mask),
       (at_barrier != 0 ? "a barrier of the CTA while " : "deadlock in the warp: ") + text);
}

}  // namespace tessera::ptx
