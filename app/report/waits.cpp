// SPDX-License-Identifier: Apache-2.0
#include "app/report/waits.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/report/shares.h"
#include "app/report/text.h"
#include "app/report/traffic.h"
#include "app/report/wait_list.h"
#include "common/json.h"

namespace tessera::app {

using nlohmann::ordered_json;

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

std::string count_words(double amount, double base, const std::string& what) {
  const auto whole = [](double v) { return grouped(static_cast<std::uint64_t>(std::llround(v))); };
  return whole(amount) + " of " + whole(base) + " " + what;
}

WaitList::WaitList(const ordered_json& stats) : stats_(stats) {
  const Blocks l1 = blocks("l1_");
  misses_ = l1.sum("miss_latency", "count");
  miss_time_ = l1.sum("miss_latency", "sum");
  // A coherent L1 counts stores and atomics that wait for a message among its misses.
  const bool coherent = l1.has("coherent_stores");
  requests_ = misses_ + (coherent ? 0 : l1.sum("stores") + l1.sum("atomics"));
}

double WaitList::setting(const std::string& group, const char* name) const {
  return setting_of(stats_, group, name);
}

double WaitList::l1_cycles(double cycles, const std::string& group) const {
  return cycles * ratio(setting("l1", "clock_hz"), setting(group, "clock_hz"));
}

double WaitList::elapsed(const std::string& group) const {
  return traffic_time_ns(stats_) * setting(group, "clock_hz") / 1e9;
}

void WaitList::add(Wait wait, bool waited) { entries_.push_back({std::move(wait), waited}); }

void WaitList::add_time(Wait wait, double l1_cycles) {
  wait.share.part = std::max(0.0, l1_cycles);
  wait.share.of = "the requests' time";
  wait.cycles_per_request = ratio(wait.share.part, requests_);
  wait.amount = short_number(*wait.cycles_per_request) + " cycles a request";
  const bool waited = *wait.cycles_per_request >= 0.01;  // less is rounding
  add(std::move(wait), waited);
}

void WaitList::add_busiest(Wait wait, double busy, double cycles) {
  wait.share = {busy, cycles, "the time"};
  wait.amount = "busy " + percent_text(wait.share.value()) + " of the time";
  if (busy > 0) add(std::move(wait), true);
}

Waits WaitList::take() {
  Waits waits;
  const double time = translation_time_ + std::max(miss_time_, block_time_);
  waits.request_time = ratio(time, requests_);
  for (auto& [wait, waited] : entries_) {
    if (wait.cycles_per_request) wait.share.whole = time;
    (waited ? waits.all : waits.nobody).push_back(std::move(wait));
  }
  return waits;
}

namespace {

/// A reason for the stall of a queue's item, by statistic. Each item is counted once.
struct Stall {
  WaitKind kind;
  const char* statistic;
  const char* resource;
  std::string settings;
  const char* words = "lookups";
};

void add_lookups(WaitList& list, const Blocks& blocks, const std::string& level,
                 const std::vector<std::string>& all, const std::vector<Stall>& stalls) {
  double base = 0;
  for (const std::string& statistic : all) base += blocks.sum(statistic);
  for (const Stall& s : stalls) {
    if (!blocks.has(s.statistic)) continue;
    const double n = blocks.sum(s.statistic);
    Wait wait{s.kind, level, "lookups", s.resource, s.settings};
    wait.amount = count_words(n, base, s.words);
    wait.share = {n, base, "lookups"};
    wait.hot = blocks.hottest({s.statistic});
    list.add(std::move(wait), n > 0);
  }
}

void add_schedulers(WaitList& list) {
  const Blocks sms = list.blocks("sm");
  double all = 0;
  for (const IssueSlotUse& use : kIssueSlotUses) all += sms.sum(use.statistic);
  for (const auto& [statistic, name, resource, kind] : kIssueSlotUses) {
    if (resource == nullptr || !sms.has(statistic)) continue;
    const double n = sms.sum(statistic);
    Wait wait{kind, "SM", "warp schedulers", resource, ""};
    wait.amount = count_words(n, all, "issue slots");
    wait.share = {n, all, "issue slots"};
    wait.hot = sms.hottest({statistic});
    list.add(std::move(wait), n > 0);
  }
  if (!sms.has("shared_conflict_cycles")) return;
  const double conflicts = sms.sum("shared_conflict_cycles");
  const double accesses = sms.sum("shared_instructions");
  Wait wait{WaitKind::kResourceBusy, "SM", "shared memory", "a bank", "sm.shared_banks"};
  wait.amount = short_number(ratio(conflicts, accesses)) + " extra passes an access";
  wait.share = {conflicts, conflicts + accesses, "passes"};
  wait.hot = sms.hottest({"shared_conflict_cycles"});
  list.add(std::move(wait), conflicts > 0);
}

void add_l1(WaitList& list) {
  add_lookups(
      list, list.blocks("l1_"), "L1", {"loads", "stores", "atomics"},
      {{WaitKind::kResourceBusy, "stalls_mshr", "a miss register (MSHR) or a place in one",
        "l1.mshr_entries, mshr_targets"},
       {WaitKind::kResourceBusy, "stalls_frames", "a way that no fill waits for", "l1.sets, ways"},
       {WaitKind::kQueueFull, "stalls_miss_queue", "the network to take the miss",
        "l1.miss_queue_depth"}});
  const Blocks l1 = list.blocks("l1_");
  if (l1.has("miss_queue_wait_cycles")) {
    const double time = l1.sum("miss_queue_wait_cycles");
    list.add_block_time(time);
    Wait leaving{WaitKind::kQueueFull, "L1", "miss queue", "the request network", ""};
    leaving.hot = l1.hottest({"miss_queue_wait_cycles"});
    list.add_time(std::move(leaving), time);
  }
  if (!l1.has("merge_cycles")) return;
  // A coherent L1.
  Wait joined{WaitKind::kOrdering, "L1", "transactions", "an earlier access to the block", ""};
  joined.hot = l1.hottest({"merge_cycles", "l1_wait_cycles"});
  list.add_time(std::move(joined), l1.sum("merge_cycles") + l1.sum("l1_wait_cycles"));
  Wait snooped{WaitKind::kCoherence, "L2", "transactions", "responses of other L1s to snoops", ""};
  snooped.hot = l1.hottest({"snoop_cycles"});
  list.add_time(std::move(snooped), l1.sum("snoop_cycles"));
}

void add_translation(WaitList& list) {
  const Blocks tlb = list.blocks("l2_tlb");
  if (!tlb.empty()) {
    Wait walk{WaitKind::kTranslation, "TLB and MMU", "L2 TLB's miss registers", "a page walk",
              "l2_tlb.entries, walker.level_latency_cycles"};
    walk.hot = tlb.hottest({"miss_latency"}, "sum");
    const double time = list.l1_cycles(tlb.sum("miss_latency", "sum"), "l2_tlb");
    list.add_translation_time(time);
    list.add_time(std::move(walk), time);
    add_lookups(
        list, tlb, "TLB and MMU", {"hits", "misses", "merges"},
        {{WaitKind::kResourceBusy, "stalls_mshr", "a miss register (MSHR)", "l2_tlb.mshr_entries"},
         {WaitKind::kQueueFull, "stalls_output", "the SM to accept its responses",
          "l2_tlb.response_queue_depth"}});
  }
  const Blocks walkers = list.blocks("walker");
  if (!walkers.empty()) {
    Wait queued{WaitKind::kResourceBusy, "TLB and MMU", "walkers' queue", "a walker",
                "walker.concurrent_walks"};
    queued.hot = walkers.hottest({"queue_wait"}, "sum");
    // A part of the time of the L2 TLB's misses.
    list.add_time(std::move(queued), list.l1_cycles(walkers.sum("queue_wait", "sum"), "walker"));
  }
}

/// `group`: name of the parameter group.
void add_slices(WaitList& list, const char* kind, const char* level, const std::string& group) {
  const Blocks slices = list.blocks(kind);
  if (slices.empty()) return;
  // A lookup takes `latency_cycles` in an idle slice.
  const double lookups = slices.sum("local_lookups") + slices.sum("remote_lookups");
  double time = lookups * list.setting(group, "latency_cycles");
  const auto add = [&](WaitKind reason, const char* queue, const char* resource,
                       const std::string& settings, const char* statistic) {
    if (!slices.has(statistic)) return;
    const double cycles = slices.sum(statistic);
    time += cycles;
    Wait wait{reason, level, queue, resource, settings};
    wait.hot = slices.hottest({statistic});
    list.add_time(std::move(wait), list.l1_cycles(cycles, group));
  };
  add(WaitKind::kResourceBusy, "lookups", "a lookup's turn, or what the lookup needs", "",
      "lookup_wait_cycles");
  add(WaitKind::kDataDependence, "miss registers", "a fetch of their line that was under way", "",
      "merge_wait_cycles");
  add(WaitKind::kQueueFull, "response queues", "the response network", "", "response_wait_cycles");
  list.add_block_time(list.l1_cycles(time, group));
  add_lookups(
      list, slices, level, {"reads", "writes", "atomics"},
      {{WaitKind::kQueueFull, "stalls_output",
        "space in the queues of responses and memory requests",
        group + ".response_queue_depth, memory_queue_depth"},
       {WaitKind::kResourceBusy, "stalls_mshr", "a miss register (MSHR) or a place in one",
        group + ".mshr_entries, mshr_targets"},
       {WaitKind::kResourceBusy, "stalls_ways", "a way that no fill waits for", group + ".ways"},
       {WaitKind::kDataDependence, "merges", "a fetch of their line that was under way", "",
        "lookups joined one"}});
}

void add_dram(WaitList& list) {
  const Blocks channels = list.blocks("dram");
  if (channels.empty()) return;
  const double reads = channels.sum("read_latency", "count");
  const double conflicts = channels.sum("row_conflicts");
  const double closed = channels.sum("row_misses");
  // The row counters also count writes.
  const double share = ratio(reads, channels.sum("row_hits") + closed + conflicts);
  // Without contention, a read of an open row takes 1 + CL + burst clocks.
  const double lone =
      reads * (1 + list.setting("dram", "t_cl") + list.setting("dram", "burst_clocks"));
  const double time = channels.sum("read_latency", "sum");
  list.add_block_time(list.l1_cycles(time, "dram"));
  // The rest is divided between rows and queues. Commands for rows can overlap with other waiting,
  // so that reads wait for them for at most this rest.
  double rest = std::max(0.0, time - lone);
  const auto at_most = [&rest](double clocks) {
    const double taken = std::min(clocks, rest);
    rest -= taken;
    return taken;
  };
  const double precharges = at_most(share * conflicts * list.setting("dram", "t_rp"));
  const double activates = at_most(share * (closed + conflicts) * list.setting("dram", "t_rcd"));
  Wait queued{WaitKind::kResourceBusy, "DRAM", "channels' queues",
              "a bank, the bus, or writes that drain", "system.channels, dram.banks"};
  queued.hot = channels.hottest({"read_latency"}, "sum");
  list.add_time(std::move(queued), list.l1_cycles(rest, "dram"));
  Wait conflict{WaitKind::kResourceBusy, "DRAM", "banks", "another row to be closed (row conflict)",
                "dram.row_policy, t_rp"};
  conflict.hot = channels.hottest({"row_conflicts"});
  list.add_time(std::move(conflict), list.l1_cycles(precharges, "dram"));
  Wait opening{WaitKind::kResourceBusy, "DRAM", "banks", "their row to be opened", "dram.t_rcd"};
  opening.hot = channels.hottest({"row_misses", "row_conflicts"});
  list.add_time(std::move(opening), list.l1_cycles(activates, "dram"));
  Wait busiest{WaitKind::kBandwidth, "DRAM", "data buses", "the bandwidth of the busiest channel",
               "dram.bus_bytes_per_clock"};
  busiest.hot = channels.hottest({"bus_busy_clocks"});
  list.add_busiest(std::move(busiest), channels.most("bus_busy_clocks"), list.elapsed("dram"));
  const double drains = channels.sum("write_drains");
  const double writes = channels.sum("writes");
  Wait drained{WaitKind::kOrdering, "DRAM", "channels' queues", "writes that drained before reads",
               "dram_scheduler.fr-fcfs.write_drain_high"};
  drained.amount = count_words(drains, writes, "writes began a drain");
  drained.share = {drains, writes, "writes"};
  drained.hot = channels.hottest({"write_drains"});
  list.add(std::move(drained), drains > 0);
}

/// Page faults and page migration.
void add_pages(WaitList& list) {
  const Blocks uvm = list.blocks("uvm");
  if (!uvm.empty()) {
    Wait fault{WaitKind::kTranslation, "Pages", "fault handler", "a page that was not mapped",
               "uvm.fault_latency_ns, concurrent_faults"};
    fault.hot = uvm.hottest({"faults"});
    // A part of the time of the L2 TLBs' misses.
    list.add_time(std::move(fault),
                  uvm.sum("fault_latency", "sum") * list.setting("l1", "clock_hz") / 1e9);
  }
  const Blocks migrator = list.blocks("page_migrator");
  if (migrator.empty()) return;
  const double stopped = migrator.sum("stopped_cycles");
  const double cycles = list.elapsed("migration");
  Wait moved{WaitKind::kTranslation, "Pages", "SMs", "pages that moved", "migration.*"};
  moved.amount = count_words(stopped, cycles, "cycles stopped");
  moved.share = {stopped, cycles, "the time"};
  list.add(std::move(moved), stopped > 0);
}

ordered_json to_json(const Wait& w) {
  ordered_json out = {{"kind", name_of(w.kind)}, {"level", w.level},       {"queue", w.queue},
                      {"resource", w.resource},  {"settings", w.settings}, {"amount", w.amount}};
  out.update(to_json(w.share));
  out["cycles_per_request"] =
      w.cycles_per_request ? ordered_json(*w.cycles_per_request) : ordered_json();
  out["hot"] = {{"names", w.hot.names},
                {"alike", w.hot.alike},
                {"blocks", w.hot.blocks},
                {"over_mean", w.hot.over_mean}};
  return out;
}

/// Text for hot spots; empty if all blocks are about equal.
std::string hot_words(const HotSpots& hot) {
  if (hot.blocks < 2 || hot.over_mean < 1.1 || hot.names.empty()) return "";
  std::string text = "hottest " + hot.names.front();
  if (hot.alike > 1) text += " and " + std::to_string(hot.alike - 1) + " like it";
  return text + ", " + short_number(hot.over_mean) + " times the average";
}

/// The rule of TopWait.
bool explains(const Wait& reason, const Wait& timed) {
  constexpr double kLeast = 0.01;
  constexpr double kBusy = 0.5;
  if (reason.cycles_per_request || reason.level != timed.level) return false;
  if (reason.share.value() < kLeast) return false;
  if (reason.kind == WaitKind::kBandwidth) return reason.share.value() >= kBusy;
  return reason.queue == timed.queue ||
         (timed.kind == WaitKind::kNetworkTransfer && reason.kind == WaitKind::kQueueFull);
}

}  // namespace

Waits waits_of(const ordered_json& stats) {
  WaitList list(stats);
  add_schedulers(list);
  add_l1(list);
  add_translation(list);
  add_network_waits(list);
  add_remote_waits(list);
  add_slices(list, "rcache", "Remote cache", "remote_cache");
  add_slices(list, "llc", "LLC", "llc");
  add_dram(list);
  add_pages(list);
  return list.take();
}

TopWait top_wait(const Waits& waits) {
  const Wait* longest = nullptr;
  for (const Wait& w : waits.all) {
    if (!w.cycles_per_request) continue;
    if (longest == nullptr || w.share.part > longest->share.part) longest = &w;
  }
  if (longest == nullptr) return {};
  const Wait* reason = longest;
  for (const Wait& w : waits.all) {
    if (!explains(w, *longest)) continue;
    if (reason == longest || w.share.value() > reason->share.value()) reason = &w;
  }
  TopWait top;
  top.kind = reason->kind;
  top.where = longest->level + ", " + longest->queue + ": " +
              short_number(*longest->cycles_per_request) + " of " +
              short_number(waits.request_time) + " cycles of a memory request";
  top.why = "for " + reason->resource;
  if (reason != longest) top.why += " (" + reason->amount + ")";
  const std::string hot = hot_words(reason->hot.over_mean > 0 ? reason->hot : longest->hot);
  if (!hot.empty()) top.why += "; " + hot;
  return top;
}

ordered_json to_json(const Waits& waits) {
  const TopWait top = top_wait(waits);
  ordered_json out = {{"request_time", waits.request_time},
                      {"top",
                       {{"where", top.where},
                        {"why", top.why},
                        {"kind", top.kind ? ordered_json(name_of(*top.kind)) : ordered_json()}}},
                      {"all", ordered_json::array()},
                      {"nobody", ordered_json::array()}};
  for (const Wait& w : waits.all) out["all"].push_back(to_json(w));
  for (const Wait& w : waits.nobody) out["nobody"].push_back(to_json(w));
  return out;
}

}  // namespace tessera::app
