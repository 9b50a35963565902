// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "modules/memory/dram_channel.h"
#include "modules/protocol/event_observer.h"
#include "modules/protocol/flush.h"
#include "modules/sm/sm_interfaces.h"
#include "platforms/timeline/event_trace.h"

namespace tessera {

/// The CTAs of an SM: between the dispatcher and the SM, in both directions.
class CtaRecorder final : public CtaSinkIf, public DispatchEventsIf {
 public:
  /// `track`: of the SM.
  CtaRecorder(EventTrace& trace, std::uint64_t track, CtaSinkIf& sm, DispatchEventsIf& dispatcher)
      : trace_(trace), lanes_(trace.lanes(track, "CTAs")), sm_(sm), dispatcher_(dispatcher) {}

  void start_cta(KernelProgram& kernel, LaunchedCta cta, Tick at) override;
  void adopt_cta(KernelProgram& kernel, std::unique_ptr<CtaProgram> program, LaunchedCta cta,
                 Tick at) override;
  void release_cta(LaunchedCta cta, CtaReleased released) override;
  SmResources capacity() const override { return sm_.capacity(); }

  void cta_finished(SmId sm, LaunchedCta cta) override;
  void sm_drained(SmId sm, LaunchSlot launch) override { dispatcher_.sm_drained(sm, launch); }
  void kernel_failed(SmId sm, std::exception_ptr error) override {
    dispatcher_.kernel_failed(sm, std::move(error));
  }

  void finish(Tick at);

 private:
  struct Running {
    LaunchedCta cta;
    std::string kernel;
    Tick since = 0;
  };
  void end(const LaunchedCta& cta, Tick at);
  void record(const Running& r, Tick at);

  EventTrace& trace_;
  EventLanes& lanes_;
  CtaSinkIf& sm_;
  DispatchEventsIf& dispatcher_;
  std::vector<Running> running_;
};

/// The flushes of a cache without dirty bytes.
class FlushRecorder final : public FlushIf {
 public:
  FlushRecorder(EventTrace& trace, EventLanes& lanes, FlushIf& cache)
      : trace_(trace), lanes_(lanes), cache_(cache) {}
  void flush() override;

 private:
  EventTrace& trace_;
  EventLanes& lanes_;
  FlushIf& cache_;
};

/// The flushes of a cache that writes back, from the call to the acknowledgement.
class WriteBackRecorder final : public SliceFlushIf {
 public:
  WriteBackRecorder(EventTrace& trace, EventLanes& lanes, SliceFlushIf& cache)
      : trace_(trace), lanes_(lanes), cache_(cache) {}
  void flush(LaunchSlot launch, std::function<void()> done) override;
  void write_back_copies(LaunchSlot launch, std::function<void()> done) override;
  bool needs_flush() const override { return cache_.needs_flush(); }
  void drop_copies() override;

 private:
  std::function<void()> recorded(std::string what, std::function<void()> done);

  EventTrace& trace_;
  EventLanes& lanes_;
  SliceFlushIf& cache_;
};

/// The rows of a DRAM channel: a track a bank, and a slice from the activation of a row to its
/// precharge. Refreshes are instants.
class RowRecorder final : public DramCommandObserver {
 public:
  /// `track`: of the channel.
  RowRecorder(EventTrace& trace, std::uint64_t track, const ClockDomain& clock)
      : trace_(trace), track_(track), clock_(clock) {}

  void on_command(const DramCommand& command) override;
  void finish(Tick at);

 private:
  struct Bank {
    EventLanes* lanes = nullptr;
    bool open = false;
    std::uint32_t row = 0;
    Tick since = 0;
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
  };
  Bank& bank(std::uint32_t number);
  void close(Bank& bank, Tick at);

  EventTrace& trace_;
  const std::uint64_t track_;
  const ClockDomain& clock_;
  std::map<std::uint32_t, Bank> banks_;
  EventLanes* refreshes_ = nullptr;
};

/// The events of a block that reports them itself, below its track.
class BlockEventRecorder final : public EventObserver {
 public:
  BlockEventRecorder(EventTrace& trace, std::uint64_t track) : trace_(trace), track_(track) {}
  void on_event(const std::string& row, const std::string& what, Tick begin, Tick end,
                const std::vector<Value>& values) override;

 private:
  EventTrace& trace_;
  const std::uint64_t track_;
  std::map<std::string, EventLanes*> rows_;
};

}  // namespace tessera
