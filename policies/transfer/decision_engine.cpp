// SPDX-License-Identifier: Apache-2.0
// "decision-engine": starts as "line". It then selects "line" for a workload with few remote
// accesses, "coalesced" if both utilisation and hit rate are below their thresholds, and otherwise
// "remote-cache" (DualOpt section 4.3, figure 11).
#include "policies/transfer_policy.h"

namespace tessera::transfer::decision_engine {

namespace {

constexpr RemoteAccessMode kLine{};
constexpr RemoteAccessMode kCoalesced{true, true, true, false};
constexpr RemoteAccessMode kRemoteCache{false, false, false, true};

/// Defaults: DualOpt Table 1.
struct Thresholds {
  double remote = 0.02;
  double block = 0.2;
  double hit = 0.4;
};

void describe(ParameterVisitor& v, Thresholds& t) {
  v.real("remote_threshold", t.remote, "",
         "remote accesses over all, below which lines travel as before (DualOpt Table 1)", 0, 1,
         {"decision.remote_threshold"});
  v.real(
      "block_threshold", t.block, "",
      "requested words over all words of a line, below which coalescing can pay (DualOpt Table 1)",
      0, 1, {"decision.block_threshold"});
  v.real("hit_threshold", t.hit, "",
         "L1 hit rate of remote loads, below which coalescing can pay (DualOpt Table 1)", 0, 1,
         {"decision.hit_threshold"});
}

class DecisionFlow final : public TransferPolicy {
 public:
  explicit DecisionFlow(const Thresholds& thresholds) : thresholds_(thresholds) {}
  RemoteAccessMode start() const override { return kLine; }
  bool decides() const override { return true; }
  RemoteAccessMode decide(const TransferSample& s) const override {
    if (s.remote_ratio() < thresholds_.remote) return kLine;
    const bool insensitive =
        s.block_utilisation() < thresholds_.block && s.hit_rate() < thresholds_.hit;
    return insensitive ? kCoalesced : kRemoteCache;
  }
  double least_remote_ratio() const override { return thresholds_.remote; }

 private:
  Thresholds thresholds_;
};

std::unique_ptr<TransferPolicy> make(const PolicyContext&, const Thresholds& thresholds) {
  return std::make_unique<DecisionFlow>(thresholds);
}

const PolicyRegistration<TransferPolicy> kRegistered(
    "decision-engine",
    "line, coalesced or remote-cache, by what a monitoring phase saw (DualOpt section 4.3)", make);

}  // namespace

}  // namespace tessera::transfer::decision_engine
