// SPDX-License-Identifier: Apache-2.0
#include "policies/transfer_policy.h"

#include "policies/registry.h"

namespace tessera {

namespace {

constexpr RemoteAccessMode kLine{};
constexpr RemoteAccessMode kCoalesced{true, true, true, false};
constexpr RemoteAccessMode kRemoteCache{false, false, false, true};

class Fixed final : public TransferPolicy {
 public:
  explicit Fixed(const RemoteAccessMode& transfer) : transfer_(transfer) {}
  RemoteAccessMode start() const override { return transfer_; }

 private:
  RemoteAccessMode transfer_;
};

class DecisionFlow final : public TransferPolicy {
 public:
  explicit DecisionFlow(const TransferThresholds& thresholds) : thresholds_(thresholds) {}
  RemoteAccessMode start() const override { return kLine; }
  bool decides() const override { return true; }
  RemoteAccessMode decide(const TransferSample& s) const override {
    if (s.remote_ratio() < thresholds_.remote) return kLine;
    const bool insensitive =
        s.block_utilisation() < thresholds_.block && s.hit_rate() < thresholds_.hit;
    return insensitive ? kCoalesced : kRemoteCache;
  }

 private:
  TransferThresholds thresholds_;
};

using Factory = std::unique_ptr<TransferPolicy> (*)(const TransferThresholds&);

PolicyRegistry<Factory>& registry() {
  using Options = const TransferThresholds&;
  using Made = std::unique_ptr<TransferPolicy>;
  static PolicyRegistry<Factory> all(
      "transfer",
      {{"line", [](Options) -> Made { return std::make_unique<Fixed>(kLine); }},
       {"bypass",
        [](Options) -> Made {
          return std::make_unique<Fixed>(RemoteAccessMode{true, false, false, false});
        }},
       {"fine-grained",
        [](Options) -> Made {
          return std::make_unique<Fixed>(RemoteAccessMode{true, true, false, false});
        }},
       {"coalesced", [](Options) -> Made { return std::make_unique<Fixed>(kCoalesced); }},
       {"remote-cache", [](Options) -> Made { return std::make_unique<Fixed>(kRemoteCache); }},
       {"decision-engine", [](Options t) -> Made { return std::make_unique<DecisionFlow>(t); }}});
  return all;
}

}  // namespace

std::unique_ptr<TransferPolicy> make_transfer_policy(const std::string& name,
                                                     const TransferThresholds& thresholds) {
  return registry().get(name)(thresholds);
}

void register_transfer_policy(const std::string& name, Factory factory) {
  registry().add(name, factory);
}

std::vector<std::string> transfer_policy_names() { return registry().names(); }

}  // namespace tessera
