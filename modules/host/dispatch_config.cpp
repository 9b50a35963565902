// SPDX-License-Identifier: Apache-2.0
#include "modules/host/dispatch_config.h"

#include "modules/kernel/statistics_visitor.h"
#include "policies/cta_scheduler.h"
#include "policies/kernel_scheduler.h"
#include "policies/launch_planner.h"

namespace tessera {

void describe(ParameterVisitor& v, DispatchConfig& c) {
  v.integer("clock_hz", c.clock_hz, "Hz", "clock of the dispatcher (NUBA Table 1)", 1'000'000,
            100'000'000'000);
  v.text("planner", c.planner,
         "how a kernel is launched: pages placed before the start, CTA scheduler, caching (ours: "
         "the papers' baselines place pages on first touch)",
         policy_names<LaunchPlanner>());
  v.text("scheduler", c.scheduler, "which SM runs a CTA (NUBA section 6: distributed)",
         policy_names<CtaScheduler>());
  v.text("kernel_scheduler", c.kernel_scheduler,
         "how kernels of different streams share the SMs (ours; NVIDIA GPUs: leftover)",
         policy_names<KernelScheduler>());
  v.integer("queues", c.queues, "queue",
            "command queues, and kernels that can run at the same time (Hyper-Q: 32)", 1,
            DispatchConfig::kMostQueues);
  v.integer(
      "fetch_cycles", c.fetch_cycles, "cycle",
      "from a doorbell, or the end of the queue's kernel before, to the fetched packet (ours: the "
      "papers count kernels only)",
      0, 1'000'000'000);
  v.integer("launch_cycles", c.launch_cycles, "cycle",
            "from a fetched packet to the first CTA's start (ours: the papers count kernels only)",
            0, 1'000'000'000);
  v.integer(
      "gpu_latency_ns", c.gpu_latency_ns, "ns",
      "of an order to a GPU and of its report, if there are several GPUs (MGPUSim: its driver "
      "is behind the PCIe switch, 140 ns)",
      0, 1'000'000);
}

void describe(StatisticsVisitor& v, DispatchStats& s) {
  v.counter("kernels", s.kernels, "kernel", "kernels launched");
  v.counter("ctas", s.ctas, "CTA", "CTAs dealt");
  v.counter("flush_cycles", s.flush_cycles, "cycle",
            "part of busy_cycles: while the slices were flushed at kernel ends");
  v.counter("busy_cycles", s.busy_cycles, "cycle",
            "from first CTA to flushed caches, summed over kernels; once if several run");
}

}  // namespace tessera
