// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>
#include <vector>

#include "modules/core/prefetch.h"

namespace tessera {

/// Miss-status holding registers: one entry per outstanding line, each with the accesses that wait
/// for it in order of arrival. Accesses to a line with an entry must be appended to it, whatever
/// they are, so that they take effect in order when the line comes.
///
/// Where parts of lines are fetched (DualOpt section 4.1.2), a line may have several entries, each
/// with the pieces that it fetches; the owner then sees to the order of what it appends to which.
///
/// A fixed table with open addressing; nothing is allocated once every entry has been used.
template <class Target>
class Mshr {
 public:
  struct Entry {
    std::uint64_t line = 0;
    union {
      /// For the owner: the cache frame reserved for the line.
      std::uint32_t frame = 0;
      /// Or, in a table that find_containing() searches: the 4-byte pieces of the line that are
      /// being fetched, as MemoryRequest::pieces.
      std::uint32_t pieces;
    };
    /// For the owner: the line may stay when it has come, and more accesses may merge.
    bool keep = true;
    /// For the owner: the line does not stay, although accesses may merge while `keep` is true.
    bool passing = false;
    /// For the owner: when it asked for the line.
    std::uint64_t sent = 0;
    /// For the owner: its request for the line.
    tlm::tlm_generic_payload* fetch = nullptr;
    std::vector<Target> targets;
  };

  /// `entries`: outstanding fetches; `targets_per_entry`: accesses an entry can hold.
  Mshr(std::uint32_t entries, std::uint32_t targets_per_entry)
      : targets_per_entry_(targets_per_entry), entries_(entries) {
    std::uint32_t slots = 2;
    while (slots < 2 * entries) slots *= 2;
    slots_.resize(slots);
    for (std::uint32_t i = entries; i-- > 0;) free_.push_back(i);
  }

  bool empty() const { return free_.size() == entries_.size(); }
  bool full() const { return free_.empty(); }
  std::uint32_t used() const { return static_cast<std::uint32_t>(entries_.size() - free_.size()); }
  bool can_merge(const Entry& e) const { return e.targets.size() < targets_per_entry_; }

  Entry* find(std::uint64_t line) {
    for (std::uint32_t s = home(line);; s = next(s)) {
      if (slots_[s].entry == kEmpty) return nullptr;
      if (slots_[s].line == line) return &entries_[slots_[s].entry];
    }
  }

  /// The line's entry with that request for it, or nullptr.
  Entry* find(std::uint64_t line, const tlm::tlm_generic_payload* fetch) {
    for (std::uint32_t s = home(line);; s = next(s)) {
      if (slots_[s].entry == kEmpty) return nullptr;
      if (slots_[s].line != line) continue;
      Entry& e = entries_[slots_[s].entry];
      if (e.fetch == fetch) return &e;
    }
  }

  /// An entry of the line that accesses may merge with and that fetches all of `pieces`: one with
  /// room for another access, else any; nullptr when there is none.
  Entry* find_containing(std::uint64_t line, std::uint32_t pieces) {
    Entry* crowded = nullptr;
    for (std::uint32_t s = home(line); slots_[s].entry != kEmpty; s = next(s)) {
      if (slots_[s].line != line) continue;
      Entry& e = entries_[slots_[s].entry];
      if (!e.keep || (pieces & ~e.pieces) != 0) continue;
      if (can_merge(e)) return &e;
      crowded = &e;
    }
    return crowded;
  }

  /// The line's entry will soon be asked for.
  void prefetch(std::uint64_t line) const {
    const std::uint32_t i = slots_[home(line)].entry;
    if (i != kEmpty) tessera::prefetch(&entries_[i]);
  }

  /// Another entry, for a line that has none (or none with these pieces). Must not be full.
  Entry& allocate(std::uint64_t line) {
    const std::uint32_t i = free_.back();
    free_.pop_back();
    std::uint32_t s = home(line);
    while (slots_[s].entry != kEmpty) s = next(s);
    slots_[s] = Slot{line, i};
    entries_[i].line = line;
    return entries_[i];
  }

  void release(Entry& e) {
    const auto i = static_cast<std::uint32_t>(&e - entries_.data());
    std::uint32_t hole = home(e.line);
    while (slots_[hole].entry != i) hole = next(hole);
    // Close the gap, so that later probes still reach what was displaced over it.
    for (std::uint32_t s = next(hole); slots_[s].entry != kEmpty; s = next(s)) {
      const std::uint32_t h = home(slots_[s].line);
      if (((s - h) & mask()) >= ((s - hole) & mask())) {
        slots_[hole] = slots_[s];
        hole = s;
      }
    }
    slots_[hole].entry = kEmpty;
    e.targets.clear();
    free_.push_back(i);
  }

  /// Calls f(entry) for every entry in use, then frees them all.
  template <class F>
  void drain(F f) {
    for (Slot& s : slots_) {
      if (s.entry == kEmpty) continue;
      f(entries_[s.entry]);
      entries_[s.entry].targets.clear();
      free_.push_back(s.entry);
      s.entry = kEmpty;
    }
  }

  /// Calls f(entry) for every entry of the line, in no particular order.
  template <class F>
  void for_each_of(std::uint64_t line, F f) {
    for (std::uint32_t s = home(line); slots_[s].entry != kEmpty; s = next(s)) {
      if (slots_[s].line == line) f(entries_[slots_[s].entry]);
    }
  }

  /// Calls f(entry) for every entry in use, in no particular order.
  template <class F>
  void for_each(F f) {
    for (const Slot& s : slots_) {
      if (s.entry != kEmpty) f(entries_[s.entry]);
    }
  }

 private:
  static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};
  /// With its line, so that a probe past other lines' entries does not touch them.
  struct Slot {
    std::uint64_t line = 0;
    std::uint32_t entry = kEmpty;
  };

  std::uint32_t mask() const { return static_cast<std::uint32_t>(slots_.size() - 1); }
  std::uint32_t home(std::uint64_t line) const {
    return static_cast<std::uint32_t>((line * 0x9e3779b97f4a7c15U) >> 32) & mask();
  }
  std::uint32_t next(std::uint32_t s) const { return (s + 1) & mask(); }

  std::uint32_t targets_per_entry_;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace tessera
