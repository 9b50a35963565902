// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <tlm>
#include <vector>

#include "modules/core/prefetch.h"

namespace tessera {

/// What an entry has room for: the access that asked for the line, and when; or neither, in half
/// the host memory, where that access does not wait. (Others that wait are on the heap.)
enum class MshrHolds : std::uint8_t { kFirstAccess, kNoAccess };

namespace detail {

/// The part of an entry that MshrHolds is about.
template <class Target, MshrHolds kHolds>
struct MshrFirst {
  /// For the owner: when it asked for the line.
  std::uint64_t sent = 0;
  Target first_access{};
};
template <class Target>
struct MshrFirst<Target, MshrHolds::kNoAccess> {};

}  // namespace detail

/// Miss-status holding registers: one entry per outstanding line, each with the accesses that wait
/// for it in order of arrival. Accesses to a line with an entry must be appended to it, whatever
/// they are, so that they take effect in order when the line comes.
///
/// Where parts of lines are fetched (DualOpt section 4.1.2), a line may have several entries, each
/// with the pieces that it fetches; the owner then sees to the order of what it appends to which.
///
/// A fixed table with open addressing; nothing is allocated once every entry has been used. A host
/// cache line, beside what it points to.
template <class Target, MshrHolds kHolds = MshrHolds::kFirstAccess>
class alignas(kHostLine) Mshr {
  static constexpr bool kFirst = kHolds == MshrHolds::kFirstAccess;

 public:
  /// Never in two host cache lines.
  class alignas(kFirst ? kHostLine : kHostLine / 2) Entry
      : public detail::MshrFirst<Target, kHolds> {
   public:
    std::uint64_t line = 0;
    union {
      /// For the owner: the cache frame reserved for the line.
      std::uint32_t frame = 0;
      /// Or, in a table that find_containing() searches: the 4-byte pieces of the line that are
      /// being fetched, as MemoryRequest::pieces.
      std::uint32_t word_mask;
    };
    /// For the owner: the line may stay when it has come, and more accesses may merge.
    bool keep = true;
    /// For the owner: the line does not stay, although accesses may merge while `keep` is true.
    bool passing = false;

   private:
    std::uint16_t waiting_ = 0;  // here, where there would be padding

   public:
    /// For the owner: its request for the line.
    tlm::tlm_generic_payload* fetch = nullptr;

    /// The accesses that wait, in the order in which they came.
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

    std::unique_ptr<std::vector<Target>> more_;  ///< the rest; stays when made
  };

  static constexpr std::uint32_t kMaxEntries = 1U << 15;

  /// `entries`: outstanding fetches, at most kMaxEntries (else throws); `targets_per_entry`:
  /// accesses an entry can hold.
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

  /// The line's entry with that request for it, or nullptr.
  Entry* find(std::uint64_t line, const tlm::tlm_generic_payload* fetch) {
    return search(line, [fetch](const Entry& e) { return e.fetch == fetch; });
  }

  /// An entry of the line that accesses may merge with and that fetches all of `pieces`: one with
  /// room for another access, else any; nullptr when there is none.
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

  /// The line's entry will soon be asked for.
  void prefetch(std::uint64_t line) const {
    const Slot slot = slots_[home(hash(line))];
    if (slot != kEmpty) tessera::prefetch(&entries_[slot & kIndex]);
  }

  /// Another entry, for a line that has none (or none with these pieces). Must not be full.
  Entry& allocate(std::uint64_t line) {
    const std::uint32_t i = free_;
    Entry& e = entries_[i];
    free_ = e.frame;
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
    // Close the gap, so that later probes still reach what was displaced over it.
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
  /// Index of an entry and, above it, the upper half of its line's hash: says where the entry's
  /// probes begin, and whose it is, so that hardly any but a line's own entry is ever touched.
  using Slot = std::uint32_t;
  static constexpr Slot kEmpty = ~Slot{0};
  static constexpr Slot kIndex = (Slot{1} << 16) - 1;

  static Slot hash(std::uint64_t line) {
    return static_cast<Slot>(line * 0x9e3779b97f4a7c15U >> 32);
  }
  /// Of a hash or a slot: its highest bits.
  std::uint32_t home(Slot slot) const { return slot >> home_shift_; }
  std::uint32_t mask() const { return static_cast<std::uint32_t>(slots_.size() - 1); }
  std::uint32_t next(std::uint32_t s) const { return (s + 1) & mask(); }

  void give_back(std::uint32_t i) {
    Entry& e = entries_[i];
    e.forget_waiting();
    e.frame = free_;
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

  std::vector<Entry> entries_;  ///< those that are not in use are linked by `frame`
  std::vector<Slot> slots_;
  std::uint32_t targets_per_entry_;
  unsigned home_shift_ = 0;
  std::uint32_t used_ = 0;
  std::uint32_t free_ = 0;  ///< the first that is not in use; means nothing when all are
};

}  // namespace tessera
