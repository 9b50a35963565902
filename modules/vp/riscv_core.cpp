// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/riscv_core.h"

#include <algorithm>
#include <utility>

#include "modules/kernel/configuration_errors.h"
#include "modules/kernel/sc_time.h"

namespace tessera {

namespace {

/// Of the process, for the Iss. The host reserves addresses only.
constexpr int kStackBytes = 4 << 20;

}  // namespace

std::vector<std::string> RiscvCoreConfig::validate() const {
  std::vector<std::string> errors;
  require_from_one(errors, "clock_hz", clock_hz, kTicksPerSecond);
  require_from_one(errors, "cycles_per_instruction", cycles_per_instruction, 1000);
  require_from_one(errors, "quantum", quantum, 1'000'000);
  return errors;
}

void describe(StatisticsVisitor& v, RiscvCoreStats& s) {
  v.counter("instructions", s.instructions, "instruction", "instructions executed");
  v.counter("loads", s.loads, "access", "loads by transactions, without DMI");
  v.counter("stores", s.stores, "access", "stores by transactions, without DMI");
  v.counter("faults", s.faults, "exception", "synchronous exceptions that software has taken");
  v.counter("waits", s.waits, "wait", "WFI that had to wait");
  v.cycles("waiting", s.waiting, "cycles in WFI");
}

RiscvCore::RiscvCore(const sc_core::sc_module_name& name, const RiscvCoreConfig& config,
                     RiscvCoreSite site)
    : BlockBase(name, config),
      bus("bus"),
      software("software"),
      timer("timer"),
      external("external"),
      supervisor_external("supervisor_external"),
      site_(std::move(site)),
      timing_(config),
      clock_(config.clock_hz),
      iss_(site_.make_iss(site_.hart, *this)) {
  bus.register_invalidate_direct_mem_ptr(this, &RiscvCore::invalidate_direct);
  iss_->set_on_fault([this](const IssFault& f) {
    ++stats_.faults;
    if (on_fault) on_fault(f);
  });
  hart_.hart = site_.hart;
  SC_HAS_PROCESS(RiscvCore);
  SC_THREAD(process);
  set_stack_size(kStackBytes);
  SC_METHOD(sample);
  dont_initialize();
  sensitive << software << timer << external << supervisor_external;
}

void RiscvCore::end_of_elaboration() {
  for (const BoardRange& r : site_.ranges) map(r);
}

void RiscvCore::start_of_simulation() { reset(); }

void RiscvCore::map(const BoardRange& range) {
  tlm::tlm_generic_payload payload;
  tlm::tlm_dmi dmi;
  payload.set_read();
  payload.set_address(range.address);
  const bool direct = range.memory && bus->get_direct_mem_ptr(payload, dmi) &&
                      dmi.get_start_address() == range.address &&
                      dmi.get_end_address() == range.address + range.bytes - 1;
  if (direct) {
    iss_->map_memory(range.address, range.bytes, dmi.get_dmi_ptr(), dmi.is_write_allowed());
  } else {
    iss_->map_device(range.address, range.bytes);
  }
}

void RiscvCore::invalidate_direct(sc_dt::uint64 begin, sc_dt::uint64 end) {
  for (const BoardRange& r : site_.ranges) {
    if (!r.memory || end < r.address || begin >= r.address + r.bytes) continue;
    iss_->unmap(r.address, r.bytes);
    iss_->map_device(r.address, r.bytes);
  }
}

Tick RiscvCore::local_time() const { return time_at(iss_->instructions()); }

Tick RiscvCore::time_at(std::uint64_t instructions) const {
  const std::uint64_t executed = instructions - first_;
  return begun_at_ + clock_->time_of(executed * timing_.cycles_per_instruction) + accesses_;
}

void RiscvCore::wake() {
  if (waits_) wake_at(std::max(now(), busy_until_));
}

void RiscvCore::wake_at(Tick t) {
  due_ = std::min(due_, t);
  wake_.at(t);
}

void RiscvCore::process() {
  for (;;) {
    if (halted_ || now() < due_) {
      if (!halted_ && due_ != kNever) wake_.at(due_);
      wake_.wait();
    } else {
      due_ = kNever;
      run_quantum();
    }
  }
}

void RiscvCore::run_quantum() {
  begun_at_ = now();
  if (waits_) stats_.waiting += begun_at_ - waits_since_;
  waits_ = false;
  report(CoreActivity::kExecutes, begun_at_);
  first_ = iss_->instructions();
  accesses_ = 0;
  const std::uint64_t pending = pending_;
  const IssStop stop = execute ? execute(timing_.quantum) : iss_->run(timing_.quantum);
  if (stop == IssStop::kHeld) {
    accesses_ += clock_->time_of(std::uint64_t{timing_.quantum} * timing_.cycles_per_instruction);
    report(CoreActivity::kStopped, begun_at_);
  }
  stats_.instructions += iss_->instructions() - first_;
  busy_until_ = clock_->after(std::max(local_time(), begun_at_ + 1), 0);
  if (stop == IssStop::kLost) {
    halted_ = true;
    report(CoreActivity::kStopped, busy_until_);
    if (on_lost) on_lost();
  } else if (stop == IssStop::kWaits) {
    ++stats_.waits;
    waits_ = true;
    waits_since_ = busy_until_;
    report(CoreActivity::kWaits, waits_since_);
    // An interrupt that has risen while a target waited.
    if (pending_ != 0 && pending_ != pending) wake_at(busy_until_);
  } else {
    wake_at(busy_until_);
  }
}

void RiscvCore::halt() {
  halted_ = true;
  iss_->stop();
}

void RiscvCore::sample() {
  const std::uint64_t before = std::exchange(pending_, 0);
  if (software.read()) pending_ |= Iss::kMsip;
  if (timer.read()) pending_ |= Iss::kMtip;
  if (external.read()) pending_ |= Iss::kMeip;
  if (supervisor_external.read()) pending_ |= Iss::kSeip;
  iss_->set_pending(pending_);
  if (on_interrupt && (pending_ & ~before) != 0) on_interrupt(pending_ & ~before);
  if (waits_ && pending_ != 0) wake_at(std::max(now(), busy_until_));
}

bool RiscvCore::load(std::uint64_t address, void* data, unsigned bytes) {
  ++stats_.loads;
  return access(tlm::TLM_READ_COMMAND, address, static_cast<unsigned char*>(data), bytes);
}

bool RiscvCore::store(std::uint64_t address, const void* data, unsigned bytes) {
  ++stats_.stores;
  // TLM's pointer is not const, also where the target only reads.
  auto* const bytes_of = static_cast<unsigned char*>(const_cast<void*>(data));
  return access(tlm::TLM_WRITE_COMMAND, address, bytes_of, bytes);
}

bool RiscvCore::read_debug(std::uint64_t address, void* data, unsigned bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_read();
  payload.set_address(address);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  return bus->transport_dbg(payload) == bytes;
}

bool RiscvCore::access(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                       unsigned bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(data);
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  hart_.fences = iss_->fences();
  payload.set_extension(&hart_);
  const Tick before = local_time();
  wake_.wait_until(before);
  sc_core::sc_time delay;
  bus->b_transport(payload, delay);
  payload.clear_extension(&hart_);
  const Tick after = now() + delay.value();
  accesses_ += after - before;
  if (on_access && after != before) on_access(before, clock_->after(after, 0));
  iss_->stop();
  return payload.is_response_ok();
}

void RiscvCore::set_timing(const RiscvCoreConfig& timing) {
  timing_ = timing;
  clock_.emplace(timing.clock_hz);
}

void RiscvCore::describe_waiting(std::vector<Waiting>& out) const {
  if (waits_) out.push_back({std::string(name()) + ".wfi", 1, WaitKind::kOrdering, "an interrupt"});
}

void RiscvCore::register_statistics(StatisticsRegistry& registry) const {
  StatisticsRegistrar(registry, name(), &*clock_).add(stats_);
}

void RiscvCore::reset() {
  iss_->reset(site_.reset_pc, site_.argument);
  stats_ = Stats();
  first_ = 0;
  begun_at_ = busy_until_ = now();
  accesses_ = waits_since_ = 0;
  waits_ = halted_ = false;
  due_ = kNever;
  wake_at(now());
}

}  // namespace tessera
