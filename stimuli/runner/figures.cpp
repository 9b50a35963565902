// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/figures.h"

#include <algorithm>
#include <limits>

#include "common/error.h"
#include "common/suggest.h"

namespace tessera::kernels {
namespace {

/// Elements read back at a time.
constexpr std::uint64_t kChunk = std::uint64_t{1} << 20;

double number_at(Element type, const std::byte* at) {
  if (is_float(type)) return load_float(type, at);
  const std::int64_t v = load_integer(type, at);
  return type == Element::kU64 ? static_cast<double>(static_cast<std::uint64_t>(v))
                               : static_cast<double>(v);
}

ArraySummary summarise(Device& device, Element type, Address begin, std::uint64_t count) {
  ArraySummary s;
  s.min = std::numeric_limits<double>::infinity();
  s.max = -s.min;
  const unsigned step = element_bytes(type);
  std::vector<std::byte> chunk;
  for (std::uint64_t at = 0; at < count; at += kChunk) {
    const std::uint64_t elements = std::min(kChunk, count - at);
    chunk.resize(elements * step);
    device.read(chunk.data(), begin + at * step, chunk.size());
    for (std::uint64_t i = 0; i < elements; ++i) {
      const double v = number_at(type, chunk.data() + i * step);
      s.min = std::min(s.min, v);
      s.max = std::max(s.max, v);
      s.sum += v;
    }
  }
  s.mean = s.sum / static_cast<double>(count);
  return s;
}

/// Terms that know the manifest's names and have no values. `on_array`: called for each array.
FigureTerms names_of(const Manifest& m, const std::function<void(const ArraySpec&)>& on_array) {
  FigureTerms terms;
  terms.array = [&m, on_array](const std::string& name) -> std::optional<ArraySummary> {
    if (const ArraySpec* array = m.array(name)) {
      on_array(*array);
      return std::nullopt;
    }
    std::vector<std::string> known;
    for (const ArraySpec& a : m.arrays) known.push_back(a.name);
    for (const ArraySpec& v : m.variables) known.push_back(v.name);
    throw InputError("unknown array '" + name + "'" + did_you_mean(name, known));
  };
  terms.last_cycles = [&m](const std::string& name) -> std::optional<double> {
    std::vector<std::string> known;
    for (const LaunchSpec* launch : m.launches()) known.push_back(launch->kernel);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw InputError("no launch of a kernel '" + name + "'" + did_you_mean(name, known));
    }
    return std::nullopt;
  };
  terms.cycles = [](std::uint64_t) { return std::optional<double>(); };
  return terms;
}

}  // namespace

void check_figures(const Manifest& m, const Sizes& sizes) {
  const FigureTerms terms = names_of(m, [](const ArraySpec&) {});
  for (const FigureSpec& f : m.figures) {
    try {
      evaluate_figure(f.value.text, sizes, terms);
    } catch (const InputError& e) {
      m.fail(f.value.pointer, e.what());
    }
  }
}

ArraySummaries summarise_arrays(Device& device, const Inputs& inputs,
                                const std::map<std::string, Address>& addresses) {
  ArraySummaries out;
  const Manifest& m = inputs.manifest();
  FigureTerms terms = names_of(m, [&](const ArraySpec& array) {
    if (out.count(array.name) != 0) return;
    out[array.name] = summarise(device, array.type, addresses.at(array.name), inputs.count(array));
  });
  // The kernels' names are symbols by now.
  terms.last_cycles = [](const std::string&) { return std::optional<double>(); };
  for (const FigureSpec& f : m.figures) evaluate_figure(f.value.text, inputs.sizes(), terms);
  return out;
}

std::vector<WorkloadFigure> figures_of(const Manifest& m, const Sizes& sizes,
                                       const ArraySummaries& arrays,
                                       const std::map<std::string, std::string>& symbols,
                                       const std::vector<LaunchTime>* launches) {
  FigureTerms terms;
  terms.array = [&](const std::string& name) -> std::optional<ArraySummary> {
    const auto found = arrays.find(name);
    if (found == arrays.end()) return std::nullopt;
    return found->second;
  };
  terms.last_cycles = [&](const std::string& name) -> std::optional<double> {
    if (launches == nullptr) return std::nullopt;
    const std::string& symbol = symbols.at(name);
    const auto last = std::find_if(launches->rbegin(), launches->rend(),
                                   [&](const LaunchTime& l) { return l.kernel == symbol; });
    if (last == launches->rend()) return std::nullopt;
    return static_cast<double>(last->cycles);
  };
  terms.cycles = [&](std::uint64_t launch) -> std::optional<double> {
    if (launches == nullptr || launch >= launches->size()) return std::nullopt;
    return static_cast<double>((*launches)[launch].cycles);
  };
  std::vector<WorkloadFigure> out;
  for (const FigureSpec& f : m.figures) {
    out.push_back({f.name, f.unit, f.description, evaluate_figure(f.value.text, sizes, terms)});
  }
  return out;
}

}  // namespace tessera::kernels
