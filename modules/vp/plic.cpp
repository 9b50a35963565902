// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/plic.h"

#include <algorithm>

#include "modules/kernel/configuration_errors.h"

namespace tessera {

namespace {

constexpr auto kPending = static_cast<std::uint64_t>(PlicRegister::kPending);
constexpr auto kEnable = static_cast<std::uint64_t>(PlicRegister::kEnable);
constexpr auto kContext = static_cast<std::uint64_t>(PlicRegister::kThreshold);
constexpr auto kClaim = static_cast<std::uint64_t>(PlicRegister::kClaim) - kContext;
constexpr std::uint64_t kContextStride = kPlicThresholdContextStride;
static_assert(kContextStride == kPlicClaimContextStride);

}  // namespace

std::vector<std::string> PlicConfig::validate() const {
  std::vector<std::string> errors;
  require_from_one(errors, "sources", sources, 1023);
  require_from_one(errors, "contexts", contexts, 15872);
  return errors;
}

void describe(StatisticsVisitor& v, PlicStats& s) {
  v.counter("claims", s.claims, "interrupt", "claims that returned a source");
  v.counter("completions", s.completions, "interrupt", "completions of an enabled source");
}

Plic::Plic(const sc_core::sc_module_name& name, const PlicConfig& config)
    : BlockBase(name, config),
      in("in"),
      sources("sources", config.sources),
      contexts("contexts", config.contexts),
      state_(config.sources + 1),
      context_(config.contexts) {
  in.register_b_transport(this, &Plic::blocking);
  for (Context& c : context_) c.enabled.resize(config.sources / 32 + 1);
  SC_HAS_PROCESS(Plic);
  SC_METHOD(sample);
  for (auto& s : sources) sensitive << s;
  SC_METHOD(drive);
  sensitive << changed_;
}

void Plic::blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  access_registers(*this, payload, now() + delay.value());
}

void Plic::sample() {
  for (std::uint32_t s = 1; s <= config_.sources; ++s) {
    if (sources[s - 1].read() && !state_[s].claimed) state_[s].pending = true;
  }
  changed_.notify(sc_core::SC_ZERO_TIME);
}

void Plic::drive() {
  for (std::uint32_t c = 0; c < config_.contexts; ++c) contexts[c].write(best(context_[c]) != 0);
}

/// The source that a context would claim; 0: none.
std::uint32_t Plic::best(const Context& c) const {
  std::uint32_t best = 0;
  std::uint32_t priority = c.threshold;
  for (std::uint32_t s = 1; s <= config_.sources; ++s) {
    if (!state_[s].pending || !enabled(c, s) || state_[s].priority <= priority) continue;
    best = s;
    priority = state_[s].priority;
  }
  return best;
}

std::uint32_t Plic::claim(std::uint32_t context) {
  const std::uint32_t s = best(context_[context]);
  if (s == 0) return 0;
  ++stats_.claims;
  state_[s].pending = false;
  state_[s].claimed = true;
  return s;
}

void Plic::complete(std::uint32_t context, std::uint32_t source) {
  if (source == 0 || source > config_.sources || !enabled(context_[context], source)) return;
  ++stats_.completions;
  state_[source].claimed = false;
  if (sources[source - 1].read()) state_[source].pending = true;
}

bool Plic::read_register(std::uint64_t offset, unsigned bytes, Tick, std::uint64_t& value) {
  if (bytes != 4) return false;
  if (offset >= kContext) {
    const std::uint64_t c = (offset - kContext) / kContextStride;
    if (c >= config_.contexts) return false;
    switch (offset % kContextStride) {
      case 0:
        value = context_[c].threshold;
        return true;
      case kClaim:
        value = claim(static_cast<std::uint32_t>(c));
        changed_.notify(sc_core::SC_ZERO_TIME);
        return true;
      default:
        return false;
    }
  }
  if (offset >= kEnable) {
    const std::uint64_t c = (offset - kEnable) / kPlicEnableContextStride;
    const std::uint64_t word =
        (offset - kEnable) % kPlicEnableContextStride / kPlicEnableWordStride;
    value = 0;
    if (c < config_.contexts && word < context_[c].enabled.size())
      value = context_[c].enabled[word];
    return true;
  }
  if (offset >= kPending) {
    value = 0;
    for (std::uint64_t bit = 0; bit < 32; ++bit) {
      const std::uint64_t s = (offset - kPending) * 8 + bit;
      if (s < state_.size() && state_[s].pending) value |= std::uint64_t{1} << bit;
    }
    return true;
  }
  value = offset / kPlicPrioritySourceStride < state_.size()
              ? state_[offset / kPlicPrioritySourceStride].priority
              : 0;
  return true;
}

bool Plic::write_register(std::uint64_t offset, unsigned bytes, Tick, std::uint64_t value) {
  if (bytes != 4) return false;
  const auto word = static_cast<std::uint32_t>(value);
  if (offset >= kContext) {
    const std::uint64_t c = (offset - kContext) / kContextStride;
    if (c >= config_.contexts) return false;
    switch (offset % kContextStride) {
      case 0:
        context_[c].threshold = std::min(word, kMostPriority);
        break;
      case kClaim:
        complete(static_cast<std::uint32_t>(c), word);
        break;
      default:
        return false;
    }
  } else if (offset >= kEnable) {
    const std::uint64_t c = (offset - kEnable) / kPlicEnableContextStride;
    const std::uint64_t n = (offset - kEnable) % kPlicEnableContextStride / kPlicEnableWordStride;
    if (c < config_.contexts && n < context_[c].enabled.size()) context_[c].enabled[n] = word;
  } else if (offset >= kPending) {
    return false;
  } else if (offset / kPlicPrioritySourceStride != 0 &&
             offset / kPlicPrioritySourceStride < state_.size()) {
    state_[offset / kPlicPrioritySourceStride].priority = std::min(word, kMostPriority);
  }
  changed_.notify(sc_core::SC_ZERO_TIME);
  return true;
}

void Plic::describe_waiting(std::vector<Waiting>&) const {}

void Plic::reset() {
  state_.assign(state_.size(), {});
  for (Context& c : context_) {
    c.enabled.assign(c.enabled.size(), 0);
    c.threshold = 0;
  }
  stats_ = Stats();
}

}  // namespace tessera
