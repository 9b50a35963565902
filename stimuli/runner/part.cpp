// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/part.h"

#include <algorithm>
#include <stdexcept>

#include "common/error.h"
#include "stimuli/runner/arguments.h"
#include "stimuli/runner/manifest_check.h"
#include "stimuli/runner/manifest_reader.h"
#include "stimuli/runner/textures.h"

namespace tessera::kernels {

void HostSession::set_up() {
  const Manifest& m = inputs_.manifest();
  if (m.stack_bytes) {
    const std::int64_t bytes = m.value(*m.stack_bytes, inputs_.sizes());
    loader_->set_stack_bytes(static_cast<std::uint32_t>(bytes));
  }
  for (const ArraySpec& a : m.arrays) {
    addresses_[a.name] = device_.allocate(a.name, inputs_.count(a) * element_bytes(a.type));
    // Device memory is initially zero, so that untouched pages need no host memory.
    if (std::holds_alternative<Zero>(a.initial)) continue;
    if (Contents contents = inputs_.contents(a)) {
      device_.defer(addresses_[a.name], inputs_.count(a) * element_bytes(a.type),
                    std::move(contents));
    } else {
      initialise(a);
    }
  }
  for (const ArraySpec& v : m.variables) {
    addresses_[v.name] = loader_->symbol(module_, v.symbol);
    if (std::holds_alternative<AsInModule>(v.initial)) continue;
    initialise(v);
  }
  for (const TextureSpec& t : m.textures) {
    check_texture(m, t, inputs_.sizes(),
                  static_cast<std::int64_t>(inputs_.count(*m.array(t.array))));
    handles_[t.name] =
        device_.textures().add(descriptor_of(m, t, inputs_.sizes(), addresses_.at(t.array)));
    if (!t.reference.empty()) device_.textures().bind(t.reference, handles_[t.name]);
  }
}

void HostSession::initialise(const ArraySpec& array) {
  const Address begin = addresses_.at(array.name);
  const auto all = static_cast<double>(inputs_.count(array) * element_bytes(array.type));
  inputs_.stream(array, [&](std::uint64_t offset, const std::byte* contents, std::uint64_t bytes) {
    device_.working("initialising " + array.name, static_cast<double>(offset) / all);
    device_.write(begin + offset, contents, bytes);
  });
}

void HostSession::launch_all(std::int64_t times) {
  for (std::int64_t time = 0; time < times; ++time) {
    run(inputs_.manifest().steps, inputs_.sizes());
  }
}

void HostSession::launch(const std::string& kernel) {
  for (const LaunchSpec* l : inputs_.manifest().launches()) {
    if (l->kernel == kernel) return start(*l, in_pass(inputs_.sizes(), {}, 0));
  }
  throw std::logic_error("the manifest has no launch of '" + kernel + "'");
}

void HostSession::run(const std::vector<Step>& steps, const Sizes& sizes) {
  for (const Step& step : steps) {
    std::visit([&](const auto& what) { run(what, sizes); }, step.what);
  }
}

void HostSession::run(const LaunchSpec& launch, const Sizes& sizes) {
  if (!launch.repeat) {
    Sizes with_iteration = sizes;
    with_iteration.emplace(kIteration, 0);
    return start(launch, with_iteration);
  }
  const std::int64_t repeats = inputs_.manifest().value(*launch.repeat, sizes);
  for (std::int64_t i = 0; i < repeats; ++i) start(launch, in_pass(sizes, {}, i));
}

void HostSession::run(const RepeatSpec& loop, const Sizes& sizes) {
  const std::int64_t times = inputs_.manifest().value(loop.times, sizes);
  for (std::int64_t i = 0; i < times; ++i) run(loop.steps, in_pass(sizes, loop.counter, i));
}

void HostSession::run(const UntilSpec& loop, const Sizes& sizes) {
  const Manifest& m = inputs_.manifest();
  const Element type = m.array(loop.element.array)->type;
  const std::int64_t at_most = m.value(loop.at_most, sizes);
  std::vector<std::byte> got(element_bytes(type));
  const auto text = [type](const std::vector<std::byte>& raw) {
    return is_float(type) ? std::to_string(load_float(type, raw.data()))
                          : std::to_string(load_integer(type, raw.data()));
  };
  std::vector<std::byte> wanted;
  for (std::int64_t i = 0; i < at_most; ++i) {
    const Sizes in_loop = in_pass(sizes, loop.counter, i);
    run(loop.steps, in_loop);
    device_.read(got.data(), address_of(loop.element, in_loop), got.size());
    wanted = m.element(loop.equals, type, in_loop);
    // Compared as numbers, because -0 equals 0.
    const bool equal = is_float(type)
                           ? load_float(type, got.data()) == load_float(type, wanted.data())
                           : got == wanted;
    if (equal) return;
  }
  const std::string& pointer = loop.at_most.pointer;
  throw RunError(m.source.where(pointer) + ": " + pointer + ": the loop until \"" +
                 loop.element.array + "\"[" + loop.element.index.text + "] equals " + text(wanted) +
                 " did not end in " + std::to_string(at_most) + " passes; the element is " +
                 text(got));
}

void HostSession::run(const FillSpec& fill, const Sizes& sizes) {
  const Manifest& m = inputs_.manifest();
  const ArraySpec& array = *m.array(fill.array);
  Sizes with_iteration = sizes;
  with_iteration.emplace(kIteration, 0);
  const std::vector<std::byte> one = m.element(fill.value, array.type, with_iteration);
  std::vector<std::byte> all(inputs_.count(array) * one.size());
  for (std::size_t at = 0; at < all.size(); at += one.size()) {
    std::copy(one.begin(), one.end(), all.begin() + static_cast<std::ptrdiff_t>(at));
  }
  device_.write(address(fill.array), all.data(), all.size());
}

void HostSession::run(const SetSpec& set, const Sizes& sizes) {
  const Manifest& m = inputs_.manifest();
  Sizes with_iteration = sizes;
  with_iteration.emplace(kIteration, 0);
  const std::vector<std::byte> one =
      m.element(set.value, m.array(set.element.array)->type, with_iteration);
  device_.write(address_of(set.element, with_iteration), one.data(), one.size());
}

void HostSession::start(const LaunchSpec& launch, const Sizes& sizes) {
  const Manifest& m = inputs_.manifest();
  const auto dimension = [&](const Formula& f, std::int64_t least) {
    const std::int64_t v = m.value(f, sizes);
    if (v < least || v > 0x7fffffff) {
      m.fail(f.pointer, "expected an integer from " + std::to_string(least) +
                            " to 2^31 - 1, found " + std::to_string(v) + " in iteration " +
                            std::to_string(sizes.at(kIteration)));
    }
    return static_cast<std::uint32_t>(v);
  };

  LaunchRequest request;
  request.source = source_;
  request.kernel = launch.kernel;
  request.grid = {dimension(launch.grid[0], 1), dimension(launch.grid[1], 1),
                  dimension(launch.grid[2], 1)};
  request.block = {dimension(launch.block[0], 1), dimension(launch.block[1], 1),
                   dimension(launch.block[2], 1)};
  request.dynamic_shared_bytes = dimension(launch.dynamic_shared, 0);
  for (const ArgumentSpec& a : launch.arguments) {
    request.arguments.push_back({bytes_of(a, sizes)});
  }
  if (m.streams.empty()) {
    device_.launch(request);
    return;
  }
  LaunchOrder order;
  order.stream = launch.stream;
  if (const StreamSpec* stream = m.stream(launch.stream)) order.priority = stream->priority;
  for (const LaunchRef& other : launch.after) {
    const auto last = launches_.find(other.name);
    if (last != launches_.end()) order.after.push_back(last->second);
  }
  const LaunchId id = device_.enqueue(request, order);
  if (!launch.name.empty()) launches_[launch.name] = id;
}

std::vector<std::byte> HostSession::bytes_of(const ArgumentSpec& argument,
                                             const Sizes& sizes) const {
  if (const auto* name = std::get_if<std::string>(&argument.value)) return bytes_of(*name, sizes);
  if (const auto* scalar = std::get_if<ScalarSpec>(&argument.value)) {
    return inputs_.manifest().element(scalar->value, scalar->type, sizes);
  }
  if (const auto* element = std::get_if<ElementRef>(&argument.value)) {
    return KernelArgument::of(address_of(*element, sizes)).bytes;
  }
  if (const auto* structure = std::get_if<StructSpec>(&argument.value)) {
    return bytes_of(*structure, sizes);
  }
  const auto& choices = std::get<Alternation>(argument.value).choices;
  const auto pass = static_cast<std::uint64_t>(sizes.at(kIteration));
  return bytes_of(choices[pass % choices.size()], sizes);
}

std::vector<std::byte> HostSession::bytes_of(const std::string& name, const Sizes& sizes) const {
  const auto array = addresses_.find(name);
  if (array != addresses_.end()) return KernelArgument::of(array->second).bytes;
  const auto handle = handles_.find(name);
  if (handle != handles_.end()) return KernelArgument::of(handle->second).bytes;
  const auto over = overrides_.find(name);
  if (over != overrides_.end()) return over->second.bytes;
  const Manifest& m = inputs_.manifest();
  return m.element(m.scalar(name)->value, m.scalar(name)->type, sizes);
}

std::vector<std::byte> HostSession::bytes_of(const StructSpec& structure,
                                             const Sizes& sizes) const {
  const Layout layout = layout_of(inputs_.manifest(), structure);
  std::vector<std::byte> out(layout.bytes);
  for (std::size_t i = 0; i < structure.members.size(); ++i) {
    const std::vector<std::byte> member = bytes_of(structure.members[i], sizes);
    std::copy(member.begin(), member.end(),
              out.begin() + static_cast<std::ptrdiff_t>(layout.offsets[i]));
  }
  return out;
}

Address HostSession::address_of(const ElementRef& element, const Sizes& sizes) const {
  const Manifest& m = inputs_.manifest();
  const ArraySpec& array = *m.array(element.array);
  return address(element.array) +
         index_of(m, element, sizes, inputs_.count(array)) * element_bytes(array.type);
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
