// SPDX-License-Identifier: Apache-2.0
// The host program's side of a capture.
#include <map>
#include <utility>

#include "stimuli/traces/capture.h"

namespace tessera::traces {
namespace {

HostOperation access(HostKind kind, Address address, std::uint64_t bytes) {
  HostOperation h;
  h.kind = kind;
  h.address = address;
  h.bytes = bytes;
  return h;
}

/// Records what the host program does, and does it on the platform's device.
class CapturingDevice final : public Device {
 public:
  CapturingDevice(CaptureSession& session, Device& device) : session_(session), device_(device) {}

  Address allocate(const std::string& name, std::uint64_t bytes) override {
    HostOperation h = access(HostKind::kAllocate, device_.allocate(name, bytes), bytes);
    h.name = name;
    const Address begin = h.address;
    session_.add(std::move(h));
    return begin;
  }
  void write(Address to, const void* from, std::uint64_t bytes) override {
    session_.add(access(HostKind::kWrite, to, bytes));
    device_.write(to, from, bytes);
  }
  void defer(Address to, std::uint64_t bytes, Contents contents) override {
    session_.add(access(HostKind::kDefer, to, bytes));
    device_.defer(to, bytes, std::move(contents));
  }
  void write_without_values(Address to, std::uint64_t bytes) override {
    session_.add(access(HostKind::kWrite, to, bytes));
    device_.write_without_values(to, bytes);
  }
  void read(void* to, Address from, std::uint64_t bytes) override {
    session_.add(access(HostKind::kRead, from, bytes));
    device_.read(to, from, bytes);
  }
  // Neither takes time.
  void peek(void* to, Address from, std::uint64_t bytes) override { device_.peek(to, from, bytes); }
  void poke(Address to, const void* from, std::uint64_t bytes) override {
    device_.poke(to, from, bytes);
  }
  void launch(const LaunchRequest& request) override {
    device_.launch(captured_launch(request, HostKind::kLaunch, {}));
  }
  LaunchId enqueue(const LaunchRequest& request, const LaunchOrder& order) override {
    const std::uint64_t index = session_.run().launches.size();
    const LaunchId id = device_.enqueue(captured_launch(request, HostKind::kEnqueue, order), order);
    if (id != 0) launches_[id] = index;
    return id;
  }
  void synchronise() override {
    session_.add({});
    device_.synchronise();
  }
  const Allocations& allocations() const override { return device_.allocations(); }
  void working(const std::string& what, double done) override { device_.working(what, done); }

 private:
  LaunchRequest captured_launch(LaunchRequest request, HostKind kind, const LaunchOrder& order) {
    source_of(request);  // throws if there is none
    CapturedRun& run = session_.run();
    const std::uint64_t index = run.launches.size();
    CapturedLaunch& launch = run.launches.emplace_back();
    launch.kernel = request.kernel;
    launch.grid = request.grid;
    launch.block = request.block;
    launch.dynamic_shared_bytes = request.dynamic_shared_bytes;
    HostOperation h;
    h.kind = kind;
    h.name = order.stream;
    h.priority = order.priority;
    for (const LaunchId id : order.after) {
      const auto known = launches_.find(id);
      if (known != launches_.end()) h.after.push_back(known->second);
    }
    h.launch = index;
    session_.add(std::move(h));
    request.source = captured(session_, index, std::move(request.source));
    return request;
  }

  CaptureSession& session_;
  Device& device_;
  std::map<LaunchId, std::uint64_t> launches_;  ///< indices
};

}  // namespace

CapturedWorkload::CapturedWorkload(Workload& inner, const std::string& path, CapturedRun header)
    : inner_(inner), session_(path, std::move(header)) {}

CapturedWorkload::~CapturedWorkload() = default;

void CapturedWorkload::run(Device& device, Scale scale, std::uint64_t seed) {
  device_ = std::make_unique<CapturingDevice>(session_, device);
  inner_.run(*device_, scale, seed);
}

std::optional<Verification> CapturedWorkload::verify(Device& /*device*/) {
  session_.record_to(&session_.run().verify);
  return inner_.verify(*device_);
}

}  // namespace tessera::traces
