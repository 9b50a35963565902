// SPDX-License-Identifier: Apache-2.0
// Turns of a diverged warp's paths. On sm_70 and later, a path that waits in a loop for another
// lane of its warp does not keep that lane from running (CUDA C++ Programming Guide, independent
// thread scheduling). Here, a path runs on while it makes progress: only a loop whose registers
// stay the same, or a very long loop that can observe other threads, lets the warp's other paths
// run.

#include <cstring>

#include "stimuli/ptx/warp.h"

namespace tessera::ptx {

namespace {

/// Backward branches of a path before its registers are compared for the first time, and the most
/// between two comparisons.
constexpr std::uint32_t kFirstComparison = 16;
constexpr std::uint32_t kMostApart = 1024;
/// Backward branches after which a loop that changes its registers (it counts its attempts, or
/// doubles a delay) and can observe other threads lets other paths run.
constexpr std::uint32_t kLongLoop = 4096;
/// The same of the last loop that has reached it: other lanes of the warp will wait in it for the
/// same thing.
constexpr std::uint32_t kSameLoop = 64;

constexpr bool is_power_of_two(std::uint32_t n) { return (n & (n - 1)) == 0; }

}  // namespace

/// Takes a backward branch with all lanes of the path.
void Warp::loop_back(const Decoded& d) {
  const bool yields = makes_no_progress();
  std::uint32_t meeting = 0;
  if (!yields || d.target == reconverge_ ||
      (runnable_level() == stack_.size() && yielding_level() == stack_.size() &&
       meeting_level(meeting) == stack_.size())) {
    return go_to(d.target);
  }
  turn_.branches = 0;
  turn_.observes = false;
  stack_.push_back(Level{d.target, reconverge_, active_, 0, 0, true});
  ++waiting_;
  select_path();
}

/// Counts a backward branch. Returns true if the path has executed the loop without a change of its
/// registers, or kLongLoop times (kSameLoop times if it is the last that has).
bool Warp::makes_no_progress() {
  ++turn_.branches;
  const std::byte* const registers = frame_.bank[static_cast<std::size_t>(BankId::kRegisters)];
  const std::size_t bytes = launch_.kernel().register_bytes;
  if (turn_.watched && pc_ == turn_.watched_pc) {
    turn_.watched = false;
    if (std::memcmp(turn_.registers.data(), registers, bytes) == 0) return true;
  } else if (turn_.branches >= kFirstComparison &&
             (is_power_of_two(turn_.branches) || turn_.branches % kMostApart == 0)) {
    turn_.registers.assign(registers, registers + bytes);
    turn_.watched = true;
    turn_.watched_pc = pc_;
  }
  const std::uint32_t most = pc_ == turn_.long_pc ? kSameLoop : kLongLoop;
  if (!turn_.observes || turn_.branches % most != 0) return false;
  turn_.long_pc = pc_;
  return true;
}

/// The path that has yielded first; stack_.size() if there is none.
std::size_t Warp::yielding_level() const {
  for (std::size_t i = 0; i < stack_.size(); ++i) {
    if (stack_[i].yields) return i;
  }
  return stack_.size();
}

}  // namespace tessera::ptx
