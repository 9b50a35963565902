// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies (PTX ISA 9.7.9.25) and mbarriers (9.7.13.15).

#include <algorithm>

#include "stimuli/ptx/decoder.h"

namespace tessera::ptx {

namespace {

constexpr const char* kCopyForms =
    "supported: cp.async.{ca,cg}.shared.global [to], [from], {4,8,16}{, bytes or predicate}; "
    "cp.async.{commit_group,wait_group,wait_all}; cp.async.mbarrier.arrive{.noinc}; cp.async.bulk "
    "between global and shared memory with mbarrier::complete_tx::bytes or bulk_group, and its "
    "commit_group, wait_group{.read} and prefetch";
constexpr const char* kMbarrierForms =
    "supported: mbarrier.{init,inval,arrive,arrive_drop,expect_tx,complete_tx,test_wait,try_wait,"
    "pending_count}, with .expect_tx, .noComplete, .parity, .shared{::cta,::cluster}.b64";

bool is_shared(const std::string& m) {
  return m == "shared" || m == "shared::cta" || m == "shared::cluster";
}

}  // namespace

/// The modifiers of an instruction, taken one by one.
class Decoder::Modifiers {
 public:
  explicit Modifiers(std::vector<std::string> all) : left_(std::move(all)) {}

  /// Removes the modifier. Returns false if it is not there.
  bool take(const std::string& m) {
    const auto at = std::find(left_.begin(), left_.end(), m);
    if (at == left_.end()) return false;
    left_.erase(at);
    return true;
  }
  /// Removes the first modifier that names shared memory.
  bool take_shared() {
    const auto at = std::find_if(left_.begin(), left_.end(), is_shared);
    if (at == left_.end()) return false;
    left_.erase(at);
    return true;
  }
  void drop(std::initializer_list<const char*> hints) {
    for (const char* hint : hints) take(hint);
  }
  const std::vector<std::string>& left() const { return left_; }

 private:
  std::vector<std::string> left_;
};

AsyncAddress Decoder::async_address(const Operand& o, StateSpace space) {
  const AddressOperand a = address(o);
  if (a.has_symbol && a.space != space) refuse("'" + o.name + "' is in another state space");
  AsyncAddress to;
  to.base = a.base;
  to.displacement = a.displacement;
  to.wide = a.wide;
  return to;
}

void Decoder::emit_async(const AsyncForm& form, Unit unit) {
  d_.action = Action::kAsync;
  d_.aux = static_cast<std::uint32_t>(kernel_->async.size());
  kernel_->async.push_back(form);
  emit(unit, 1);
}

bool Decoder::decode_async() {
  if (in_->opcode == "mbarrier") {
    decode_mbarrier();
  } else if (in_->opcode == "cp") {
    Modifiers m(in_->modifiers);
    if (!m.take("async")) refuse(kCopyForms);
    if (m.take("bulk")) {
      decode_bulk_copy(m);
    } else {
      decode_copy(m);
    }
  } else {
    return false;
  }
  return true;
}

void Decoder::decode_copy(Modifiers& m) {
  AsyncForm form;
  const auto only = [&](std::size_t operands) {
    if (!m.left().empty()) refuse("'." + m.left().front() + "'; " + kCopyForms);
    expect_operands(operands, operands);
  };
  if (m.take("commit_group")) {
    only(0);
    form.op = AsyncOp::kCommit;
    return emit_async(form, Unit::kAlu);
  }
  if (m.take("wait_all")) {
    only(0);
    form.op = AsyncOp::kWait;
    form.waits_for_all = true;
    return emit_async(form, Unit::kWait);
  }
  if (m.take("wait_group")) {
    only(1);
    form.op = AsyncOp::kWait;
    form.groups = static_cast<std::uint32_t>(immediate(operand(0)));
    return emit_async(form, Unit::kWait);
  }
  if (m.take("mbarrier")) {
    if (!m.take("arrive")) refuse(kCopyForms);
    form.op = AsyncOp::kArriveAfterCopies;
    form.no_increment = m.take("noinc");
    const bool shared = m.take_shared();
    m.take("b64");
    only(1);
    form.barrier = async_address(operand(0), StateSpace::kShared);
    form.barrier.generic = !shared && form.barrier.base.bank == BankId::kRegisters;
    return emit_async(form, Unit::kAlu);
  }
  const bool hint = m.take("L2::cache_hint");
  m.drop({"L2::64B", "L2::128B", "L2::256B"});
  form.bypasses_l1 = m.take("cg");
  if (!form.bypasses_l1 && !m.take("ca")) refuse(kCopyForms);
  if (!m.take_shared() || !m.take("global") || !m.left().empty()) refuse(kCopyForms);
  expect_operands(hint ? 4 : 3, hint ? 5 : 4);
  form.to = async_address(operand(0), StateSpace::kShared);
  form.from = async_address(operand(1), StateSpace::kGlobal);
  const std::int64_t bytes = immediate(operand(2));
  if (bytes != 16 && (form.bypasses_l1 || (bytes != 4 && bytes != 8))) {
    refuse("a copy of " + std::to_string(bytes) + " bytes; " + kCopyForms);
  }
  form.copy_bytes = static_cast<std::uint8_t>(bytes);
  form.count = constant32(static_cast<std::uint32_t>(bytes));
  form.ignored = constant_mask(0);
  if (in_->operands.size() > (hint ? 4U : 3U)) {
    const Register* const r = find_register(operand(3));
    if (r != nullptr && r->bytes == 0) {
      form.ignored = predicate_source(operand(3), form.ignored_flip);
    } else {
      form.count = source(operand(3), Kind::kI32);
    }
  }
  emit_async(form, Unit::kMemory);
}

void Decoder::decode_bulk_copy(Modifiers& m) {
  AsyncForm form;
  form.bulk = true;
  if (std::any_of(m.left().begin(), m.left().end(),
                  [](const std::string& x) { return x == "tensor"; })) {
    refuse(std::string("tensor maps are not modelled; ") + kCopyForms);
  }
  if (m.take("commit_group")) {
    expect_operands(0, 0);
    form.op = AsyncOp::kCommit;
    return emit_async(form, Unit::kAlu);
  }
  if (m.take("wait_group")) {
    form.op = AsyncOp::kWait;
    form.waits_for_reads = m.take("read");
    expect_operands(1, 1);
    form.groups = static_cast<std::uint32_t>(immediate(operand(0)));
    return emit_async(form, Unit::kWait);
  }
  const bool hint = m.take("L2::cache_hint");
  if (m.take("prefetch")) {
    // A hint: it has no effect on values, and its traffic is not modelled.
    if (!m.take("L2") || !m.take("global") || !m.left().empty()) refuse(kCopyForms);
    d_.run = entry("_nothing").run;
    return emit(Unit::kAlu, 1);
  }
  if (m.left().empty()) refuse(kCopyForms);
  if (is_shared(m.left().front())) {
    m.take_shared();
    const bool from_global = m.take("global");
    if (!from_global && !m.take_shared()) refuse(kCopyForms);
    if (!m.take("mbarrier::complete_tx::bytes") || !m.left().empty()) refuse(kCopyForms);
    expect_operands(hint ? 5 : 4, hint ? 5 : 4);
    form.op = from_global ? AsyncOp::kBulkLoad : AsyncOp::kBulkShared;
    form.to = async_address(operand(0), StateSpace::kShared);
    form.from = async_address(operand(1), from_global ? StateSpace::kGlobal : StateSpace::kShared);
    form.count = source(operand(2), Kind::kI32);
    form.barrier = async_address(operand(3), StateSpace::kShared);
    return emit_async(form, from_global ? Unit::kMemory : Unit::kAlu);
  }
  if (!m.take("global") || !m.take_shared() || !m.take("bulk_group") || !m.left().empty()) {
    refuse(kCopyForms);
  }
  expect_operands(hint ? 4 : 3, hint ? 4 : 3);
  form.op = AsyncOp::kBulkStore;
  form.to = async_address(operand(0), StateSpace::kGlobal);
  form.from = async_address(operand(1), StateSpace::kShared);
  form.count = source(operand(2), Kind::kI32);
  emit_async(form, Unit::kMemory);
}

void Decoder::decode_mbarrier() {
  Modifiers m(in_->modifiers);
  AsyncForm form;
  const bool generic = !m.take_shared();
  if (!m.take("b64")) refuse(kMbarrierForms);
  m.drop({"release", "acquire", "relaxed", "cta", "cluster", "sys", "gpu"});
  const auto at = [&](std::size_t i) {
    form.barrier = async_address(operand(i), StateSpace::kShared);
    form.barrier.generic = generic && form.barrier.base.bank == BankId::kRegisters;
  };
  const auto emit_one = [&](Unit unit, std::size_t least, std::size_t most) {
    if (!m.left().empty()) refuse("'." + m.left().front() + "'; " + kMbarrierForms);
    expect_operands(least, most);
    emit_async(form, unit);
  };
  const auto take_result = [&](Kind kind) {
    if (is_sink(operand(0))) return;
    form.has_result = true;
    form.result = result(operand(0), kind);
  };
  form.count = constant32(1);
  if (m.take("init")) {
    form.op = AsyncOp::kInit;
    at(0);
    form.count = source(operand(1), Kind::kI32);
    return emit_one(Unit::kMemory, 2, 2);
  }
  if (m.take("inval")) {
    form.op = AsyncOp::kInvalidate;
    at(0);
    return emit_one(Unit::kMemory, 1, 1);
  }
  form.drops = m.take("arrive_drop");
  if (form.drops || m.take("arrive")) {
    form.op = AsyncOp::kArrive;
    form.expects_bytes = m.take("expect_tx");
    form.no_complete = m.take("noComplete");
    take_result(Kind::kI64);
    at(1);
    if (form.expects_bytes) {
      form.bytes = source(operand(2), Kind::kI32);
    } else if (in_->operands.size() > 2) {
      form.count = source(operand(2), Kind::kI32);
    }
    const bool needs_third = form.expects_bytes || form.no_complete;
    return emit_one(Unit::kMemory, needs_third ? 3 : 2, 3);
  }
  const bool expects = m.take("expect_tx");
  if (expects || m.take("complete_tx")) {
    form.op = expects ? AsyncOp::kExpectBytes : AsyncOp::kCompleteBytes;
    at(0);
    form.bytes = source(operand(1), Kind::kI32);
    return emit_one(Unit::kMemory, 2, 2);
  }
  const bool tries = m.take("try_wait");
  if (tries || m.take("test_wait")) {
    form.op = tries ? AsyncOp::kTryWait : AsyncOp::kTestWait;
    form.by_parity = m.take("parity");
    form.has_result = true;
    form.result = result(operand(0), Kind::kPred);
    at(1);
    form.state = source(operand(2), form.by_parity ? Kind::kI32 : Kind::kI64);
    return emit_one(tries ? Unit::kWait : Unit::kMemory, 3, tries ? 4 : 3);
  }
  if (!m.take("pending_count")) refuse(kMbarrierForms);
  form.op = AsyncOp::kPendingCount;
  form.has_result = true;
  form.result = result(operand(0), Kind::kI32);
  form.state = source(operand(1), Kind::kI64);
  emit_one(Unit::kAlu, 2, 2);
}

}  // namespace tessera::ptx
