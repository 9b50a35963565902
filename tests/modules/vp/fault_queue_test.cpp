// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/fault_queue.h"

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "tests/modules/vp/register_master.h"

namespace tessera::fault_queue_test {

namespace {

constexpr Tick kNs = kTicksPerNs;
constexpr std::uint64_t kControl = 0x08;
constexpr std::uint64_t kPending = 0x10;
constexpr std::uint64_t kAddress = 0x18;
constexpr std::uint64_t kPlace = 0x58;
constexpr std::uint64_t kStatus = 0x60;

struct Bench {
  Bench() {
    FaultQueueSite site;
    site.memories = 4;
    site.page_bytes = 0x1000;
    site.hand_over = [this](bool software) { handed_over.push_back(software); };
    site.on_wait = [this](const SoftwareFault& f, bool waits) {
      waiting.emplace_back(f.gpu, waits);
    };
    site.place = [this](std::uint64_t a, std::uint32_t m) { placed.emplace_back(a, m); };
    queue = std::make_unique<FaultQueue>("queue", site);
    queue->interrupt.bind(wire);
    master.out.bind(queue->in);
    run();
  }
  void run(Tick t = kNs) { sc_core::sc_start(to_sc_time(t)); }
  std::uint64_t read(std::uint64_t offset) { return master.read(offset, 8); }

  test::RegisterMaster master{"master"};
  sc_core::sc_signal<bool> wire{"wire"};
  std::unique_ptr<FaultQueue> queue;
  std::vector<bool> handed_over;
  std::vector<std::pair<std::uint64_t, bool>> waiting;  ///< GPU of a fault; false: no longer
  std::vector<std::pair<std::uint64_t, std::uint32_t>> placed;
};

}  // namespace

TEST_CASE("fault queue: software takes over, and sees the oldest fault") {
  Bench b;
  CHECK(b.read(0x00) == kFaultQueueIdReset);
  CHECK(b.read(0x48) == 4);
  CHECK(b.read(0x50) == 0x1000);
  CHECK(b.read(kAddress) == 0);
  CHECK(b.read(0x20) == SoftwareFault::kNoSm);
  b.master.write(kControl, 8, fault_queue_control::kSoftware | fault_queue_control::kInterrupt);
  CHECK(b.handed_over == std::vector<bool>{true});
  b.queue->push({0x100003000, 5, 1, 3, 0x100000000, 0x8000});
  b.queue->push({0x100004000, SoftwareFault::kNoSm, 0, 2, 0x100000000, 0x8000});
  b.run();
  CHECK(b.wire.read());
  CHECK(b.read(kPending) == 2);
  CHECK(b.read(kAddress) == 0x100003000);
  CHECK(b.read(0x20) == 5);
  CHECK(b.read(0x28) == 1);
  CHECK(b.read(0x30) == 3);
  CHECK(b.read(0x38) == 0x100000000);
  CHECK(b.read(0x40) == 0x8000);
  CHECK(b.master.read(0x1c, 4) == 1);  // the upper half of ADDRESS
  b.master.write(kPlace, 8, 3);
  CHECK(b.read(kStatus) == 0);
  CHECK(b.read(kAddress) == 0x100004000);
  b.run();
  CHECK(b.wire.read());
  b.master.write(kPlace, 8, 0);
  b.run();
  CHECK_FALSE(b.wire.read());
  CHECK(b.queue->idle());
  CHECK(b.read(0x68) == 2);
  CHECK(b.placed ==
        std::vector<std::pair<std::uint64_t, std::uint32_t>>{{0x100003000, 3}, {0x100004000, 0}});
}

TEST_CASE("fault queue: PLACE without a fault, and in a memory that does not exist") {
  Bench b;
  b.master.write(kControl, 8, fault_queue_control::kSoftware);
  b.master.write(kPlace, 8, 1);
  CHECK(b.read(kStatus) == static_cast<std::uint64_t>(FaultQueueStatus::kNoFault));
  b.queue->push({0x100003000, 5, 1, 3, 0x100000000, 0x8000});
  b.master.write(kPlace, 8, 4);
  CHECK(b.read(kStatus) == static_cast<std::uint64_t>(FaultQueueStatus::kNoSuchMemory));
  CHECK(b.read(kPending) == 1);
  CHECK(b.placed.empty());
  CHECK(b.queue->stats().errors == 2);
  b.run();
  CHECK_FALSE(b.wire.read());  // not enabled
}

TEST_CASE("fault queue: the wait of each fault is reported, up to its PLACE or to the driver") {
  Bench b;
  b.master.write(kControl, 8, fault_queue_control::kSoftware);
  b.queue->push({0x100003000, 5, 1, 3, 0x100000000, 0x8000});
  b.queue->push({0x100004000, 6, 2, 3, 0x100000000, 0x8000});
  b.queue->push({0x100005000, 7, 3, 3, 0x100000000, 0x8000});
  b.master.write(kPlace, 8, 4);  // no such memory
  b.master.write(kPlace, 8, 0);
  b.master.write(kControl, 8, 0);
  CHECK(b.waiting == std::vector<std::pair<std::uint64_t, bool>>{
                         {1, true}, {2, true}, {3, true}, {1, false}, {2, false}, {3, false}});
}

TEST_CASE("fault queue: the time of a fault is that of its PLACE's own") {
  Bench b;
  b.master.write(kControl, 8, fault_queue_control::kSoftware);
  b.queue->push({0x100003000, 5, 1, 3, 0x100000000, 0x8000});
  b.run(100 * kNs);
  b.master.write(kPlace, 8, 1, 50 * kNs);
  CHECK(b.queue->stats().latency.sum() == 150);
}

TEST_CASE("fault queue: software gives the faults back") {
  Bench b;
  b.master.write(kControl, 8, fault_queue_control::kSoftware | fault_queue_control::kInterrupt);
  b.queue->push({0x100003000, 5, 1, 3, 0x100000000, 0x8000});
  b.run();
  std::vector<Waiting> waiting;
  b.queue->describe_waiting(waiting);
  REQUIRE(waiting.size() == 1);
  CHECK(waiting[0].queue == "queue.faults");
  b.master.write(kControl, 8, 0);
  b.run();
  CHECK(b.handed_over == std::vector<bool>{true, false});
  CHECK_FALSE(b.wire.read());
  CHECK(b.read(kPending) == 0);
}

TEST_CASE("fault queue: registers that do not exist, or cannot be written") {
  Bench b;
  b.master.read(0x70, 8);
  CHECK(b.master.status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  b.master.read(kPlace, 8);
  CHECK(b.master.status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  b.master.write(kAddress, 8, 1);
  CHECK(b.master.status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  b.master.read(kAddress, 2);
  CHECK(b.master.status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

}  // namespace tessera::fault_queue_test
