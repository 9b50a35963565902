// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/load_store_unit.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <sstream>
#include <utility>

#include "common/error.h"
#include "modules/kernel/unlikely.h"
#include "modules/protocol/payload_check.h"

namespace tessera {

LoadStoreUnit::LoadStoreUnit(const SmConfig& config, const ClockDomain& clock,
                             TransactionPool& pool, SmId sm, const PageLookupIf* pages,
                             PlaceOf place_of)
    : config_(config),
      clock_(clock),
      pool_(pool),
      sm_(sm),
      pages_(config.ideal_translation ? pages : nullptr),
      place_of_(std::move(place_of)),
      line_shift_(static_cast<unsigned>(__builtin_ctz(config.line_bytes))),
      page_shift_(static_cast<unsigned>(__builtin_ctzll(config.page_bytes)) - line_shift_),
      tlb_(config.tlb_entries),
      accesses_(config.lsu_outstanding),
      completed_(config.lsu_outstanding),
      queue_(config.lsu_queue_depth) {}

void LoadStoreUnit::bind(tlm::tlm_fw_transport_if<>* l1, tlm::tlm_fw_transport_if<>* mmu) {
  l1_port_.bind(l1);
  mmu_port_.bind(mmu);
}

void LoadStoreUnit::take(const MemoryOp& memory, const OpInfo& op, std::uint32_t slot,
                         std::uint64_t warp_age, LaunchSlot launch, Tick t) {
  Queued& queued = queue_.push();
  coalesce(memory, config_.line_bytes, queued.lines);
  const unsigned lines = queued.lines.count;
  WarpAccess& a = accesses_.allocate(memory, queued.lines);
  queued.access = &a;
  a.op = &op;
  a.warp_age = warp_age;
  a.issued_at = t;
  a.pc = memory.pc;
  a.warp = static_cast<std::uint8_t>(slot);
  a.launch = launch;
  a.kind = memory.kind;
  a.read_only = memory.read_only;
  a.bypass_l1 = memory.scope == CacheScope::kBypassL1;
  a.values_done = memory.values_done;
  a.asynchronous = memory.asynchronous;
  a.copy = memory.copy;
  a.has_result = op.write_count != 0 && memory.kind != AccessKind::kStore && !memory.asynchronous;
  a.atomic = memory.atomic;
  a.atomic_type = memory.atomic_type;
  a.lines_count = a.lines_left = static_cast<std::uint8_t>(lines);
  a.lines_sent = 0;
  ++(memory.kind == AccessKind::kLoad    ? stats_.load_instructions
     : memory.kind == AccessKind::kStore ? stats_.store_instructions
                                         : stats_.atomic_instructions);
  stats_.line_requests += lines;
  stats_.lines_per_access.add(lines);
  std::uint64_t touched = 0;
  for (unsigned i = 0; i < lines; ++i) {
    const LineAccess& line = queued.lines.lines[i];
    stats_.sectors += sectors_touched(line.mask);
    touched += line.mask.count();
  }
  stats_.useful_bytes += touched;
  const std::uint32_t lanes = queued.lines.lines[0].lanes;
  a.uniform = a.read_only && !a.bypass_l1 && touched == memory.lane_bytes &&
              (lanes & (lanes - 1)) != 0;  // of several lanes
  if (unlikely(observer_ != nullptr)) observer_->on_warp_access(launch, memory, queued.lines);
}

// Transport.

tlm::tlm_sync_enum LoadStoreUnit::l1_backward(tlm::tlm_generic_payload& payload,
                                              tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const auto ended = [] {};  // the SM schedules
  const auto arrived = [&](Tick at) {
    l1_port_.responses.push(at, 0, &payload);
    prefetch(&accesses_[request_of(payload).tag / kWarpLanes]);
    prefetch_manager(&payload);
  };
  const auto one_a_cycle = [this](Tick at) { return clock_.after(at, 1) - at; };
  return l1_port_.backward(payload, phase, delay, ended, arrived, one_a_cycle);
}

tlm::tlm_sync_enum LoadStoreUnit::mmu_backward(tlm::tlm_generic_payload& payload,
                                               tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const auto ended = [] {};  // the SM schedules
  const auto arrived = [&](Tick at) { mmu_port_.responses.push(at, 0, &payload); };
  return mmu_port_.backward(payload, phase, delay, ended, arrived);
}

// Work.

void LoadStoreUnit::run(Tick t) {
  handle_responses(t);
  if (mmu_port_.responses.due(t)) handle_translations(t);
  if (unsent_ != 0) send_translations(t);
  const Tick delay = clock_.after(t, config_.tlb_latency) - t;
  if (port_free_at_ <= t && l1_port_.requests.sender.free(t + delay) && send_line(t)) {
    port_free_at_ = clock_.after(t, 1);
    if (unsent_ != 0) send_translations(t);
  }
}

void LoadStoreUnit::handle_responses(Tick t) {
  while (l1_port_.responses.due(t)) responded_at(l1_port_.pop_response(), t);
}

void LoadStoreUnit::responded_at(tlm::tlm_generic_payload& payload, Tick t) {
  MemoryRequest& request = request_of(payload);
  WarpAccess& a = accesses_[request.tag / kWarpLanes];
  if (unlikely(!payload.is_response_ok())) fail(a, payload);
  if (request.carries_data) handle_values(a, payload, request);
  if (unlikely(request.kind == RequestKind::kAtomic)) pool_.release_atomics(request.atomics);
  a.request_for(request.tag % kWarpLanes) = nullptr;
  if (unlikely(first_load_.armed) && a.lines_left == 1 && a.has_result) {
    first_load_.completed({a.issued_at, a.issued_at + clock_.time_of(a.cycles_to_l1), request, t},
                          a.pc, a.launch);
  }
  payload.release();
  if (--a.lines_left == 0) {
    if (a.kind == AccessKind::kLoad) stats_.load_latency.add(clock_.cycles_in(t - a.issued_at));
    completed_.push(&a);
  }
}

void LoadStoreUnit::fail(const WarpAccess& a, tlm::tlm_generic_payload& payload) const {
  static constexpr const char* kKinds[] = {"load", "store", "atomic"};
  std::ostringstream text;
  text << place_of_(a) << ": the memory system refuses the " << kKinds[static_cast<int>(a.kind)];
  const std::size_t line = request_of(payload).tag % kWarpLanes;
  if (a.details != nullptr && (!a.values_done || a.kind == AccessKind::kAtomic)) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(a.details->lanes[line]));
    text << " at 0x" << std::hex << a.details->memory.address[lane];
  }
  text << " (physical line 0x" << std::hex << payload.get_address() << "): ";
  const std::string cause = refusal_of(payload.get_address());
  text << (cause.empty() ? payload.get_response_string() : cause);
  throw RunError(text.str());
}

void LoadStoreUnit::fail_translation(const Translation& x) const {
  std::ostringstream text;
  text << place_of_(*x.waiting.front().access) << ": the MMU has no translation of the page at 0x"
       << std::hex << x.page * config_.page_bytes << ", which is outside every allocation";
  throw RunError(text.str());
}

void LoadStoreUnit::handle_values(WarpAccess& a, const tlm::tlm_generic_payload& payload,
                                  const MemoryRequest& request) {
  const MemoryOp& op = a.details->memory;
  auto& values = a.details->values;
  if (a.kind == AccessKind::kLoad) {
    for (std::uint32_t left = a.details->lanes[request.tag % kWarpLanes]; left != 0;
         left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      std::memcpy(&values[lane * kMaxLaneBytes],
                  payload.get_data_ptr() + op.address[lane] % config_.line_bytes, op.lane_bytes);
    }
  } else if (a.kind == AccessKind::kAtomic) {
    for (unsigned i = 0; i < request.atomics->count; ++i) {
      const AtomicOperands::Lane& lane = request.atomics->lanes[i];
      std::memcpy(&values[lane.lane * kMaxLaneBytes], &lane.old, sizeof lane.old);
    }
  }
}

void LoadStoreUnit::handle_translations(Tick t) {
  while (mmu_port_.responses.due(t)) {
    tlm::tlm_generic_payload& payload = mmu_port_.pop_response();
    auto it = std::find_if(translations_.begin(), translations_.end(),
                           [&](const Translation& x) { return x.request == &payload; });
    if (unlikely(!payload.is_response_ok())) fail_translation(*it);
    std::uint64_t bits = 0;
    std::memcpy(&bits, payload.get_data_ptr(), sizeof bits);
    const PageEntry entry(bits);
    tlb_.insert(it->page, entry);
    blocked_ = false;
    for (Line& l : it->waiting) {
      l.page = entry;
      translated_.push_back(l);
    }
    payload.release();
    translations_.erase(it);
  }
}

void LoadStoreUnit::send_translations(Tick t) {
  const Tick delay = clock_.after(t, 1) - t;
  for (Translation& x : translations_) {
    if (x.sent) continue;
    if (!mmu_port_.requests.sender.free(t + delay)) return;
    x.sent = true;
    --unsent_;
    Transaction& request = pool_.acquire();
    x.request = &request;
    request.set_line(tlm::TLM_READ_COMMAND, x.page * config_.page_bytes, sizeof(std::uint64_t));
    MemoryRequest& r = request.request();
    r.kind = RequestKind::kTranslation;
    r.requester = sm_;
    r.carries_data = true;
    r.useful_bytes = sizeof(std::uint64_t);
    mmu_port_.send(request, delay, [&](Tick at) { mmu_port_.responses.push(at, 0, &request); });
  }
}

/// Translates and sends one line. Returns true if the port has been used.
bool LoadStoreUnit::send_line(Tick t) {
  if (!translated_.empty()) {
    const Line line = translated_.front();
    translated_.pop_front();
    send(line, t);
    return true;
  }
  if (queue_.empty()) return false;
  WarpAccess& a = *queue_.front().access;
  Line line{&a, a.lines_sent, queue_.front().lines.lines[a.lines_sent]};
  const std::uint64_t page = line.lanes.line >> page_shift_;
  const PageEntry* const entry = find_page(page);
  if (entry != nullptr) {
    ++stats_.tlb_hits;
    line.page = *entry;
    send(line, t);
  } else if (!translate(line, page)) {
    return false;
  }
  if (++a.lines_sent == a.lines_count) queue_.drop();
  return true;
}

/// The entry of a page, from the TLB or, with ideal translation, from the page table. While older
/// lines of the page wait for the MMU, there is none: lines of one page keep their order.
const PageEntry* LoadStoreUnit::find_page(std::uint64_t page) {
  const PageEntry* const entry = tlb_.find(page);
  if (entry != nullptr || pages_ == nullptr) return entry;
  if (std::any_of(translations_.begin(), translations_.end(),
                  [page](const Translation& x) { return x.page == page; })) {
    return nullptr;
  }
  const std::optional<PageEntry> mapped = pages_->mapped_before_now(page);
  if (!mapped) return nullptr;
  tlb_.insert(page, *mapped);
  return tlb_.find(page);
}

/// Queues a line that misses in the TLB for its page's translation. Returns false if the
/// translation cannot be requested.
bool LoadStoreUnit::translate(const Line& line, std::uint64_t page) {
  auto it = std::find_if(translations_.begin(), translations_.end(),
                         [page](const Translation& x) { return x.page == page; });
  if (it == translations_.end()) {
    if (translations_.size() >= config_.tlb_mshr_entries) {
      blocked_ = true;  // until a translation arrives
      return false;
    }
    ++stats_.tlb_misses;
    translations_.push_back(Translation{page, nullptr, false, {}});
    ++unsent_;
    it = translations_.end() - 1;
  }
  it->waiting.push_back(line);
  return true;
}

void LoadStoreUnit::send(const Line& l, Tick t) {
  WarpAccess& a = *l.access;
  a.cycles_to_l1 = static_cast<std::uint16_t>(
      std::min<std::uint64_t>(0xffff, clock_.cycles_in(t - a.issued_at)));
  const LineAccess& line = l.lanes;
  const std::uint64_t line_in_page = line.line & ((std::uint64_t{1} << page_shift_) - 1);
  Transaction& out = pool_.acquire();
  out.set_line(a.kind == AccessKind::kLoad ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND,
               l.page.physical() + (line_in_page << line_shift_), config_.line_bytes);
  a.request_for(l.index) = &out;
  MemoryRequest& r = out.request();
  r.requester = sm_;
  r.allocation = l.page.allocation();
  r.warp = a.warp;
  r.launch = a.launch;
  r.pc = a.pc;
  r.read_only = a.read_only;
  r.uniform = a.uniform;
  r.bypass_l1 = a.bypass_l1;
  r.carries_data = !a.values_done;
  r.reports_refusal = true;
  r.useful_bytes = static_cast<std::uint16_t>(line.mask.count());
  r.tag = a.index * kWarpLanes + l.index;
  switch (a.kind) {
    case AccessKind::kLoad:
      r.kind = RequestKind::kLoad;
      r.word_mask = line.mask.word_mask();
      break;
    case AccessKind::kStore:
      add_stored(out, l);
      break;
    case AccessKind::kAtomic:
      add_operands(out, l);
      break;
  }
  const Tick delay = clock_.after(t, config_.tlb_latency) - t;
  l1_port_.send(out, delay, [&](Tick at) { l1_port_.responses.push(at, 0, &out); });
}

void LoadStoreUnit::add_stored(Transaction& out, const Line& l) {
  MemoryRequest& r = out.request();
  r.kind = RequestKind::kStore;
  out.set_byte_mask(l.lanes.mask);
  if (!r.carries_data) return;
  const MemoryOp& op = l.access->details->memory;
  for (std::uint32_t left = l.lanes.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    std::memcpy(out.data() + op.address[lane] % config_.line_bytes, &op.data[lane * kMaxLaneBytes],
                op.lane_bytes);
  }
}

void LoadStoreUnit::add_operands(Transaction& out, const Line& l) {
  const WarpAccess& a = *l.access;
  MemoryRequest& r = out.request();
  r.kind = RequestKind::kAtomic;
  out.set_byte_mask(l.lanes.mask);
  const MemoryOp& op = a.details->memory;
  AtomicOperands& operands = *pool_.acquire_atomics();
  r.atomics = &operands;
  operands.op = a.atomic;
  operands.type = a.atomic_type;
  for (std::uint32_t left = l.lanes.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    AtomicOperands::Lane& o = operands.lanes[operands.count++];
    o.offset = static_cast<std::uint8_t>(op.address[lane] % config_.line_bytes);
    o.lane = static_cast<std::uint8_t>(lane);
    if (!r.carries_data) continue;
    std::memcpy(&o.operand, &op.data[lane * kMaxLaneBytes], atomic_bytes(a.atomic_type));
    o.compare = op.compare[lane];
  }
}

WarpAccess* LoadStoreUnit::next_completed() {
  return completed_.empty() ? nullptr : completed_.pop();
}

Tick LoadStoreUnit::next_work(Tick t) const {
  const RequestSender& to_l1 = l1_port_.requests.sender;
  const RequestSender& to_mmu = mmu_port_.requests.sender;
  Tick next = std::min(l1_port_.responses.next_due(), mmu_port_.responses.next_due());
  if ((!translated_.empty() || (!queue_.empty() && !blocked_)) && to_l1.free_at() != kNever) {
    // The line arrives tlb_latency later, when the channel must be free.
    Tick at = std::max({port_free_at_, t, to_l1.usable_from()});
    const std::uint64_t free_cycle = clock_.cycle_from(to_l1.free_at());
    if (free_cycle > config_.tlb_latency) {
      at = std::max(at, clock_.time_of(free_cycle - config_.tlb_latency));
    }
    next = std::min(next, at);
  }
  if (unsent_ != 0 && to_mmu.free_at() != kNever) {
    const std::uint64_t free_cycle = clock_.cycle_from(to_mmu.free_at());
    next = std::min(next, std::max({t, to_mmu.usable_from(),
                                    clock_.time_of(free_cycle == 0 ? 0 : free_cycle - 1)}));
  }
  return next == kNever ? kNever : clock_.after(std::max(next, t), 0);
}

// Housekeeping.

void LoadStoreUnit::describe_waiting(const std::string& base, std::vector<Waiting>& out) const {
  if (!queue_.empty()) {
    out.push_back(
        {base + "lsu_queue", queue_.size(),
         l1_port_.requests.sender.free_at() == kNever ? WaitKind::kQueueFull : WaitKind::kOrdering,
         l1_port_.requests.sender.free_at() == kNever ? "END_REQ from the L1"
                                                      : "its turn or a TLB miss"});
  }
  if (!translations_.empty()) {
    out.push_back({base + "l1_tlb", translations_.size(), WaitKind::kTranslation,
                   "translations from the MMU"});
  }
  const std::size_t used = accesses_.used();
  const std::size_t queued = queue_.size() + completed_.size();
  if (used > queued) {
    out.push_back(
        {base + "outstanding", used - queued, WaitKind::kDataDependence, "responses from the L1"});
  }
}

void LoadStoreUnit::reset() {
  for (Translation& x : translations_) {
    if (x.request != nullptr) x.request->release();
  }
  translations_.clear();
  translated_.clear();
  queue_.clear();
  completed_.clear();
  accesses_.clear([this](tlm::tlm_generic_payload*& sent) {
    if (sent == nullptr) return;
    MemoryRequest& request = request_of(*sent);
    if (request.atomics != nullptr) pool_.release_atomics(request.atomics);
    std::exchange(sent, nullptr)->release();
  });
  unsent_ = 0;
  blocked_ = false;
  port_free_at_ = 0;
  tlb_.invalidate_all();
  closed_ = false;
  first_load_ = {};
  l1_port_.reset();
  mmu_port_.reset();
}

}  // namespace tessera
