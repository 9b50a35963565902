// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "modules/cache/cache_array.h"
#include "modules/kernel/process_timer.h"
#include "modules/sm/l1_probe.h"

namespace tessera {

/// The probe port of an L1: the requested lookup, and the times at which its lines were requested.
/// Without a client it has no effect.
class L1ProbePort final : public L1ProbeIf {
 public:
  /// The referenced objects are the L1's.
  L1ProbePort(CacheArray& array, const ClockDomain& clock, ProcessTimer& wake)
      : array_(array), clock_(clock), wake_(wake) {}

  void attach(L1ProbeClient& client) override {
    client_ = &client;
    issued_.assign(array_.all_ways(), 0);
  }
  void probe(std::uint64_t line, Tick due) override {
    sc_assert(due_ == kNever && due > now());
    due_ = due;
    line_ = line;
    wake_.at(due);
  }

  bool attached() const { return client_ != nullptr; }
  /// A lookup is due; kNever if none is requested.
  Tick due() const { return due_; }
  /// Does the lookup, unless the core's lookup has taken the cycle. Returns the time from which the
  /// array is free.
  Tick serve(Tick lookup_free_at, Tick t) {
    if (lookup_free_at > t) return lookup_free_at;
    due_ = kNever;
    const CacheArray::Way f = array_.find(line_, line_);
    if (f == CacheArray::kNone || array_.locked(f)) {
      client_->probed(false, nullptr, 0);
    } else {
      client_->probed(true, array_.has_data() ? array_.data(f) : nullptr, issued_[f]);
    }
    return clock_.after(t, 1);
  }
  void schedule_next(Tick lookup_free_at, Tick t) {
    if (due_ != kNever) wake_.at(std::max({due_, lookup_free_at, t + 1}));
  }

  /// The way's line leaves the array.
  void evicted(CacheArray::Way f) {
    if (client_ != nullptr) client_->evicted(array_.line(f));
  }
  /// The way's line, requested at `issued`, has arrived.
  void filled(CacheArray::Way f, Tick issued) {
    if (client_ == nullptr) return;
    issued_[f] = issued;
    client_->filled(array_.line(f));
  }
  void flushed() {
    if (client_ != nullptr) client_->flushed();
  }
  void reset() { due_ = kNever; }

 private:
  CacheArray& array_;
  const ClockDomain& clock_;
  ProcessTimer& wake_;
  L1ProbeClient* client_ = nullptr;
  Tick due_ = kNever;
  std::uint64_t line_ = 0;
  std::vector<Tick> issued_;  ///< [way]
};

}  // namespace tessera
