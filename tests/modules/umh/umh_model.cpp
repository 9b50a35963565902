// SPDX-License-Identifier: Apache-2.0
#include "tests/modules/umh/umh_model.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "tests/support/policy_settings.h"

namespace tessera::umh::test {

namespace {

constexpr std::uint64_t kHertz = 1'000'000'000;
constexpr Tick kCycle = kTicksPerSecond / kHertz;

std::string numbered(const std::string& name, unsigned i) { return name + std::to_string(i); }

}  // namespace

/// Actions at a time.
class UmhModel::Timer final : public sc_core::sc_module {
 public:
  explicit Timer(const sc_core::sc_module_name& name) : sc_module(name) {
    wake_.bind<&Timer::process>(*this);
  }
  void at(Tick t, std::function<void()> action) {
    queue_.push(t, 0, std::move(action));
    wake_.at(t);
  }
  bool empty() const { return queue_.empty(); }

 private:
  void process() {
    while (queue_.due(now())) queue_.pop()();
    wake_.at(queue_.next_due());
  }
  TimedQueue<std::function<void()>> queue_;
  ProcessTimer wake_;
};

/// The host memory, in its channels.
class UmhModel::Host final : public HostMemory {
 public:
  explicit Host(UmhModel& model) : model_(model) {}
  Line read(std::uint64_t line) override {
    Line bytes{};
    debug(tlm::TLM_READ_COMMAND, line, bytes);
    return bytes;
  }
  void write(const LineBytes& b, LaunchSlot) override {
    Line bytes = read(b.line);
    copy_masked(bytes.data(), b.bytes.data(), b.mask, kLineBytes);
    debug(tlm::TLM_WRITE_COMMAND, b.line, bytes);
  }

 private:
  void debug(tlm::tlm_command command, std::uint64_t line, Line& bytes) {
    tlm::tlm_generic_payload p;
    p.set_command(command);
    p.set_address(line * kLineBytes);
    p.set_data_ptr(bytes.data());
    p.set_data_length(kLineBytes);
    p.set_streaming_width(kLineBytes);
    const ChannelId channel = model_.host_map_->locate(p.get_address()).channel;
    model_.host_channels_[channel.value]->in[0].get_base_interface().transport_dbg(p);
  }
  UmhModel& model_;
};

/// Numbers as in UmhSystem.
struct UmhModel::Agents {
  std::vector<AgentId> hmds;
  std::vector<std::vector<AgentId>> l1, l2, last;
  std::size_t count = 0;

  explicit Agents(const Shape& s) : l1(s.gpus + 1), l2(s.gpus + 1), last(s.gpus + 1) {
    const auto some = [this](std::vector<AgentId>& to, unsigned n) {
      for (unsigned i = 0; i < n; ++i) to.push_back(static_cast<AgentId>(count++));
    };
    some(hmds, s.hmds);
    for (unsigned g = 0; g < s.gpus; ++g) {
      some(l1[g], s.cus);
      some(l2[g], s.stacks);
      some(last[g], s.stacks);
    }
    some(l1[s.gpus], s.cores);
    some(l2[s.gpus], s.cores);
    some(last[s.gpus], 1);
  }
};

UmhModel::UmhModel(const Shape& shape, const ModelTiming& timing)
    : shape_(shape),
      timing_(timing),
      l1_(shape.gpus + 1),
      l2_(shape.gpus + 1),
      smds_(shape.gpus),
      cores_(shape.gpus + 1),
      accesses_(shape.gpus + 1),
      timer_(std::make_unique<Timer>("timer")),
      host_(std::make_unique<Host>(*this)) {
  const Agents agents(shape);
  hierarchy_.cache_of.resize(agents.count);
  hierarchy_.block_lines = shape.block_lines;
  make_memories();
  for (unsigned g = 0; g < shape.gpus; ++g) make_gpu(g, agents);
  make_cpu(agents);
  make_host(agents);
  for (unsigned d = 0; d < devices(); ++d) connect(d);
}

UmhModel::~UmhModel() = default;

HostMemory& UmhModel::memory() { return *host_; }

void UmhModel::make_memories() {
  MemoryGeometry g;
  g.gpus = 1;
  g.slices_per_channel = 1;
  g.banks_per_channel = 16;
  g.row_bytes = 2048;
  g.line_bytes = kLineBytes;
  g.page_bytes = 4096;
  g.channel_bytes = 1 << 20;
  DramConfig c;
  c.clock_hz = kHertz;
  g.channels = 1;
  stack_map_ = make_address_map("gpu-interleave", g);
  g.channels = shape_.hmds;
  PolicySettings<AddressMap> settings = tessera::test::policy_settings<AddressMap>(
      {{"gpu-interleave.interleave_bytes", shape_.block_lines * kLineBytes}});
  host_map_ = make_address_map("gpu-interleave", g, settings);
  for (unsigned i = 0; i < shape_.hmds; ++i) {
    host_channels_.push_back(
        std::make_unique<DramChannel>(numbered("ddr", i).c_str(), c, *host_map_, ChannelId(i), 1));
    blocks_.push_back(host_channels_.back().get());
  }
  for (unsigned i = 0; i < shape_.gpus * shape_.stacks; ++i) {
    stack_channels_.push_back(std::make_unique<DramChannel>(numbered("stack", i).c_str(), c,
                                                            *stack_map_, ChannelId(0), 1));
    blocks_.push_back(stack_channels_.back().get());
  }
}

CoherenceTiming UmhModel::timing(std::uint32_t latency, std::uint32_t transactions) const {
  CoherenceTiming t;
  t.clock_hz = kHertz;
  t.latency_cycles = latency;
  t.transactions = transactions;
  t.port.bytes_per_cycle = timing_.bytes_per_cycle;
  t.port.entries = timing_.entries;
  return t;
}

CoherentCacheBlockConfig UmhModel::cache_config(bool l1, std::uint32_t sets,
                                                std::uint32_t ways) const {
  CoherentCacheBlockConfig c;
  c.timing = l1 ? timing(timing_.l1_latency, timing_.l1_transactions)
                : timing(timing_.l2_latency, timing_.l2_transactions);
  c.cache.sets = sets;
  c.cache.ways = ways;
  c.cache.mask_granularity = shape_.mask_granularity;
  c.cache.owned_read = shape_.owned_read;
  c.input_depth = timing_.entries;
  return c;
}

void UmhModel::add_node(CoherentCacheBlock& block, const std::vector<AgentId>& parents,
                        bool of_hmds, std::uint32_t parent_lines) {
  HierarchyNode n{&block.cache(), block.name(), {}, {}, parent_lines};
  for (unsigned i = 0; i < parents.size(); ++i) {
    n.parents.push_back(of_hmds ? -1 : static_cast<int>(parents[i]));
    n.hmds.push_back(of_hmds ? i : 0);
  }
  hierarchy_.nodes.push_back(std::move(n));
  hierarchy_.cache_of[static_cast<std::size_t>(block.cache().id())] = &block.cache();
  blocks_.push_back(&block);
}

template <class Initiator, class Target>
void UmhModel::join(Initiator& from, Target& to) {
  checkers_.push_back(std::make_unique<ProtocolChecker>(
      numbered("check", static_cast<unsigned>(checkers_.size())).c_str()));
  from.bind(checkers_.back()->target);
  checkers_.back()->initiator.bind(to);
}

std::vector<ProtocolChecker*> UmhModel::checkers() const {
  std::vector<ProtocolChecker*> all;
  for (const auto& c : checkers_) all.push_back(c.get());
  return all;
}

void UmhModel::add_core(unsigned device, CoherentCacheBlock& l1) {
  if (device == cpu() && timing_.cpu_cores) {
    CpuCoreConfig c;
    c.clock_hz = kHertz;
    const auto n = static_cast<unsigned>(cpu_cores_.size());
    cpu_cores_.push_back(std::make_unique<CpuCore>(numbered("cpu", n).c_str(), c, pool_, n));
    join(cpu_cores_.back()->memory, l1.core[0]);
    blocks_.push_back(cpu_cores_.back().get());
    return;
  }
  const auto i = static_cast<unsigned>(cores_[device].size());
  cores_[device].push_back(std::make_unique<tessera::test::ScriptedInitiator>(
      numbered(numbered("core", device) + "_", i).c_str(), pool_));
  accesses_[device].emplace_back();
  join(cores_[device].back()->socket(), l1.core[0]);
  cores_[device].back()->on_response = [this, device, i](std::size_t index) {
    responded(device, i, index);
  };
}

void UmhModel::make_gpu(unsigned g, const Agents& a) {
  const std::string gpu = numbered("gpu", g) + "_";
  for (unsigned i = 0; i < shape_.cus; ++i) {
    CoherenceSite p{a.l1[g][i], a.l2[g], {}, shape_.stacks, 0, {}, shape_.block_lines};
    for (unsigned j = 0; j < shape_.stacks; ++j) p.sockets.push_back({a.l2[g][j], j});
    l1_[g].push_back(std::make_unique<CoherentCacheBlock>(
        numbered(gpu + "l1_", i).c_str(), cache_config(true, 1, shape_.l1_ways), p, true));
    add_node(*l1_[g].back(), a.l2[g], false, shape_.block_lines);
    add_core(g, *l1_[g].back());
  }
  for (unsigned j = 0; j < shape_.stacks; ++j) {
    CoherenceSite p{a.l2[g][j], {a.last[g][j]}, a.l1[g], 1, shape_.cus, {}};
    for (unsigned i = 0; i < shape_.cus; ++i) p.sockets.push_back({a.l1[g][i], 1 + i});
    l2_[g].push_back(std::make_unique<CoherentCacheBlock>(
        numbered(gpu + "l2_", j).c_str(), cache_config(false, 1, shape_.l2_ways), p, false));
    add_node(*l2_[g].back(), {a.last[g][j]}, false, shape_.block_lines);
  }
  for (unsigned j = 0; j < shape_.stacks; ++j) {
    const CoherenceSite p{a.last[g][j],      a.hmds, {a.l2[g][j]}, 1, 1, {{a.l2[g][j], 1}},
                          shape_.block_lines};
    SmdBlockConfig c;
    c.timing = timing(timing_.smd_latency, timing_.directory_transactions);
    c.memory_accesses = timing_.memory_accesses;
    c.smd.block_bytes = shape_.block_lines * kLineBytes;
    c.smd.stack_bytes = std::uint64_t{shape_.smd_blocks} * c.smd.block_bytes;
    c.smd.stacks = shape_.stacks;
    c.smd.mask_granularity = shape_.mask_granularity;
    c.smd.owned_read = shape_.owned_read;
    c.smd.flushed = shape_.flushed;
    smds_[g].push_back(std::make_unique<SmdBlock>(numbered(gpu + "smd", j).c_str(), c, p, pool_));
    add_node(*smds_[g].back(), a.hmds, true, shape_.block_lines);
  }
}

void UmhModel::make_cpu(const Agents& a) {
  const unsigned c = cpu();
  for (unsigned i = 0; i < shape_.cores; ++i) {
    const CoherenceSite p1{a.l1[c][i], {a.l2[c][i]}, {}, 1, 0, {}};
    l1_[c].push_back(std::make_unique<CoherentCacheBlock>(
        numbered("cpu_l1_", i).c_str(), cache_config(true, 1, shape_.l1_ways), p1, true));
    add_node(*l1_[c].back(), {a.l2[c][i]}, false, shape_.block_lines);
    add_core(c, *l1_[c].back());
  }
  for (unsigned i = 0; i < shape_.cores; ++i) {
    const CoherenceSite p{a.l2[c][i], a.last[c], {a.l1[c][i]}, 1, 1, {{a.l1[c][i], 1}}};
    l2_[c].push_back(std::make_unique<CoherentCacheBlock>(
        numbered("cpu_l2_", i).c_str(), cache_config(false, 1, shape_.l2_ways), p, false));
    add_node(*l2_[c].back(), a.last[c], false, shape_.block_lines);
  }
  CoherenceSite p{a.last[c][0], a.hmds, a.l2[c], shape_.hmds, shape_.cores, {}, shape_.block_lines};
  for (unsigned i = 0; i < shape_.hmds; ++i) p.sockets.push_back({a.hmds[i], i});
  for (unsigned i = 0; i < shape_.cores; ++i) p.sockets.push_back({a.l2[c][i], shape_.hmds + i});
  llc_ = std::make_unique<CoherentCacheBlock>("cpu_llc", cache_config(false, 2, shape_.llc_ways), p,
                                              false);
  add_node(*llc_, a.hmds, true, shape_.block_lines);
}

void UmhModel::make_host(const Agents& a) {
  CoherenceLinkEnds link;
  link.parent_sockets = shape_.hmds;
  link.mask_granularity = shape_.mask_granularity;
  std::vector<AgentId> children;
  for (unsigned i = 0; i < shape_.hmds; ++i) link.sockets.push_back({a.hmds[i], i});
  for (unsigned g = 0; g < shape_.gpus; ++g) {
    for (const AgentId smd : a.last[g]) {
      link.sockets.push_back({smd, shape_.hmds + static_cast<unsigned>(children.size())});
      link.device_of_child.push_back(g);
      children.push_back(smd);
    }
  }
  link_ = std::make_unique<CoherenceLink>("link", timing_.link, link);
  blocks_.push_back(link_.get());
  const auto smds = static_cast<std::uint32_t>(children.size());
  children.push_back(a.last[cpu()][0]);
  for (unsigned i = 0; i < shape_.hmds; ++i) {
    const CoherenceSite p{a.hmds[i], {}, children, 0, 2, {{children.back(), 1}}};
    HmdBlockConfig c;
    c.timing = timing(timing_.hmd_latency, timing_.directory_transactions);
    c.memory_accesses = timing_.memory_accesses;
    c.smds = smds;
    c.mask_granularity = shape_.mask_granularity;
    c.hmd.block_bytes = shape_.block_lines * kLineBytes;
    c.hmd.peer_transfer = shape_.peer_transfer;
    hmds_.push_back(std::make_unique<HmdBlock>(numbered("hmd", i).c_str(), c, p, pool_));
    blocks_.push_back(hmds_.back().get());
    hierarchy_.hmds.push_back(&hmds_.back()->directory());
    join(hmds_[i]->memory, host_channels_[i]->in[0]);
    link_->parents[i].bind(hmds_[i]->children[0]);
    llc_->parents[i].bind(hmds_[i]->children[1]);
  }
}

void UmhModel::connect(unsigned device) {
  const bool gpu = device < cpu();
  for (unsigned j = 0; j < l2_[device].size(); ++j) {
    CoherentCacheBlock& l2 = *l2_[device][j];
    if (gpu) {
      const unsigned k = device * shape_.stacks + j;
      l2.parents[0].bind(smds_[device][j]->children[0]);
      smds_[device][j]->parents[0].bind(link_->children[k]);
      join(smds_[device][j]->memory, stack_channels_[k]->in[0]);
      for (unsigned i = 0; i < shape_.cus; ++i) l1_[device][i]->parents[j].bind(l2.children[i]);
    } else {
      l2.parents[0].bind(llc_->children[j]);
      l1_[device][j]->parents[0].bind(l2.children[0]);
    }
  }
}

bool UmhModel::step() {
  if (!sc_core::sc_pending_activity()) return false;
  sc_core::sc_start(sc_core::sc_time_to_pending_activity());
  return true;
}

void UmhModel::after(std::uint64_t delay, std::function<void()> action) {
  timer_->at(now() + delay * kCycle, std::move(action));
}

void UmhModel::access(unsigned device, unsigned core, const CoherentAccess& access,
                      CoherentCache::Completion done) {
  using Kind = CoherentAccess::Kind;
  accesses_[device][core].push_back({access, std::move(done)});
  tessera::test::ScriptedRequest r;
  r.at = now();
  r.command = access.kind == Kind::kLoad ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND;
  r.address = access.line * kLineBytes;
  r.bytes = kLineBytes;
  if (access.kind == Kind::kStore || access.kind == Kind::kNStore) {
    r.data.assign(access.bytes.begin(), access.bytes.end());
    r.mask = access.mask;
  }
  r.prepare = [access](Transaction& t) {
    MemoryRequest& request = t.request();
    if (access.kind == Kind::kStore) request.kind = RequestKind::kCoherentStore;
    if (access.kind != Kind::kAtomic) return;
    request.kind = RequestKind::kAtomic;
    request.atomics = access.operands;
    request.useful_bytes = 4;
  };
  cores_[device][core]->add(std::move(r));
}

void UmhModel::responded(unsigned device, unsigned core, std::size_t index) {
  std::vector<Access>& accesses = accesses_[device][core];
  if (index >= accesses.size()) return;  // a request that the test has given to the core itself
  Access a = std::move(accesses[index]);
  const tessera::test::ScriptedResult& result = cores_[device][core]->result(index);
  if (result.status != tlm::TLM_OK_RESPONSE) throw std::logic_error("an access was refused");
  if (!result.data.empty()) {
    std::copy(result.data.begin(), result.data.end(), a.access.bytes.begin());
  }
  a.done(a.access);
}

void UmhModel::evict(unsigned device, unsigned core, unsigned level, std::uint64_t line,
                     std::function<void()> done) {
  const bool on_cpu = device == cpu();
  const auto stack = on_cpu ? 0 : static_cast<unsigned>(line / shape_.block_lines % shape_.stacks);
  CoherentCacheBlock* cache = l1_[device][core].get();
  if (level == 1) cache = l2_[device][on_cpu ? core : stack].get();
  if (level >= 2) cache = on_cpu ? llc_.get() : smds_[device][stack].get();
  cache->evict(line, std::move(done));
}

void UmhModel::flush(unsigned device, std::function<void()> done) {
  const auto f = std::make_shared<Flush>();
  f->done = std::move(done);
  const auto level = [&f](const auto& caches) {
    f->levels.emplace_back();
    for (const auto& c : caches) f->levels.back().push_back(c.get());
  };
  level(l1_[device]);
  level(l2_[device]);
  if (device == cpu()) {
    f->levels.push_back({llc_.get()});
  } else {
    level(smds_[device]);
  }
  level(hmds_);
  run_level(f);
}

void UmhModel::run_level(const std::shared_ptr<Flush>& f) {
  if (f->level == f->levels.size()) {
    f->done();
    return;
  }
  const std::vector<SliceFlushIf*>& caches = f->levels[f->level++];
  f->left = caches.size();
  for (SliceFlushIf* const cache : caches) {
    cache->flush({}, [this, f] {
      if (--f->left == 0) run_level(f);
    });
  }
}

bool UmhModel::idle() const {
  return timer_->empty() && pool_.live() == 0 &&
         std::all_of(blocks_.begin(), blocks_.end(), [](const Block* b) { return b->idle(); });
}

std::string UmhModel::describe_waiting() const {
  std::vector<Waiting> all;
  for (const Block* b : blocks_) b->describe_waiting(all);
  std::string text;
  for (const Waiting& w : all) {
    text += w.queue + ": " + std::to_string(w.items) + " wait for " + w.waits_for + "\n";
  }
  return text;
}

}  // namespace tessera::umh::test
