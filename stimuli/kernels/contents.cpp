// SPDX-License-Identifier: Apache-2.0
#include "stimuli/kernels/contents.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "common/error.h"
#include "stimuli/kernels/random.h"

namespace tessera::kernels {
namespace {

/// Writes one kind of initial contents.
class Filler {
 public:
  Filler(const Inputs& inputs, const ArraySpec& array, std::byte* out)
      : inputs_(inputs),
        array_(array),
        out_(out),
        count_(inputs.count(array)),
        step_(element_bytes(array.type)) {}

  void operator()(const Zero&) { std::fill_n(out_, count_ * step_, std::byte{0}); }

  void operator()(const Iota&) {
    for (std::uint64_t i = 0; i < count_; ++i) integer(i, static_cast<std::int64_t>(i));
  }

  void operator()(const Constant& c) {
    if (const auto* real = std::get_if<double>(&c.value)) {
      for (std::uint64_t i = 0; i < count_; ++i) store_float(array_.type, *real, at(i));
    } else {
      const std::int64_t v = value(std::get<Formula>(c.value));
      for (std::uint64_t i = 0; i < count_; ++i) integer(i, v);
    }
  }

  void operator()(const Uniform& u) {
    Random random(inputs_.seed(), array_.name);
    for (std::uint64_t i = 0; i < count_; ++i) {
      store_float(array_.type, random.uniform(u.low, u.high), at(i));
    }
  }

  void operator()(const RandomIntegers& r) {
    Random random(inputs_.seed(), array_.name);
    const std::int64_t low = value(r.low);
    const std::int64_t high = value(r.high);
    for (std::uint64_t i = 0; i < count_; ++i) integer(i, random.integer(low, high));
  }

  void operator()(const RowStarts& r) {
    Random random(inputs_.seed(), array_.name);
    const std::int64_t degree = value(r.degree);
    std::int64_t start = 0;
    integer(0, 0);
    for (std::uint64_t i = 1; i + 1 < count_; i += 2) {
      const std::int64_t longer = random.integer(-(degree / 2), degree / 2);
      integer(i, start + degree + longer);
      start += 2 * degree;
      integer(i + 1, start);
    }
  }

  void operator()(const FromFile& f) {
    const std::vector<std::byte> raw = read_elements(f.path, count_ * step_);
    std::copy(raw.begin(), raw.end(), out_);
  }

 private:
  std::byte* at(std::uint64_t i) { return out_ + i * step_; }
  void integer(std::uint64_t i, std::int64_t v) { store_integer(array_.type, v, at(i)); }
  std::int64_t value(const Formula& f) const {
    return inputs_.manifest().value(f, inputs_.sizes());
  }

  const Inputs& inputs_;
  const ArraySpec& array_;
  std::byte* out_;
  std::uint64_t count_;
  std::uint64_t step_;
};

}  // namespace

Inputs::Inputs(const Manifest& manifest, Scale scale, std::uint64_t seed)
    : manifest_(manifest), sizes_(manifest.sizes_of(scale)), seed_(seed) {}

std::int64_t Inputs::size(const std::string& name) const {
  const auto it = sizes_.find(name);
  if (it == sizes_.end()) throw std::logic_error("no size '" + name + "'");
  return it->second;
}

std::uint64_t Inputs::count(const ArraySpec& array) const {
  return static_cast<std::uint64_t>(manifest_.value(array.count, sizes_));
}

double Inputs::scalar(const std::string& name) const {
  const ScalarSpec* s = manifest_.scalar(name);
  if (s == nullptr) throw std::logic_error("no scalar '" + name + "'");
  const std::vector<std::byte> raw = scalar_bytes(manifest_, *s, sizes_);
  return is_float(s->type) ? load_float(s->type, raw.data())
                           : static_cast<double>(load_integer(s->type, raw.data()));
}

const ArraySpec& Inputs::typed(const std::string& name, Element type) const {
  const ArraySpec* a = manifest_.array(name);
  if (a == nullptr || a->type != type) {
    throw std::logic_error("no array '" + name + "' of type " + element_name(type));
  }
  return *a;
}

void Inputs::fill(const ArraySpec& array, std::byte* out) const {
  std::visit(Filler(*this, array, out), array.initial);
}

std::vector<std::byte> scalar_bytes(const Manifest& manifest, const ScalarSpec& scalar,
                                    const Sizes& sizes) {
  std::vector<std::byte> out(element_bytes(scalar.type));
  if (const auto* real = std::get_if<double>(&scalar.value)) {
    store_float(scalar.type, *real, out.data());
    return out;
  }
  const Formula& formula = std::get<Formula>(scalar.value);
  const std::int64_t value = manifest.value(formula, sizes);
  if (!is_float(scalar.type) && !fits(scalar.type, value)) {
    manifest.fail(formula.pointer,
                  std::to_string(value) + " does not fit the type " + element_name(scalar.type));
  }
  store_integer(scalar.type, value, out.data());
  return out;
}

std::vector<std::byte> read_elements(const std::string& path, std::uint64_t bytes) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in || in.tellg() < 0) throw InputError(path + ": cannot be read");
  const auto size = static_cast<std::uint64_t>(in.tellg());
  if (size != bytes) {
    throw InputError(path + ": expected " + std::to_string(bytes) + " bytes, found " +
                     std::to_string(size));
  }
  std::vector<std::byte> out(bytes);
  in.seekg(0);
  in.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(bytes));
  if (!in) throw InputError(path + ": cannot be read");
  return out;
}

}  // namespace tessera::kernels
