// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/contents.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "common/error.h"
#include "common/input_file.h"
#include "stimuli/runner/random.h"

namespace tessera::kernels {
namespace {

/// A file of raw elements, open for reading.
class ElementFile {
 public:
  /// Throws InputError if the file cannot be read or has another size.
  ElementFile(const std::string& path, std::uint64_t bytes) : file_(path) {
    if (file_.bytes() == bytes) return;
    throw InputError(path + ": expected " + std::to_string(bytes) + " bytes, found " +
                     std::to_string(file_.bytes()));
  }

  void read(std::uint64_t offset, std::byte* out, std::uint64_t bytes) const {
    if (file_.read(offset, out, bytes) == bytes) return;
    throw InputError(file_.path() + ": has become shorter while it was read");
  }

 private:
  InputFile file_;
};

/// Generates any part of initial contents whose elements are independent of each other.
class AnyPart {
 public:
  AnyPart(const Inputs& inputs, const ArraySpec& array) : inputs_(inputs), array_(array) {}

  Contents operator()(const Iota& iota) const {
    if (is_float(array_.type)) {
      return floats([first = real(iota.start), by = real(iota.step)](std::uint64_t i) {
        return first + static_cast<double>(i) * by;
      });
    }
    return integers([first = value(std::get<Formula>(iota.start)),
                     by = value(std::get<Formula>(iota.step))](std::uint64_t i) {
      return first + static_cast<std::int64_t>(i) * by;
    });
  }

  Contents operator()(const Constant& c) const {
    if (const auto* v = std::get_if<double>(&c.value)) {
      return floats([v = *v](std::uint64_t) { return v; });
    }
    return integers([v = value(std::get<Formula>(c.value))](std::uint64_t) { return v; });
  }

  Contents operator()(const Uniform& u) const {
    return floats([all = random(), u](std::uint64_t i) {
      Random at = all;
      at.skip(i);
      return at.uniform(u.low, u.high);
    });
  }

  Contents operator()(const RandomIntegers& r) const {
    return integers([all = random(), low = value(r.low), high = value(r.high)](std::uint64_t i) {
      Random at = all;
      at.skip(i);
      return at.integer(low, high);
    });
  }

  Contents operator()(const FromFile& f) const {
    const std::uint64_t bytes = inputs_.count(array_) * element_bytes(array_.type);
    const auto file = std::make_shared<ElementFile>(f.path, bytes);
    return [file](std::uint64_t offset, std::byte* out, std::uint64_t n) {
      file->read(offset, out, n);
    };
  }

  template <class T>
  Contents operator()(const T&) const {
    return nullptr;
  }

 private:
  /// `of(i)` is the value of element i.
  template <class F>
  Contents floats(F of) const {
    return each(
        [type = array_.type, of](std::uint64_t i, std::byte* to) { store_float(type, of(i), to); });
  }
  template <class F>
  Contents integers(F of) const {
    return each([type = array_.type, of](std::uint64_t i, std::byte* to) {
      store_integer(type, of(i), to);
    });
  }
  template <class F>
  Contents each(F store) const {
    return [step = std::uint64_t{element_bytes(array_.type)}, store](
               std::uint64_t offset, std::byte* out, std::uint64_t bytes) {
      for (std::uint64_t done = 0; done < bytes; done += step) {
        store((offset + done) / step, out + done);
      }
    };
  }

  Random random() const { return Random(inputs_.seed(), array_.name); }
  double real(const Number& n) const {
    const auto* v = std::get_if<double>(&n);
    return v != nullptr ? *v : static_cast<double>(value(std::get<Formula>(n)));
  }
  std::int64_t value(const Formula& f) const {
    return inputs_.manifest().value(f, inputs_.sizes());
  }

  const Inputs& inputs_;
  const ArraySpec& array_;
};

}  // namespace

/// Generates initial contents whose elements depend on each other, in order.
class Filler {
 public:
  Filler(const Inputs& inputs, const ArraySpec& array, const Inputs::Sink& sink)
      : inputs_(inputs),
        array_(array),
        sink_(sink),
        count_(inputs.count(array)),
        step_(element_bytes(array.type)),
        piece_(Inputs::kPieceBytes / step_) {
    begin(0);
  }

  /// Passes the remaining pieces to the sink. Elements without a value are zero.
  void finish() {
    while (begin_ < count_) next_piece();
  }

  void operator()(const Zero&) {}

  void operator()(const AsInModule&) {
    throw std::logic_error("only the module knows the contents of '" + array_.name + "'");
  }

  void operator()(const Permutation&) {
    Random random(inputs_.seed(), array_.name);
    std::vector<std::int64_t> order(count_);
    for (std::uint64_t i = 0; i < count_; ++i) order[i] = static_cast<std::int64_t>(i);
    shuffle(random, order);
    for (std::uint64_t i = 0; i < count_; ++i) integer(i, order[i]);
  }

  void operator()(const RowStarts& r) {
    if (const auto* degree = std::get_if<Formula>(&r.degrees)) return pairs_of_rows(value(*degree));
    Random random(inputs_.seed(), array_.name);
    const auto* range = std::get_if<RandomIntegers>(&r.degrees);
    const std::int64_t low = range != nullptr ? value(range->low) : 0;
    const std::int64_t high = range != nullptr ? value(range->high) : 0;
    std::int64_t start = 0;
    integer(0, 0);
    for (std::uint64_t i = 1; i < count_; ++i) {
      start += range != nullptr ? random.integer(low, high)
                                : std::get<std::vector<std::int64_t>>(r.degrees)[i - 1];
      integer(i, start);
    }
  }

  void operator()(const Columns& c) {
    const std::vector<std::int64_t> starts = inputs_.row_starts(c);
    const std::int64_t of = value(c.of);
    if (static_cast<std::uint64_t>(starts.back()) != count_) {
      inputs_.manifest().fail(
          array_.pointer, "the rows of \"" + c.rows + "\" have " + std::to_string(starts.back()) +
                              " elements in all, but \"count\" is " + std::to_string(count_));
    }
    Random random(inputs_.seed(), array_.name);
    for (std::size_t row = 0; row + 1 < starts.size(); ++row) {
      const std::int64_t degree = starts[row + 1] - starts[row];
      if (degree > of) {
        inputs_.manifest().fail(c.pointer,
                                "row " + std::to_string(row) + " has " + std::to_string(degree) +
                                    " elements, more than the " + std::to_string(of) + " columns");
      }
      std::vector<std::int64_t> chosen = distinct(random, degree, of);
      if (!c.sorted) shuffle(random, chosen);
      for (std::int64_t k = 0; k < degree; ++k) {
        integer(static_cast<std::uint64_t>(starts[row] + k), chosen[static_cast<std::size_t>(k)]);
      }
    }
  }

  void operator()(const List& list) {
    for (std::uint64_t i = 0; i < count_; ++i) {
      if (is_float(array_.type)) {
        store_float(array_.type, list.values[i].real, at(i));
      } else {
        integer(i, list.values[i].integer);
      }
    }
  }

  template <class T>
  void operator()(const T&) {
    throw std::logic_error("'" + array_.name + "' has contents of any part");
  }

 private:
  /// The row lengths of a pair are degree + d and degree - d with a random d.
  void pairs_of_rows(std::int64_t degree) {
    Random random(inputs_.seed(), array_.name);
    std::int64_t start = 0;
    integer(0, 0);
    for (std::uint64_t i = 1; i + 1 < count_; i += 2) {
      const std::int64_t longer = random.integer(-(degree / 2), degree / 2);
      integer(i, start + degree + longer);
      start += 2 * degree;
      integer(i + 1, start);
    }
  }

  /// Fisher-Yates shuffle.
  static void shuffle(Random& random, std::vector<std::int64_t>& values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      const auto other =
          static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(i) - 1));
      std::swap(values[i - 1], values[other]);
    }
  }

  /// `n` distinct numbers below `of`, ascending (Floyd's sampling: Bentley and Floyd,
  /// "Programming pearls: a sample of brilliance", 1987).
  static std::vector<std::int64_t> distinct(Random& random, std::int64_t n, std::int64_t of) {
    std::set<std::int64_t> chosen;
    for (std::int64_t last = of - n; last < of; ++last) {
      if (!chosen.insert(random.integer(0, last)).second) chosen.insert(last);
    }
    return {chosen.begin(), chosen.end()};
  }

  /// Elements must be requested in ascending order; elements of earlier pieces are not kept.
  std::byte* at(std::uint64_t i) {
    while (i >= begin_ + piece_) next_piece();
    return buffer_.data() + (i - begin_) * step_;
  }
  void begin(std::uint64_t element) {
    begin_ = element;
    const std::uint64_t left = element < count_ ? count_ - element : 0;
    buffer_.assign(std::min(piece_, left) * step_, std::byte{0});
  }
  void next_piece() {
    sink_(begin_ * step_, buffer_.data(), buffer_.size());
    begin(begin_ + piece_);
  }
  void integer(std::uint64_t i, std::int64_t v) { store_integer(array_.type, v, at(i)); }
  std::int64_t value(const Formula& f) const {
    return inputs_.manifest().value(f, inputs_.sizes());
  }

  const Inputs& inputs_;
  const ArraySpec& array_;
  const Inputs::Sink& sink_;
  std::uint64_t count_;
  std::uint64_t step_;
  std::uint64_t piece_;      ///< elements
  std::uint64_t begin_ = 0;  ///< first element of the piece in the buffer
  std::vector<std::byte> buffer_;
};

Inputs::Inputs(const Manifest& manifest, Scale scale, std::uint64_t seed)
    : manifest_(manifest), sizes_(manifest.sizes_of(scale)), seed_(seed) {}

std::int64_t Inputs::size(const std::string& name) const {
  const auto it = sizes_.find(name);
  if (it == sizes_.end()) throw std::logic_error("no size '" + name + "'");
  return it->second;
}

std::uint64_t Inputs::count(const ArraySpec& array) const {
  if (array.count) return static_cast<std::uint64_t>(manifest_.value(*array.count, sizes_));
  const auto* columns = std::get_if<Columns>(&array.initial);
  if (columns == nullptr) throw std::logic_error("the module's '" + array.name + "' is not known");
  const auto known = counts_.find(array.name);
  if (known != counts_.end()) return known->second;
  const auto count = static_cast<std::uint64_t>(row_starts(*columns).back());
  if (count == 0) manifest_.fail(array.pointer, "the rows of \"" + columns->rows + "\" are empty");
  counts_[array.name] = count;
  return count;
}

std::vector<std::int64_t> Inputs::row_starts(const Columns& columns) const {
  const ArraySpec& rows = *manifest_.array(columns.rows);
  std::vector<std::byte> raw(count(rows) * element_bytes(rows.type));
  fill(rows, raw.data());
  std::vector<std::int64_t> out(count(rows));
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = load_integer(rows.type, raw.data() + i * element_bytes(rows.type));
    if (out[i] < (i == 0 ? 0 : out[i - 1]) || (i == 0 && out[i] != 0)) {
      manifest_.fail(columns.pointer, "\"" + columns.rows + "\" holds no row starts: element " +
                                          std::to_string(i) + " is " + std::to_string(out[i]) +
                                          (i == 0 ? ", not 0" : ", less than the one before"));
    }
  }
  return out;
}

double Inputs::scalar(const std::string& name) const {
  const ScalarSpec* s = manifest_.scalar(name);
  if (s == nullptr) throw std::logic_error("no scalar '" + name + "'");
  const std::vector<std::byte> raw = manifest_.element(s->value, s->type, sizes_);
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

Contents Inputs::contents(const ArraySpec& array) const {
  return std::visit(AnyPart(*this, array), array.initial);
}

void Inputs::stream(const ArraySpec& array, const Sink& sink) const {
  if (const Contents part = contents(array)) {
    const std::uint64_t bytes = count(array) * element_bytes(array.type);
    std::vector<std::byte> piece(std::min(kPieceBytes, bytes));
    for (std::uint64_t offset = 0; offset < bytes; offset += kPieceBytes) {
      const std::uint64_t size = std::min(kPieceBytes, bytes - offset);
      part(offset, piece.data(), size);
      sink(offset, piece.data(), size);
    }
    return;
  }
  Filler filler(*this, array, sink);
  std::visit(filler, array.initial);
  filler.finish();
}

void Inputs::fill(const ArraySpec& array, std::byte* out) const {
  stream(array, [out](std::uint64_t offset, const std::byte* contents, std::uint64_t bytes) {
    std::copy_n(contents, bytes, out + offset);
  });
}

std::vector<std::byte> read_elements(const std::string& path, std::uint64_t bytes) {
  // The file's size is checked before the memory is allocated.
  const ElementFile file(path, bytes);
  std::vector<std::byte> out(bytes);
  file.read(0, out.data(), bytes);
  return out;
}

}  // namespace tessera::kernels
