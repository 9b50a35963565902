// SPDX-License-Identifier: Apache-2.0
#pragma once

// The hardware of a MeshFabric, written as plainly as can be: every router in every cycle, with
// counted credits and flits that are objects.

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "tests/modules/noc/mesh_rig.h"

namespace tessera::test {

class MeshReference {
 public:
  /// `open`: [exit][cycle, modulo its size]: whether the receiver takes a packet.
  MeshReference(const MeshConfig& config, unsigned entries, unsigned exits,
                std::vector<SentPacket> sent, std::vector<std::vector<bool>> open)
      : c_(config),
        m_(config.layout(entries, exits)),
        sent_(std::move(sent)),
        open_(std::move(open)) {
    routers_.resize(m_.routers());
    for (unsigned r = 0; r < routers_.size(); ++r) {
      Router& router = routers_[r];
      for (unsigned side = 0; side < 4; ++side) router.inputs.push_back(make_input());
      for (unsigned side = 0; side < 4; ++side) router.outputs.push_back(make_output());
    }
    for (unsigned e = 0; e < entries; ++e) {
      Entry entry;
      entry.router = m_.entry_router[e];
      entry.port = static_cast<unsigned>(routers_[entry.router].inputs.size());
      entry.credits.assign(c_.vcs, Credits{c_.vc_flits, {}});
      routers_[entry.router].inputs.push_back(make_input());
      routers_[entry.router].entry_of[entry.port] = e;
      entries_.push_back(entry);
    }
    for (unsigned e = 0; e < exits; ++e) {
      Exit exit;
      exit.router = m_.exit_router[e];
      exit.port = static_cast<unsigned>(routers_[exit.router].outputs.size());
      exit.vcs.resize(c_.vcs);
      routers_[exit.router].outputs.push_back(make_output());
      routers_[exit.router].exit_of[exit.port] = e;
      exits_.push_back(exit);
    }
    for (std::size_t i = 0; i < sent_.size(); ++i) {
      Entry& e = entries_[sent_[i].entry];
      const Cycle start = std::max(sent_[i].arrival, e.free_at);
      e.free_at = start + sent_[i].flits;
      e.packets.push_back({i, start});
    }
    busy.assign(4 * routers_.size(), 0);
  }

  std::vector<DeliveredPacket> run() {
    for (Cycle c = 0; got_.size() < sent_.size(); ++c) {
      REQUIRE(c < 1'000'000);
      for (Exit& e : exits_) deliver(e, c);
      // All routers decide on the state at the beginning of the cycle; then their flits move.
      std::vector<Move> moves;
      std::vector<Grant> grants;
      for (unsigned r = 0; r < routers_.size(); ++r) {
        allocate_switch(r, c, moves);
        allocate_vcs(r, c, grants);
      }
      for (const Move& m : moves) move(m, c);
      for (const Grant& g : grants) {
        Router& router = routers_[g.router];
        router.outputs[g.output].vcs[g.vc].owner = static_cast<int>(g.input);
        router.outputs[g.output].vcs[g.vc].last = g.input;
        router.inputs[g.input].vcs[g.vc].allocated_in = static_cast<std::int64_t>(c);
      }
      for (Entry& e : entries_) send(e, c);
    }
    return in_order(got_);
  }

  std::vector<std::uint64_t> busy;  ///< [router * 4 + side], flits
  std::uint64_t blocked = 0;        ///< cycles without a credit
  std::uint64_t ingress_wait = 0;

 private:
  struct Flit {
    std::size_t packet;
    unsigned number;
    Cycle at;  ///< in the buffer
  };
  struct Credits {
    unsigned now;
    std::deque<Cycle> returning;
    bool any(Cycle c) {
      while (!returning.empty() && returning.front() <= c) {
        returning.pop_front();
        ++now;
      }
      return now != 0;
    }
  };
  struct InputVc {
    std::deque<Flit> flits;
    std::int64_t allocated_in = -1;
  };
  struct Input {
    std::vector<InputVc> vcs;
    unsigned last = ~0U;  ///< VC whose grant was accepted last
  };
  struct OutputVc {
    int owner = -1;  ///< input port
    unsigned last = ~0U;
    Credits credits;
  };
  struct Output {
    std::vector<OutputVc> vcs;
    unsigned last = ~0U;  ///< input VC, as port * vcs + VC
  };
  struct Router {
    std::vector<Input> inputs;
    std::vector<Output> outputs;
    std::map<unsigned, unsigned> entry_of, exit_of;  ///< by port
  };
  struct Entry {
    struct Waiting {
      std::size_t packet;
      Cycle start;
    };
    unsigned router, port;
    std::vector<Credits> credits;
    std::deque<Waiting> packets;
    unsigned flits_sent = 0;
    Cycle free_at = 0;
  };
  struct Exit {
    unsigned router, port;
    std::vector<std::deque<Flit>> vcs;
    std::deque<std::pair<std::size_t, Cycle>> whole;  ///< packets and their tails' arrivals
  };
  struct Move {
    unsigned router, input, vc, output;
  };
  struct Grant {
    unsigned router, input, vc, output;
  };

  Input make_input() const {
    Input i;
    i.vcs.resize(c_.vcs);
    return i;
  }
  Output make_output() const {
    Output o;
    o.vcs.resize(c_.vcs);
    for (OutputVc& v : o.vcs) v.credits.now = c_.vc_flits;
    return o;
  }
  bool is_tail(const Flit& f) const { return f.number + 1 == sent_[f.packet].flits; }
  unsigned vc_of(std::size_t p) const { return (sent_[p].entry + sent_[p].exit) % c_.vcs; }
  /// XY: east 0, west 1, south 2, north 3, or the egress port.
  unsigned output_of(unsigned r, std::size_t p) const {
    const unsigned to = m_.exit_router[sent_[p].exit];
    if (to % m_.width > r % m_.width) return 0;
    if (to % m_.width < r % m_.width) return 1;
    if (to > r) return 2;
    if (to < r) return 3;
    return exits_[sent_[p].exit].port;
  }
  unsigned neighbour(unsigned r, unsigned side) const {
    return side == 0 ? r + 1 : side == 1 ? r - 1 : side == 2 ? r + m_.width : r - m_.width;
  }

  void deliver(Exit& e, Cycle c) {
    const unsigned number = static_cast<unsigned>(&e - exits_.data());
    std::size_t done = sent_.size();
    if (!e.whole.empty() && e.whole.front().second <= c + 1 &&
        open_[number][c % open_[number].size()]) {
      done = e.whole.front().first;
      got_.push_back({done, number, c + 1});
      e.whole.pop_front();
    }
    for (unsigned v = 0; v < c_.vcs; ++v) {
      std::deque<Flit>& flits = e.vcs[v];
      while (!flits.empty() && flits.front().at <= c + 1 &&
             (!is_tail(flits.front()) || flits.front().packet == done)) {
        flits.pop_front();
        routers_[e.router].outputs[e.port].vcs[v].credits.returning.push_back(c + 1 +
                                                                              c_.credit_latency);
      }
    }
  }

  /// The next after `last`, cyclically, of those for which `wants` holds; `n` if none.
  template <class F>
  static unsigned next_after(unsigned last, unsigned n, const F& wants) {
    for (unsigned d = 1; d <= n; ++d) {
      const unsigned i = (last + d) % n;
      if (wants(i)) return i;
    }
    return n;
  }

  void allocate_switch(unsigned r, Cycle c, std::vector<Move>& moves) {
    Router& router = routers_[r];
    const unsigned vcs = c_.vcs;
    const auto n = static_cast<unsigned>(router.inputs.size()) * vcs;
    std::vector<unsigned> request(n, ~0U);  // [input VC]: output
    for (unsigned i = 0; i < n; ++i) {
      InputVc& in = router.inputs[i / vcs].vcs[i % vcs];
      if (in.flits.empty() || in.allocated_in < 0) continue;
      if (in.flits.front().at + c_.router_latency - 2 > c) continue;
      const unsigned o = output_of(r, in.flits.front().packet);
      if (!router.outputs[o].vcs[i % vcs].credits.any(c)) {
        ++blocked;
        continue;
      }
      request[i] = o;
    }
    std::vector<unsigned> grant(router.outputs.size(), n);
    for (unsigned o = 0; o < grant.size(); ++o) {
      const unsigned last = router.outputs[o].last;
      grant[o] =
          next_after(last == ~0U ? n - 1 : last, n, [&](unsigned i) { return request[i] == o; });
    }
    for (unsigned p = 0; p < router.inputs.size(); ++p) {
      Input& input = router.inputs[p];
      const unsigned v = next_after(input.last == ~0U ? vcs - 1 : input.last, vcs, [&](unsigned k) {
        return request[p * vcs + k] != ~0U && grant[request[p * vcs + k]] == p * vcs + k;
      });
      if (v == vcs) continue;
      input.last = v;
      const unsigned o = request[p * vcs + v];
      router.outputs[o].last = p * vcs + v;
      moves.push_back({r, p, v, o});
    }
  }

  void allocate_vcs(unsigned r, Cycle c, std::vector<Grant>& grants) {
    Router& router = routers_[r];
    const auto n = static_cast<unsigned>(router.inputs.size());
    for (unsigned o = 0; o < router.outputs.size(); ++o) {
      for (unsigned v = 0; v < c_.vcs; ++v) {
        const OutputVc& out = router.outputs[o].vcs[v];
        if (out.owner >= 0) continue;
        const unsigned i = next_after(out.last == ~0U ? n - 1 : out.last, n, [&](unsigned p) {
          const InputVc& in = router.inputs[p].vcs[v];
          return !in.flits.empty() && in.allocated_in < 0 && in.flits.front().number == 0 &&
                 in.flits.front().at + c_.router_latency - 3 <= c &&
                 output_of(r, in.flits.front().packet) == o;
        });
        if (i != n) grants.push_back({r, i, v, o});
      }
    }
  }

  void move(const Move& m, Cycle c) {
    Router& router = routers_[m.router];
    InputVc& in = router.inputs[m.input].vcs[m.vc];
    OutputVc& out = router.outputs[m.output].vcs[m.vc];
    Flit flit = in.flits.front();
    in.flits.pop_front();
    --out.credits.now;
    if (is_tail(flit)) {
      out.owner = -1;
      in.allocated_in = -1;
    }
    // Its credit goes upstream.
    const auto entry = router.entry_of.find(m.input);
    Credits& credits =
        entry != router.entry_of.end()
            ? entries_[entry->second].credits[m.vc]
            : routers_[neighbour(m.router, m.input)].outputs[m.input ^ 1U].vcs[m.vc].credits;
    credits.returning.push_back(c + c_.credit_latency);
    flit.at = c + 2 + c_.link_latency;
    const auto exit = router.exit_of.find(m.output);
    if (exit != router.exit_of.end()) {
      Exit& e = exits_[exit->second];
      e.vcs[m.vc].push_back(flit);
      if (is_tail(flit)) e.whole.push_back({flit.packet, flit.at});
      return;
    }
    ++busy[4 * m.router + m.output];
    routers_[neighbour(m.router, m.output)].inputs[m.output ^ 1U].vcs[m.vc].flits.push_back(flit);
  }

  void send(Entry& e, Cycle c) {
    if (e.packets.empty() || e.packets.front().start + e.flits_sent > c) return;
    const std::size_t p = e.packets.front().packet;
    Credits& credits = e.credits[vc_of(p)];
    if (!credits.any(c)) return;
    --credits.now;
    routers_[e.router].inputs[e.port].vcs[vc_of(p)].flits.push_back({p, e.flits_sent, c + 1});
    if (++e.flits_sent < sent_[p].flits) return;
    ingress_wait += c + 1 - (e.packets.front().start + sent_[p].flits);
    e.packets.pop_front();
    e.flits_sent = 0;
  }

  const MeshConfig c_;
  const MeshLayout m_;
  const std::vector<SentPacket> sent_;
  const std::vector<std::vector<bool>> open_;
  std::vector<Router> routers_;
  std::vector<Entry> entries_;
  std::vector<Exit> exits_;
  std::vector<DeliveredPacket> got_;
};

}  // namespace tessera::test
