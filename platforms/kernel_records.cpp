// SPDX-License-Identifier: Apache-2.0
#include "platforms/kernel_records.h"

#include <algorithm>
#include <utility>

#include "common/json.h"

namespace tessera {

using nlohmann::ordered_json;

void KernelRecords::count(std::vector<CountedLevel> levels,
                          std::function<std::uint64_t(LaunchSlot)> take_instructions) {
  levels_ = std::move(levels);
  take_instructions_ = std::move(take_instructions);
  outside_.assign(levels_.size(), {});
}

void KernelRecords::start(const StartedLaunch& launch, const KernelProgram& program) {
  std::size_t& of_slot = of_slot_[launch.slot.value];
  if (of_slot != 0) collect(launch.slot, records_[of_slot - 1].levels);
  Record r;
  r.of = launch;
  r.name = program.name();
  r.grid = program.grid();
  r.block = program.block();
  r.resources = program.resources();
  r.start_cycle = clock_.cycle_at(launch.ready_at);
  r.levels.resize(levels_.size());
  records_.push_back(std::move(r));
  of_slot = records_.size();
}

KernelRecords::Record* KernelRecords::open_record(LaunchId launch) {
  const auto at = std::find_if(records_.rbegin(), records_.rend(), [launch](const Record& r) {
    return r.open && r.of.launch == launch;
  });
  return at == records_.rend() ? nullptr : &*at;
}

void KernelRecords::begin(LaunchId launch) {
  if (Record* r = open_record(launch)) r->start_cycle = clock_.cycle_at(now());
}

void KernelRecords::close(Record& r) {
  r.open = false;
  r.cycles = clock_.cycle_at(now()) - r.start_cycle;
  r.instructions = take_instructions_(r.of.slot);
}

void KernelRecords::end(LaunchId launch, Tick first_cta_at) {
  Record* const r = open_record(launch);
  if (r == nullptr) return;  // its window is over
  if (first_cta_at != kNever) r->first_cta_cycle = clock_.cycle_at(first_cta_at);
  close(*r);
}

void KernelRecords::end_all() {
  for (Record& r : records_) {
    if (r.open) close(r);
  }
}

void KernelRecords::begin_window() {
  for (const CountedLevel& level : levels_) {
    for (LaunchCounts* block : level.blocks) block->clear();
  }
  for (Record& r : records_) {
    if (r.open) r.start_cycle = clock_.cycle_at(now());
  }
}

void KernelRecords::clear() {
  records_.clear();
  of_slot_ = {};
}

std::string KernelRecords::open_names() const {
  std::string names;
  for (const Record& r : records_) {
    if (r.open) names += (names.empty() ? "" : ", ") + r.name;
  }
  return names;
}

std::uint64_t KernelRecords::cycles() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
  for (const Record& r : records_) spans.emplace_back(r.start_cycle, r.start_cycle + r.cycles);
  std::sort(spans.begin(), spans.end());
  std::uint64_t sum = 0;
  std::uint64_t until = 0;
  for (const auto& [begin, end] : spans) {
    sum += end - std::min(end, std::max(begin, until));
    until = std::max(until, end);
  }
  return sum;
}

void KernelRecords::collect(LaunchSlot slot, Levels& into) {
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    for (LaunchCounts* block : levels_[i].blocks) into[i] += block->take(slot);
  }
}

void KernelRecords::collect() {
  collect(LaunchSlot(), outside_);
  for (unsigned slot = 1; slot < LaunchSlot::kCount; ++slot) {
    if (of_slot_[slot] != 0) collect(LaunchSlot(slot), records_[of_slot_[slot] - 1].levels);
  }
}

ordered_json KernelRecords::json(const Levels& counts) const {
  ordered_json d = ordered_json::object();
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    ordered_json& level = d[levels_[i].name];
    if (levels_[i].is_cache) {
      level = {
          {"hits", counts[i].hits}, {"merged", counts[i].merged}, {"misses", counts[i].misses}};
    }
    level["bytes"] = counts[i].bytes;
  }
  return d;
}

ordered_json KernelRecords::to_json() const {
  std::vector<const Record*> all;
  for (const Record& r : records_) all.push_back(&r);
  std::stable_sort(all.begin(), all.end(),
                   [](const Record* a, const Record* b) { return a->of.launch < b->of.launch; });
  ordered_json kernels = ordered_json::array();
  for (const Record* r : all) {
    ordered_json k = {{"name", r->name},
                      {"grid", {r->grid.x, r->grid.y, r->grid.z}},
                      {"block", {r->block.x, r->block.y, r->block.z}},
                      {"start_cycle", r->start_cycle},
                      {"cycles", r->cycles},
                      {"instructions", r->instructions},
                      {"registers_per_thread", r->resources.registers_per_thread},
                      {"shared_bytes", r->resources.shared_bytes}};
    k["stream"] = nullptr;
    if (!r->of.stream.empty()) k["stream"] = r->of.stream;
    k["first_cta_cycle"] = nullptr;
    if (r->first_cta_cycle) k["first_cta_cycle"] = *r->first_cta_cycle;
    k["levels"] = json(r->levels);
    kernels.push_back(std::move(k));
  }
  return kernels;
}

ordered_json KernelRecords::outside_json() const { return {{"levels", json(outside_)}}; }

}  // namespace tessera
