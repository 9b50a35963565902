// SPDX-License-Identifier: Apache-2.0
#pragma once

// Waveforms and coverage of a Verilated model that was made with --trace-fst and, for coverage,
// --coverage-line --coverage-toggle.

#include <verilated.h>
#include <verilated_fst_c.h>
#if VM_COVERAGE
#include <verilated_cov.h>
#endif

#include <algorithm>
#include <memory>
#include <string>

#include "modules/kernel/time.h"

namespace tessera {

template <class Top>
class Recorder {
 public:
  /// Before the first evaluation of `top`. `clock`: its input. All must outlive it.
  Recorder(VerilatedContext& context, Top& top, CData& clock)
      : context_(context), top_(top), clock_(clock) {
    context.traceEverOn(true);
  }

  bool begin_waves(const std::string& file, Tick half_period) {
    half_period_ = half_period;
    file_ = std::make_unique<VerilatedFstC>();
    // Opened before trace(): its time unit is the context's.
    context_.timeunit(-12);
    context_.timeprecision(-12);
    top_.trace(file_.get(), kDepth);
    file_->open(file.c_str());
    return file_->isOpen();
  }
  void end_waves() {
    if (file_) file_->close();
    file_.reset();
  }
  bool write_coverage([[maybe_unused]] const std::string& file) {
#if VM_COVERAGE
    context_.coveragep()->write(file.c_str());
    return true;
#else
    return false;
#endif
  }

  /// Evaluates the cycle of the edge at t. `settled` is called when the inputs have their values
  /// and the clock is low.
  template <class Settled>
  void cycle(Tick t, Settled settled) {
    clock_ = 0;
    top_.eval();
    settled();
    if (file_) dump(std::max(t, half_period_) - half_period_);
    clock_ = 1;
    top_.eval();
    if (file_) dump(t);
  }
  void cycle(Tick t) {
    cycle(t, [] {});
  }

 private:
  static constexpr int kDepth = 99;  ///< levels of hierarchy
  static constexpr Tick kPicosecond = kTicksPerSecond / 1'000'000'000'000;

  /// Times in a file increase.
  void dump(Tick t) {
    const Tick ps = t / kPicosecond;
    if (dumped_ && ps <= last_) return;
    dumped_ = true;
    last_ = ps;
    file_->dump(ps);
  }

  VerilatedContext& context_;
  Top& top_;
  CData& clock_;
  std::unique_ptr<VerilatedFstC> file_;
  Tick half_period_ = 0;
  Tick last_ = 0;
  bool dumped_ = false;
};

}  // namespace tessera
