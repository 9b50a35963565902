// SPDX-License-Identifier: Apache-2.0
#include "stimuli/kernels/part.h"

#include <stdexcept>

#include "common/error.h"
#include "stimuli/ptx/module.h"

namespace tessera::kernels {

void HostSession::set_up() {
  for (const ArraySpec& a : inputs_.manifest().arrays) {
    std::vector<std::byte> contents(inputs_.count(a) * element_bytes(a.type));
    inputs_.fill(a, contents.data());
    addresses_[a.name] = device_.allocate(a.name, contents.size());
    device_.write(addresses_[a.name], contents.data(), contents.size());
  }
}

void HostSession::launch_all(std::int64_t times) {
  const Manifest& m = inputs_.manifest();
  for (std::int64_t time = 0; time < times; ++time) {
    for (const LaunchSpec& l : m.launches) {
      const std::int64_t repeats = m.value(l.repeat, inputs_.sizes());
      for (std::int64_t i = 0; i < repeats; ++i) run(l, i);
    }
  }
}

void HostSession::launch(const std::string& kernel) {
  for (const LaunchSpec& l : inputs_.manifest().launches) {
    if (l.kernel == kernel) return run(l, 0);
  }
  throw std::logic_error("the manifest has no launch of '" + kernel + "'");
}

void HostSession::run(const LaunchSpec& launch, std::int64_t iteration) {
  const Manifest& m = inputs_.manifest();
  Sizes sizes = inputs_.sizes();
  sizes["iteration"] = iteration;
  const auto dimension = [&](const Formula& f, std::int64_t least) {
    const std::int64_t v = m.value(f, sizes);
    if (v < least || v > 0x7fffffff) {
      m.fail(f.pointer, "expected an integer from " + std::to_string(least) +
                            " to 2^31 - 1, found " + std::to_string(v) + " in iteration " +
                            std::to_string(iteration));
    }
    return static_cast<std::uint32_t>(v);
  };

  LaunchRequest request;
  request.module = &module_;
  request.kernel = launch.kernel;
  request.grid = {dimension(launch.grid[0], 1), dimension(launch.grid[1], 1),
                  dimension(launch.grid[2], 1)};
  request.block = {dimension(launch.block[0], 1), dimension(launch.block[1], 1),
                   dimension(launch.block[2], 1)};
  request.dynamic_shared_bytes = dimension(launch.dynamic_shared, 0);
  for (const ArgumentSpec& a : launch.arguments) {
    if (const auto* inline_scalar = std::get_if<ScalarSpec>(&a.value)) {
      request.arguments.push_back({scalar_bytes(m, *inline_scalar, sizes)});
      continue;
    }
    const std::string& name = std::get<std::string>(a.value);
    const auto array = addresses_.find(name);
    const auto over = overrides_.find(name);
    if (array != addresses_.end()) {
      request.arguments.push_back(KernelArgument::of(array->second));
    } else if (over != overrides_.end()) {
      request.arguments.push_back(over->second);
    } else {
      request.arguments.push_back({scalar_bytes(m, *m.scalar(name), sizes)});
    }
  }
  device_.launch(request);
}

std::uint64_t HostSession::count(const std::string& array, Element type) const {
  const ArraySpec* a = inputs_.manifest().array(array);
  if (a == nullptr || a->type != type) {
    throw std::logic_error("no array '" + array + "' of type " + element_name(type));
  }
  return inputs_.count(*a);
}

void HostSession::check_count(const std::string& array, Element type,
                              std::uint64_t elements) const {
  if (count(array, type) != elements) throw std::logic_error("wrong size for '" + array + "'");
}

}  // namespace tessera::kernels
