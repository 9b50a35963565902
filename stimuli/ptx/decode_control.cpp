// SPDX-License-Identifier: Apache-2.0
// Branches, barriers, fences, exits and hints.

#include <algorithm>

#include "common/suggest.h"
#include "stimuli/ptx/decoder.h"

namespace tessera::ptx {

namespace {

bool has(const Instruction& i, const char* modifier) {
  return std::find(i.modifiers.begin(), i.modifiers.end(), modifier) != i.modifiers.end();
}

bool only(const Instruction& i, std::initializer_list<const char*> allowed) {
  return std::all_of(i.modifiers.begin(), i.modifiers.end(), [&](const std::string& m) {
    return std::any_of(allowed.begin(), allowed.end(), [&](const char* a) { return m == a; });
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
  } else if (op == "membar") {
    if (!only(*in_, {"cta", "gl", "sys"})) refuse("supported: membar.cta, membar.gl, membar.sys");
    d_.action = Action::kFence;
    emit(Unit::kFence, 1);
  } else if (op == "fence") {
    if (!only(*in_, {"acq_rel", "sc", "cta", "cluster", "gpu", "sys", "acquire", "release"})) {
      refuse("supported: fence{.sc,.acq_rel,.acquire,.release}{.cta,.cluster,.gpu,.sys}");
    }
    d_.action = Action::kFence;
    emit(Unit::kFence, 1);
  } else if (op == "trap" || op == "brkpt") {
    d_.action = Action::kTrap;
    emit(Unit::kAlu, 1);
  } else if (op == kPrintCall || op == kAssertCall || op == kMallocCall || op == kFreeCall) {
    decode_system_call();
  } else if (op == "nanosleep" || op == "prefetch" || op == "prefetchu" || op == "pmevent") {
    // No effect on values. Prefetches and sleeps are not modelled.
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
  if (has(*in_, "warp")) {
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
  const bool reduce = has(*in_, "red");
  if (reduce) {
    expect_operands(3, 4);
    d_.action = Action::kBarrierReduce;
    d_.aux = has(*in_, "popc") ? 0 : has(*in_, "and") ? 1 : 2;
    d_.slot[0] = result(operand(next++), d_.aux == 0 ? Kind::kI32 : Kind::kPred);
    d_.slot[4] = predicate_source(in_->operands.back(), d_.flip);
  } else {
    const bool arrive = has(*in_, "arrive");
    if (!arrive && !has(*in_, "sync")) refuse(kSupported);
    expect_operands(arrive ? 2 : 1, 2);
    d_.action = Action::kBarrier;
    d_.aux = arrive ? 1 : 0;
  }
  if (in_->opcode == "barrier" && !has(*in_, "aligned")) d_.aux |= Decoded::kUnaligned;
  d_.slot[2] = source(operand(next++), Kind::kI32);
  const std::size_t end = in_->operands.size() - (reduce ? 1 : 0);
  d_.slot[3] = next < end ? source(operand(next), Kind::kI32) : constant32(0);
  emit(Unit::kBarrier, 1);
}

}  // namespace tessera::ptx
