// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "modules/host/copy_engine.h"
#include "modules/host/managed_pages.h"
#include "platforms/host_interface.h"
#include "platforms/kernel_records.h"
#include "platforms/launch_streams.h"
#include "platforms/simulation.h"
#include "platforms/system.h"
#include "stimuli/device_memory.h"
#include "stimuli/workload.h"

namespace tessera {

/// The simulated GPUs as seen by a host program.
///
/// Functional mode: values are in one flat memory. Carried mode: the host's writes to a page that
/// no SM has touched are stored on the host. They are copied to the page's channel after the driver
/// has placed the page. Debug accesses read and write placed pages.
///
/// If the platform has a CPU, its first core performs the host program's reads, and the writes
/// after the first launch, through its caches. Before the first launch, the host memory already
/// holds the data (UMH section 3). If host.copies is set, accesses and launches wait for copies.
/// Otherwise the host's accesses take no time.
class GpuDevice final : public Device {
 public:
  /// `run_launch`: submits the launch and runs simulated time to its end; throws the launch's
  /// failure.
  GpuDevice(const GpuConfig& config, std::function<void(const LaunchRequest&)> run_launch);

  /// Must be called before the first use. The system is constructed after the device, because its
  /// driver calls allocated(). Creates the command processor and its memory, as modules of "host".
  void attach(System& system);
  /// Host memory and command processor, for firmware: a firmware model can bind to their sockets.
  HostInterface& host() { return *host_; }
  /// Null if host.copies is none.
  CopyEngine* copy_engine() { return copy_engine_.get(); }
  /// Adds the figures of the host's copies and accesses to the derived ones; see
  /// derived_catalogue(). `time_ns`: of the kernels. `window`: null instead of figures that mix the
  /// window with copies of whole arrays or with earlier accesses.
  void add_host_figures(nlohmann::ordered_json& derived, double time_ns, bool window) const;
  /// The kernels that packets can launch.
  KernelTable& kernels() { return kernels_; }

  /// Sends the launch to the command processor when it waits for no other launch and a queue is
  /// free: at the present time, if it is the only one. on_launch_ended() is called later if
  /// simulated time continues. Throws InputError for arguments that do not fit the kernel.
  LaunchId submit(const LaunchRequest& request, const LaunchOrder& order = {});
  /// Submitted launches that have not ended.
  std::size_t outstanding() const { return streams_.size(); }
  /// Called when a submitted launch has ended; null, or its failure.
  std::function<void(const std::exception_ptr&)> on_launch_ended;
  /// Called when a kernel starts, when it begins after it has waited for other kernels, and when it
  /// has ended. Can be empty.
  std::function<void(const StartedLaunch&, const KernelProgram&)> on_kernel_start;
  std::function<void(LaunchId)> on_kernel_turn;
  /// Called when a GPU has ended the CTAs of a kernel (KernelLaunch::on_gpu_end). Can be
  /// empty.
  std::function<void(LaunchId, GpuId, Tick first_cta_at)> on_kernel_gpu_end;
  std::function<void(LaunchId, const KernelEnd&)> on_kernel_end;
  /// Called by enqueue(), which submits the launch if it returns true. Empty: always.
  std::function<bool(const LaunchRequest&, const LaunchOrder&)> on_enqueue;
  /// Runs simulated time until no launch is outstanding; throws a launch's failure. Called by
  /// synchronise() if there is one.
  std::function<void()> wait_for_launches;
  void set_values(ValueMode mode) { values_ = mode; }
  /// Runs simulated time until `done` returns true; throws the run's failure. The host's accesses
  /// take no time if it is empty.
  std::function<void(const std::function<bool()>& done)> run_until;
  /// Ends the run if it is interrupted, by an exception of its own. Empty without a Simulation.
  std::function<void()> end_if_interrupted;
  /// From now on, the host's accesses take no time: after a window.
  void end_timed_accesses() { run_until = nullptr; }
  ValueMode values() const { return values_; }
  /// The device's values without the memory system: of the whole device in functional mode, and
  /// between gather_values() and scatter_values(). Nothing may be in flight then.
  FlatMemory& flat_memory() { return memory_; }
  /// Carried mode: copies the placed pages to the flat memory, or back.
  void gather_values();
  void scatter_values();
  /// For launches that run without the memory system.
  LaunchEnvironment flat_environment() { return {&memory_, on_race_}; }
  /// Later launches check their accesses for races (LaunchEnvironment::on_race).
  void check_races(std::function<void(const std::string&)> found) { on_race_ = std::move(found); }

  bool allocated(std::uint64_t virtual_address) const;
  /// The pages of the allocation that contains an allocated address.
  AllocationPages allocation(std::uint64_t virtual_address) const;

  Address allocate(const std::string& name, std::uint64_t bytes) override;
  void write(Address to, const void* from, std::uint64_t bytes) override;
  void defer(Address to, std::uint64_t bytes, Contents contents) override;
  void write_without_values(Address to, std::uint64_t bytes) override;
  void read(void* to, Address from, std::uint64_t bytes) override;
  void poke(Address to, const void* from, std::uint64_t bytes) override;
  void peek(void* to, Address from, std::uint64_t bytes) override;
  void launch(const LaunchRequest& request) override;
  LaunchId enqueue(const LaunchRequest& request, const LaunchOrder& order) override;
  void synchronise() override;
  const Allocations& allocations() const override { return allocations_; }
  void working(const std::string& what, double done) override {
    if (on_working) on_working(what, done);
  }
  // For a virtual platform.

  UvmDriver& uvm();
  std::uint32_t memories() const;
  std::uint64_t page_bytes() const { return config_.system.page_bytes; }
  std::uint32_t gpus() const { return config_.system.gpus; }
  std::uint32_t gpu_of(SmId sm) const;
  bool kernels_run() const;
  /// Reads or writes the newest bytes without time. Returns false for an access outside
  /// allocations.
  bool access_untimed(tlm::tlm_command command, Address address, unsigned char* data,
                      std::uint64_t bytes);
  /// Whether software's accesses go through the caches of a CPU.
  bool has_cpu() const { return !cpu_cores_.empty(); }
  /// An access of a virtual platform's software through the caches of CPU core `hart` modulo their
  /// number, which touches pages that are not placed. Calls `done` at its end, and uses `data`
  /// until then. Returns false, without a call, for an access outside allocations. Precondition:
  /// has_cpu().
  bool access_by_software(std::uint32_t hart, tlm::tlm_command command, Address address,
                          unsigned char* data, std::uint64_t bytes, std::function<void()> done);
  /// Whether kernels that packets launch are executed without the memory system and without time.
  void run_kernels_untimed(bool untimed) { untimed_kernels_ = untimed; }
  bool runs_kernels_untimed() const { return untimed_kernels_; }
  /// Registers the statistics of a block that the host program has made. Set by the simulation.
  std::function<void(const Block&)> on_block;
  /// The run's statistics. Set by the simulation.
  const StatisticsRegistry* statistics = nullptr;
  /// A number that changes whenever software of a virtual platform does something. Can be empty.
  std::function<std::uint64_t()> software_activity;
  /// Called by working(). Can be empty.
  std::function<void(const std::string& what, double done)> on_working;

 private:
  void check(const char* what, Address address, std::uint64_t bytes) const;
  /// Debug accesses to physical memory, one line at a time.
  void debug(tlm::tlm_command command, std::uint64_t physical, unsigned char* data,
             std::uint64_t bytes);
  void write_untimed(Address to, const void* from, std::uint64_t bytes);
  void read_untimed(void* to, Address from, std::uint64_t bytes);
  void count_first_read();
  /// Performs a read or a write of placed pages on the CPU: its time, and in carried mode its
  /// bytes.
  void access_by_cpu(tlm::tlm_command command, Address address, unsigned char* data,
                     std::uint64_t bytes);
  /// The part of it in one page; `ended` is called in the core's process.
  void submit_to_cpu(CpuCore& core, tlm::tlm_command command, std::uint64_t physical,
                     unsigned char* data, std::uint64_t bytes, std::function<void()> ended);
  bool run_untimed_kernel(KernelProgram& program);
  CpuCore* timed_core();
  void copy(std::uint64_t bytes, bool to_device);
  void copy_for_access(bool write, Address address, std::uint64_t bytes);
  CommandProcessorSite launch_platform();
  void prepare_launch();
  void submit_ready();
  void launch_ended(std::uint32_t queue, const std::exception_ptr& error);
  template <class F>
  void for_each_placed_page(F f);
  void page_copied(std::uint64_t from, std::uint64_t to);
  void page_mapped(std::uint64_t virtual_page, std::uint64_t physical);

  const GpuConfig& config_;
  const std::function<void(const LaunchRequest&)> run_launch_;
  System* system_ = nullptr;
  std::vector<CpuCore*> cpu_cores_;  ///< of the system
  ValueMode values_ = ValueMode::kFunctional;
  bool launched_ = false;
  bool unread_ = false;  ///< no results of the last launch have been read
  /// The first reads of the host program after launches: until the end of the copy, or of the CPU's
  /// first load, of at most one page.
  std::uint64_t first_reads_ = 0;
  std::uint64_t first_read_ns_ = 0;
  Tick access_ticks_ = 0;                 ///< of the accesses by the CPU
  std::uint64_t copied_back_before_ = 0;  ///< bytes, before the first launch
  Allocations allocations_;
  /// Functional mode: all values. Carried mode: values of pages that are not placed yet.
  FlatMemory memory_;
  std::function<void(const std::string&)> on_race_;
  KernelTable kernels_;
  const std::unique_ptr<LaunchPlanner> planner_;
  std::unique_ptr<HostInterface> host_;
  std::unique_ptr<CopyEngine> copy_engine_;
  ManagedPages managed_;

  /// A submitted launch.
  struct Submitted {
    CommandPacket packet;
    std::vector<std::byte> arguments;
    std::string stream;
    Tick ready_at = 0;
  };
  /// Numbers of launches by the packets of firmware are above.
  static constexpr LaunchId kFirmwareLaunches = LaunchId{1} << 32;
  LaunchStreams streams_;
  std::map<LaunchId, Submitted> submitted_;  ///< that have not ended
  bool untimed_kernels_ = false;
  std::vector<LaunchId> of_queue_;  ///< launch of each command queue; 0: none
  std::uint64_t firmware_launches_ = 0;
};

}  // namespace tessera
