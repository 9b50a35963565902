// SPDX-License-Identifier: Apache-2.0
#include "tests/modules/umh/umh_system.h"

#include <algorithm>
#include <utility>

namespace tessera::umh::test {

AgentId UmhSystem::add_agent(const std::string& name) {
  names_.push_back(name);
  cache_of_.push_back(nullptr);
  hmd_of_.push_back(nullptr);
  return static_cast<AgentId>(names_.size() - 1);
}

UmhSystem::UmhSystem(const Shape& shape, std::uint64_t seed, std::uint64_t max_delay,
                     ProtocolMutation mutation)
    : shape_(shape), random_(seed), max_delay_(max_delay), mutant_(mutation) {
  const auto index = [](const std::string& base, unsigned i) { return base + std::to_string(i); };
  std::vector<AgentId> hmds;
  for (unsigned i = 0; i < shape.hmds; ++i) hmds.push_back(add_agent(index("hmd", i)));
  std::vector<std::vector<AgentId>> l1(shape.gpus + 1), l2(shape.gpus + 1), last(shape.gpus + 1);
  for (unsigned g = 0; g < shape.gpus; ++g) {
    const std::string gpu = index("gpu", g) + ".";
    for (unsigned i = 0; i < shape.cus; ++i) l1[g].push_back(add_agent(index(gpu + "l1_", i)));
    for (unsigned i = 0; i < shape.stacks; ++i) l2[g].push_back(add_agent(index(gpu + "l2_", i)));
    for (unsigned i = 0; i < shape.stacks; ++i) {
      last[g].push_back(add_agent(index(gpu + "smd", i)));
    }
  }
  const unsigned c = shape.gpus;
  for (unsigned i = 0; i < shape.cores; ++i) l1[c].push_back(add_agent(index("cpu.l1_", i)));
  for (unsigned i = 0; i < shape.cores; ++i) l2[c].push_back(add_agent(index("cpu.l2_", i)));
  last[c].push_back(add_agent("cpu.llc"));

  CoherentCacheConfig config;
  config.mask_granularity = shape.mask_granularity;
  config.owned_read = shape.owned_read;
  config.sets = 1;
  const TransitionTable transitions = mutant_.transitions(shape.owned_read);
  l1_.resize(c + 1);
  l2_.resize(c + 1);
  last_.resize(c + 1);
  const auto node = [&](CoherentCache& cache, const std::vector<AgentId>& parents,
                        std::uint32_t parent_lines) {
    cache_of_[static_cast<std::size_t>(cache.id())] = &cache;
    HierarchyNode n{&cache, name(cache.id()), {}, {}, parent_lines};
    for (const AgentId p : parents) {
      const auto at = std::find(hmds.begin(), hmds.end(), p);
      n.parents.push_back(at == hmds.end() ? static_cast<int>(p) : -1);
      n.hmds.push_back(at == hmds.end() ? 0 : static_cast<unsigned>(at - hmds.begin()));
    }
    hierarchy_.nodes.push_back(std::move(n));
  };
  for (unsigned d = 0; d <= c; ++d) {
    const bool gpu = d < c;
    for (unsigned i = 0; i < l1[d].size(); ++i) {
      config.ways = shape.l1_ways;
      const std::vector<AgentId> parents = gpu ? l2[d] : std::vector<AgentId>{l2[d][i]};
      l1_[d].push_back(std::make_unique<CoherentCache>(config, l1[d][i], *this, parents,
                                                       std::vector<AgentId>{}, shape.block_lines,
                                                       transitions));
      node(*l1_[d].back(), parents, shape.block_lines);
    }
    for (unsigned i = 0; i < l2[d].size(); ++i) {
      config.ways = shape.l2_ways;
      const std::vector<AgentId> parents = {gpu ? last[d][i] : last[d][0]};
      const std::vector<AgentId> children = gpu ? l1[d] : std::vector<AgentId>{l1[d][i]};
      l2_[d].push_back(std::make_unique<CoherentCache>(config, l2[d][i], *this, parents, children,
                                                       shape.block_lines, transitions));
      node(*l2_[d].back(), parents, shape.block_lines);
    }
    for (unsigned i = 0; i < last[d].size(); ++i) {
      if (gpu) {
        SmdConfig smd;
        smd.block_bytes = shape.block_lines * kLineBytes;
        smd.stack_bytes = std::uint64_t{shape.smd_blocks} * smd.block_bytes;
        smd.stacks = shape.stacks;
        smd.mask_granularity = shape.mask_granularity;
        smd.owned_read = shape.owned_read;
        smd.flushed = shape.flushed;
        last_[d].push_back(
            std::make_unique<Smd>(smd, last[d][i], *this, hmds, l2[d][i], transitions));
      } else {
        config.ways = shape.llc_ways;
        config.sets = 2;
        last_[d].push_back(std::make_unique<CoherentCache>(config, last[d][i], *this, hmds, l2[d],
                                                           shape.block_lines, transitions));
      }
      node(*last_[d].back(), hmds, shape.block_lines);
    }
  }
  HmdConfig hmd;
  hmd.block_bytes = shape.block_lines * kLineBytes;
  hmd.peer_transfer = shape.peer_transfer;
  std::vector<AgentId> children;
  for (unsigned d = 0; d <= c; ++d) children.insert(children.end(), last[d].begin(), last[d].end());
  for (unsigned i = 0; i < shape.hmds; ++i) {
    hmds_.push_back(std::make_unique<Hmd>(hmd, hmds[i], *this, memory_, children,
                                          static_cast<unsigned>(children.size()) - 1));
    hmd_of_[i] = hmds_.back().get();
    hierarchy_.hmds.push_back(hmds_.back().get());
  }
  hierarchy_.cache_of.assign(cache_of_.begin(), cache_of_.end());
  hierarchy_.block_lines = shape.block_lines;
}

void UmhSystem::send(CoherenceMessage message) {
  const CoherentCache* const sender = cache_of_[static_cast<std::size_t>(message.from)];
  mutant_.send(std::move(message), sender, [this](CoherenceMessage m, ProtocolMutant::Delay d) {
    const bool random = d == ProtocolMutant::Delay::kRandom && max_delay_ != 1;
    const std::uint64_t delay = random ? 1 + random_() % max_delay_ : 1;
    events_.push_back({time_ + delay, number_++, std::move(m), {}});
    std::push_heap(events_.begin(), events_.end(), Later{});
  });
}

void UmhSystem::after(std::uint64_t delay, std::function<void()> action) {
  events_.push_back({time_ + delay, number_++, {}, std::move(action)});
  std::push_heap(events_.begin(), events_.end(), Later{});
}

bool UmhSystem::step() {
  if (events_.empty()) return false;
  std::pop_heap(events_.begin(), events_.end(), Later{});
  Event e = std::move(events_.back());
  events_.pop_back();
  time_ = e.time;
  ++steps_;
  has_delivered_ = !e.action;
  if (e.action) {
    e.action();
    return true;
  }
  delivered_ = std::move(e.message);
  const auto to = static_cast<std::size_t>(delivered_.to);
  mutant_.deliver(delivered_, cache_of_[to]);
  if (record) log.push_back(describe(delivered_));
  if (cache_of_[to] != nullptr) {
    cache_of_[to]->receive(delivered_);
  } else {
    hmd_of_[to]->receive(delivered_);
  }
  return true;
}

FlushStages UmhSystem::stages(unsigned device) {
  FlushStages s;
  for (const auto* level : {&l1_[device], &l2_[device], &last_[device]}) {
    s.levels.emplace_back();
    for (const auto& cache : *level) s.levels.back().push_back(cache.get());
  }
  for (const auto& h : hmds_) s.hmds.push_back(h.get());
  return s;
}

std::string UmhSystem::describe(const CoherenceMessage& m) const {
  std::string text = std::string(name_of(m.type)) + " " + name(m.from) + " -> " + name(m.to) +
                     " line " + std::to_string(m.line);
  if (m.lines > 1) text += "+" + std::to_string(m.lines);
  switch (m.type) {
    case MessageType::kGrant:
    case MessageType::kPeerData:
    case MessageType::kSnoopAck:
    case MessageType::kSnoopData:
      text += std::string(" ") + letter(m.state);
      break;
    default:
      break;
  }
  unsigned bytes = 0;
  for (const LineBytes& l : m.data) bytes += l.mask.count();
  if (bytes != 0) text += " " + std::to_string(bytes) + " B";
  if (m.non_coherent && bytes != 0) text += " non-coherent";
  if (m.supplied) text += " supplied";
  if (!m.voided.empty()) text += " voids";
  return text;
}

std::string UmhSystem::describe_waiting() const {
  std::string text;
  for (const HierarchyNode& n : nodes()) {
    const std::string waiting = n.cache->describe_waiting();
    if (!waiting.empty()) text += n.name + ": " + waiting;
  }
  for (const auto& h : hmds_) text += h->describe_waiting();
  return text;
}

bool UmhSystem::idle() const {
  return events_.empty() &&
         std::all_of(nodes().begin(), nodes().end(),
                     [](const HierarchyNode& n) { return n.cache->idle(); }) &&
         std::all_of(hmds_.begin(), hmds_.end(), [](const auto& h) { return h->idle(); });
}

void UmhSystem::evict(unsigned device, unsigned core, unsigned level, std::uint64_t line,
                      std::function<void()> done) {
  const bool on_cpu = device == cpu();
  const auto stack = on_cpu ? 0 : static_cast<unsigned>(line / shape_.block_lines % shape_.stacks);
  CoherentCache* cache = &l1(device, core);
  if (level == 1) cache = &l2(device, on_cpu ? core : stack);
  if (level >= 2) cache = last_[device][stack].get();
  cache->evict(line, std::move(done));
}

}  // namespace tessera::umh::test
