// SPDX-License-Identifier: Apache-2.0
#include "modules/umh/smd_block.h"

#include <algorithm>
#include <utility>

#include "modules/kernel/configuration_errors.h"
#include "modules/kernel/statistics_visitor.h"

namespace tessera::umh {

std::vector<std::string> SmdBlockConfig::validate() const {
  std::vector<std::string> errors = timing.validate();
  require_from_one(errors, "memory_accesses", memory_accesses, 1 << 20);
  return errors;
}

namespace {

CoherentCacheBlockConfig cache_of(const SmdBlockConfig& config) {
  CoherentCacheBlockConfig c;
  c.timing = config.timing;
  c.cache = config.smd.cache();
  return c;
}

}  // namespace

SmdBlock::SmdBlock(const sc_core::sc_module_name& name, const SmdBlockConfig& config,
                   const CoherenceSite& site, TransactionPool& pool)
    : CoherentCacheBlock(name, cache_of(config), site, false),
      memory("memory"),
      smd_(sound(this->name(), config)),
      stack_(
          clock_, wake_, pool, [this](std::uint64_t line) { return stack_address(line); },
          [this](CoherenceMessage&& m) { post(std::move(m), now()); }) {
  memory.register_nb_transport_bw(this, &SmdBlock::backward);
  observe_written(
      [this](std::uint64_t line, LaunchSlot launch) { stack_.write(line, launch, now()); });
}

void SmdBlock::end_of_elaboration() {
  CoherentCacheBlock::end_of_elaboration();
  stack_.port().bind(memory.operator->());
}

std::uint64_t SmdBlock::stack_address(std::uint64_t line) const {
  const std::uint64_t block = cache().block_of(line);
  const std::uint32_t block_lines = cache().config().block_lines;
  const std::uint64_t blocks = smd_.smd.stack_bytes / smd_.smd.block_bytes;
  return (cache().index_of(block) % blocks * block_lines + line % block_lines) * kLineBytes;
}

void SmdBlock::handle(const CoherenceMessage& message) {
  stack_.arrive(message, [this](const CoherenceMessage& m) { CoherentCacheBlock::handle(m); });
}

bool SmdBlock::can_admit() const {
  return CoherentCacheBlock::can_admit() && stack_.backlog() < smd_.memory_accesses;
}

void SmdBlock::send(CoherenceMessage message) { stack_.post(std::move(message), now()); }

void SmdBlock::after_lookup(Tick t) {
  CoherentCacheBlock::after_lookup(t);
  stack_.send(t);
}

Tick SmdBlock::next_work(Tick t) const {
  return std::min(CoherentCacheBlock::next_work(t), stack_.next(t));
}

void SmdBlock::overlay(std::uint64_t address, unsigned char* bytes) {
  CoherentCacheBlock::overlay(address, bytes);
  stack_.for_each_message(
      [&](const CoherenceMessage& m) { overlay_message(m, address / kLineBytes, bytes); });
}

void SmdBlock::replace(std::uint64_t address, const unsigned char* bytes, const ByteMask& mask) {
  CoherentCacheBlock::replace(address, bytes, mask);
  stack_.for_each_message(
      [&](CoherenceMessage& m) { replace_in_message(m, address / kLineBytes, bytes, mask); });
}

bool SmdBlock::idle() const { return CoherentCacheBlock::idle() && stack_.idle(); }

void SmdBlock::describe_waiting(std::vector<Waiting>& out) const {
  CoherentCacheBlock::describe_waiting(out);
  stack_.describe_waiting(name(), out);
}

void SmdBlock::reset() {
  CoherentCacheBlock::reset();
  stack_.reset();
}

void SmdBlock::register_statistics(StatisticsRegistry& registry) const {
  CoherentCacheBlock::register_statistics(registry);
  register_statistics_of(registry, name(), stack_.stats());
}

}  // namespace tessera::umh
