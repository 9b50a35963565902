// SPDX-License-Identifier: Apache-2.0
#include "modules/core/domain.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tessera {

namespace {

Domain*& construction() {
  static Domain* domain = nullptr;
  return domain;
}

}  // namespace

Domain::Domain(std::string name) : scheduler_(std::move(name)) {}

Domain::~Domain() {
  if (runs_) DomainRunner::instance().remove(*this);
}

ProcessScheduler::Id Domain::add(ProcessScheduler::Process call, void* block) {
  if (!runs_) DomainRunner::instance().add(*this);
  runs_ = true;
  return scheduler_.add(call, block);
}

ClockDomain::Frequency& Domain::clock(std::uint64_t hertz) {
  if (hertz == 0 || hertz > kTicksPerSecond) {
    throw std::invalid_argument("a clock's frequency must be 1 Hz to 10^15 Hz");
  }
  for (const auto& clock : clocks_) {
    if (clock->hertz == hertz) return *clock;
  }
  return *clocks_.emplace_back(std::make_unique<ClockDomain::Frequency>(hertz));
}

void Domain::run(Tick t) {
  for (const auto& clock : clocks_) clock->advance(t);
  scheduler_.run(t);
}

Domain& Domain::under_construction() {
  // Never destroyed: blocks of any lifetime belong to it.
  static Domain* const by_default = new Domain("model");
  return construction() == nullptr ? *by_default : *construction();
}

Domain::Construction::Construction(Domain& domain)
    : outer_(std::exchange(construction(), &domain)) {}

Domain::Construction::~Construction() { construction() = outer_; }

DomainRunner& DomainRunner::instance() {
  // Never destroyed, because the order relative to the destruction of SystemC's context, which owns
  // the event, is unknown.
  static DomainRunner* const runner = new DomainRunner;
  return *runner;
}

DomainRunner::DomainRunner() : event_("domains_event") {
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.dont_initialize();
  options.set_sensitivity(&event_);
  sc_core::sc_spawn([this] { process(); }, "domains", &options);
}

void DomainRunner::add(Domain& domain) {
  domain.scheduler().run_in_reverse(reverse_);
  domains_.push_back(&domain);
}

void DomainRunner::remove(Domain& domain) {
  domains_.erase(std::find(domains_.begin(), domains_.end(), &domain));
}

void DomainRunner::run_in_reverse(bool on) {
  reverse_ = on;
  for (Domain* d : domains_) d->scheduler().run_in_reverse(on);
}

void DomainRunner::wake_at(Tick t) {
  wakes_at_ = t;
  event_.notify(to_sc_time(t - sc_core::sc_time_stamp().value()));
}

void DomainRunner::process() {
  const Tick t = sc_core::sc_time_stamp().value();
  wakes_at_ = kNever;
  Tick next = kNever;
  {
    struct Running {
      explicit Running(bool& flag) : flag_(flag) { flag_ = true; }
      ~Running() { flag_ = false; }
      bool& flag_;
    } const running(running_);
    do {
      next = run_domains(t);
    } while (next <= t);
  }
  if (next != kNever) wake_at(next);
}

/// Runs each domain that has a process due at t. Returns the time of the next process: t after a
/// run of one of several domains, because its processes can have scheduled those of another.
Tick DomainRunner::run_domains(Tick t) {
  const std::size_t domains = domains_.size();
  // Without a search for the next one due, which each instant would pay. The domain may have none
  // due at t, when t was the time of a domain that is gone.
  if (domains == 1) {
    domains_.front()->run(t);
    return domains_.front()->scheduler().next();
  }
  Tick next = kNever;
  for (std::size_t n = 0; n < domains; ++n) {
    Domain& d = *domains_[reverse_ ? domains - 1 - n : n];
    const bool due = d.scheduler().next() <= t;
    if (due) d.run(t);
    next = std::min(next, due ? t : d.scheduler().next());
  }
  return next;
}

}  // namespace tessera
