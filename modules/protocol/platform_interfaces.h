// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "common/ids.h"
#include "modules/kernel/time.h"
#include "modules/protocol/flush.h"

namespace tessera {

class Block;

/// Interface through which the page migrator stops and resumes an SM's accesses.
class QuiesceIf : public virtual sc_core::sc_interface {
 public:
  /// From the next edge on, no access enters the memory system. `drained` is called (in the SM's
  /// process) when no access is in flight.
  virtual void quiesce(std::function<void()> drained) = 0;
  /// Invalidates all translations of the SM. Accesses resume at the next edge.
  virtual void resume() = 0;
};

/// A block that caches translations of several SMs, as an L2 TLB.
class TranslationsIf {
 public:
  virtual ~TranslationsIf() = default;
  /// Invalidates all entries at once, because mappings have changed.
  virtual void invalidate_all() = 0;
  /// Invalidates the entries of one virtual page at once, of all requesters.
  virtual void invalidate_page(std::uint64_t virtual_page) = 0;
};

/// The blocks of a GPU that a migration of pages stops, empties or observes.
struct MigrationTargets {
  struct Sm {
    ChannelId home;  ///< memory that is local to the SM: a channel, or a GPU by its index
    QuiesceIf* quiesce = nullptr;
    FlushIf* l1 = nullptr;
  };
  struct Slice {
    const Block* block = nullptr;
    PageDropIf* pages = nullptr;
  };
  std::vector<Sm> sms;
  std::vector<TranslationsIf*> tlbs;
  std::vector<Slice> slices;
};

/// A block that moves pages.
class MovesPagesIf {
 public:
  virtual ~MovesPagesIf() = default;
  /// Sets the targets in a GPU. Once, before simulated time runs, when all blocks have been made.
  virtual void set_targets(GpuId gpu, MigrationTargets targets) = 0;
  /// Whether a shootdown or a transfer is in progress, which takes its time without activity of
  /// other blocks.
  virtual bool moving() const = 0;
};

/// A block that has bytes in each request, and cannot run without: RTL.
class NeedsValuesIf {
 public:
  virtual ~NeedsValuesIf() = default;
  /// The setting that chose the block, and why it needs values: "system.gpu0.llc3.impl = ...".
  virtual std::string why_values() const = 0;
};

/// A block whose signals and coverage can be written: RTL.
class RecordsSignalsIf {
 public:
  virtual ~RecordsSignalsIf() = default;
  /// Of the block: "system.gpu0.llc3".
  virtual const std::string& path() const = 0;
  /// Writes the waveforms of the clock edges in [from, until) to an FST file.
  virtual void record_waves(const std::string& file, Tick from, Tick until) = 0;
  /// Writes the coverage of the run so far in Verilator's format. False: the design counts none.
  virtual bool write_coverage(const std::string& file) = 0;
};

/// A block that must know of the end of a kernel after which no other runs.
class KernelEndIf {
 public:
  virtual ~KernelEndIf() = default;
  virtual void kernel_ended() = 0;
};

}  // namespace tessera
