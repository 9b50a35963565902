// SPDX-License-Identifier: Apache-2.0
// The reference: each thread walks the syntax tree by itself and blocks in a rendezvous until the
// lanes of its mask that have not ended have come to the same form with the same mask.

#include <algorithm>
#include <map>
#include <stdexcept>

#include "tests/stimuli/ptx/sync_program.h"

namespace tessera::test {

namespace {

using Node = SyncProgram::Node;
using List = SyncProgram::List;
using Do = SyncProgram::Do;
using Form = SyncProgram::Form;
using u32 = std::uint32_t;

struct Position {
  const List* list = nullptr;
  std::size_t at = 0;
  const Node* loop = nullptr;
  unsigned round = 0;
  unsigned trips = 0;
};

struct Thread {
  unsigned index = 0;
  enum class State { kRuns, kSync, kCtaBarrier, kEnded } state = State::kRuns;
  std::array<u32, SyncProgram::kVariables> v{};
  u32 sum = 0;
  u32 result = SyncProgram::kUnwritten;
  std::vector<Position> stack;
  const Node* waits_at = nullptr;
  u32 mask = 0;
  unsigned exchange_step = 0;

  unsigned lane() const { return index % 32; }
  bool in(u32 lanes) const { return (lanes >> lane() & 1) != 0; }
};

u32 compute(const Node& n, u32 b, u32 c) {
  switch (n.op) {
    case 0:
      return b + c;
    case 1:
      return b - c;
    case 2:
      return b * n.constant + c;
    case 3:
      return b ^ c;
    default:
      return std::min(b, c);
  }
}

unsigned trips_of(const Node& n, const Thread& t) {
  if (n.what == Do::kLoop) return n.constant;
  if (n.what == Do::kLoopData) return t.v[n.b] & n.constant;
  for (const auto& c : n.classes) {
    if (t.in(c.lanes)) return c.trips;
  }
  return 0;
}

bool takes_predicate(Form f) { return f >= Form::kBallot && f <= Form::kUni; }

u32 source_value(const Node& n, u32 v) {
  if (takes_predicate(n.form)) return ((v & 4) != 0) != n.negated ? 1 : 0;
  if (n.form == Form::kMatchAny) return v & 3;
  if (n.form == Form::kMatchAll) return v & 1;
  return v;
}

/// Threads of one CTA.
class SyncMachine {
 public:
  SyncMachine(const List& main, unsigned threads, const std::vector<u32>& input, unsigned cta,
              unsigned schedule)
      : random_(schedule), threads_(threads) {
    for (unsigned i = 0; i < threads; ++i) {
      Thread& t = threads_[i];
      const u32 global = cta * threads + i;
      t.index = i;
      t.v = {input[global % SyncProgram::kInputs], global, t.lane() * 2654435761u,
             input[(global * 7 + 3) % SyncProgram::kInputs], 5};
      t.stack.push_back({&main, 0, nullptr, 0, 0});
    }
  }

  std::vector<u32> run() {
    // Runs of steps of one thread, of random length: sometimes to its next stop.
    std::vector<unsigned> ready(threads_.size());
    for (unsigned i = 0; i < ready.size(); ++i) ready[i] = i;
    while (true) {
      ready.clear();
      for (const Thread& t : threads_) {
        if (t.state == Thread::State::kRuns) ready.push_back(t.index);
      }
      if (ready.empty()) {
        if (release_cta()) continue;
        break;
      }
      std::shuffle(ready.begin(), ready.end(), random_);
      for (const unsigned i : ready) {
        unsigned steps = random_() % 4 == 0 ? 1000 : 1 + random_() % 4;
        while (steps-- > 0 && threads_[i].state == Thread::State::kRuns) step(threads_[i]);
      }
    }
    std::vector<u32> results;
    for (const Thread& t : threads_) {
      if (t.state != Thread::State::kEnded) throw std::logic_error("the program deadlocks");
      results.push_back(t.result);
    }
    return results;
  }

 private:
  void end(Thread& t) {
    t.result = (t.sum * 7 + t.v[0]) ^ t.v[1] ^ t.v[2] ^ t.v[3] ^ t.v[4];
    t.state = Thread::State::kEnded;
    try_all(t.index / 32);
  }

  void step(Thread& t) {
    Position& p = t.stack.back();
    if (p.at == p.list->size()) {
      if (p.loop != nullptr && ++p.round < p.trips) {
        p.at = 0;
        return;
      }
      t.stack.pop_back();
      if (t.stack.empty()) end(t);
      return;
    }
    const Node& n = (*p.list)[p.at++];
    switch (n.what) {
      case Do::kCompute:
        t.v[n.a] = compute(n, t.v[n.b], t.v[n.c]);
        break;
      case Do::kIfLane:
        t.stack.push_back({t.in(n.lanes) ? &n.body : &n.other, 0, nullptr, 0, 0});
        break;
      case Do::kIfData:
        t.stack.push_back({(t.v[n.b] & n.constant) == 0 ? &n.body : &n.other, 0, nullptr, 0, 0});
        break;
      case Do::kLoop:
      case Do::kLoopData:
      case Do::kLoopLane:
        if (const unsigned trips = trips_of(n, t); trips > 0) {
          t.stack.push_back({&n.body, 0, &n, 0, trips});
        }
        break;
      case Do::kSync:
        if (t.in(n.lanes)) arrive(t, n);
        break;
      case Do::kExit:
        if (t.in(n.lanes)) end(t);
        break;
      case Do::kExchange:
        memory_[word(n.store_slot, t.index)] = t.v[n.b];
        t.waits_at = &n;
        t.exchange_step = 0;
        t.state = Thread::State::kCtaBarrier;
        break;
    }
  }

  static std::size_t word(int slot, unsigned index) {
    return static_cast<std::size_t>(slot) * 256 + index;
  }

  u32 mask_of(const Thread& t, const Node& n) const {
    if (n.masks.empty()) {
      for (std::size_t i = t.stack.size(); i-- > 0;) {
        const Position& p = t.stack[i];
        if (p.loop == nullptr || p.loop->what != Do::kLoopLane) continue;
        u32 staying = 0;
        for (const auto& c : p.loop->classes) staying |= c.trips > p.round ? c.lanes : 0;
        return staying;
      }
      throw std::logic_error("a sync of a loop's lanes outside of it");
    }
    for (const u32 m : n.masks) {
      if (t.in(m)) return m;
    }
    throw std::logic_error("a lane that is in no mask");
  }

  void arrive(Thread& t, const Node& n) {
    t.mask = mask_of(t, n);
    if (!t.in(t.mask)) throw std::logic_error("a lane that is not in its mask");
    if (n.store_slot >= 0) memory_[word(n.store_slot, t.index)] = t.v[n.b];
    if (n.load_slot >= 0) {
      const unsigned partner = (t.lane() * n.source_step + n.source_base) & 31;
      const auto at = memory_.find(word(n.load_slot, t.index - t.lane() + partner));
      if (at == memory_.end()) throw std::logic_error("a word is read before it is written");
      t.v[n.a] = at->second;
    }
    t.waits_at = &n;
    t.state = Thread::State::kSync;
    try_group(t.index / 32, n.form, t.mask);
  }

  void try_all(unsigned warp) {
    for (unsigned lane = 0; lane < 32 && warp * 32 + lane < threads_.size(); ++lane) {
      const Thread& t = threads_[warp * 32 + lane];
      if (t.state == Thread::State::kSync) try_group(warp, t.waits_at->form, t.mask);
    }
  }

  void try_group(unsigned warp, Form form, u32 mask) {
    u32 members = 0;
    std::array<SyncLane, 32> lanes{};
    const Node* place = nullptr;
    bool apart = false;
    for (unsigned lane = 0; lane < 32 && warp * 32 + lane < threads_.size(); ++lane) {
      const Thread& t = threads_[warp * 32 + lane];
      if ((mask >> lane & 1) == 0 || t.state == Thread::State::kEnded) continue;
      const bool here =
          t.state == Thread::State::kSync && t.waits_at->form == form && t.mask == mask;
      if (!here) return;
      const Node& n = *t.waits_at;
      apart = apart || (place != nullptr && place != &n);
      place = &n;
      members |= 1u << lane;
      lanes[lane].value = source_value(n, t.v[n.b]);
      lanes[lane].b = (lane * n.source_step + n.source_base) & 31;
      lanes[lane].c = n.clamp;
    }
    if (members == 0) return;
    SyncProgram::met_apart += apart ? 1 : 0;
    sync_results(form, members, lanes);
    for (unsigned lane = 0; lane < 32; ++lane) {
      if ((members >> lane & 1) == 0) continue;
      Thread& t = threads_[warp * 32 + lane];
      t.state = Thread::State::kRuns;
      if (form == Form::kBarrier) {
        t.sum = t.sum * 31 + t.v[t.waits_at->a];
        continue;
      }
      u32 r = lanes[lane].result;
      const bool second = t.waits_at->with_predicate || form == Form::kElect;
      if (second && lanes[lane].second) r += 65537;
      t.v[t.waits_at->a] = r;
      t.sum = t.sum * 31 + r;
    }
  }

  /// All threads that have not ended wait at the CTA's barrier.
  bool release_cta() {
    bool any = false;
    for (const Thread& t : threads_) {
      if (t.state == Thread::State::kSync) return false;
      any = any || t.state == Thread::State::kCtaBarrier;
    }
    const unsigned full = std::max<unsigned>(1, static_cast<unsigned>(threads_.size()) / 32);
    for (Thread& t : threads_) {
      if (t.state != Thread::State::kCtaBarrier) continue;
      const Node& n = *t.waits_at;
      if (t.exchange_step++ == 0) {
        const unsigned from = (t.index / 32 + 1) % full * 32 + t.lane();
        t.v[n.a] = memory_.at(word(n.store_slot, from));
      } else {
        t.state = Thread::State::kRuns;
      }
    }
    return any;
  }

  std::mt19937 random_;
  std::vector<Thread> threads_;
  std::map<std::size_t, u32> memory_;
};

}  // namespace

std::uint64_t SyncProgram::met_apart = 0;

std::vector<std::uint32_t> SyncProgram::execute(const std::vector<std::uint32_t>& input,
                                                unsigned cta, unsigned schedule) const {
  return SyncMachine(main_, threads_, input, cta, schedule).run();
}

SyncSource sync_source(SyncProgram::Form form, unsigned lane, unsigned b, unsigned c) {
  const int bval = static_cast<int>(b & 31);
  const int cval = static_cast<int>(c & 31);
  const int segment = static_cast<int>(c >> 8 & 31);
  const int self = static_cast<int>(lane);
  const int max_lane = (self & segment) | (cval & ~segment);
  const int min_lane = self & segment;
  int j = 0;
  bool in_range = false;
  switch (form) {
    case Form::kShflUp:
      j = self - bval;
      in_range = j >= max_lane;
      break;
    case Form::kShflDown:
      j = self + bval;
      in_range = j <= max_lane;
      break;
    case Form::kShflBfly:
      j = self ^ bval;
      in_range = j <= max_lane;
      break;
    default:
      j = min_lane | (bval & ~segment);
      in_range = j <= max_lane;
      break;
  }
  return {static_cast<unsigned>(in_range ? j : self), in_range};
}

void sync_results(SyncProgram::Form form, std::uint32_t lanes, std::array<SyncLane, 32>& lane) {
  const auto member = [&](unsigned i) { return (lanes >> i & 1) != 0; };
  unsigned first = 0;
  while (!member(first)) ++first;
  u32 ballot = 0;
  u32 fold = lane[first].value;
  bool equal = true;
  for (unsigned i = 0; i < 32; ++i) {
    if (!member(i)) continue;
    const u32 v = lane[i].value;
    if (v != 0) ballot |= 1u << i;
    equal = equal && v == lane[first].value;
    if (i == first) continue;
    const auto less = [&] {
      return static_cast<std::int32_t>(v) < static_cast<std::int32_t>(fold);
    };
    switch (form) {
      case Form::kReduxAdd:
        fold += v;
        break;
      case Form::kReduxMinU:
        fold = std::min(fold, v);
        break;
      case Form::kReduxMaxU:
        fold = std::max(fold, v);
        break;
      case Form::kReduxMinS:
        fold = less() ? v : fold;
        break;
      case Form::kReduxMaxS:
        fold = less() ? fold : v;
        break;
      case Form::kReduxAnd:
        fold &= v;
        break;
      case Form::kReduxOr:
        fold |= v;
        break;
      case Form::kReduxXor:
        fold ^= v;
        break;
      default:
        break;
    }
  }
  for (unsigned i = 0; i < 32; ++i) {
    if (!member(i)) continue;
    SyncLane& l = lane[i];
    switch (form) {
      case Form::kShflUp:
      case Form::kShflDown:
      case Form::kShflBfly:
      case Form::kShflIdx: {
        const SyncSource from = sync_source(form, i, l.b, l.c);
        if (!member(from.lane)) throw std::logic_error("a shfl from a lane that takes no part");
        l.result = lane[from.lane].value;
        l.second = from.in_range;
        break;
      }
      case Form::kBallot:
        l.result = ballot;
        break;
      case Form::kAny:
        l.result = ballot != 0 ? 1 : 0;
        break;
      case Form::kAll:
        l.result = ballot == lanes ? 1 : 0;
        break;
      case Form::kUni:
        l.result = ballot == lanes || ballot == 0 ? 1 : 0;
        break;
      case Form::kMatchAny:
        l.result = 0;
        for (unsigned k = 0; k < 32; ++k) {
          if (member(k) && lane[k].value == l.value) l.result |= 1u << k;
        }
        break;
      case Form::kMatchAll:
        l.result = equal ? lanes : 0;
        l.second = equal;
        break;
      case Form::kElect:
        l.result = first;
        l.second = i == first;
        break;
      case Form::kBarrier:
      case Form::kCount:
        break;
      default:
        l.result = fold;
        break;
    }
  }
}

}  // namespace tessera::test
