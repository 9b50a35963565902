// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random structured kernels whose lanes diverge and synchronise with member masks, written as PTX
// and executed on the host thread by thread.
//
// A kernel is drawn as a sequence of events (rendezvous with their masks, exits, CTA barriers).
// Each lane executes the events that it belongs to in that order, so that no kernel can deadlock;
// where the lanes of one event stand in the code is drawn branch by branch. Lanes take paths by
// constants and their index only; what they compute on the way depends on data.

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tessera::test {

class SyncProgram {
 public:
  static constexpr unsigned kVariables = 5;
  static constexpr unsigned kInputs = 256;
  static constexpr std::uint32_t kUnwritten = 0xffffffffu;

  /// `threads`: of a CTA, in one dimension, 1 to 256. Which lanes may be read depends on it.
  /// `cta_barriers`: with bar.sync, outside of branches and loops.
  SyncProgram(unsigned seed, unsigned threads, bool cta_barriers);

  /// A kernel k(out, in): in has kInputs words; thread i writes a word at out + 8 * i. Without
  /// `compiled` in the order of the source; with it, unlikely blocks stand behind the end, loops
  /// are tested at the bottom, and short bodies are predicated.
  /// `by_pointer`: device functions are called through pointers, two equal ones by odd and even
  /// lanes, and call themselves (lane % 3) times before they synchronise.
  std::string ptx(bool compiled, bool by_pointer = false) const;

  /// What the threads of one CTA write. `schedule` orders the threads at random; the result does
  /// not depend on it. Throws std::logic_error when no thread can go on.
  std::vector<std::uint32_t> execute(const std::vector<std::uint32_t>& input, unsigned cta,
                                     unsigned schedule) const;

  /// Rendezvous executed by execute() so far with lanes of one event at more than one place.
  static std::uint64_t met_apart;

  enum class Form {
    kShflUp,
    kShflDown,
    kShflBfly,
    kShflIdx,
    kBallot,
    kAny,
    kAll,
    kUni,
    kMatchAny,
    kMatchAll,
    kReduxAdd,
    kReduxMinU,
    kReduxMaxU,
    kReduxMinS,
    kReduxMaxS,
    kReduxAnd,
    kReduxOr,
    kReduxXor,
    kElect,
    kBarrier,
    kCount
  };

  enum class Do {
    kCompute,   ///< a = b op c
    kIfLane,    ///< lanes: body, the others: other
    kIfData,    ///< (b & constant) == 0: body, else other; without syncs
    kLoop,      ///< constant times
    kLoopData,  ///< (b & constant) times; without syncs
    kLoopLane,  ///< times by classes of lanes
    kSync,      ///< the lanes execute a warp-synchronising instruction
    kExit,      ///< the lanes write their result and end
    kExchange,  ///< a = b of the same lane of another warp, across CTA barriers
  };
  struct LaneClass {
    std::uint32_t lanes = 0;
    unsigned trips = 0;
  };
  struct Node {
    Do what = Do::kCompute;
    unsigned op = 0;
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    std::uint32_t constant = 0;
    std::uint32_t lanes = 0;
    std::vector<LaneClass> classes;
    // kSync
    Form form = Form::kBarrier;
    std::vector<std::uint32_t> masks;  ///< each lane is in one; empty: the lanes still in the loop
    bool mask_in_register = false;
    bool predicated = false;  ///< instead of a branch around it
    bool negated = false;     ///< the predicate source
    bool called = false;      ///< by way of a device function
    bool with_predicate = false;
    unsigned source_step = 0;  ///< shfl: source operand (lane * step + base) & 31
    unsigned source_base = 0;
    unsigned clamp = 31;
    int store_slot = -1;  ///< before it: word of this lane in this array = b
    int load_slot = -1;   ///< before it: a = word of another lane
    unsigned partner = 0;
    std::vector<Node> body;
    std::vector<Node> other;
  };
  using List = std::vector<Node>;

 private:
  friend class SyncGenerator;

  unsigned threads_;
  unsigned slots_ = 0;         ///< arrays of a word per thread for exchanges
  unsigned shared_slots_ = 0;  ///< of these, the first are in shared memory, the others in global
  List main_;
};

/// Source lane of a shfl, and whether it is in range (PTX ISA 9.7.9.6).
struct SyncSource {
  unsigned lane;
  bool in_range;
};
SyncSource sync_source(SyncProgram::Form form, unsigned lane, unsigned b, unsigned c);

/// Results of the lanes of one rendezvous. `value`: source operands, or predicates (0 or 1).
/// `second`: the predicate result. Barrier: none.
struct SyncLane {
  std::uint32_t value = 0;
  unsigned b = 0;
  unsigned c = 0;
  std::uint32_t result = 0;
  bool second = false;
};
void sync_results(SyncProgram::Form form, std::uint32_t lanes, std::array<SyncLane, 32>& lane);

}  // namespace tessera::test
