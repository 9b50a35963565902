// SPDX-License-Identifier: Apache-2.0
// The generator.

#include "tests/stimuli/ptx/sync_program.h"

#include <algorithm>

namespace tessera::test {

namespace {

using Node = SyncProgram::Node;
using List = SyncProgram::List;
using Do = SyncProgram::Do;
using Form = SyncProgram::Form;
using u32 = std::uint32_t;

constexpr unsigned kSharedSlots = 24;
constexpr unsigned kGlobalSlots = 16;

/// Something that each of its lanes does at its place in the order of all events.
struct Item {
  enum class What { kSync, kExit, kLaneLoop, kRepeat };
  What what = What::kSync;
  Form form = Form::kBarrier;
  std::vector<u32> masks;  ///< of a sync; empty: the lanes of the round of a lane loop
  u32 lanes = 0;           ///< of an exit
  u32 dead = 0;            ///< lanes that have ended before
  /// Sets of lanes that can be there: by warp of the CTA, and by round of a lane loop.
  std::vector<u32> present;
  std::vector<SyncProgram::LaneClass> classes;
  std::vector<Item> block;
  unsigned count = 1;
  int store_slot = -1;
  int load_slot = -1;
};
using Items = std::vector<Item>;

bool is_shuffle(Form f) { return f <= Form::kShflIdx; }

}  // namespace

class SyncGenerator {
 public:
  SyncGenerator(unsigned seed, SyncProgram& program) : random_(seed), program_(program) {
    const unsigned last = program.threads_ % 32;
    if (program.threads_ >= 32) warps_.push_back(~0u);
    if (last != 0) warps_.push_back((1u << last) - 1);
  }

  List run(bool cta_barriers) {
    List list;
    Items items;
    u32 dead = 0;
    for (unsigned n = 3 + below(4); n > 0; --n) {
      for (Item& item : fresh(~0u, dead, true)) items.push_back(std::move(item));
      if (one_in(3)) {
        Item exit;
        exit.what = Item::What::kExit;
        exit.dead = dead;
        exit.lanes = one_in(2) ? 1u << below(32) : random_() & random_() & random_();
        dead |= exit.lanes;
        items.push_back(exit);
      }
      if (!cta_barriers || !one_in(2)) continue;
      append(list, generate(~0u, std::move(items), dead, 3));
      items.clear();
      list.push_back(exchange());
    }
    append(list, generate(~0u, std::move(items), dead, 3));
    program_.shared_slots_ = kSharedSlots + 1;
    return list;
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool one_in(unsigned n) { return below(n) == 0; }
  static void append(List& list, List more) {
    for (Node& n : more) list.push_back(std::move(n));
  }

  /// Lanes of the set: one, a half by index, some, or alternate ones.
  u32 subset(u32 lanes) {
    switch (below(5)) {
      case 0:
        return lanes & (1u << below(32));
      case 1:
        return lanes & ((1u << below(32)) - 1);
      case 2:
        return lanes & ~((1u << below(32)) - 1);
      case 3:
        return lanes & (one_in(2) ? 0x55555555 : 0x33333333);
      default:
        return lanes & static_cast<u32>(random_());
    }
  }

  std::vector<u32> present(u32 dead) const {
    std::vector<u32> sets;
    for (const u32 warp : warps_) sets.push_back(warp & ~dead);
    return sets;
  }

  Form any_form() { return static_cast<Form>(below(static_cast<unsigned>(Form::kCount))); }

  Item sync(u32 lanes, u32 dead) {
    Item item;
    item.form = any_form();
    item.dead = dead;
    item.present = present(dead);
    u32 rest = lanes & ~dead;
    if (one_in(3)) {
      const unsigned width = 2u << below(4);
      for (unsigned at = 0; at < 32; at += width) {
        const u32 tile = rest & (width == 32 ? ~0u : ((1u << width) - 1) << at);
        if (tile != 0) item.masks.push_back(tile);
      }
      return item;
    }
    if (!one_in(2)) {
      const u32 some = subset(rest);
      if (some != 0) rest = some;
    }
    // Lanes that have ended may be named.
    if (!one_in(3)) rest |= dead & (one_in(2) ? ~0u : static_cast<u32>(random_()));
    item.masks = {rest};
    return item;
  }

  Items fresh(u32 lanes, u32 dead, bool once) {
    if ((lanes & ~dead) == 0) return {};
    const unsigned kind = below(10);
    if (kind < 4) return {sync(lanes, dead)};
    if (kind < 6) return exchange_by_barriers(lanes, dead, once);
    Item item;
    item.dead = dead;
    if (kind < 8) {
      item.what = Item::What::kRepeat;
      item.count = 2 + below(2);
      item.block = one_in(3) ? exchange_by_barriers(lanes, dead, false) : Items{sync(lanes, dead)};
      if (one_in(2)) item.block.push_back(sync(lanes, dead));
      return {item};
    }
    item.what = Item::What::kLaneLoop;
    u32 rest = lanes & ~dead;
    while (rest != 0) {
      const u32 some = item.classes.size() < 3 ? subset(rest) : rest;
      if (some == 0) continue;
      item.classes.push_back({some, below(5)});
      rest &= ~some;
    }
    for (unsigned n = 1 + below(2); n > 0; --n) {
      Item inner;
      inner.form = any_form();
      inner.dead = dead;
      for (unsigned round = 0; round < 5; ++round) {
        u32 staying = 0;
        for (const auto& c : item.classes) staying |= c.trips > round ? c.lanes : 0;
        for (const u32 set : present(dead)) inner.present.push_back(set & staying);
      }
      item.block.push_back(inner);
    }
    return {item};
  }

  /// Stores before one barrier, loads after it, and another barrier before the next store.
  Items exchange_by_barriers(u32 lanes, u32 dead, bool once) {
    Item before = sync(lanes, dead);
    before.form = Form::kBarrier;
    int slot = -1;
    if (once && globals_ < kGlobalSlots && one_in(3)) {
      slot = static_cast<int>(kSharedSlots + 1 + globals_++);
    } else if (shared_ < kSharedSlots) {
      slot = static_cast<int>(shared_++);
    }
    Item after = before;
    before.store_slot = slot;
    after.load_slot = slot;
    return {before, after};
  }

  /// Code in which the lanes of the set execute their part of the items, in order. `dead`: after
  /// the last item. Adds events of its own to a `whole`.
  List generate(u32 lanes, Items items, u32 dead, unsigned depth, bool lane_loop = false,
                bool whole = true) {
    List list = filler();
    if (depth > 0 && whole && !lane_loop && one_in(2)) {
      const std::size_t at = below(static_cast<unsigned>(items.size() + 1));
      Items more = fresh(lanes, at < items.size() ? items[at].dead : dead, false);
      items.insert(items.begin() + static_cast<std::ptrdiff_t>(at), more.begin(), more.end());
    }
    if (items.empty()) return list;
    if (depth > 0 && __builtin_popcount(lanes) > 1 && !one_in(3)) {
      Node n;
      n.what = Do::kIfLane;
      const u32 some = subset(lanes);
      n.lanes = some | (static_cast<u32>(random_()) & ~lanes);
      n.body = generate(some, items, dead, depth - 1, lane_loop);
      n.other = generate(lanes & ~some, items, dead, depth - 1, lane_loop);
      list.push_back(std::move(n));
    } else if (items.size() > 1) {
      const std::size_t at = 1 + below(static_cast<unsigned>(items.size() - 1));
      const auto middle = items.begin() + static_cast<std::ptrdiff_t>(at);
      append(list, generate(lanes, Items(items.begin(), middle), items[at].dead, depth, lane_loop,
                            false));
      append(list, generate(lanes, Items(middle, items.end()), dead, depth, lane_loop, false));
    } else {
      append(list, emit(lanes, items[0], depth));
    }
    append(list, filler());
    return list;
  }

  List emit(u32 lanes, const Item& item, unsigned depth) {
    const unsigned inner = depth > 0 ? depth - 1 : 0;
    Node n;
    switch (item.what) {
      case Item::What::kSync:
        return emit_sync(lanes, item);
      case Item::What::kExit:
        n.what = Do::kExit;
        n.lanes = item.lanes & lanes;
        n.predicated = one_in(2);
        break;
      case Item::What::kRepeat: {
        if (one_in(3)) {
          Items unrolled;
          for (unsigned i = 0; i < item.count; ++i) {
            unrolled.insert(unrolled.end(), item.block.begin(), item.block.end());
          }
          return generate(lanes, unrolled, item.dead, inner);
        }
        n.what = Do::kLoop;
        n.constant = item.count;
        n.body = generate(lanes, item.block, item.dead, inner);
        break;
      }
      case Item::What::kLaneLoop:
        n.what = Do::kLoopLane;
        n.classes = item.classes;
        n.body = generate(lanes, item.block, item.dead, inner, true);
        break;
    }
    return {n};
  }

  List emit_sync(u32 lanes, const Item& item) {
    u32 named = item.masks.empty() ? ~0u : 0;
    for (const u32 m : item.masks) named |= m;
    if ((lanes & named & ~item.dead) == 0) return {};
    Node n = variables();
    n.what = Do::kSync;
    n.form = item.form;
    n.lanes = (lanes & ~item.dead & ~named) == 0 ? ~0u : lanes & named;
    // Masks that no lane here has are left out.
    for (const u32 m : item.masks) {
      if ((m & lanes & ~item.dead) != 0) n.masks.push_back(m);
    }
    n.mask_in_register = one_in(2);
    n.predicated = one_in(2);
    n.negated = one_in(2);
    n.with_predicate = one_in(2);
    n.called = one_in(4) && item.form != Form::kBarrier;
    n.store_slot = item.store_slot;
    n.load_slot = item.load_slot;
    if (is_shuffle(item.form) || n.load_slot >= 0) choose_source(n, lanes, item);
    return {n};
  }

  /// A source that takes part for each lane, whichever warp it is.
  void choose_source(Node& n, u32 lanes, const Item& item) {
    for (unsigned attempt = 0; attempt < 6; ++attempt) {
      n.source_step = below(4);
      n.source_base = below(32);
      if (attempt > 2) {
        n.source_step = 0;
        n.source_base = attempt == 3 ? 1 : attempt == 4 ? 0 : 2;
      }
      n.clamp =
          (n.form == Form::kShflUp ? 0 : 31) | (one_in(3) ? (0x1f & (~0u << below(6))) << 8 : 0);
      if (sources_take_part(n, lanes, item)) return;
    }
    n.clamp = n.form == Form::kShflUp ? 0 : 31;
    n.source_step = n.form == Form::kShflIdx || n.load_slot >= 0 ? 1 : 0;
    n.source_base = 0;  // itself
  }

  static bool sources_take_part(const Node& n, u32 lanes, const Item& item) {
    std::vector<u32> masks = item.masks;
    if (masks.empty()) masks.push_back(~0u);
    for (const u32 set : item.present) {
      for (const u32 m : masks) {
        for (unsigned lane = 0; lane < 32; ++lane) {
          if (((m & set & lanes) >> lane & 1) == 0) continue;
          const unsigned b = (lane * n.source_step + n.source_base) & 31;
          const unsigned from = n.load_slot >= 0 ? b : sync_source(n.form, lane, b, n.clamp).lane;
          if (((m & set) >> from & 1) == 0) return false;
        }
      }
    }
    return true;
  }

  Node variables() {
    Node n;
    n.a = below(SyncProgram::kVariables);
    n.b = below(SyncProgram::kVariables);
    n.c = below(SyncProgram::kVariables);
    n.op = below(5);
    n.constant = 1 + below(7);
    return n;
  }

  Node exchange() {
    Node n = variables();
    n.what = Do::kExchange;
    n.store_slot = static_cast<int>(kSharedSlots);
    return n;
  }

  /// Code without syncs.
  List filler(unsigned depth = 2) {
    List list;
    for (unsigned n = below(3); n > 0; --n) {
      Node node = variables();
      const unsigned kind = depth > 0 ? below(10) : 0;
      if (kind == 7) {
        node.what = Do::kIfData;
      } else if (kind == 8) {
        node.what = Do::kLoopData;
        node.constant = 3;
      } else if (kind == 9) {
        node.what = Do::kIfLane;
        node.lanes = subset(~0u);
      }
      if (kind > 6) node.body = filler(depth - 1);
      if (kind > 6 && kind != 8 && one_in(2)) node.other = filler(depth - 1);
      list.push_back(std::move(node));
    }
    return list;
  }

  std::mt19937 random_;
  SyncProgram& program_;
  std::vector<u32> warps_;  ///< lanes that exist, of each kind of warp
  unsigned shared_ = 0;
  unsigned globals_ = 0;
};

SyncProgram::SyncProgram(unsigned seed, unsigned threads, bool cta_barriers) : threads_(threads) {
  main_ = SyncGenerator(seed, *this).run(cta_barriers);
}

}  // namespace tessera::test
