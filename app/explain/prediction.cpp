// SPDX-License-Identifier: Apache-2.0
#include "app/explain/prediction.h"

#include <algorithm>
#include <map>

#include "app/report/wait_list.h"

namespace tessera::app {
namespace {

/// The network that bounds a direction; null without networks.
const Resource* bounding_network(const std::vector<Resource>& networks) {
  const Resource* most = nullptr;
  for (const Resource& n : networks) {
    if (most == nullptr || n.use * n.excess > most->use * most->excess) most = &n;
  }
  return most;
}

/// Time by resource and stage.
class Shares {
 public:
  void add(const Resource* resource, const std::string& stage, double cycles) {
    if (resource != nullptr && cycles > 0) time_[resource][stage] += cycles;
  }
  double of(const Resource* resource) const {
    const auto it = time_.find(resource);
    double sum = 0;
    if (it != time_.end()) {
      for (const auto& [stage, cycles] : it->second) sum += cycles;
    }
    return sum;
  }
  double whole() const {
    double sum = 0;
    for (const auto& entry : time_) sum += of(entry.first);
    return sum;
  }
  /// Adds time in proportion to what the resources have.
  void divide(const std::string& stage, double cycles) {
    const double all = whole();
    if (all <= 0 || cycles <= 0) return;
    const auto before = time_;
    for (const auto& [resource, stages] : before) {
      double own = 0;
      for (const auto& entry : stages) own += entry.second;
      time_[resource][stage] += cycles * own / all;
    }
  }
  const std::map<const Resource*, std::map<std::string, double>>& time() const { return time_; }

 private:
  std::map<const Resource*, std::map<std::string, double>> time_;
};

class Predictor {
 public:
  Predictor(const CriticalTime& time, const Resources& r)
      : time_(time),
        r_(r),
        exposed_(exposed_latency(time, r.stage_latency)),
        requests_(bounding_network(r.request_networks)),
        responses_(bounding_network(r.response_networks)) {}

  std::vector<Bottleneck> bottlenecks() {
    share_contention();
    if (r_.coherent) {
      share_coherent();
    } else {
      share_slices();
    }
    if (mshrs_bound()) {
      share_mshrs();
    } else {
      shares_.divide("l1_hit", contention("l1_hit"));
      shares_.divide("l1_miss", contention("l1_miss"));
      shares_.divide("structural", unusual_structural());
    }
    // The start and the end of each kernel have no warps.
    shares_.divide("idle", time_.idle - kUsualIdle * time_.whole - stopped("dispatch"));
    share_stops();
    share_balance();
    std::vector<Bottleneck> all;
    for (const auto& [resource, stages] : shares_.time())
      all.push_back(bottleneck(*resource, stages));
    std::sort(all.begin(), all.end(), [](const Bottleneck& a, const Bottleneck& b) {
      return a.saved != b.saved ? a.saved > b.saved : a.resource.name < b.resource.name;
    });
    return all;
  }

 private:
  static constexpr double kUsualIdle = 0.02;
  static constexpr double kUsualStructural = 0.4;  ///< of the issued slots
  static constexpr double kSignificant = 0.25;
  static constexpr double kMshrStalls = 0.05;
  static constexpr double kBalanced = 0.9;
  static constexpr double kBusier = 2;
  static constexpr const char* kBehindL1[] = {"request_network", "llc", "dram", "llc_return",
                                              "response_network"};

  double stage(const std::string& name) const {
    const auto it = time_.memory.find(name);
    return it == time_.memory.end() ? 0 : it->second;
  }
  double contention(const std::string& name) const {
    const auto it = exposed_.find(name);
    return std::max(0.0, stage(name) - (it == exposed_.end() ? 0 : it->second));
  }
  /// Migration closes the load/store units; the dispatcher's stops have no warps.
  double unusual_structural() const {
    return (1 - r_.memory_unit_use) * time_.structural - kUsualStructural * time_.issued -
           stopped("migration");
  }
  double stopped(const std::string& group) const {
    double sum = 0;
    for (const Stop& s : r_.stops) sum += s.resource.group == group ? s.cycles : 0;
    return sum;
  }

  void share_contention() {
    shares_.add(&r_.translation, "translation", contention("translation"));
    shares_.add(requests_, "request_network", contention("request_network"));
    const double links = ratio(r_.host_links.use, r_.host_links.use + r_.dram.use);
    shares_.add(&r_.host_links, "dram", links * contention("dram"));
    shares_.add(&r_.dram, "dram", (1 - links) * contention("dram"));
    shares_.add(responses_, "llc_return", contention("llc_return"));
    shares_.add(responses_, "response_network", contention("response_network"));
  }

  /// Requests wait before and in coherent L2s for those that are behind these.
  void share_coherent() {
    for (const char* s : {"request_network", "llc"}) shares_.divide(s, contention(s));
  }

  void share_slices() {
    const double own = contention("llc");
    const double after = contention("llc_return") + contention("response_network");
    const double channels = contention("dram");
    const Resource* bound =
        r_.has_atomics && r_.atomics.use > r_.slices.use ? &r_.atomics : &r_.slices;
    if (std::max(after, channels) >= kSignificant * own) {
      bound = channels > after || responses_ == nullptr ? &r_.dram : responses_;
    }
    const double waited = bound == &r_.slices ? r_.lookup_share : 1;
    shares_.add(bound, "llc", waited * own);
    shares_.divide("llc", (1 - waited) * own);
  }

  bool mshrs_bound() const {
    double behind = 0;
    for (const char* s : kBehindL1) behind += contention(s);
    return r_.mshr_stalls >= kMshrStalls &&
           stage("l1_miss") >= std::max(behind, kMshrStalls * time_.whole);
  }

  void share_mshrs() {
    shares_.add(&r_.mshrs, "l1_miss", stage("l1_miss"));
    shares_.add(&r_.mshrs, "l1_hit", contention("l1_hit"));
    shares_.add(&r_.mshrs, "structural", unusual_structural());
    for (const char* s : kBehindL1) shares_.add(&r_.mshrs, s, stage(s) - contention(s));
  }

  void share_stops() {
    for (const Stop& s : r_.stops) {
      const bool migration = s.resource.group == "migration";
      // Caches of coherent hierarchies are flushed through the links to the host.
      const bool by_link = s.resource.name == kFlush && r_.host_links.use >= 2 * kSignificant;
      shares_.add(by_link ? &r_.host_links : &s.resource, migration ? "structural" : "idle",
                  std::min(s.cycles, time_.structural + time_.idle));
    }
  }

  /// With its share of the work, the critical SM has its share of the time without contention.
  void share_balance() {
    if (r_.balanced_work > kBalanced) return;
    const double less = 1 - r_.balanced_work;
    shares_.add(&r_.balance, "issued", less * time_.issued);
    shares_.add(&r_.balance, "structural", less * (time_.structural - stopped("migration")));
    shares_.add(&r_.balance, "dependency", less * time_.dependency);
    for (const auto& [stage_name, cycles] : time_.memory) {
      shares_.add(&r_.balance, stage_name, less * (cycles - contention(stage_name)));
    }
  }

  Bottleneck bottleneck(const Resource& resource,
                        const std::map<std::string, double>& stages) const {
    Bottleneck b{resource};
    for (const auto& [name, cycles] : stages) b.saved += cycles;
    const double chain = &resource == &r_.balance ? r_.warp_latency / time_.whole : 0;
    double busy = chain;
    for (const auto* networks : {&r_.request_networks, &r_.response_networks}) {
      for (const Resource& n : *networks) {
        if (n.group != resource.group) busy = std::max(busy, n.use);
      }
    }
    for (const Resource* other : {&r_.slices, &r_.atomics, &r_.dram, &r_.host_links}) {
      if (other->group != resource.group) busy = std::max(busy, other->use);
    }
    // Another resource that is in use for twice the time keeps the requests waiting.
    const bool minor =
        resource.use > 0 && resource.group != r_.slices.group && busy > kBusier * resource.use;
    const double bound = minor ? 1 : busy;
    const double most = time_.whole * (1 - std::min(1.0, bound));
    const double kept = b.saved > most ? most / b.saved : 1;
    b.saved *= kept;
    for (const auto& [name, cycles] : stages) b.from.emplace_back(name, cycles * kept);
    std::stable_sort(b.from.begin(), b.from.end(),
                     [](const auto& x, const auto& y) { return x.second > y.second; });
    return b;
  }

  const CriticalTime& time_;
  const Resources& r_;
  const std::map<std::string, double> exposed_;
  const Resource* requests_;
  const Resource* responses_;
  Shares shares_;
};

}  // namespace

std::vector<Bottleneck> predict(const CriticalTime& time, const Resources& resources) {
  return Predictor(time, resources).bottlenecks();
}

}  // namespace tessera::app
