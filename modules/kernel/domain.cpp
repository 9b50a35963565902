// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/domain.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "common/error.h"
#include "modules/kernel/domain_link.h"
#include "modules/kernel/domain_threads.h"
#include "modules/kernel/sc_time.h"

namespace tessera {

namespace {

Domain*& construction() {
  static Domain* domain = nullptr;
  return domain;
}

/// Raises a flag while it exists.
class Raised {
 public:
  explicit Raised(bool& flag) : flag_(flag) { flag_ = true; }
  ~Raised() { flag_ = false; }
  Raised(const Raised&) = delete;
  Raised& operator=(const Raised&) = delete;

 private:
  bool& flag_;
};

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

void Domain::run_until(Tick t) {
  while (scheduler_.next() < t) run(scheduler_.next());
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
  std::vector<Domain*>& from = domain.runs_ahead_ ? ahead_ : domains_;
  from.erase(std::find(from.begin(), from.end(), &domain));
  if (ahead_.empty()) threads_ = nullptr;
}

Tick DomainRunner::lookahead() const {
  Tick least = kNever;
  for (const DomainPath* p : paths_) least = std::min(least, p->latency());
  return least;
}

void DomainRunner::run_ahead(const std::vector<Domain*>& domains, const DomainWindows& windows) {
  const Tick window = std::min(windows.window == 0 ? lookahead() : windows.window, kTicksPerSecond);
  for (const DomainPath* p : paths_) {
    if (p->latency() != 0 && window <= p->latency()) continue;
    throw InputError("domains cannot run alone for " + std::to_string(window / 1000) +
                     " ps: messages from " + p->ends() + " take " +
                     std::to_string(p->latency() / 1000) + " ps only");
  }
  window_ = window;
  for (Domain* d : domains) {
    if (!d->runs_) continue;  // without processes
    domains_.erase(std::find(domains_.begin(), domains_.end(), d));
    d->runs_ahead_ = true;
    ahead_.push_back(d);
  }
  threads_ = windows.threads > 1 ? std::make_unique<DomainThreads>(windows.threads) : nullptr;
}

void DomainRunner::run_in_reverse(bool on) {
  reverse_ = on;
  for (Domain* d : domains_) d->scheduler().run_in_reverse(on);
  for (Domain* d : ahead_) d->scheduler().run_in_reverse(on);
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
    const Raised running(running_);
    if (unlikely(!ahead_.empty()) && next_ahead() <= t) run_window(t);
    do {
      next = run_domains(t);
    } while (next <= t);
  }
  if (unlikely(!ahead_.empty())) next = std::min(next, next_ahead());
  if (next != kNever) wake_at(next);
}

Tick DomainRunner::next_ahead() const {
  Tick next = kNever;
  for (Domain* d : ahead_) next = std::min(next, d->scheduler().next());
  return next;
}

/// Runs the domains that run ahead from t to t + window_. The other domains have nothing to do
/// before t. What they send at t or later arrives at t + window_ or later.
void DomainRunner::run_window(Tick t) {
  const Tick end = t + window_;
  {
    const Raised running(window_runs_);
    const auto run = [&](std::size_t n) {
      ahead_[reverse_ ? ahead_.size() - 1 - n : n]->run_until(end);
    };
    if (threads_) {
      threads_->run(ahead_.size(), run);
    } else {
      for (std::size_t n = 0; n < ahead_.size(); ++n) run(n);
    }
  }
  for (DomainPath* p : paths_) p->deliver();
  ++windows_;
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
