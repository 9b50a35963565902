// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>
#include <vector>

namespace tessera {

/// Miss-status holding registers: one entry per outstanding line, each with the accesses that wait
/// for it in order of arrival. Accesses to a line with an entry must be appended to it, whatever
/// they are, so that they take effect in order when the line comes.
///
/// A fixed table with open addressing; nothing is allocated once every entry has been used.
template <class Target>
class Mshr {
 public:
  struct Entry {
    std::uint64_t line = 0;
    /// For the owner: the cache frame reserved for the line.
    std::uint32_t frame = 0;
    /// For the owner: the line may stay when it has come, and more accesses may merge.
    bool keep = true;
    /// For the owner: when it asked for the line.
    std::uint64_t sent = 0;
    /// For the owner: its request for the line.
    tlm::tlm_generic_payload* fetch = nullptr;
    std::vector<Target> targets;
  };

  /// `entries`: outstanding lines; `targets_per_entry`: accesses an entry can hold.
  Mshr(std::uint32_t entries, std::uint32_t targets_per_entry)
      : targets_per_entry_(targets_per_entry), entries_(entries) {
    std::uint32_t slots = 2;
    while (slots < 2 * entries) slots *= 2;
    slots_.assign(slots, kEmpty);
    for (std::uint32_t i = entries; i-- > 0;) free_.push_back(i);
  }

  bool empty() const { return free_.size() == entries_.size(); }
  bool full() const { return free_.empty(); }
  std::uint32_t used() const { return static_cast<std::uint32_t>(entries_.size() - free_.size()); }
  bool can_merge(const Entry& e) const { return e.targets.size() < targets_per_entry_; }

  Entry* find(std::uint64_t line) {
    for (std::uint32_t s = home(line);; s = next(s)) {
      if (slots_[s] == kEmpty) return nullptr;
      if (entries_[slots_[s]].line == line) return &entries_[slots_[s]];
    }
  }

  /// An entry for a line that has none. Must not be full.
  Entry& allocate(std::uint64_t line) {
    const std::uint32_t i = free_.back();
    free_.pop_back();
    std::uint32_t s = home(line);
    while (slots_[s] != kEmpty) s = next(s);
    slots_[s] = i;
    entries_[i].line = line;
    return entries_[i];
  }

  void release(Entry& e) {
    const auto i = static_cast<std::uint32_t>(&e - entries_.data());
    std::uint32_t hole = home(e.line);
    while (slots_[hole] != i) hole = next(hole);
    // Close the gap, so that later probes still reach what was displaced over it.
    for (std::uint32_t s = next(hole); slots_[s] != kEmpty; s = next(s)) {
      const std::uint32_t h = home(entries_[slots_[s]].line);
      if (((s - h) & mask()) >= ((s - hole) & mask())) {
        slots_[hole] = slots_[s];
        hole = s;
      }
    }
    slots_[hole] = kEmpty;
    e.targets.clear();
    free_.push_back(i);
  }

  /// Calls f(entry) for every entry in use, then frees them all.
  template <class F>
  void drain(F f) {
    for (std::uint32_t& i : slots_) {
      if (i == kEmpty) continue;
      f(entries_[i]);
      entries_[i].targets.clear();
      free_.push_back(i);
      i = kEmpty;
    }
  }

  /// Calls f(entry) for every entry in use, in no particular order.
  template <class F>
  void for_each(F f) {
    for (std::uint32_t i : slots_) {
      if (i != kEmpty) f(entries_[i]);
    }
  }

 private:
  static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};

  std::uint32_t mask() const { return static_cast<std::uint32_t>(slots_.size() - 1); }
  std::uint32_t home(std::uint64_t line) const {
    return static_cast<std::uint32_t>((line * 0x9e3779b97f4a7c15U) >> 32) & mask();
  }
  std::uint32_t next(std::uint32_t s) const { return (s + 1) & mask(); }

  std::uint32_t targets_per_entry_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace tessera
