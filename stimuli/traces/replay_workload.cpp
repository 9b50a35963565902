// SPDX-License-Identifier: Apache-2.0
#include "stimuli/traces/replay_workload.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "common/error.h"
#include "stimuli/traces/address_map.h"
#include "stimuli/traces/replay_program.h"

namespace tessera::traces {

/// Performs the host program's operations. Serves one device.
class ReplayWorkload::Player : public std::enable_shared_from_this<Player> {
 public:
  Player(std::shared_ptr<const CaptureFile> file, Device& device)
      : file_(std::move(file)), device_(device), ids_(file_->run().launches.size()) {}

  void perform(const std::vector<HostOperation>& operations) {
    for (const HostOperation& h : operations) perform(h);
  }
  /// What the source of the launch did before it returned its facts, or its program. Sources of
  /// earlier launches can have done something that this one depends on, and come first.
  void before_facts(std::uint64_t launch) {
    for (; facts_ <= launch; ++facts_) allocate(launch_of(facts_).at_facts, nullptr);
  }
  void before_make(std::uint64_t launch, const DeviceSlots& slots) {
    for (; makes_ <= launch; ++makes_) allocate(launch_of(makes_).at_make, &slots);
  }
  const CapturedLaunch& launch_of(std::uint64_t launch) const {
    return file_->run().launches[launch];
  }
  std::unique_ptr<KernelProgram> program(std::uint64_t launch) {
    LocalSlots local;
    const auto known = locals_.find(launch_of(launch).local_warp_bytes);
    if (known != locals_.end()) local = known->second;
    return std::make_unique<ReplayProgram>(file_, launch, map(), local);
  }
  std::vector<KernelArgument> arguments(std::uint64_t launch) const;

 private:
  class Source;

  void perform(const HostOperation& h);
  void allocate(const std::vector<HostOperation>& operations, const DeviceSlots* slots);
  void add_range(const HostOperation& h, Address device);
  LaunchRequest request(std::uint64_t launch);
  std::shared_ptr<const AddressMap> map();
  Address to_device(Address a) const;
  const MappedRange* range_of(Address a) const;

  const std::shared_ptr<const CaptureFile> file_;
  Device& device_;
  std::vector<LaunchId> ids_;  ///< by launch
  std::uint64_t facts_ = 0;    ///< launches whose operations are done
  std::uint64_t makes_ = 0;
  std::vector<MappedRange> ranges_;  ///< in ascending order
  std::shared_ptr<const AddressMap> map_;
  std::map<std::uint64_t, LocalSlots> locals_;  ///< by bytes of a warp
};

/// One launch.
class ReplayWorkload::Player::Source final : public KernelSource {
 public:
  Source(std::shared_ptr<Player> player, std::uint64_t launch)
      : player_(std::move(player)), launch_(launch) {}

  const KernelFacts& facts(const std::string& /*kernel*/) override {
    player_->before_facts(launch_);
    return player_->launch_of(launch_).facts;
  }
  std::vector<std::optional<ArrayLocality>> locality(const LaunchRequest& /*request*/) override {
    return player_->launch_of(launch_).locality;
  }
  std::unique_ptr<KernelProgram> make(const LaunchRequest& /*request*/,
                                      const LaunchEnvironment& environment) override {
    player_->before_facts(launch_);
    player_->before_make(launch_, environment.slots);
    return player_->program(launch_);
  }

 private:
  const std::shared_ptr<Player> player_;
  const std::uint64_t launch_;
};

void ReplayWorkload::Player::perform(const HostOperation& h) {
  switch (h.kind) {
    case HostKind::kAllocate:
      add_range(h, device_.allocate(h.name, h.bytes));
      break;
    case HostKind::kAllocateSlots:
      file_->fail("local memory is allocated outside of a launch");
    case HostKind::kWrite:
      device_.write_without_values(to_device(h.address), h.bytes);
      break;
    case HostKind::kDefer:
      device_.defer(
          to_device(h.address), h.bytes,
          [](std::uint64_t, std::byte* out, std::uint64_t bytes) { std::memset(out, 0, bytes); });
      break;
    case HostKind::kRead: {
      std::vector<std::byte> bytes(h.bytes);
      device_.read(bytes.data(), to_device(h.address), h.bytes);
      break;
    }
    case HostKind::kLaunch:
      device_.launch(request(h.launch));
      break;
    case HostKind::kEnqueue: {
      LaunchOrder order;
      order.stream = h.name;
      order.priority = h.priority;
      for (const std::uint64_t launch : h.after) {
        if (launch < ids_.size() && ids_[launch] != 0) order.after.push_back(ids_[launch]);
      }
      ids_.at(h.launch) = device_.enqueue(request(h.launch), order);
      break;
    }
    case HostKind::kSynchronise:
      device_.synchronise();
      break;
  }
}

/// A kernel's source allocates. `slots`: null where no program is made.
void ReplayWorkload::Player::allocate(const std::vector<HostOperation>& operations,
                                      const DeviceSlots* slots) {
  for (const HostOperation& h : operations) {
    if (h.kind != HostOperation::Kind::kAllocateSlots) {
      perform(h);
      continue;
    }
    if (slots == nullptr || slots->sms == 0) continue;
    LocalSlots& local = locals_[h.warp_bytes];
    const std::uint64_t page = slots->page_bytes;
    local.warp_bytes = h.warp_bytes;
    local.sm_bytes = (h.warp_bytes * slots->warps + page - 1) / page * page;
    local.begin = device_.allocate(h.name, local.sm_bytes * slots->sms);
  }
}

void ReplayWorkload::Player::add_range(const HostOperation& h, Address device) {
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), h.address,
                                      [](Address a, const MappedRange& r) { return a < r.begin; });
  ranges_.insert(after, {h.address, h.bytes, device});
  map_ = nullptr;
}

std::shared_ptr<const AddressMap> ReplayWorkload::Player::map() {
  if (map_ == nullptr) {
    auto map = std::make_shared<AddressMap>();
    for (const MappedRange& r : ranges_) map->add(r);
    map_ = std::move(map);
  }
  return map_;
}

const MappedRange* ReplayWorkload::Player::range_of(Address a) const {
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), a,
                       [](Address at, const MappedRange& r) { return at < r.begin; });
  if (after == ranges_.begin() || !(after - 1)->holds(a)) return nullptr;
  return &*(after - 1);
}

Address ReplayWorkload::Player::to_device(Address a) const {
  const MappedRange* const range = range_of(a);
  if (range == nullptr) file_->fail("the host program accesses no allocation");
  return range->to_device(a);
}

/// The captured arguments, with the device's addresses in place of the captured ones.
std::vector<KernelArgument> ReplayWorkload::Player::arguments(std::uint64_t launch) const {
  std::vector<KernelArgument> all = launch_of(launch).arguments;
  for (KernelArgument& argument : all) {
    if (argument.bytes.size() != sizeof(Address)) continue;
    Address value = 0;
    std::memcpy(&value, argument.bytes.data(), sizeof value);
    const MappedRange* const range = range_of(value);
    if (range == nullptr) continue;
    value = range->to_device(value);
    std::memcpy(argument.bytes.data(), &value, sizeof value);
  }
  return all;
}

LaunchRequest ReplayWorkload::Player::request(std::uint64_t launch) {
  const CapturedLaunch& captured = launch_of(launch);
  LaunchRequest r;
  r.source = std::make_shared<Source>(shared_from_this(), launch);
  r.kernel = captured.kernel;
  r.grid = captured.grid;
  r.block = captured.block;
  r.dynamic_shared_bytes = captured.dynamic_shared_bytes;
  r.arguments = arguments(launch);
  return r;
}

ReplayWorkload::ReplayWorkload(const std::string& path)
    : file_(std::make_shared<CaptureFile>(path)) {
  const CapturedRun& run = file_->run();
  info_.name = path;
  info_.family = "trace";
  info_.without_reference = "no reference: a trace has no values";
  info_.description = "captured run of " + run.workload + " on " + run.platform + ", " +
                      std::to_string(run.launches.size()) + " launches";
}

ReplayWorkload::~ReplayWorkload() = default;

void ReplayWorkload::run(Device& device, Scale /*scale*/, std::uint64_t /*seed*/) {
  player_ = std::make_shared<Player>(file_, device);
  player_->perform(file_->run().host);
}

std::optional<Verification> ReplayWorkload::verify(Device& /*device*/) {
  player_->perform(file_->run().verify);
  return std::nullopt;
}

}  // namespace tessera::traces
