// SPDX-License-Identifier: Apache-2.0
// Calls of out-of-line functions: one path for each target, which all reconverge at the instruction
// after the call (docs/decisions/calls.md).

#include <array>

#include "stimuli/ptx/calls.h"
#include "stimuli/ptx/lane_access.h"
#include "stimuli/ptx/warp.h"

namespace tessera::ptx {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

void set_cell(const Frame& f, Slot s, unsigned lane, u64 value) {
  __builtin_memcpy(f.at(s) + sizeof value * lane, &value, sizeof value);
}

}  // namespace

/// The lanes wait at the next instruction until all of them have returned. No path of the callee
/// has a reconvergence point outside the callee.
void Warp::call(const Decoded& d) {
  const CallSite& site = launch_.kernel().call_sites[d.aux];
  const auto nowhere = static_cast<u32>(launch_.kernel().code.size());
  const u64 return_address = kReturnWindow + kCodeStep * d.aux;
  std::array<Level, kWarpLanes> paths;
  std::size_t count = 0;
  for (u32 rest = active_; rest != 0;) {
    const KernelFunction& f = target_of(site, first_lane(rest));
    u32 group = rest;
    if (site.target) {
      group = 0;
      for_lanes(rest, [&](unsigned lane) {
        if (cell<u64>(frame_, *site.target, lane) == f.address) group |= 1u << lane;
      });
    }
    rest &= ~group;
    enter(f, site, group);
    for_lanes(group, [&](unsigned lane) {
      set_cell(frame_, launch_.kernel().return_address, lane, return_address);
    });
    paths[count++] = Level{f.entry, nowhere, group};
  }
  stack_.push_back(Level{pc_ + 1, reconverge_, active_});
  while (count > 1) stack_.push_back(paths[--count]);
  pc_ = paths[0].pc;
  reconverge_ = nowhere;
  active_ = paths[0].mask;
}

const KernelFunction& Warp::target_of(const CallSite& site, unsigned lane) const {
  const std::vector<KernelFunction>& functions = launch_.kernel().functions;
  if (!site.target) return functions[site.functions[0]];
  const u64 address = cell<u64>(frame_, *site.target, lane);
  for (const u32 n : site.functions) {
    if (functions[n].address == address) return functions[n];
  }
  fail_target(address, lane);
}

void Warp::fail_target(u64 address, unsigned lane) const {
  const auto& names = launch_.kernel().function_names;
  const auto known = names.find(address);
  std::string why = "no function has this address";
  if (known != names.end()) {
    const auto& [name, has_body] = known->second;
    why = "this is '" + name + "', which " +
          (has_body ? "does not fit the call's prototype or list of targets"
                    : "has no body in this or a linked file");
  }
  fail(lane, "call of a function at " + hex(address) + ": " + why);
}

/// Passes the arguments.
void Warp::enter(const KernelFunction& f, const CallSite& site, u32 lanes) {
  for_lanes(lanes, [&](unsigned lane) {
    check_stack(f.frame_bytes, &f, lane);
    for (std::size_t k = 0; k < f.parameters.size(); ++k) {
      __builtin_memcpy(call_data(f.parameters[k], lane), call_data(site.arguments[k], lane),
                       f.parameters[k].bytes);
    }
  });
}

/// Passes the results. The return address of each lane names its call, because lanes of several
/// calls can return together.
void Warp::return_lanes(const Decoded& d) {
  const Kernel& kernel = launch_.kernel();
  const KernelFunction& f = kernel.functions[d.aux];
  for_lanes(active_, [&](unsigned lane) {
    const u64 address = cell<u64>(frame_, kernel.return_address, lane);
    const u64 index = (address - kReturnWindow) / kCodeStep;
    if (address % kCodeStep != 0 || index >= kernel.call_sites.size()) {
      fail(lane, "the return address in the frame of '" + f.name + "' was overwritten with " +
                     hex(address));
    }
    const CallSite& site = kernel.call_sites[index];
    for (std::size_t k = 0; k < f.results.size(); ++k) {
      __builtin_memcpy(call_data(site.results[k], lane), call_data(f.results[k], lane),
                       f.results[k].bytes);
    }
  });
  resume();
}

std::byte* Warp::call_data(const CallData& c, unsigned lane) const {
  std::byte* const at = frame_.at(c.at);
  return c.at.bank == BankId::kLocal ? at + std::size_t{lane} * frame_.local_stride : at;
}

void Warp::check_stack(u64 bytes, const KernelFunction* of, unsigned lane) const {
  const Kernel& kernel = launch_.kernel();
  const u64 sp = cell<u64>(frame_, kernel.stack_pointer, lane);
  const u64 top = launch_.local_bytes();
  const u64 floor = kernel.local_bytes;
  if (sp >= floor && sp <= top && sp - floor >= bytes) return;
  const std::string what = of != nullptr ? "the frame of '" + of->name + "'" : "alloca";
  fail(lane, "stack overflow: " + what + " needs " + std::to_string(bytes) + " bytes, and " +
                 std::to_string(top - sp) + " of " + std::to_string(top - floor) +
                 " bytes are in use (a manifest sets the size with \"stack_bytes\")");
}

void Warp::allocate_stack(const Decoded& d, u32 mask) {
  const Slot sp = launch_.kernel().stack_pointer;
  const auto alignment = static_cast<u64>(d.displacement);
  for_lanes(mask, [&](unsigned lane) {
    const bool wide = d.memory.wide_register;
    const u64 size =
        wide ? cell<u64>(frame_, d.slot[1], lane) : u64{cell<u32>(frame_, d.slot[1], lane)};
    const u64 from = cell<u64>(frame_, sp, lane);
    check_stack(size, nullptr, lane);
    const u64 to = (from - size) & ~(alignment - 1);
    check_stack(from - to, nullptr, lane);
    set_cell(frame_, sp, lane, to);
    std::byte* const result = frame_.at(d.slot[0]);
    if (wide) {
      __builtin_memcpy(result + 8 * lane, &to, 8);
    } else {
      const auto narrow = static_cast<u32>(to);
      __builtin_memcpy(result + 4 * lane, &narrow, 4);
    }
  });
}

}  // namespace tessera::ptx
