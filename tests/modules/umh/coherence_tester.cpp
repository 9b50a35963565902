// SPDX-License-Identifier: Apache-2.0
#include "tests/modules/umh/coherence_tester.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "tests/modules/umh/umh_system.h"

namespace tessera::umh::test {

namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
constexpr unsigned kBytes = 8;     ///< of a line, used by loads and stores
constexpr unsigned kCounter = 12;  ///< first byte of the counter

/// A store to one byte.
struct Write {
  unsigned char value = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;      ///< kNever while it is in progress
  std::uint64_t visible = 0;  ///< non-coherent: a synchronisation has ended; kNever: not yet
  bool coherent = true;
  unsigned agent = ~0U;
  unsigned device = ~0U;

  /// First step at which every later load sees this store or a later one.
  std::uint64_t seen_by_all() const { return coherent ? end : visible; }
  /// Whether every cache orders this store before `later`.
  bool before(const Write& later) const {
    if (later.start > seen_by_all()) return true;
    return later.start > end && (later.coherent || coherent || later.agent == agent);
  }
  bool seen_by(unsigned reader, std::uint64_t start_of_load) const {
    return seen_by_all() < start_of_load || (agent == reader && end < start_of_load);
  }
};

struct LineCounter {
  std::uint64_t started = 0;
  std::vector<std::uint64_t> ends;  ///< of completed additions, ascending
  std::set<std::uint32_t> olds;
  std::uint64_t ended_before(std::uint64_t step) const {
    return static_cast<std::uint64_t>(std::lower_bound(ends.begin(), ends.end(), step) -
                                      ends.begin());
  }
};

struct Fault {
  std::string what;
};

class Run {
 public:
  Run(TestedSystem& system, const Episode& episode, std::vector<std::string>* trace)
      : episode_(episode), trace_(trace), system_(system) {
    for (unsigned d = 0; d < system_.devices(); ++d) {
      for (unsigned i = 0; i < system_.l1s(d); ++i) agents_.push_back({d, i, {}});
    }
    flushers_ = static_cast<unsigned>(agents_.size());
    for (unsigned d = 0; d < system_.devices(); ++d) agents_.push_back({d, 0, {}});
    for (std::size_t i = 0; i < episode.operations.size(); ++i) {
      agents_[episode.operations[i].agent % agents_.size()].operations.push_back(i);
    }
  }

  Outcome run() {
    Outcome outcome;
    try {
      for (unsigned a = 0; a < agents_.size(); ++a) schedule(a);
      run_until_idle();
      if (finished_ != episode_.operations.size()) {
        throw Fault{"deadlock:\n" + system_.describe_waiting()};
      }
      check_end();
    } catch (const Fault& f) {
      outcome.fault = f.what;
    } catch (const std::exception& e) {
      outcome.fault = e.what();
    }
    if (!outcome.fault.empty()) note("FAULT: " + outcome.fault);
    outcome.issued = issued_;
    outcome.messages = taken_;
    return outcome;
  }

 private:
  struct Agent {
    unsigned device;
    unsigned l1;
    std::vector<std::size_t> operations;
    std::size_t next = 0;
    AtomicOperands operands = {};  ///< of its addition in progress
  };

  void note(const std::string& text) {
    if (trace_ != nullptr) trace_->push_back(std::to_string(system_.steps()) + ": " + text);
  }

  void run_until_idle() {
    // A faulty protocol can also exchange messages for ever.
    const std::uint64_t limit = taken_ + 2000 * (episode_.operations.size() + 100);
    while (system_.step()) {
      ++taken_;
      const std::optional<std::uint64_t> line = system_.last_line();
      if (line && trace_ != nullptr) note("  " + system_.last_message());
      const std::string violated = system_.check(line.value_or(issued_line_));
      if (!violated.empty()) throw Fault{violated};
      if (pending_fault_) throw *pending_fault_;
      if (taken_ > limit) throw Fault{"livelock:\n" + system_.describe_waiting()};
    }
    if (pending_fault_) throw *pending_fault_;
  }

  void schedule(unsigned agent) {
    Agent& a = agents_[agent];
    if (a.next == a.operations.size()) return;
    const Operation& op = episode_.operations[a.operations[a.next]];
    system_.after(1 + op.gap, [this, agent] { issue(agent); });
  }

  static std::string describe(const Operation& op) {
    static const std::vector<std::string> kNames = {
        "load", "store", "n-store", "add", "read-counter", "synchronise", "evict", "flush"};
    std::string text = kNames[static_cast<std::size_t>(op.kind)];
    if (op.kind != Operation::Kind::kFlush) text += " line " + std::to_string(op.line);
    if (op.kind <= Operation::Kind::kNStore) {
      text += " bytes " + std::to_string(op.first) + "+" + std::to_string(op.size);
    }
    if (op.kind == Operation::Kind::kEvict) text += " at level " + std::to_string(op.level);
    return text;
  }

  std::string agent_name(unsigned agent) {
    const Agent& a = agents_[agent];
    if (agent >= flushers_) return "device " + std::to_string(a.device);
    return system_.core_name(a.device, a.l1);
  }

  void issue(unsigned agent) {
    Agent& a = agents_[agent];
    const std::size_t index = a.operations[a.next];
    const Operation op = episode_.operations[index];
    ++issued_;
    issued_line_ = op.line;
    const std::uint64_t start = system_.steps();
    running_.insert(start);
    note(agent_name(agent) + ": " + describe(op));
    if (agent >= flushers_ || op.kind == Operation::Kind::kFlush) {
      flush(agent, start);
    } else if (op.kind == Operation::Kind::kEvict) {
      evict(agent, op, start);
    } else {
      access(agent, op, start);
    }
  }

  void complete(unsigned agent, std::uint64_t start) {
    running_.erase(start);
    ++finished_;
    ++agents_[agent].next;
    schedule(agent);
  }

  void flush(unsigned agent, std::uint64_t start) {
    const unsigned device = agents_[agent].device;
    system_.flush(device, [this, agent, device, start] {
      note(agent_name(agent) + ": flushed");
      for (auto& [byte, writes] : bytes_) {
        for (Write& w : writes) {
          if (w.device == device && w.end < start) make_visible(w);
        }
        prune(writes);
      }
      complete(agent, start);
    });
  }

  void evict(unsigned agent, const Operation& op, std::uint64_t start) {
    const Agent& a = agents_[agent];
    system_.evict(a.device, a.l1, op.level, op.line,
                  [this, agent, start] { complete(agent, start); });
  }

  void access(unsigned agent, const Operation& op, std::uint64_t start) {
    Agent& a = agents_[agent];
    CoherentAccess access;
    access.line = op.line;
    access.mask = ByteMask::range(op.first, op.size);
    using Kind = CoherentAccess::Kind;
    bool coherent = true;
    switch (op.kind) {
      case Operation::Kind::kLoad:
        break;
      case Operation::Kind::kReadCounter:
        access.mask = ByteMask::range(kCounter, 4);
        break;
      case Operation::Kind::kStore:
        access.kind = Kind::kStore;
        break;
      case Operation::Kind::kNStore:
        access.kind = Kind::kNStore;
        // A store that is narrower than a mask bit is coherent.
        coherent = op.first % episode_.shape.mask_granularity != 0 ||
                   op.size % episode_.shape.mask_granularity != 0;
        break;
      case Operation::Kind::kAdd:
        access.kind = Kind::kAtomic;
        access.operands = &a.operands;
        a.operands = {};
        a.operands.count = 1;
        a.operands.lanes[0].offset = kCounter;
        a.operands.lanes[0].operand = 1;
        ++counters_[op.line].started;
        break;
      default:
        access.kind = Kind::kStore;
        access.mask = {};
        break;
    }
    if (op.kind == Operation::Kind::kStore || op.kind == Operation::Kind::kNStore) {
      const unsigned char value = unused_value(op);
      for (unsigned i = op.first; i < op.first + op.size; ++i) {
        access.bytes[i] = value;
        writes(op.line, i).push_back({value, start, kNever, kNever, coherent, agent, a.device});
      }
      note("  value " + std::to_string(value));
    }
    system_.access(a.device, a.l1, access,
                   [this, agent, op, start, coherent](const CoherentAccess& result) {
                     // A check that fails is reported after the step, not through the blocks.
                     try {
                       accessed(agent, op, start, coherent, result);
                     } catch (const Fault& f) {
                       if (!pending_fault_) pending_fault_ = std::make_unique<Fault>(f);
                     }
                     complete(agent, start);
                   });
  }

  void accessed(unsigned agent, const Operation& op, std::uint64_t start, bool coherent,
                const CoherentAccess& result) {
    const std::uint64_t now = system_.steps();
    note(agent_name(agent) + ": completed " + describe(op));
    LineCounter& counter = counters_[op.line];
    switch (op.kind) {
      case Operation::Kind::kLoad:
        for (unsigned i = op.first; i < op.first + op.size; ++i) {
          check_byte(op.line, i, result.bytes[i], agent, start);
        }
        return;
      case Operation::Kind::kReadCounter:
        check_counter(op.line, counter, value_at(result.bytes.data()), start);
        return;
      case Operation::Kind::kAdd: {
        const auto old = static_cast<std::uint32_t>(agents_[agent].operands.lanes[0].old);
        check_counter(op.line, counter, old, start);
        if (!counter.olds.insert(old).second) {
          throw Fault{"two additions to the counter of line " + std::to_string(op.line) +
                      " returned " + std::to_string(old)};
        }
        counter.ends.push_back(now);
        break;
      }
      case Operation::Kind::kStore:
      case Operation::Kind::kNStore:
        for (unsigned i = op.first; i < op.first + op.size; ++i) {
          for (Write& w : writes(op.line, i)) {
            if (w.start == start && w.agent == agent) w.end = now;
          }
        }
        break;
      default:
        break;
    }
    if (coherent) synchronised(op.line, agents_[agent].device, start);
  }

  /// An exclusive access has ended. Non-coherent stores to the line that had ended before are
  /// visible; for the other lines of the block, those of the other devices.
  void synchronised(std::uint64_t line, unsigned device, std::uint64_t start) {
    const std::uint64_t first = line / episode_.shape.block_lines * episode_.shape.block_lines;
    for (std::uint64_t l = first; l < first + episode_.shape.block_lines; ++l) {
      for (unsigned i = 0; i < kBytes; ++i) {
        std::vector<Write>& all = writes(l, i);
        for (Write& w : all) {
          if (w.end < start && (l == line || w.device != device)) make_visible(w);
        }
        prune(all);
      }
    }
  }

  void make_visible(Write& w) { w.visible = std::min(w.visible, system_.steps()); }

  std::vector<Write>& writes(std::uint64_t line, unsigned byte) {
    std::vector<Write>& all = bytes_[line * kLineBytes + byte];
    if (all.empty()) all.push_back({});
    return all;
  }

  /// Drops stores that no load can return any more.
  void prune(std::vector<Write>& all) {
    const std::uint64_t oldest = running_.empty() ? system_.steps() : *running_.begin();
    all.erase(std::remove_if(all.begin(), all.end(),
                             [&](const Write& w) {
                               return std::any_of(all.begin(), all.end(), [&](const Write& other) {
                                 return w.end != kNever && w.before(other) &&
                                        other.seen_by_all() < oldest;
                               });
                             }),
              all.end());
  }

  unsigned char unused_value(const Operation& op) {
    std::array<bool, 256> used{};
    for (unsigned i = op.first; i < op.first + op.size; ++i) {
      for (const Write& w : writes(op.line, i)) used[w.value] = true;
    }
    for (unsigned tries = 0; tries < 256; ++tries) {
      if (!used[++value_]) break;
    }
    return value_;
  }

  void check_byte(std::uint64_t line, unsigned byte, unsigned char value, unsigned reader,
                  std::uint64_t start) {
    const std::vector<Write>& all = writes(line, byte);
    std::string legal;
    for (const Write& w : all) {
      const bool replaced = std::any_of(all.begin(), all.end(), [&](const Write& other) {
        return w.before(other) && other.seen_by(reader, start);
      });
      if (replaced) continue;
      if (w.value == value) return;
      legal += " " + std::to_string(w.value);
    }
    throw Fault{"byte " + std::to_string(byte) + " of line " + std::to_string(line) + " is " +
                std::to_string(value) + ", not one of" + legal};
  }

  static std::uint32_t value_at(const unsigned char* line) {
    std::uint32_t value = 0;
    std::memcpy(&value, line + kCounter, sizeof value);
    return value;
  }

  void check_counter(std::uint64_t line, const LineCounter& counter, std::uint32_t value,
                     std::uint64_t start) {
    note("  counter " + std::to_string(value));
    if (value < counter.ended_before(start) || value > counter.started) {
      throw Fault{"the counter of line " + std::to_string(line) + " is " + std::to_string(value) +
                  ", not " + std::to_string(counter.ended_before(start)) + " to " +
                  std::to_string(counter.started)};
    }
  }

  void check_end() {
    for (unsigned d = 0; d < system_.devices(); ++d) {
      const std::uint64_t start = system_.steps() + 1;
      bool done = false;
      system_.after(1, [&] { system_.flush(d, [&] { done = true; }); });
      run_until_idle();
      if (!done) throw Fault{"deadlock in a flush:\n" + system_.describe_waiting()};
      for (auto& [byte, all] : bytes_) {
        for (Write& w : all) {
          if (w.device == d && w.end < start) make_visible(w);
        }
      }
    }
    if (!system_.idle()) throw Fault{"not idle:\n" + system_.describe_waiting()};
    for (const auto& [line, unused] : counters_) {
      const std::string holder = system_.holder(line);
      if (!holder.empty()) throw Fault{holder + " holds a line after a flush"};
    }
    for (const auto& [at, all] : bytes_) {
      check_byte(at / kLineBytes, at % kLineBytes,
                 system_.memory().read(at / kLineBytes)[at % kLineBytes], ~0U, system_.steps() + 1);
    }
    for (const auto& [line, counter] : counters_) {
      const std::uint32_t value = value_at(system_.memory().read(line).data());
      if (value != counter.started) {
        throw Fault{"the counter of line " + std::to_string(line) + " ends at " +
                    std::to_string(value) + ", not " + std::to_string(counter.started)};
      }
    }
  }

  const Episode& episode_;
  std::vector<std::string>* trace_;
  TestedSystem& system_;
  std::vector<Agent> agents_;
  unsigned flushers_ = 0;  ///< first agent that only flushes
  std::map<std::uint64_t, std::vector<Write>> bytes_;
  std::map<std::uint64_t, LineCounter> counters_;
  std::multiset<std::uint64_t> running_;  ///< starts of operations in progress
  std::unique_ptr<Fault> pending_fault_;
  std::uint64_t issued_line_ = 0;  ///< of the last operation
  std::size_t issued_ = 0;
  std::uint64_t taken_ = 0;  ///< steps
  std::size_t finished_ = 0;
  unsigned char value_ = 0;
};

}  // namespace

Episode random_episode(std::uint64_t seed, std::size_t operations) {
  std::mt19937_64 random(seed * 0x9e3779b97f4a7c15U + 1);
  const auto pick = [&](std::uint64_t n) { return random() % n; };
  Episode e;
  e.seed = seed;
  Shape& s = e.shape;
  s.gpus = 2 + static_cast<unsigned>(pick(3));
  s.cores = 2 + static_cast<unsigned>(pick(3));
  s.cus = 1 + static_cast<unsigned>(pick(2));
  s.stacks = 1 + static_cast<unsigned>(pick(2));
  s.hmds = 1 + static_cast<unsigned>(pick(2));
  s.block_lines = 1U << pick(3);
  s.l1_ways = 1 + static_cast<std::uint32_t>(pick(2));
  s.l2_ways = 1 + static_cast<std::uint32_t>(pick(3));
  s.smd_blocks = 1 + static_cast<std::uint32_t>(pick(2));
  s.llc_ways = 1 + static_cast<std::uint32_t>(pick(3));
  s.mask_granularity = 1U << pick(3);
  s.owned_read = pick(2) == 0 ? OwnedRead::kToInvalid : OwnedRead::kToOwned;
  s.peer_transfer = pick(4) != 0;
  e.max_delay = std::uint64_t{1} << pick(8);
  const std::uint64_t lines = 1 + pick(6);
  const unsigned l1s = s.gpus * s.cus + s.cores;
  // Weights of the kinds, by episode: some have no non-coherent stores, some no evictions.
  const std::array<std::uint64_t, 7> weights = {30, pick(20), pick(40),          pick(8),
                                                4,  pick(8),  pick(2) * pick(10)};
  const std::uint64_t flush_every = 20 + pick(200);
  std::uint64_t total = 0;
  for (const std::uint64_t w : weights) total += w;
  for (std::size_t i = 0; i < operations; ++i) {
    Operation op;
    op.gap = static_cast<unsigned>(pick(2) * pick(30));
    op.line = pick(lines);
    if (pick(flush_every) == 0) {
      op.kind = Operation::Kind::kFlush;
      op.agent = l1s + static_cast<unsigned>(pick(s.gpus + 1));
    } else {
      std::uint64_t at = pick(total);
      unsigned kind = 0;
      while (at >= weights[kind]) at -= weights[kind++];
      op.kind = static_cast<Operation::Kind>(kind);
      op.agent = static_cast<unsigned>(pick(l1s));
      op.size = 1U << pick(3);
      op.first = static_cast<unsigned>(pick(kBytes / op.size)) * op.size;
      op.level = static_cast<unsigned>(pick(3));
    }
    e.operations.push_back(op);
  }
  s.flushed = pick(2) == 0 ? FlushedBlocks::kModified : FlushedBlocks::kAll;
  return e;
}

Outcome run_on(TestedSystem& system, const Episode& episode, std::vector<std::string>* trace) {
  return Run(system, episode, trace).run();
}

Outcome run(const Episode& episode, std::vector<std::string>* trace) {
  UmhSystem system(episode.shape, episode.seed, episode.max_delay, episode.mutation);
  return run_on(system, episode, trace);
}

Episode shrink(Episode episode, unsigned attempts) {
  const auto fails = [&](const Episode& e) { return attempts-- != 0 && !run(e).fault.empty(); };
  for (std::size_t chunk = (episode.operations.size() + 1) / 2; chunk != 0 && attempts > 1;) {
    bool dropped = false;
    for (std::size_t from = 0; from < episode.operations.size() && attempts > 1;) {
      Episode fewer = episode;
      const auto begin = fewer.operations.begin() + static_cast<std::ptrdiff_t>(from);
      const std::size_t n = std::min(chunk, fewer.operations.size() - from);
      fewer.operations.erase(begin, begin + static_cast<std::ptrdiff_t>(n));
      bool failed = false;
      // The delays of the remaining messages change. Other delays can show the fault again.
      for (std::uint64_t k = 0; k < 3 && !failed && attempts > 1; ++k) {
        fewer.seed = episode.seed + k * 1000003;
        failed = fails(fewer);
      }
      if (failed) {
        episode = fewer;
        dropped = true;
      } else {
        from += n;
      }
    }
    if (!dropped || chunk > episode.operations.size()) chunk = chunk / 2;
  }
  return episode;
}

std::string report(const Episode& episode) {
  std::vector<std::string> trace;
  const Outcome outcome = run(episode, &trace);
  const Shape& s = episode.shape;
  std::string text = std::to_string(episode.operations.size()) + " operations, seed " +
                     std::to_string(episode.seed) + ", " + std::to_string(s.gpus) + " GPUs x " +
                     std::to_string(s.cus) + " CUs x " + std::to_string(s.stacks) + " stacks, " +
                     std::to_string(s.cores) + " cores, " + std::to_string(s.hmds) + " HMDs, " +
                     std::to_string(s.block_lines) + " lines per block, mask granularity " +
                     std::to_string(s.mask_granularity) +
                     (s.flushed == FlushedBlocks::kAll ? ", all flushed" : "") + ", delays up to " +
                     std::to_string(episode.max_delay) + "\n" + outcome.fault + "\n";
  for (const std::string& line : trace) text += line + "\n";
  return text;
}

}  // namespace tessera::umh::test
