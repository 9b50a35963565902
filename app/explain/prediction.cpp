// SPDX-License-Identifier: Apache-2.0
#include "app/explain/prediction.h"

#include <algorithm>
#include <map>
#include <utility>

#include "app/report/wait_list.h"

namespace tessera::app {
namespace {

constexpr double kSignificant = 0.25;
constexpr double kHalf = 0.5;

/// The network that bounds a direction; null without networks. Packets wait before the links that
/// are full: a network behind the one with the most excess latency bounds it, if it is in use for
/// about as long.
const Resource* bounding_network(const std::vector<Resource>& networks) {
  const Resource* bound = nullptr;
  for (const Resource& n : networks) {
    if (bound == nullptr || n.use * n.excess > bound->use * bound->excess) bound = &n;
  }
  if (bound == nullptr) return nullptr;
  for (const Resource* n = bound + 1; n < networks.data() + networks.size(); ++n) {
    if (n->excess >= kSignificant * bound->excess && n->use >= kAlike * bound->use) bound = n;
  }
  return bound;
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
        responses_(bounding_network(r.response_networks)),
        contended_(contended_share()) {
    for (const Resource& n : r.request_networks) networks_.emplace_back(&n, requests_);
    for (const Resource& n : r.response_networks) networks_.emplace_back(&n, responses_);
  }

  std::vector<Bottleneck> bottlenecks() {
    share_contention();
    if (r_.coherent) {
      share_coherent();
    } else {
      share_slices();
    }
    const double blocked = share_blocked();
    for (const char* s : {"l1_hit", "l1_miss"}) {
      shares_.divide(s, (1 - blocked) * contended_ * contention(s));
    }
    const double units = (1 - blocked) * unusual_structural();
    shares_.divide("structural", contended_ * units);
    share_stores((1 - contended_) * units);
    // The start and the end of each kernel have no warps.
    const double idle = time_.idle - kUsualIdle * time_.whole - stopped("dispatch");
    shares_.divide("idle", contended_ * idle);
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
  static constexpr double kStalls = 0.05;          ///< of the slices' lookups
  static constexpr double kBalanced = 0.9;
  static constexpr double kBusier = 2;
  static constexpr double kHeld = 6;
  static constexpr double kBusy = 0.75;
  static constexpr double kFull = 0.95;
  static constexpr double kMoreExcess = 3;  ///< of the part that an average packet has
  static constexpr const char* kBehindL1[] = {"request_network", "llc", "dram", "llc_return",
                                              "response_network"};

  double stage(const std::string& name) const {
    const auto it = time_.memory.find(name);
    return it == time_.memory.end() ? 0 : it->second;
  }
  double contention(const std::string& name) const {
    const auto it = exposed_.find(name);
    const double waits = std::max(0.0, stage(name) - (it == exposed_.end() ? 0 : it->second));
    // Of loads that cross more networks than an average packet, the exposed latency is longer.
    double most = 1;
    if (name == "request_network") most = kMoreExcess * r_.request_excess;
    if (name == "response_network") most = kMoreExcess * r_.response_excess;
    return std::min(waits, most * stage(name));
  }
  /// Merged requests wait for another one's line: of these waits, the others' part is contention.
  double contended_share() const {
    double waits = 0;
    double contended = 0;
    for (const char* s : kBehindL1) {
      const double merged = std::string(s) == "llc" ? (1 - r_.lookup_share) * contention(s) : 0;
      waits += stage(s) - merged;
      contended += contention(s) - merged;
    }
    return ratio(contended, waits);
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
    share_memory();
    shares_.add(responses_, "llc_return", contention("llc_return"));
    shares_.add(responses_, "response_network", contention("response_network"));
  }

  /// Behind coherent L2s, the part of a resource is that of its queue: use / (1 - use), and of a
  /// channel at most its excess. An HMD that has free transactions keeps none waiting.
  void share_memory() {
    const Resource* const resources[] = {&r_.dram, &r_.host_links, &r_.smd_lookups, &r_.hmd_lookups,
                                         &r_.hmd_transactions};
    const auto queue = [&](const Resource* r) {
      const double use = std::min(r->use, kFull);
      return r == &r_.hmd_transactions && use < kBusy ? 0 : use / (1 - use);
    };
    double all = 0;
    for (const Resource* r : resources) all += queue(r);
    for (const Resource* r : resources) {
      // Without coherent L2s, there are only the channels.
      const double part = r_.coherent ? ratio(queue(r), all) : r == &r_.dram;
      const double measured =
          r_.coherent && r == &r_.dram ? ratio(r->excess, r_.behind_l2_cycles) : 1;
      shares_.add(r, "dram", std::min(part * contention("dram"), measured * stage("dram")));
    }
  }

  /// Requests wait before and in coherent L2s for their lookups, or for those that are behind.
  void share_coherent() {
    for (const char* s : {"request_network", "llc"}) {
      if (r_.l2_lookups.use >= kBusy) {
        shares_.add(&r_.l2_lookups, s, contention(s));
      } else {
        shares_.divide(s, contention(s));
      }
    }
  }

  /// What requests wait for in the slices. A slice whose responses have no room looks nothing up.
  const Resource* slices_bound() const {
    const double after = contention("llc_return") + contention("response_network");
    const double channels = contention("dram");
    if (std::max(after, channels) >= kSignificant * contention("llc")) {
      return channels > after || responses_ == nullptr ? &r_.dram : responses_;
    }
    const bool busier =
        responses_ != nullptr && responses_->use > std::max(r_.slices.use, r_.atomics.use);
    if (busier && r_.slice_output_stalls >= kStalls) return responses_;
    return r_.has_atomics && r_.atomics.use > r_.slices.use ? &r_.atomics : &r_.slices;
  }

  void share_slices() {
    const double own = contention("llc");
    if (r_.slice_mshr_stalls >= kStalls) {
      shares_.add(&r_.slice_mshrs, "llc", std::min(own, r_.slices_without_mshr));
      return;
    }
    shares_.add(slices_bound(), "llc", r_.lookup_share * own);
    // Merged requests wait for a line of another request's, from a channel.
    const double merged = (1 - r_.lookup_share) * own;
    shares_.divide("llc", contended_ * merged);
  }

  /// L1s without a free MSHR or frame take no load: the time is that of the misses, which is
  /// latency, or is excess of the networks, slices and channels. Returns the part of the waits in
  /// and before the L1s that this is.
  double share_blocked() {
    const double structural = std::max(0.0, unusual_structural());
    const double waits = structural + contention("l1_miss") + contention("l1_hit");
    const double without = r_.without_mshr + r_.without_frame;
    const double blocked = std::min(1.0, ratio(without, waits));
    if (without <= 0) return 0;
    const auto share = [&](const Resource* resource, double part) {
      shares_.add(resource, "l1_hit", part * blocked * contention("l1_hit"));
      shares_.add(resource, "l1_miss", part * blocked * contention("l1_miss"));
      shares_.add(resource, "structural", part * blocked * structural);
    };
    double excess = r_.slices.excess + r_.dram.excess;
    for (const auto& [n, bound] : networks_) excess += n->excess;
    const double all = std::max(r_.miss_cycles, excess);
    for (const auto& [n, bound] : networks_) share(bound, ratio(n->excess, all));
    share(slices_bound(), ratio(r_.slices.excess, all));
    share(&r_.dram, ratio(r_.dram.excess, all));
    // With more misses, the excess grows as well, and takes the gain where it is half of all.
    const double gained =
        std::clamp((kHalf - ratio(excess, all)) / (kHalf - kSignificant), 0.0, 1.0);
    overlap(r_.mshrs, gained * r_.without_mshr);
    overlap(r_.frames, gained * r_.without_frame);
    return blocked;
  }

  /// Stores, and atomics without a result, end no wait. If units were stalled for longer than loads
  /// waited behind the L1s, `cycles` of it are the busiest resource's.
  void share_stores(double cycles) {
    double waits = 0;
    for (const char* s : kBehindL1) waits += stage(s);
    if (cycles < waits) return;
    const Resource* busiest = &r_.slices;
    for (const Resource* r : {&r_.atomics, &r_.dram, &r_.host_links}) {
      if (r->use > busiest->use) busiest = r;
    }
    for (const Resource& n : r_.request_networks) {
      if (n.use > busiest->use) busiest = &n;
    }
    if (busiest->use >= kHalf) shares_.add(busiest, "structural", cycles);
  }

  /// With more misses at a time, `cycles` of the waits in and before the L1s and of the exposed
  /// latency behind them overlap.
  void overlap(const Resource& resource, double cycles) {
    std::map<std::string, double> waits = {{"structural", std::max(0.0, unusual_structural())},
                                           {"l1_hit", contention("l1_hit")},
                                           {"l1_miss", contention("l1_miss")}};
    for (const char* s : kBehindL1) waits[s] = stage(s) - contention(s);
    double all = 0;
    for (const auto& [name, wait] : waits) all += wait;
    for (const auto& [name, wait] : waits) {
      shares_.add(&resource, name, std::min(1.0, ratio(cycles, all)) * wait);
    }
  }

  void share_stops() {
    for (const Stop& s : r_.stops) {
      // Caches of coherent hierarchies are flushed through the links to the host.
      const bool by_link = s.resource.name == kFlush && r_.host_links.use >= kHalf;
      const Resource* const resource = by_link ? &r_.host_links : &s.resource;
      double left = std::min(s.cycles, time_.structural + time_.idle);
      if (s.resource.group == "migration") {
        const double structural = std::min(left, time_.structural);
        shares_.add(resource, "structural", structural);
        left -= structural;
      }
      shares_.add(resource, "idle", left);
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
    double busy = 0;
    if (&resource == &r_.balance) busy = r_.warp_latency / time_.whole;
    if (&resource == &r_.mshrs || &resource == &r_.frames) busy = r_.load_latency / time_.whole;
    for (const auto& [n, bound] : networks_) {
      if (n->group != resource.group) busy = std::max(busy, n->use);
    }
    for (const Resource* other :
         {&r_.slices, &r_.atomics, &r_.dram, &r_.host_links, &r_.l2_lookups}) {
      if (other->group != resource.group) busy = std::max(busy, other->use);
    }
    // A resource holds loads back while it is in use, or waits for credits.
    const double held =
        resource.use > 0 && resource.group != r_.dram.group ? kHeld * resource.use : 1;
    // Another resource that is in use for twice the time keeps the requests waiting.
    const bool minor =
        resource.use > 0 && resource.group != r_.slices.group && busy > kBusier * resource.use;
    const double kept_busy = minor ? 1 : std::min(1.0, busy);
    const double most = time_.whole * std::min(held, 1 - kept_busy);
    const double gained = 1 - std::min(1.0, ratio(resource.next_use, resource.use));
    const double kept = gained * (b.saved > most ? most / b.saved : 1);
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
  /// The networks, each with the one that bounds its direction.
  std::vector<std::pair<const Resource*, const Resource*>> networks_;
  const double contended_;  ///< of the waits behind the L1s, the part that is contention
  Shares shares_;
};

}  // namespace

std::vector<Bottleneck> predict(const CriticalTime& time, const Resources& resources) {
  return Predictor(time, resources).bottlenecks();
}

}  // namespace tessera::app
