// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "modules/kernel/domain_windows.h"
#include "modules/kernel/process_scheduler.h"
#include "modules/kernel/time.h"

namespace tessera {

class DomainPath;
class DomainThreads;

/// A part of the model with a scheduler and clocks of its own, so that it can be run alone for a
/// while. Blocks join the domain in whose Construction scope they are constructed; without one,
/// the default domain. A block with parts in several domains constructs each part in its scope; the
/// parts exchange DomainLink messages.
///
/// One SC_METHOD and one sc_event serve all domains (DomainRunner). Results do not depend on how
/// blocks are divided among domains.
class Domain {
 public:
  explicit Domain(std::string name);
  ~Domain();
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;

  const std::string& name() const { return scheduler_.domain(); }
  ProcessScheduler& scheduler() { return scheduler_; }
  /// Adds a block's process. The first one must come during elaboration.
  ProcessScheduler::Id add(ProcessScheduler::Process call, void* block);

  /// The domain that blocks join at present.
  static Domain& under_construction();

  /// While it exists, blocks that are constructed join the domain. Scopes nest.
  class Construction {
   public:
    explicit Construction(Domain& domain);
    ~Construction();
    Construction(const Construction&) = delete;
    Construction& operator=(const Construction&) = delete;

   private:
    Domain* const outer_;
  };

 private:
  friend class ClockDomain;
  friend class DomainRunner;
  /// Throws std::invalid_argument unless `hertz` is 1 to 10^15.
  ClockDomain::Frequency& clock(std::uint64_t hertz);
  /// Runs the processes that are due at t, the time of the earliest.
  void run(Tick t);
  /// Runs all processes that are due before t.
  void run_until(Tick t);

  ProcessScheduler scheduler_;
  std::vector<std::unique_ptr<ClockDomain::Frequency>> clocks_;  ///< a few; blocks refer to them
  bool runs_ = false;                                            ///< known to the DomainRunner
  bool runs_ahead_ = false;
};

/// Runs the processes of all domains from one SC_METHOD. At each time for which a process is
/// scheduled, it runs the domains one after the other, in the order of their construction, until
/// none has a process due. One object for the simulation, as SystemC has one context.
///
/// Domains can run ahead of SystemC's time: each runs alone for a window, while SystemC's time and
/// all other domains stand still. Such a domain exchanges only DomainLink messages with others, and
/// no link's latency is shorter than the window, so that results do not depend on the window.
class DomainRunner {
 public:
  /// The first call creates the SC_METHOD and must come during elaboration.
  static DomainRunner& instance();

  /// Reverses the order of the domains, and of the processes of a domain that are due at the same
  /// time, so that tests can show that no result depends on it.
  void run_in_reverse(bool on);

  /// The least latency of the links between different domains; kNever if there is none.
  Tick lookahead() const;
  /// Makes domains run ahead by windows, on threads. To be called once, before simulated time runs.
  /// Throws InputError that names a link whose latency is shorter than the window, or 0.
  void run_ahead(const std::vector<Domain*>& domains, const DomainWindows& windows);
  /// Windows run so far.
  std::uint64_t windows() const { return windows_; }

  /// A domain has a process scheduled for t.
  void scheduled(Tick t) {
    if (!running_ && t < wakes_at_) wake_at(t);
  }

 private:
  friend class Domain;
  friend class DomainPath;
  DomainRunner();
  void add(Domain& domain);
  void remove(Domain& domain);
  void process();
  Tick run_domains(Tick t);
  void run_window(Tick t);
  Tick next_ahead() const;
  void wake_at(Tick t);

  std::vector<Domain*> domains_;  ///< those that do not run ahead
  std::vector<Domain*> ahead_;
  std::vector<DomainPath*> paths_;
  Tick window_ = 0;
  bool window_runs_ = false;  ///< messages wait in their links until the window's end
  std::uint64_t windows_ = 0;
  std::unique_ptr<DomainThreads> threads_;  ///< null: one thread
  sc_core::sc_event event_;
  Tick wakes_at_ = kNever;
  bool running_ = false;
  bool reverse_ = false;
};

}  // namespace tessera
