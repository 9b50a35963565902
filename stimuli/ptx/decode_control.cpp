// SPDX-License-Identifier: Apache-2.0
// Branches, barriers, fences, exits and hints.

#include <algorithm>
#include <vector>

#include "common/suggest.h"
#include "stimuli/ptx/decoder.h"
#include "stimuli/ptx/words.h"

namespace tessera::ptx {

namespace {

bool only(const Instruction& i, std::initializer_list<const char*> allowed) {
  return std::all_of(i.modifiers.begin(), i.modifiers.end(), [&](const std::string& m) {
    return std::any_of(allowed.begin(), allowed.end(), [&](const char* a) { return m == a; });
  });
}

/// Instructions that change no value: cache hints, counters, and hints to the scheduler.
struct Hint {
  const char* opcode;
  std::vector<const char*> modifiers;  ///< that it can have
};

bool is_hint(const Instruction& i) {
  static const std::vector<Hint> hints = {
      {"nanosleep", {"u32"}},
      {"prefetch", {"global", "local", "L1", "L2", "L2::evict_last", "L2::evict_normal"}},
      {"prefetchu", {"L1"}},
      {"pmevent", {"mask"}},
      {"discard", {"global", "L2"}},
      {"applypriority", {"global", "L2::evict_normal"}},
      {"griddepcontrol", {"wait", "launch_dependents"}},
      {"setmaxnreg", {"inc", "dec", "sync", "aligned", "u32"}},
  };
  return std::any_of(hints.begin(), hints.end(), [&](const Hint& h) {
    return i.opcode == h.opcode &&
           std::all_of(i.modifiers.begin(), i.modifiers.end(), [&](const std::string& m) {
             return std::any_of(h.modifiers.begin(), h.modifiers.end(),
                                [&](const char* known) { return m == known; });
           });
  });
}

}  // namespace

bool Decoder::decode_control() {
  const std::string& op = in_->opcode;
  if (op == "bra") {
    decode_branch();
  } else if (op == "ret" || op == "exit") {
    if (!only(*in_, {"uni"})) refuse("supported: ret, ret.uni, exit");
    d_.action = Action::kExit;
    emit(Unit::kExit, 1);
  } else if (op == "bar" || op == "barrier") {
    decode_barrier();
  } else if (op == "membar" || op == "fence") {
    decode_fence();
  } else if (op == "trap" || op == "brkpt") {
    d_.action = Action::kTrap;
    emit(Unit::kAlu, 1);
  } else if (op == kPrintCall || op == kAssertCall || op == kMallocCall || op == kFreeCall) {
    decode_system_call();
  } else if (op == "createpolicy") {
    decode_policy();
  } else if (is_hint(*in_)) {
    // No effect on values. Prefetches, sleeps and evictions are not modelled.
    d_.run = entry("_nothing").run;
    emit(Unit::kAlu, 1);
  } else {
    return false;
  }
  return true;
}

/// Decodes a system call. The arguments are .param variables that the caller has written.
void Decoder::decode_system_call() {
  const bool prints = in_->opcode == kPrintCall;
  const auto place_of = [&](std::size_t i, unsigned bytes) {
    const Place* place = find_place(operand(i).name);
    if (place == nullptr || place->space != StateSpace::kParam || place->bytes < bytes) {
      refuse("'" + operand(i).name + "' is not a .param variable of " + std::to_string(bytes) +
             " bytes");
    }
    return Slot{place->is_entry_parameter ? BankId::kParam : BankId::kLocal,
                static_cast<std::uint32_t>(place->offset)};
  };
  if (prints) {
    expect_operands(2, 3);
    const std::size_t first = in_->operands.size() - 2;
    if (first == 1) d_.slot[0] = place_of(0, 4);
    d_.slot[1] = place_of(first, 8);
    d_.slot[2] = place_of(first + 1, 8);
    d_.action = Action::kPrint;
  } else if (in_->opcode == kMallocCall) {
    expect_operands(2, 2);
    for (unsigned i = 0; i < 2; ++i) d_.slot[i] = place_of(i, 8);
    d_.action = Action::kMalloc;
  } else if (in_->opcode == kFreeCall) {
    expect_operands(1, 1);
    d_.slot[1] = place_of(0, 8);
    d_.action = Action::kFree;
  } else {
    expect_operands(5, 5);
    for (unsigned i = 0; i < 4; ++i) d_.slot[1 + i] = place_of(i, i == 2 ? 4 : 8);
    d_.action = Action::kAssert;
  }
  emit(Unit::kAlu, 1);
}

/// A fence of a proxy orders accesses by other addresses or units. All accesses of the model are in
/// one order, except that a fence of .async without the shared memory waits for earlier writes.
void Decoder::decode_fence() {
  constexpr const char* kSupported =
      "supported: membar.{cta,gl,sys}, fence{.sc,.acq_rel,.acquire,.release}{.cta,.cluster,.gpu,"
      ".sys}, fence.mbarrier_init.release.cluster, fence.proxy.{alias,async}{.global,.shared::cta,"
      ".shared::cluster}";
  const bool proxy = !in_->modifiers.empty() && in_->modifiers[0] == "proxy";
  const bool known =
      proxy ? only(*in_, {"proxy", "alias", "async", "global", "shared::cta", "shared::cluster",
                          "async::generic", "acquire", "release", "cluster",
                          "sync_restrict::shared::cta", "sync_restrict::shared::cluster"})
      : in_->opcode == "membar"
          ? only(*in_, {"cta", "gl", "sys"})
          : only(*in_,
                 {"acq_rel", "sc", "cta", "cluster", "gpu", "sys", "acquire", "release",
                  "mbarrier_init", "sync_restrict::shared::cta", "sync_restrict::shared::cluster"});
  if (!known || in_->modifiers.empty()) refuse(kSupported);
  expect_operands(0, 0);
  const bool shared_only =
      std::any_of(in_->modifiers.begin(), in_->modifiers.end(),
                  [](const std::string& m) { return m.find("shared") != std::string::npos; });
  if (shared_only || has_modifier(*in_, "mbarrier_init")) {
    // Accesses of shared memory are performed in order.
    d_.run = entry("_nothing").run;
    emit(Unit::kAlu, 1);
    return;
  }
  d_.action = Action::kFence;
  emit(Unit::kFence, 1);
}

/// The policy is opaque, and no cache of the model reads it: its value is 0.
void Decoder::decode_policy() {
  if (in_->operands.empty() || in_->modifiers.size() < 2) refuse("supported: createpolicy.b64");
  const std::string& kind = in_->modifiers[0];
  const bool known =
      only(*in_, {"range", "fractional", "cvt", "global", "L2", "L2::evict_last",
                  "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged", "b64"});
  if (!known) refuse("supported: createpolicy.{range{.global},fractional,cvt}");
  if (kind == "range") {
    expect_operands(4, 4);
    address(operand(1));
    for (std::size_t i = 2; i < 4; ++i) source(operand(i), Kind::kI32);
  } else if (kind == "cvt") {
    expect_operands(2, 2);
    source(operand(1), Kind::kI64);
  } else {
    expect_operands(1, 2);
    if (in_->operands.size() == 2) source(operand(1), Kind::kF32);
  }
  const AluEntry& e = entry("mov.b64");
  d_.run = e.run;
  d_.slot[Decoded::kSource] = constant64(0);
  d_.slot[Decoded::kResult] = result(operand(0), Kind::kI64);
  emit(e.unit, e.cost);
}

void Decoder::decode_branch() {
  if (!only(*in_, {"uni"})) refuse("supported: bra, bra.uni");
  expect_operands(1, 1);
  const std::string& name = operand(0).name;
  const auto it = labels_.find(name);
  if (it == labels_.end()) {
    std::vector<std::string> known;
    for (const Label& l : function_.labels) known.push_back(l.name);
    refuse("label '" + name + "' is not defined" + did_you_mean(name, known));
  }
  d_.action = Action::kBranch;
  branches_.emplace_back(static_cast<std::uint32_t>(kernel_->code.size()), it->second);
  emit(Unit::kAlu, 1);
}

void Decoder::decode_barrier() {
  constexpr const char* kSupported =
      "supported: bar{.cta}.sync, .arrive, .red.{popc.u32,and.pred,or.pred}, bar.warp.sync, "
      "barrier{.cta}.{sync,arrive,red}{.aligned}";
  if (has_modifier(*in_, "warp")) {
    if (!only(*in_, {"warp", "sync"})) refuse(kSupported);
    expect_operands(1, 1);
    const AluEntry& e = entry("bar.warp.sync");
    d_.slot[2] = source(operand(0), Kind::kI32);
    emit_sync(e, "bar.warp.sync");
    return;
  }
  if (!only(*in_,
            {"cta", "sync", "arrive", "red", "aligned", "popc", "u32", "and", "or", "pred"})) {
    refuse(kSupported);
  }
  std::size_t next = 0;
  const bool reduce = has_modifier(*in_, "red");
  if (reduce) {
    expect_operands(3, 4);
    d_.action = Action::kBarrierReduce;
    d_.aux = has_modifier(*in_, "popc") ? 0 : has_modifier(*in_, "and") ? 1 : 2;
    d_.slot[0] = result(operand(next++), d_.aux == 0 ? Kind::kI32 : Kind::kPred);
    d_.slot[4] = predicate_source(in_->operands.back(), d_.flip);
  } else {
    const bool arrive = has_modifier(*in_, "arrive");
    if (!arrive && !has_modifier(*in_, "sync")) refuse(kSupported);
    expect_operands(arrive ? 2 : 1, 2);
    d_.action = Action::kBarrier;
    d_.aux = arrive ? 1 : 0;
  }
  if (in_->opcode == "barrier" && !has_modifier(*in_, "aligned")) d_.aux |= Decoded::kUnaligned;
  d_.slot[2] = source(operand(next++), Kind::kI32);
  const std::size_t end = in_->operands.size() - (reduce ? 1 : 0);
  d_.slot[3] = next < end ? source(operand(next), Kind::kI32) : constant32(0);
  emit(Unit::kBarrier, 1);
}

}  // namespace tessera::ptx
