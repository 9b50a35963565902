// SPDX-License-Identifier: Apache-2.0
#include "modules/host/partial_kernel.h"

#include <cstddef>
#include <utility>

namespace tessera {

namespace {

/// Calls take(gpu, sm, cta) for CTAs of a launch until it returns false or none is left. Each round
/// goes through the SMs of all GPUs in turn.
template <class Take>
void deal_in_turn(const LaunchSchedulers& s, Take take) {
  for (bool any = true; any;) {
    any = false;
    for (CtaScheduler* scheduler : s.of_gpu) scheduler->begin_round();
    for (unsigned i = 0; i < s.sms_per_gpu; ++i) {
      for (std::size_t g = 0; g < s.of_gpu.size(); ++g) {
        const SmId sm(static_cast<std::uint32_t>(g) * s.sms_per_gpu + i);
        const std::optional<CtaId> cta = s.of_gpu[g]->next(sm);
        if (!cta) continue;
        any = true;
        if (!take(g, sm, *cta)) return;
      }
    }
  }
}

/// Counts a CTA that has ended; keeps another one.
void settle(SkippedCtas& s, HeldCta cta) {
  if (cta.program->live_warps() != 0) {
    s.held.push_back(std::move(cta));
    return;
  }
  ++s.ended;
  s.ended_numbers += cta.id.value;
}

}  // namespace

SkipResult skip_ctas(KernelProgram& kernel, const LaunchSchedulers& schedulers,
                     const CtaSkip& skip) {
  SkipResult result;
  for (std::size_t g = 0; g < schedulers.of_gpu.size(); ++g) {
    result.of_gpu.push_back(std::make_shared<SkippedCtas>());
  }
  if (!kernel.cooperative()) {
    deal_in_turn(schedulers, [&](std::size_t gpu, SmId sm, CtaId id) {
      HeldCta cta{sm, id, kernel.start_cta(id)};
      result.more = skip(kernel, {cta.program.get()});
      settle(*result.of_gpu[gpu], std::move(cta));
      return result.more;
    });
    return result;
  }
  // The CTAs wait for each other, so that all of them have started. They fit the SMs.
  std::vector<std::pair<std::size_t, HeldCta>> ctas;
  std::vector<CtaProgram*> programs;
  deal_in_turn(schedulers, [&](std::size_t gpu, SmId sm, CtaId id) {
    ctas.emplace_back(gpu, HeldCta{sm, id, kernel.start_cta(id)});
    programs.push_back(ctas.back().second.program.get());
    return true;
  });
  result.more = skip(kernel, programs);
  for (auto& [gpu, cta] : ctas) settle(*result.of_gpu[gpu], std::move(cta));
  return result;
}

std::function<std::optional<CtaId>()> ctas_left(LaunchSchedulers schedulers) {
  return [s = std::move(schedulers), sm = 0U]() mutable -> std::optional<CtaId> {
    const auto count = static_cast<unsigned>(s.of_gpu.size()) * s.sms_per_gpu;
    for (; sm < count; ++sm) {
      CtaScheduler& scheduler = *s.of_gpu[sm / s.sms_per_gpu];
      scheduler.begin_round();
      if (const std::optional<CtaId> cta = scheduler.next(SmId(sm))) return cta;
    }
    return std::nullopt;
  };
}

}  // namespace tessera
