// SPDX-License-Identifier: Apache-2.0
#include "modules/mmu/l2_tlb.h"

#include <algorithm>

#include "modules/kernel/report.h"
#include "modules/kernel/sc_time.h"
#include "modules/kernel/statistics_visitor.h"
#include "modules/mmu/translation.h"

namespace tessera {

using tlm::tlm_generic_payload;

L2Tlb::L2Tlb(const sc_core::sc_module_name& name, const L2TlbConfig& config,
             std::uint64_t page_bytes, TransactionPool& pool, unsigned ports)
    : BlockBase(name, config, Unvalidated{}),
      in("in", ports),
      walker("walker"),
      check_(translation_rules()),
      clock_(config.clock_hz),
      page_bits_(static_cast<unsigned>(__builtin_ctzll(page_bytes))),
      pool_(pool),
      entries_(config.entries),
      mshrs_(config.mshr_entries),
      sharing_(ports),
      walker_port_(clock_, wake_) {
  for (unsigned i = 0; i < ports; ++i) {
    // The pipeline registers hold requests in addition to the queue.
    ports_.emplace_back(clock_, wake_, queue_, config.latency_cycles + config.queue_depth, i,
                        config.latency_cycles - 1);
    in[i].register_nb_transport_fw(this, &L2Tlb::forward, static_cast<int>(i));
    in[i].register_b_transport(this, &L2Tlb::blocking, static_cast<int>(i));
    in[i].register_transport_dbg(this, &L2Tlb::debug, static_cast<int>(i));
  }
  walker.register_nb_transport_bw(this, &L2Tlb::backward);
  wake_.bind<&L2Tlb::process>(*this);
}

void L2Tlb::end_of_elaboration() {
  for (unsigned i = 0; i < ports_.size(); ++i) ports_[i].bind(in[i].operator->());
  walker_port_.bind(walker.operator->());
}

void L2Tlb::end_of_simulation() {
  if (!idle()) SC_REPORT_WARNING(report::kInFlight, name());
}

// Transport.

tlm::tlm_sync_enum L2Tlb::forward(int port, tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                  sc_core::sc_time& delay) {
  const auto p = static_cast<std::uint32_t>(port);
  return ports_[p].forward(payload, phase, delay, check_, in[p], &stats_.errors);
}

tlm::tlm_sync_enum L2Tlb::backward(tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay) {
  return walker_port_.backward(payload, phase, delay);
}

void L2Tlb::blocking(int port, tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (check_.refuse_blocking(in[static_cast<unsigned>(port)], payload)) return;
  delay += to_sc_time(clock_.time_of(config_.latency_cycles));
  const std::uint64_t page = key_of(payload.get_address() >> page_bits_, payload);
  if (Entry* e = find(page)) {
    e->used = ++uses_;
    answer_translation(payload, e->translation);
    return;
  }
  walker->b_transport(payload, delay);
  delay += to_sc_time(clock_.time_of(1));
  if (payload.is_response_ok()) install(page, translation_of(payload));
}

unsigned L2Tlb::debug(int, tlm_generic_payload& payload) { return walker->transport_dbg(payload); }

// Processes.

void L2Tlb::process() {
  const Tick t = now();
  handle_fills(t);
  send(t);
  look_up(t);
  send(t);
  schedule_next(t);
}

void L2Tlb::handle_fills(Tick t) {
  while (walker_port_.responses.due(t)) {
    tlm_generic_payload& fetch = walker_port_.pop_response();
    const PageSlots::Index i = request_of(fetch).tag;
    PageSlots::Slot& slot = mshrs_[i];
    const tlm::tlm_response_status status = fetch.get_response_status();
    const PageEntry translation = translation_of(fetch);
    if (status == tlm::TLM_OK_RESPONSE) install(slot.page, translation);
    for (const PageSlots::Waiter& w : slot.waiters) {
      if (status == tlm::TLM_OK_RESPONSE) {
        answer_translation(*w.payload, translation);
      } else {
        w.payload->set_response_status(status);
        ++stats_.errors;
      }
      stats_.miss_latency.add(clock_.cycle_at(t) - clock_.cycle_at(w.since));
      response(w.port, *w.payload, t);
    }
    mshrs_.release(i);
    stats_.mshrs.set(mshrs_.used(), t);
    fetch.release();
  }
}

void L2Tlb::look_up(Tick t) {
  stalled_ = false;
  if (lookup_edge_ != t) {
    lookup_edge_ = t;
    lookups_ = 0;
  }
  while (queue_.due(t) && lookups_ < config_.ports) {
    const Access a{queue_.front(), queue_.front_port()};
    if (!access(a, t)) {
      stalled_ = true;
      return;
    }
    queue_.pop();
    stall_tracker_.proceed(t);
    ++lookups_;
    ports_[a.port].release();
  }
}

/// Returns false if the access stalls.
bool L2Tlb::access(const Access& a, Tick t) {
  if (ports_[a.port].responses.queue.size() >= config_.response_queue_depth) {
    stall_tracker_.stall(stats_.stalls_output, t);
    return false;
  }
  const std::uint64_t virtual_page = a.payload->get_address() >> page_bits_;
  sharing_.touch(virtual_page, SmId(a.port));
  const std::uint64_t page = key_of(virtual_page, *a.payload);
  if (Entry* e = find(page)) {
    ++stats_.hits;
    e->used = ++uses_;
    answer_translation(*a.payload, e->translation);
    response(a.port, *a.payload, t);
    return true;
  }
  PageSlots::Index i = mshrs_.find(page);
  if (i != PageSlots::kNone) {
    ++stats_.merges;
    mshrs_[i].waiters.push_back({a.payload, a.port, t});
    return true;
  }
  if (mshrs_.full()) {
    stall_tracker_.stall(stats_.stalls_mshr, t);
    return false;
  }
  ++stats_.misses;
  i = mshrs_.allocate(page);
  mshrs_[i].waiters.push_back({a.payload, a.port, t});
  stats_.mshrs.set(mshrs_.used(), t);
  Transaction& fetch = pool_.acquire();
  fetch.set_line(tlm::TLM_READ_COMMAND, virtual_page << page_bits_, kTranslationBytes);
  const MemoryRequest& asked = request_of(*a.payload);
  MemoryRequest& request = fetch.request();
  request.kind = RequestKind::kTranslation;
  request.requester = asked.requester;
  request.warp = asked.warp;
  request.pc = asked.pc;
  request.useful_bytes = kTranslationBytes;
  request.tag = i;
  mshrs_[i].fetch = &fetch;
  walker_port_.requests.queue.push(t, 0, &fetch);
  return true;
}

void L2Tlb::response(std::uint32_t port, tlm_generic_payload& payload, Tick t) {
  auto& queue = ports_[port].responses.queue;
  if (queue.empty()) replying_.push_back(port);
  queue.push(t, 0, &payload);
}

void L2Tlb::send(Tick t) {
  for (std::size_t i = 0; i < replying_.size();) {
    PacedOutput<ResponseSender>& out = ports_[replying_[i]].responses;
    if (out.next(clock_, t) != t) {
      ++i;
      continue;
    }
    const auto [payload, delay] = out.take(clock_, t);
    if (out.queue.empty()) {
      replying_[i] = replying_.back();
      replying_.pop_back();
    } else {
      ++i;
    }
    out.sender.send(*payload, delay);
  }
  if (walker_port_.requests.next(clock_, t) != t) return;
  const auto [fetch, delay] = walker_port_.requests.take(clock_, t);
  walker_port_.send(*fetch, delay);
}

void L2Tlb::schedule_next(Tick t) {
  for (const std::uint32_t port : replying_) wake_.at(ports_[port].responses.next(clock_, t));
  wake_.at(walker_port_.requests.next(clock_, t));
  wake_.at(walker_port_.responses.next_due());
  // A stalled head is retried after a fill or a sent response; both wake the process.
  if (!queue_.empty() && !(stalled_ && queue_.due(t))) {
    wake_.at(queue_.due(t) ? clock_.after(t, 1) : queue_.next_due());
  }
}

// The array.

L2Tlb::Entry* L2Tlb::find(std::uint64_t page) {
  const std::size_t sets = config_.entries / config_.ways;
  Entry* e = &entries_[page % sets * config_.ways];
  for (std::uint32_t way = 0; way < config_.ways; ++way, ++e) {
    if (e->page == page) return e;
  }
  return nullptr;
}

void L2Tlb::install(std::uint64_t page, PageEntry translation) {
  const std::size_t sets = config_.entries / config_.ways;
  if (Entry* known = find(page)) {
    *known = Entry{page, translation, ++uses_};
    return;
  }
  Entry* const first = &entries_[page % sets * config_.ways];
  Entry* const victim = std::min_element(
      first, first + config_.ways, [](const Entry& a, const Entry& b) { return a.used < b.used; });
  if (victim->page != kNoPage) ++stats_.evictions;
  *victim = Entry{page, translation, ++uses_};
}

void L2Tlb::invalidate_all() { std::fill(entries_.begin(), entries_.end(), Entry{}); }

void L2Tlb::invalidate_page(std::uint64_t virtual_page) {
  constexpr std::uint64_t kPageMask = (std::uint64_t{1} << kViewShift) - 1;
  for (Entry& e : entries_) {
    if (e.page != kNoPage && (e.page & kPageMask) == virtual_page) e = Entry{};
  }
}

// Housekeeping.

bool L2Tlb::idle() const {
  return queue_.empty() && mshrs_.empty() && walker_port_.responses.empty() &&
         walker_port_.requests.queue.empty() && replying_.empty();
}

void L2Tlb::describe_waiting(std::vector<Waiting>& out) const {
  const std::string block = name();
  if (!queue_.empty()) {
    out.push_back({block + ".queue", queue_.size(),
                   stalled_ && !mshrs_.full() ? WaitKind::kQueueFull : WaitKind::kResourceBusy,
                   !stalled_       ? "a lookup"
                   : mshrs_.full() ? "a free MSHR"
                                   : "an SM to accept its responses"});
  }
  if (!mshrs_.empty())
    out.push_back(
        {block + ".mshrs", mshrs_.used(), WaitKind::kTranslation, "responses of the walker"});
  if (const auto& fetches = walker_port_.requests.queue; !fetches.empty()) {
    out.push_back(
        {block + ".to_walker", fetches.size(), WaitKind::kQueueFull, "END_REQ from the walker"});
  }
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const auto& queue = ports_[i].responses.queue;
    if (queue.empty()) continue;
    out.push_back({block + ".responses" + std::to_string(i), queue.size(), WaitKind::kQueueFull,
                   "END_RESP from SM " + std::to_string(i)});
  }
}

void L2Tlb::reset() {
  sharing_.clear();
  wake_.cancel();
  for (const PageSlots::Slot& slot : mshrs_.all()) {
    if (slot.fetch != nullptr) slot.fetch->release();
  }
  mshrs_.clear();
  std::fill(entries_.begin(), entries_.end(), Entry{});
  uses_ = 0;
  walker_port_.reset();
  for (auto& port : ports_) port.reset();
  replying_.clear();
  lookup_edge_ = kNever;
  stalled_ = false;
  stall_tracker_ = {};
  stats_ = L2TlbStats{};
  stats_.mshrs.reset(now());
}

void describe(StatisticsVisitor& v, PageSharingStats& s) {
  const char* const bands[] = {"1_sm", "2_to_10_sms", "11_to_25_sms", "26_or_more_sms"};
  for (std::size_t band = 0; band < PageSharing::kBands; ++band) {
    v.value(std::string("pages_of_") + bands[band], s.pages[band], "page",
            "touched pages by how many SMs touched them (NUBA figure 3)");
  }
}

void describe(StatisticsVisitor& v, L2TlbStats& s) {
  v.counter("hits", s.hits, "lookup", "lookups that found their page");
  v.counter("misses", s.misses, "lookup", "lookups that began a page walk");
  v.counter("merges", s.merges, "lookup", "misses that joined a walk under way");
  v.counter("evictions", s.evictions, "entry", "translations evicted");
  v.counter("errors", s.errors, "request", "requests that received an error response");
  v.counter("stalls_mshr", s.stalls_mshr, "request",
            "stalled lookups, each counted once, whose first cause was that no MSHR was free");
  v.counter(
      "stalls_output", s.stalls_output, "request",
      "stalled lookups, each counted once, whose first cause was a full response queue of the SM");
  v.histogram("miss_latency", s.miss_latency, "cycle", "from a missing lookup to its fill");
  v.waits(WaitKind::kResourceBusy, {"stalls_mshr"});
  v.waits(WaitKind::kQueueFull, {"stalls_output"});
  v.waits(WaitKind::kTranslation, {"miss_latency"});
  v.occupancy("mshrs", s.mshrs, "entry", "pages being walked for");
}

void L2Tlb::register_statistics(StatisticsRegistry& r) const {
  register_snapshot<PageSharingStats>(r, name(),
                                      [this] { return PageSharingStats{sharing_.bands()}; });
  BlockBase::register_statistics(r);
}

}  // namespace tessera
