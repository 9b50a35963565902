// SPDX-License-Identifier: Apache-2.0
#include "modules/mmu/uvm_driver.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "modules/kernel/report.h"
#include "modules/kernel/sc_time.h"
#include "modules/kernel/statistics_visitor.h"
#include "modules/mmu/translation.h"

namespace tessera {

using tlm::tlm_generic_payload;

namespace {

constexpr char kOutOfMemory[] = "/tessera/mmu/out_of_memory";
constexpr char kBadPlacement[] = "/tessera/mmu/bad_placement";

}  // namespace

UvmDriver::UvmDriver(const sc_core::sc_module_name& name, const UvmDriverConfig& config,
                     PageTable& table, PagePlacement& placement, UvmPlatform platform)
    : BlockBase(name, config, Unvalidated{}),
      in("in"),
      check_(translation_rules()),
      clock_(config.clock_hz),
      table_(table),
      placement_(placement),
      platform_(std::move(platform)),
      faults_(config.fault_entries),
      port_(clock_, wake_, queue_, config.queue_depth) {
  in.register_nb_transport_fw(this, &UvmDriver::forward);
  in.register_b_transport(this, &UvmDriver::blocking);
  in.register_transport_dbg(this, &UvmDriver::debug);
  if (config.mode == FaultMode::kPrefaulted) {
    table_.on_missing = [this](std::uint64_t page, RequesterId toucher) {
      return touch(page * table_.page_bytes(), toucher).has_value();
    };
  }
  wake_.bind<&UvmDriver::process>(*this);
}

UvmDriver::~UvmDriver() { table_.on_missing = nullptr; }

/// Mode kPrefaulted.
void UvmDriver::map_at_first_walk() {
  if (config_.mode != FaultMode::kPrefaulted) return;
  table_.on_missing = [this](std::uint64_t page, RequesterId toucher) {
    return touch(page * table_.page_bytes(), toucher).has_value();
  };
}

void UvmDriver::end_of_elaboration() { port_.bind(in.operator->()); }

void UvmDriver::end_of_simulation() {
  if (!idle()) SC_REPORT_WARNING(report::kInFlight, name());
}

std::optional<std::uint64_t> UvmDriver::touch(std::uint64_t virtual_address, RequesterId toucher) {
  const std::uint64_t page = table_.page_of(virtual_address);
  if (!table_.translate(virtual_address) && allocated(page)) map_page(page, toucher);
  return table_.translate(virtual_address);
}

/// Pages with a first touch by a requester without a local memory are interleaved.
ChannelId UvmDriver::local_channel(std::uint64_t page, RequesterId toucher) const {
  if (toucher.is_sm()) return platform_.local_channel(toucher.sm());
  return ChannelId(static_cast<std::uint32_t>(page % table_.pages_per_channel().size()));
}

AllocationPages UvmDriver::allocation_of(std::uint64_t page) const {
  if (!platform_.allocation) return {page, 1};
  return platform_.allocation(page * table_.page_bytes());
}

std::uint64_t UvmDriver::map_page(std::uint64_t page, RequesterId toucher) {
  ChannelId channel;
  if (table_.placement_matters()) {
    const AllocationPages whole = allocation_of(page);
    channel =
        placement_.place({page, toucher, local_channel(page, toucher), whole.first, whole.count},
                         {table_.pages_per_channel()});
    const std::size_t memories = table_.pages_per_channel().size();
    if (channel.value >= memories) {
      SC_REPORT_FATAL(kBadPlacement,
                      ("page placement policy '" + platform_.placement + "' places page " +
                       std::to_string(page) + " in channel " + std::to_string(channel.value) +
                       ": the channels are 0 to " + std::to_string(memories - 1))
                          .c_str());
    }
  }
  return map_in(page, channel);
}

void UvmDriver::place(std::uint64_t virtual_page, ChannelId memory) {
  const std::uint64_t address = virtual_page * table_.page_bytes();
  const std::size_t memories = table_.pages_per_channel().size();
  if (!allocated(virtual_page)) {
    throw InputError("page " + std::to_string(virtual_page) +
                     " cannot be placed: it is in no allocation");
  }
  if (memory.value >= memories) {
    throw InputError("page " + std::to_string(virtual_page) + " cannot be placed in memory " +
                     std::to_string(memory.value) + ": the platform has " +
                     std::to_string(memories));
  }
  const bool known = table_.translate(address).has_value();
  if (!known) map_in(virtual_page, memory);
  const auto fault =
      std::find_if(with_software_.begin(), with_software_.end(),
                   [&](PageSlots::Index i) { return faults_[i].page == virtual_page; });
  if (fault == with_software_.end()) return;
  if (!known) table_.mapped_by_fault(virtual_page, now());
  const Tick t = clock_.after(now(), 0);
  ++handlers_;
  handling_.push(t, 0, *fault);
  wake_.at(t);
  with_software_.erase(fault);
}

void UvmDriver::hand_faults_to(std::function<void(const PageFault&)> software) {
  software_ = std::move(software);
  if (software_) {
    table_.on_missing = nullptr;
    return;
  }
  map_at_first_walk();
  for (const PageSlots::Index i : with_software_) waiting_.push(now(), 0, i);
  with_software_.clear();
  wake_.at(clock_.after(now(), 0));
}

std::uint64_t UvmDriver::map_in(std::uint64_t page, ChannelId channel) {
  std::uint64_t physical = 0;
  try {
    physical = table_.map(page, channel);
  } catch (const RunError& e) {
    SC_REPORT_FATAL(kOutOfMemory, e.what());
  }
  ++stats_.pages_mapped;
  if (on_page_mapped) on_page_mapped(page, physical);
  return physical;
}

// Transport.

tlm::tlm_sync_enum UvmDriver::forward(tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                      sc_core::sc_time& delay) {
  return port_.forward(payload, phase, delay, check_, in, &stats_.errors);
}

void UvmDriver::blocking(tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (check_.refuse_blocking(in, payload)) return;
  const std::uint64_t page = table_.page_of(payload.get_address());
  const bool mapped = table_.translate(payload.get_address()).has_value();
  if (!mapped && !allocated(page)) {
    ++stats_.errors;
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  // A blocking walk cannot wait for software.
  if (mapped || config_.mode == FaultMode::kPrefaulted) {
    delay += to_sc_time(clock_.time_of(1));
  } else {
    ++stats_.faults;
    delay += to_sc_time(config_.fault_latency_ns * kTicksPerNs);
  }
  const std::uint64_t address = page * table_.page_bytes();
  answer_translation(payload, table_.entry_of(address, *touch(address, requester_of(payload))));
}

unsigned UvmDriver::debug(tlm_generic_payload& payload) {
  if (check_.untimed_fault(payload) != PayloadFault::kNone) return 0;
  const std::uint64_t address = payload.get_address() & ~(table_.page_bytes() - 1);
  const auto physical = table_.translate(address);
  if (!physical) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return 0;
  }
  answer_translation(payload, table_.entry_of(address, *physical));
  return kTranslationBytes;
}

// Processes.

void UvmDriver::process() {
  const Tick t = now();
  end_faults(t);
  handle_requests(t);
  begin_faults(t);
  end_faults(t);  // again, for faults with a latency of 0
  send(t);
  schedule_next(t);
}

void UvmDriver::end_faults(Tick t) {
  while (freeing_.due(t)) {
    freeing_.pop();
    --handlers_;
  }
  while (handling_.due(t)) {
    const PageSlots::Index i = handling_.pop();
    PageSlots::Slot& slot = faults_[i];
    // A b_transport call can have mapped the page in the meantime.
    const RequesterId toucher = request_of(*slot.waiters.front().payload).requester;
    const std::uint64_t address = slot.page * table_.page_bytes();
    const auto known = table_.translate(address);
    const std::uint64_t physical = known ? *known : map_page(slot.page, toucher);
    if (!known) table_.mapped_by_fault(slot.page, t);
    stats_.fault_latency.add((clock_.after(t, 1) - slot.waiters.front().since) / kTicksPerNs);
    for (const PageSlots::Waiter& w : slot.waiters) {
      answer_translation(*w.payload, table_.entry_of(address, physical));
      port_.responses.queue.push(t, 0, w.payload);
    }
    faults_.release(i);
    stats_.pending.set(faults_.used(), t);
    freeing_.push(clock_.after(t, 1), 0, 0);
  }
}

void UvmDriver::handle_requests(Tick t) {
  stalled_ = false;
  while (queue_.due(t)) {
    if (!take(*queue_.front(), t)) {
      stalled_ = true;
      return;
    }
    queue_.pop();
    port_.release();
    ++stats_.requests;
  }
}

/// Returns false if the request must wait for a fault entry.
bool UvmDriver::take(tlm_generic_payload& payload, Tick t) {
  const std::uint64_t page = table_.page_of(payload.get_address());
  const std::uint64_t address = page * table_.page_bytes();
  if (const auto physical = table_.walk(address, request_of(payload).requester)) {
    answer_translation(payload, table_.entry_of(address, *physical));
  } else if (!allocated(page)) {
    ++stats_.errors;
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  } else {
    PageSlots::Index i = faults_.find(page);
    if (i != PageSlots::kNone) {
      ++stats_.merges;
    } else {
      if (faults_.full()) return false;
      ++stats_.faults;
      i = faults_.allocate(page);
      waiting_.push(t, 0, i);
      stats_.pending.set(faults_.used(), t);
    }
    faults_[i].waiters.push_back({&payload, 0, t});
    return true;
  }
  port_.responses.queue.push(t, 0, &payload);
  return true;
}

void UvmDriver::begin_faults(Tick t) {
  const Tick latency = config_.fault_latency_ns * kTicksPerNs;
  while (software_ && !waiting_.empty()) {
    const PageSlots::Index i = waiting_.pop();
    const std::uint64_t page = faults_[i].page;
    const RequesterId toucher = request_of(*faults_[i].waiters.front().payload).requester;
    with_software_.push_back(i);
    software_({page, toucher, local_channel(page, toucher), allocation_of(page)});
  }
  while (!waiting_.empty() &&
         (config_.concurrent_faults == 0 || handlers_ < config_.concurrent_faults)) {
    const PageSlots::Index i = waiting_.pop();
    ++handlers_;
    // The response is sent in the last cycle of the latency and arrives at its end.
    const std::uint64_t last = clock_.cycle_from(t + latency);
    handling_.push(std::max(t, last == 0 ? 0 : clock_.time_of(last - 1)), 0, i);
  }
}

void UvmDriver::send(Tick t) {
  if (port_.responses.next(clock_, t) != t) return;
  const auto [payload, delay] = port_.responses.take(clock_, t);
  port_.responses.sender.send(*payload, delay);
}

void UvmDriver::schedule_next(Tick t) {
  wake_.at(port_.responses.next(clock_, t));
  wake_.at(handling_.next_due());
  if (!freeing_.empty()) wake_.at(freeing_.next_due());
  if (!stalled_) wake_.at(queue_.next_due());
}

// Housekeeping.

bool UvmDriver::idle() const {
  return queue_.empty() && faults_.empty() && port_.responses.queue.empty();
}

void UvmDriver::describe_waiting(std::vector<Waiting>& out) const {
  const std::string block = name();
  if (!queue_.empty())
    out.push_back({block + ".queue", queue_.size(), WaitKind::kResourceBusy, "a fault entry"});
  if (!waiting_.empty())
    out.push_back(
        {block + ".waiting", waiting_.size(), WaitKind::kResourceBusy, "a fault handler"});
  if (!with_software_.empty()) {
    out.push_back({block + ".software", with_software_.size(), WaitKind::kTranslation,
                   "software that places the page"});
  }
  if (!handling_.empty()) {
    out.push_back(
        {block + ".handling", handling_.size(), WaitKind::kTranslation, "the fault latency"});
  }
  if (!port_.responses.queue.empty()) {
    out.push_back({block + ".responses", port_.responses.queue.size(), WaitKind::kQueueFull,
                   "END_RESP from the walker"});
  }
}

void UvmDriver::reset() {
  wake_.cancel();
  faults_.clear();
  waiting_.clear();
  handling_.clear();
  with_software_.clear();
  freeing_.clear();
  handlers_ = 0;
  stalled_ = false;
  port_.reset();
  table_.clear();
  stats_ = UvmDriverStats{};
  stats_.pending.reset(now());
}

void describe(StatisticsVisitor& v, UvmDriverStats& s) {
  v.counter("requests", s.requests, "request", "requests taken");
  v.counter("faults", s.faults, "fault", "pages whose first access faulted");
  v.counter("merges", s.merges, "request", "requests that joined a pending fault");
  v.counter("pages_mapped", s.pages_mapped, "page", "pages placed");
  v.counter("errors", s.errors, "request", "requests that received an error response");
  v.histogram("fault_latency", s.fault_latency, "ns", "arrival of a fault to its response");
  v.waits(WaitKind::kTranslation, {"fault_latency"});
  v.occupancy("pending", s.pending, "page", "pages with a pending fault");
}

void UvmDriver::register_statistics(StatisticsRegistry& r) const {
  const std::string m = name();
  BlockBase::register_statistics(r);
  const PageTable& table = table_;
  r.value(
      m, "pages_spilled", [&table] { return static_cast<double>(table.spilled_pages()); }, "page",
      "pages that did not get their channel because it was full");
  r.value(
      m, "page_balance", [&table] { return normalised_page_balance(table.pages_per_channel()); },
      "ratio", "average pages per channel over the maximum (NUBA section 4)");
  for (std::size_t c = 0; c < table.pages_per_channel().size(); ++c) {
    r.value(
        m, "pages_channel" + std::to_string(c),
        [&table, c] { return static_cast<double>(table.pages_per_channel()[c]); }, "page",
        "pages placed in channel " + std::to_string(c));
  }
  r.counters(m, placement_.counters());
}

}  // namespace tessera
