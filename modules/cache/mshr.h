// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <tlm>
#include <vector>

#include "modules/kernel/prefetch.h"

namespace tessera {

/// Contents of an entry: the access that requested the line, and the time of its request; or
/// neither, for an owner in which that access does not wait. The second halves the host memory of
/// an entry. Further waiting accesses are on the heap.
enum class MshrHolds : std::uint8_t { kFirstAccess, kNoAccess };

namespace detail {

/// The part of an entry that MshrHolds selects.
template <class Target, MshrHolds kHolds>
struct MshrFirst {
  /// For the owner: time of its request for the line.
  std::uint64_t sent = 0;
  Target first_access{};
};
template <class Target>
struct MshrFirst<Target, MshrHolds::kNoAccess> {};

}  // namespace detail

/// Miss-status holding registers: one entry per outstanding line, each with the accesses that wait
/// for it in order of arrival. An access of any kind to a line with an entry must be appended to
/// the entry, so that accesses take effect in order when the line arrives.
///
/// If parts of lines are fetched (DualOpt section 4.1.2), a line can have several entries, each
/// with the words that it fetches. The owner is then responsible for the order of accesses in
/// different entries.
///
/// A fixed table with open addressing. Allocates no memory after every entry has been used. The
/// object, without the memory it points to, is one host cache line.
template <class Target, MshrHolds kHolds = MshrHolds::kFirstAccess>
class alignas(kHostLine) Mshr {
  static constexpr bool kFirst = kHolds == MshrHolds::kFirstAccess;

 public:
  /// Never straddles two host cache lines.
  class alignas(kFirst ? kHostLine : kHostLine / 2) Entry
      : public detail::MshrFirst<Target, kHolds> {
   public:
    std::uint64_t line = 0;
    union {
      /// For the owner: the way reserved for the line.
      std::uint32_t way = 0;
      /// Or, in a table that find_containing() searches: the 4-byte words of the line that are
      /// being fetched, as MemoryRequest::word_mask.
      std::uint32_t word_mask;
    };
    /// For the owner: the line can be installed on arrival, and further accesses can merge.
    bool keep = true;
    /// For the owner: the line is not installed, although accesses can merge while `keep` is true.
    bool bypass = false;

   private:
    std::uint16_t waiting_ = 0;  // placed here to use padding

   public:
    /// For the owner: its request for the line.
    tlm::tlm_generic_payload* fetch = nullptr;

    /// The waiting accesses, in order of arrival.
    std::uint32_t waiting() const { return waiting_; }
    void add(const Target& access) {
      if constexpr (kFirst) {
        if (waiting_ == 0) {
          waiting_ = 1;
          this->first_access = access;
          return;
        }
      }
      ++waiting_;
      add_more(access);
    }
    const Target& first() const {
      static_assert(kFirst, "no access is held");
      return this->first_access;
    }
    template <class F>
    void for_each_waiting(F f) const {
      if (waiting_ == 0) return;
      if constexpr (kFirst) f(this->first_access);
      for (std::uint32_t i = kInside; i < waiting_; ++i) f((*more_)[i - kInside]);
    }

   private:
    friend class Mshr;
    static constexpr std::uint32_t kInside = kFirst ? 1 : 0;
    [[gnu::noinline]] void add_more(const Target& access) {
      if (!more_) more_ = std::make_unique<std::vector<Target>>();
      more_->push_back(access);
    }
    void forget_waiting() {
      if (waiting_ > kInside) more_->clear();
      waiting_ = 0;
    }

    std::unique_ptr<std::vector<Target>> more_;  ///< further accesses; kept after release()
  };

  static constexpr std::uint32_t kMaxEntries = 1U << 15;

  /// `entries`: outstanding fetches, at most kMaxEntries (otherwise throws std::invalid_argument).
  /// `targets_per_entry`: accesses that an entry can hold.
  Mshr(std::uint32_t entries, std::uint32_t targets_per_entry)
      : entries_(entries), targets_per_entry_(targets_per_entry) {
    if (entries > kMaxEntries) throw std::invalid_argument("too many MSHR entries");
    unsigned bits = 1;
    while ((1U << bits) < 2 * entries) ++bits;
    slots_.resize(std::size_t{1} << bits, kEmpty);
    home_shift_ = 32 - bits;
    used_ = entries;
    for (std::uint32_t i = entries; i-- > 0;) give_back(i);
  }

  bool empty() const { return used_ == 0; }
  bool full() const { return used_ == entries_.size(); }
  std::uint32_t used() const { return used_; }
  bool can_merge(const Entry& e) const { return e.waiting() < targets_per_entry_; }

  Entry* find(std::uint64_t line) {
    return search(line, [](const Entry&) { return true; });
  }

  /// The line's entry whose request is `fetch`, or nullptr.
  Entry* find(std::uint64_t line, const tlm::tlm_generic_payload* fetch) {
    return search(line, [fetch](const Entry& e) { return e.fetch == fetch; });
  }

  /// An entry of the line that accesses can merge with and that fetches all words of `word_mask`.
  /// Prefers an entry that can hold another access. nullptr if there is no such entry.
  Entry* find_containing(std::uint64_t line, std::uint32_t word_mask) {
    Entry* crowded = nullptr;
    Entry* const roomy = search(line, [&](Entry& e) {
      if (!e.keep || (word_mask & ~e.word_mask) != 0) return false;
      if (can_merge(e)) return true;
      crowded = &e;
      return false;
    });
    return roomy != nullptr ? roomy : crowded;
  }

  /// Allocates an entry for a line that has none (or none with these words). Precondition: not
  /// full.
  Entry& allocate(std::uint64_t line) {
    const std::uint32_t i = free_;
    Entry& e = entries_[i];
    free_ = e.way;
    tessera::prefetch(&entries_[free_]);
    ++used_;
    const Slot h = hash(line);
    std::uint32_t s = home(h);
    while (slots_[s] != kEmpty) s = next(s);
    slots_[s] = (h & ~kIndex) | i;
    e.line = line;
    return e;
  }

  void release(Entry& e) {
    const auto i = static_cast<std::uint32_t>(&e - entries_.data());
    const Slot h = hash(e.line);
    std::uint32_t hole = home(h);
    while (slots_[hole] != ((h & ~kIndex) | i)) hole = next(hole);
    // Close the gap, so that later probes still find entries that were displaced past it.
    for (std::uint32_t s = next(hole); slots_[s] != kEmpty; s = next(s)) {
      if (((s - home(slots_[s])) & mask()) >= ((s - hole) & mask())) {
        slots_[hole] = slots_[s];
        hole = s;
      }
    }
    slots_[hole] = kEmpty;
    give_back(i);
  }

  /// Calls f(entry) for every entry in use, then frees them all.
  template <class F>
  void drain(F f) {
    for (Slot& s : slots_) {
      if (s == kEmpty) continue;
      f(entries_[s & kIndex]);
      give_back(s & kIndex);
      s = kEmpty;
    }
  }

  /// Calls f(entry) for every entry of the line, in no particular order.
  template <class F>
  void for_each_of(std::uint64_t line, F f) {
    search(line, [&f](Entry& e) {
      f(e);
      return false;
    });
  }

  /// Calls f(entry) for every entry in use, in no particular order.
  template <class F>
  void for_each(F f) {
    for (const Slot s : slots_) {
      if (s != kEmpty) f(entries_[s & kIndex]);
    }
  }

 private:
  /// Index of an entry and, above it, the upper half of its line's hash. The hash gives the first
  /// slot of the entry's probe sequence and filters entries of other lines, so that a search rarely
  /// reads them.
  using Slot = std::uint32_t;
  static constexpr Slot kEmpty = ~Slot{0};
  static constexpr Slot kIndex = (Slot{1} << 16) - 1;

  static Slot hash(std::uint64_t line) {
    return static_cast<Slot>(line * 0x9e3779b97f4a7c15U >> 32);
  }
  /// First slot of the probe sequence of a hash or a slot: its highest bits.
  std::uint32_t home(Slot slot) const { return slot >> home_shift_; }
  std::uint32_t mask() const { return static_cast<std::uint32_t>(slots_.size() - 1); }
  std::uint32_t next(std::uint32_t s) const { return (s + 1) & mask(); }

  void give_back(std::uint32_t i) {
    Entry& e = entries_[i];
    e.forget_waiting();
    e.way = free_;
    free_ = i;
    --used_;
  }

  /// The line's first entry for which `wanted` is true, or nullptr.
  template <class F>
  Entry* search(std::uint64_t line, F wanted) {
    const Slot h = hash(line);
    for (std::uint32_t s = home(h); slots_[s] != kEmpty; s = next(s)) {
      if (((slots_[s] ^ h) & ~kIndex) != 0) continue;
      Entry& e = entries_[slots_[s] & kIndex];
      if (e.line == line && wanted(e)) return &e;
    }
    return nullptr;
  }

  std::vector<Entry> entries_;  ///< free entries are linked by `way`
  std::vector<Slot> slots_;
  std::uint32_t targets_per_entry_;
  unsigned home_shift_ = 0;
  std::uint32_t used_ = 0;
  std::uint32_t free_ = 0;  ///< first free entry; undefined if the table is full
};

}  // namespace tessera
