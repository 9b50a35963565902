// SPDX-License-Identifier: Apache-2.0
#include "platforms/machine_timeline.h"

#include <catch2/catch.hpp>

#include "common/json.h"

namespace tessera::machine_timeline_test {

using nlohmann::ordered_json;

namespace {

constexpr Tick kNs = kTicksPerNs;

StartedLaunch launch(LaunchId number, const std::string& queue, Tick at) {
  StartedLaunch l;
  l.launch = number;
  l.stream = queue;
  l.ready_at = at;
  return l;
}

void check(const ordered_json& found, const char* expected) {
  CHECK(found.dump() == ordered_json::parse(expected).dump());
}

}  // namespace

TEST_CASE("time line: states, accesses and events of a core") {
  MachineTimeline t(2, 0, true);
  t.access(0, 10 * kNs, 40 * kNs);
  t.doorbell(0, 3, 10 * kNs);
  t.set_activity(0, CoreActivity::kWaits, 50 * kNs);
  t.interrupt(0, Iss::kMtip | Iss::kSeip, 70 * kNs);
  t.set_activity(0, CoreActivity::kExecutes, 70 * kNs);
  t.exception(0, 5, 75 * kNs);
  t.set_activity(0, CoreActivity::kStopped, 80 * kNs);
  t.set_activity(1, CoreActivity::kWaits, 200 * kNs);  // later than the end
  t.exception(1, 8, 150 * kNs);
  t.end(100 * kNs);
  const ordered_json d = t.to_json();
  CHECK(d["end_ns"] == 100);
  check(d["cores"][0], R"({"name": "board.core0", "executing_ns": 30, "accessing_ns": 30,
      "waiting_ns": 20, "stopped_ns": 20, "resolution_ns": 0, "intervals": [
        {"begin_ns": 0, "end_ns": 50, "executing_ns": 20, "accessing_ns": 30},
        {"begin_ns": 50, "end_ns": 70, "waiting_ns": 20},
        {"begin_ns": 70, "end_ns": 80, "executing_ns": 10},
        {"begin_ns": 80, "end_ns": 100, "stopped_ns": 20}],
      "interrupts": [{"begin_ns": 70, "end_ns": 70,
                      "counts": {"external, supervisor mode": 1, "timer": 1}}],
      "exceptions": [{"begin_ns": 75, "end_ns": 75, "counts": {"cause 5": 1}}],
      "doorbells": [{"begin_ns": 10, "end_ns": 10, "counts": {"queue 3": 1}}]})");
  check(d["cores"][1]["exceptions"], "[]");
  check(d["cores"][1]["intervals"], R"([{"begin_ns": 0, "end_ns": 100, "executing_ns": 100}])");
  check(d["detail"], R"([{"begin_ns": 0, "end_ns": 100, "detail_ns": 100}])");
}

TEST_CASE("time line: kernels of each GPU, by queue") {
  MachineTimeline t(1, 2, true);
  t.start_kernel(launch(1, "queue 10", 5 * kNs), "a");
  t.start_kernel(launch(2, "queue 2", 6 * kNs), "b");
  t.begin_kernel(2, 20 * kNs);
  t.end_on_gpu(1, GpuId(0), 8 * kNs, 15 * kNs);
  t.end_on_gpu(1, GpuId(1), kNever, 16 * kNs);  // without CTAs
  t.end_kernel(1, 18 * kNs);
  t.end_on_gpu(2, GpuId(1), 22 * kNs, 30 * kNs);
  t.start_kernel(launch(3, "queue 10", 25 * kNs), "c");
  t.end_kernel(3, 27 * kNs);  // has failed
  t.end(40 * kNs);            // b still runs on GPU 0
  const ordered_json d = t.to_json();
  check(d["gpus"][0], R"({"name": "gpu0", "queues": [
      {"name": "queue 2", "resolution_ns": 0, "kernels": [
        {"begin_ns": 20, "end_ns": 40, "busy_ns": 20, "launches": {"b": 1}}]},
      {"name": "queue 10", "resolution_ns": 0, "kernels": [
        {"begin_ns": 8, "end_ns": 15, "busy_ns": 7, "launches": {"a": 1}},
        {"begin_ns": 25, "end_ns": 27, "busy_ns": 2, "launches": {"c": 1}}]}],
      "page_faults": []})");
  check(d["gpus"][1]["queues"], R"([
      {"name": "queue 2", "resolution_ns": 0, "kernels": [
        {"begin_ns": 22, "end_ns": 30, "busy_ns": 8, "launches": {"b": 1}}]},
      {"name": "queue 10", "resolution_ns": 0, "kernels": [
        {"begin_ns": 25, "end_ns": 27, "busy_ns": 2, "launches": {"c": 1}}]}])");
}

TEST_CASE("time line: page faults wait while one of the GPU's does, and detail is the region's") {
  MachineTimeline t(1, 2, false);
  t.set_detail(true, 5 * kNs);
  t.set_fault(1, true, 10 * kNs);
  t.set_fault(1, true, 12 * kNs);
  t.set_fault(1, false, 20 * kNs);
  t.set_fault(1, false, 25 * kNs);
  t.set_detail(false, 30 * kNs);
  t.set_fault(1, true, 40 * kNs);
  t.end(50 * kNs);
  const ordered_json d = t.to_json();
  check(d["gpus"][0]["page_faults"], "[]");
  check(d["gpus"][1]["page_faults"], R"([{"begin_ns": 10, "end_ns": 25, "waiting_ns": 15},
                                         {"begin_ns": 40, "end_ns": 50, "waiting_ns": 10}])");
  check(d["detail"], R"([{"begin_ns": 5, "end_ns": 30, "detail_ns": 25}])");
}

TEST_CASE("time line: nothing is recorded after the end") {
  MachineTimeline t(1, 1, true);
  t.start_kernel(launch(1, "queue 0", 5 * kNs), "a");
  t.end(10 * kNs);
  const std::string before = t.to_json().dump();
  t.set_activity(0, CoreActivity::kWaits, 11 * kNs);
  t.access(0, 11 * kNs, 12 * kNs);
  t.interrupt(0, Iss::kMtip, 11 * kNs);
  t.exception(0, 5, 11 * kNs);
  t.doorbell(0, 0, 11 * kNs);
  t.end_on_gpu(1, GpuId(0), 6 * kNs, 12 * kNs);
  t.end_kernel(1, 12 * kNs);
  t.start_kernel(launch(2, "queue 0", 13 * kNs), "b");
  t.end_kernel(2, 15 * kNs);
  t.set_fault(0, true, 11 * kNs);
  t.set_detail(false, 11 * kNs);
  t.end(20 * kNs);
  CHECK(t.to_json().dump() == before);
}

}  // namespace tessera::machine_timeline_test
