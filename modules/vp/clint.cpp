// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/clint.h"

#include "modules/kernel/configuration_errors.h"

namespace tessera {

namespace {

constexpr auto kCompare = static_cast<std::uint64_t>(ClintRegister::kMtimecmp);
constexpr auto kTime = static_cast<std::uint64_t>(ClintRegister::kMtime);

/// The hart of a register.
std::uint64_t number_of(std::uint64_t offset) {
  return offset < kCompare ? offset / kClintMsipHartStride
                           : (offset - kCompare) / kClintMtimecmpHartStride;
}

}  // namespace

std::vector<std::string> ClintConfig::validate() const {
  std::vector<std::string> errors;
  require_from_one(errors, "timebase_hz", timebase_hz, 1'000'000'000);
  require_from_one(errors, "harts", harts, 4095);
  return errors;
}

void describe(StatisticsVisitor& v, ClintStats& s) {
  v.counter("timer_interrupts", s.timer_interrupts, "interrupt", "mtime has reached mtimecmp");
  v.counter("software_interrupts", s.software_interrupts, "interrupt", "msip has been set");
}

Clint::Clint(const sc_core::sc_module_name& name, const ClintConfig& config)
    : BlockBase(name, config),
      in("in"),
      software("software", config.harts),
      timer("timer", config.harts),
      clock_(config.timebase_hz),
      compare_(config.harts, kNever),
      pending_(config.harts),
      raised_(config.harts) {
  in.register_b_transport(this, &Clint::blocking);
  wake_.bind<&Clint::process>(*this);
}

void Clint::blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  access_registers(*this, payload, now() + delay.value());
}

bool Clint::read_register(std::uint64_t offset, unsigned bytes, Tick at, std::uint64_t& value) {
  if (bytes < 4) return false;
  const std::uint64_t number = number_of(offset);
  if (offset / 8 == kTime / 8) {
    value = part_of(time_at(at), offset, bytes);
  } else if (number >= config_.harts) {
    return false;
  } else if (offset >= kCompare) {
    value = part_of(compare_[number], offset, bytes);
  } else if (bytes == 4) {
    value = pending_[number];
  } else {
    return false;
  }
  return true;
}

bool Clint::write_register(std::uint64_t offset, unsigned bytes, Tick at, std::uint64_t value) {
  if (bytes < 4) return false;
  const std::uint64_t number = number_of(offset);
  if (offset / 8 == kTime / 8) {
    offset_ += with_part(time_at(at), offset, bytes, value) - time_at(at);
  } else if (number >= config_.harts) {
    return false;
  } else if (offset >= kCompare) {
    compare_[number] = with_part(compare_[number], offset, bytes, value);
  } else if (bytes == 4) {
    if (pending_[number] == 0 && (value & 1) != 0) ++stats_.software_interrupts;
    pending_[number] = value & 1;
  } else {
    return false;
  }
  wake_.at(at);
  return true;
}

/// Sets all wires, and schedules the next rise of a timer interrupt.
void Clint::process() {
  const Tick t = now();
  const std::uint64_t time = time_at(t);
  for (std::uint32_t h = 0; h < config_.harts; ++h) {
    const bool raised = time >= compare_[h];
    if (raised && raised_[h] == 0) ++stats_.timer_interrupts;
    raised_[h] = raised;
    timer[h].write(raised);
    software[h].write(pending_[h] != 0);
    if (raised || compare_[h] - offset_ > clock_.cycle_at(kNever - 1)) continue;
    wake_.at(clock_.time_of(compare_[h] - offset_));
  }
}

void Clint::describe_waiting(std::vector<Waiting>&) const {}

void Clint::reset() {
  compare_.assign(config_.harts, kNever);
  pending_.assign(config_.harts, 0);
  raised_.assign(config_.harts, 0);
  offset_ = 0;
  stats_ = Stats();
  wake_.cancel();
}

}  // namespace tessera
