// SPDX-License-Identifier: Apache-2.0
// A kind of block of one's own: a link with a queue, for any link of a platform. Its file has
// everything of it: parameters, statistics, energy and a derived figure. A platform puts it into
// all links of a class of traffic:
//
//   {"base": "uba-mem-small", "plugins": ["build/queued_link.so"],
//    "insert": {"memory": "queued_link"}, "queued_link": {"latency_cycles": 20}}
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "common/json.h"
#include "modules/kernel/block_base.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/sc_time.h"
#include "modules/plan/run_figures.h"
#include "modules/power/energy_report.h"
#include "modules/protocol/payload_check.h"
#include "modules/protocol/request_port.h"
#include "modules/protocol/response_port.h"
#include "platforms/plugin.h"

namespace queued_link {

using namespace tessera;  // NOLINT(google-build-using-namespace)

struct Config {
  std::uint64_t clock_hz = 1'400'000'000;
  std::uint32_t entries = 8;
  std::uint32_t latency_cycles = 4;
  double pj_per_bit = 0.5;

  std::vector<std::string> validate() const { return {}; }
};

void describe(ParameterVisitor& v, Config& c) {
  v.integer("clock_hz", c.clock_hz, "Hz", "clock", 1, 100'000'000'000);
  v.integer("entries", c.entries, "request", "requests that the queue holds", 1, 1024);
  v.integer("latency_cycles", c.latency_cycles, "cycle", "from the queue to the other end", 1,
            1000);
  v.real("pj_per_bit", c.pj_per_bit, "pJ/bit", "energy of a bit that passes", 0, 1000);
}

struct Stats {
  Counter requests = 0;
  Counter bytes = 0;  ///< of requests and responses
  Histogram queue_wait;
};

void describe(StatisticsVisitor& v, Stats& s) {
  v.counter("requests", s.requests, "request", "requests that passed");
  v.counter("bytes", s.bytes, "byte", "bytes that passed, both ways");
  v.histogram("queue_wait", s.queue_wait, "cycle", "from a request's arrival until it leaves");
}

struct Site;

/// Timing: a request that arrives at cycle c leaves at c + latency_cycles at the earliest, one a
/// cycle, and arrives one cycle later; so does a response. While the queue holds `entries`
/// requests, the port withholds END_REQ. Phases: all four.
class QueuedLink final : public BlockBase<Config, Stats, Site> {
 public:
  tlm_utils::passthrough_target_socket<QueuedLink> in{"in"};
  tlm_utils::simple_initiator_socket<QueuedLink> out{"out"};

  QueuedLink(const sc_core::sc_module_name& name, const Config& config, std::uint32_t line_bytes,
             std::uint64_t memory_bytes)
      : BlockBase(name, config),
        clock_(config.clock_hz),
        check_(rules(line_bytes, memory_bytes)),
        in_port_(clock_, wake_, waiting_, config.entries, 0, config.latency_cycles),
        out_port_(clock_, wake_) {
    in.register_nb_transport_fw(this, &QueuedLink::forward);
    in.register_b_transport(this, &QueuedLink::blocking);
    in.register_transport_dbg(this, &QueuedLink::debug);
    out.register_nb_transport_bw(this, &QueuedLink::backward);
    wake_.bind<&QueuedLink::process>(*this);
  }

  bool idle() const override {
    return waiting_.empty() && in_flight_ == 0 && in_port_.responses.queue.empty();
  }
  void describe_waiting(std::vector<Waiting>& all) const override {
    if (!waiting_.empty())
      all.push_back(
          {std::string(name()) + ".queue", waiting_.size(), WaitKind::kQueueFull, "its output"});
  }
  void reset() override {
    in_port_.reset();
    out_port_.reset();
    in_flight_ = 0;
    stats_ = {};
  }

 private:
  using Payload = tlm::tlm_generic_payload;

  static PayloadRules rules(std::uint32_t line_bytes, std::uint64_t memory_bytes) {
    PayloadRules r = PayloadRules::within_lines(line_bytes, memory_bytes);
    r.reads = r.writes = r.ignores = PayloadRules::kEvery;
    return r;
  }
  void end_of_elaboration() override {
    in_port_.bind(in.operator->());
    out_port_.bind(out.operator->());
  }
  tlm::tlm_sync_enum forward(Payload& p, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    return in_port_.forward(p, phase, delay, check_, in);
  }
  tlm::tlm_sync_enum backward(Payload& p, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    return out_port_.backward(p, phase, delay);
  }
  void blocking(Payload& p, sc_core::sc_time& delay) {
    out->b_transport(p, delay);
    delay += to_sc_time(clock_.time_of(2 * (std::uint64_t{config_.latency_cycles} + 1)));
  }
  unsigned debug(Payload& p) { return out->transport_dbg(p); }

  void process() {
    const Tick t = now();
    auto& requests = out_port_.requests;
    if (waiting_.due(t) && requests.queue.empty()) {
      stats_.queue_wait.add(config_.latency_cycles + clock_.cycle_at(t) -
                            clock_.cycle_at(waiting_.next_due()));
      Payload* const p = waiting_.pop();
      in_port_.release();
      requests.queue.push(t, 0, p);
    }
    if (requests.next(clock_, t) == t) {
      const auto [p, delay] = requests.take(clock_, t);
      ++in_flight_;
      ++stats_.requests;
      stats_.bytes += p->get_data_length();
      out_port_.send(*p, delay);
    }
    while (out_port_.responses.due(t)) {
      Payload& p = out_port_.pop_response();
      in_port_.responses.queue.push(clock_.after(t, config_.latency_cycles), 0, &p);
      --in_flight_;
    }
    auto& responses = in_port_.responses;
    if (responses.next(clock_, t) == t) {
      const auto [p, delay] = responses.take(clock_, t);
      responses.sender.send(*p, delay);
    }
    if (!waiting_.empty()) wake_.at(std::max(waiting_.next_due(), clock_.after(t + 1, 0)));
    wake_.at(requests.next(clock_, t));
    wake_.at(out_port_.responses.next_due());
    wake_.at(responses.next(clock_, t));
  }

  const ClockDomain clock_;
  PayloadCheck check_;
  TimedQueue<Payload*> waiting_;
  std::size_t in_flight_ = 0;
  ProcessTimer wake_;
  ResponsePort<> in_port_;
  RequestPort<> out_port_;
};

struct Site : BlockSite {
  static constexpr const char* kFamily = "queued_link";
  Config config;
  std::uint32_t line_bytes = 0;
  std::uint64_t memory_bytes = 0;
};

const BlockFamilyRegistration<Site> kFamily([](const Site& s) {
  auto link = std::make_unique<QueuedLink>(s.name.c_str(), s.config, s.line_bytes, s.memory_bytes);
  QueuedLink& l = *link;
  BlockHandle h = BlockHandle::of(std::move(link));
  h.in = {&l.in};
  h.out = {&l.out};
  return h;
});

const BlockKindRegistration kRegistered([] {
  BlockKind k(Site::kFamily, Site::kFamily);
  k.in_links = true;
  k.groups = {{"queued_link", "links with a queue", AnyConfig(Config())}};
  k.build = [](const BlockBuild& b) {
    auto site = b.site<Site>();
    site.config = b.own<Config>("queued_link");
    site.line_bytes = b.facts().memory.line_bytes;
    site.memory_bytes = b.facts().memory.total_bytes();
    return b.make(site);
  };
  k.own_config = [](const ConfigView& c, const PlannedBlock&) {
    return AnyConfig(c.group<Config>("queued_link"));
  };
  k.unused = {{"queued_link.", [](const ConfigView& c) -> std::optional<std::string> {
                 if (c.has_blocks(Site::kFamily)) return std::nullopt;
                 return "no link has a queue (insert)";
               }}};
  k.derive = [](RunFigures& run) {
    if (!run.plan().has(Site::kFamily)) return;
    const auto links = run.of_kind<Stats>(Site::kFamily);
    run["queued_link"] = {
        {"mean_wait_cycles", ratio(links.sum(&Stats::queue_wait, &Histogram::sum),
                                   links.sum(&Stats::queue_wait, &Histogram::count))}};
  };
  k.derived = {{"queued_link", "", "links with a queue"},
               {"queued_link.mean_wait_cycles", "cycle", "of a request in the queue, mean"}};
  k.energy = [](const RunFigures& run, EnergyReport& report) {
    for (const PlannedBlock* b : run.plan().of_kind(Site::kFamily)) {
      const Config c = run.own(*b, run.config().group<Config>("queued_link"));
      const auto bits = 8 * static_cast<double>(run.of_block<Stats>(*b).bytes);
      report.add("queued_link", b->index, {bits * c.pj_per_bit * 1e-12, 0});
    }
  };
  return k;
}());

}  // namespace queued_link

#ifndef TESSERA_IN_TREE
extern "C" const tessera::Plugin tessera_plugin = {};
#endif
