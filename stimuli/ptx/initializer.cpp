// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/initializer.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "stimuli/ptx/constant.h"

namespace tessera::ptx {
namespace {

constexpr unsigned kAddressBytes = 8;

bool is_opaque(Type t) {
  return t == Type::kTexref || t == Type::kSamplerref || t == Type::kSurfref;
}

class Initializer {
 public:
  Initializer(TokenStream& in, const std::vector<std::uint64_t>& dimensions, Variable& variable)
      : in_(in), variable_(variable), element_bytes_(type_bytes(variable.type)) {
    // strides_[k]: scalars per item of level k; an item of the last level is a scalar.
    std::vector<std::uint64_t> sizes = dimensions;
    if (variable.vector > 1) sizes.push_back(variable.vector);
    unsized_ = !sizes.empty() && sizes.front() == kUnsized;
    strides_.assign(sizes.size() + 1, 1);
    for (std::size_t k = sizes.size(); k > 0; --k) {
      strides_[k - 1] = strides_[k] * (k == 1 && unsized_ ? 0 : sizes[k - 1]);
    }
  }

  void run() {
    if (in_.at("{")) {
      list(0, 0);
    } else if (strides_.size() > 1) {
      in_.fail("'{' to open the initialiser of an array or a vector");
    } else {
      scalar(0);
    }
    if (unsized_ && strides_[1] != 0) {
      const std::uint64_t rows = (used_ + strides_[1] - 1) / strides_[1];
      variable_.elements = rows * strides_[1] / variable_.vector;
    }
    join_byte_masks();
  }

 private:
  /// Maximum number of scalars of an item of the level.
  std::uint64_t capacity(std::size_t level) const {
    return level == 0 && unsized_ ? kMostInitialBytes : strides_[level];
  }

  void list(std::size_t level, std::uint64_t base) {
    if (level >= strides_.size()) in_.fail("a value: the variable has no more dimensions");
    in_.expect("{", "to open the initialiser");
    std::uint64_t at = base;
    if (in_.accept("}")) return;
    do {
      if (in_.at("{")) {
        const std::uint64_t item = level + 1 < strides_.size() ? strides_[level + 1] : 1;
        if (item != 0) at = base + (at - base + item - 1) / item * item;
        check_room(at + item, base + capacity(level));
        list(level + 1, at);
        at += item;
        used_ = std::max(used_, at);
      } else {
        check_room(at + 1, base + capacity(level));
        scalar(at++);
      }
    } while (in_.accept(","));
    in_.expect("}", "to close the initialiser");
  }

  void check_room(std::uint64_t needed, std::uint64_t capacity_end) const {
    if (needed > capacity_end) in_.fail("no more values than the variable has elements");
  }

  void scalar(std::uint64_t index) {
    used_ = std::max(used_, index + 1);
    offset_ = index * element_bytes_;
    if (offset_ + element_bytes_ > kMostInitialBytes) {
      in_.fail("an initialiser of at most " + std::to_string(kMostInitialBytes) + " bytes");
    }
    if (in_.at(Token::Kind::kInteger) && in_.at("(", 1)) {
      masked_symbol();
    } else if (in_.at("&") || (in_.at(Token::Kind::kWord) && !in_.at("WARP_SZ"))) {
      const Symbol s = symbol();
      add_symbol(s, std::min(element_bytes_, kAddressBytes), 0);
    } else {
      value();
    }
  }

  struct Symbol {
    std::string name;
    std::int64_t addend = 0;
  };

  Symbol symbol() {
    in_.accept("&");
    Symbol s;
    if (in_.at("generic") && in_.at("(", 1)) {
      in_.next();
      in_.next();
      s.name = std::string(in_.expect(Token::Kind::kWord, "a variable's name").text);
      s.addend = addend();
      in_.expect(")", "to end 'generic'");
    } else {
      s.name = std::string(in_.expect(Token::Kind::kWord, "a variable's name").text);
    }
    s.addend += addend();
    return s;
  }

  std::int64_t addend() {
    std::uint64_t sum = 0;
    while (in_.at("+") || in_.at("-")) {
      const bool minus = in_.next().text == "-";
      const Constant c = parse_constant_term(in_);
      if (c.is_float) in_.fail("an integer offset before it");
      sum = minus ? sum - c.bits : sum + c.bits;
    }
    constexpr std::int64_t kFarthest = std::int64_t{1} << 48;
    const auto offset = static_cast<std::int64_t>(sum);
    if (offset > kFarthest || offset < -kFarthest) in_.fail("a smaller offset before it");
    return offset;
  }

  /// "0xFF00(sym)": the bytes of the address under the mask.
  void masked_symbol() {
    const unsigned line = in_.line();
    std::uint64_t mask = in_.next().bits;
    unsigned shift = 0;
    unsigned bytes = 0;
    while (mask != 0 && (mask & 0xff) == 0) {
      mask >>= 8;
      shift += 8;
    }
    while ((mask & 0xff) == 0xff) {
      mask >>= 8;
      ++bytes;
    }
    if (mask != 0 || bytes == 0 || bytes > element_bytes_) {
      in_.fail(line, "bad mask of a symbol's address", "whole bytes that fit the variable's type");
    }
    in_.expect("(", "after the mask");
    const Symbol s = symbol();
    in_.expect(")", "to end the masked address");
    add_symbol(s, bytes, shift);
  }

  void add_symbol(const Symbol& s, unsigned bytes, unsigned shift) {
    if (bytes == 0) in_.fail("a type that can hold an address before it");
    reserve(bytes);
    if (bytes == kAddressBytes && shift == 0) {
      variable_.initial_symbols.emplace_back(offset_, s.name);
      variable_.initial_addends.push_back(s.addend);
    } else {
      variable_.partial_symbols.push_back({offset_, s.name, s.addend, bytes, shift});
    }
  }

  /// Merges eight byte masks to one address, because compilers write a pointer in a structure this
  /// way.
  void join_byte_masks() {
    std::vector<PartialSymbol> rest;
    const std::vector<PartialSymbol>& parts = variable_.partial_symbols;
    for (std::size_t i = 0; i < parts.size();) {
      unsigned run = 0;
      while (run < kAddressBytes && i + run < parts.size()) {
        const PartialSymbol& part = parts[i + run];
        if (part.bytes != 1 || part.shift != 8 * run || part.offset != parts[i].offset + run ||
            part.name != parts[i].name || part.addend != parts[i].addend) {
          break;
        }
        ++run;
      }
      if (run == kAddressBytes) {
        variable_.initial_symbols.emplace_back(parts[i].offset, parts[i].name);
        variable_.initial_addends.push_back(parts[i].addend);
        i += run;
      } else {
        rest.push_back(parts[i++]);
      }
    }
    variable_.partial_symbols = std::move(rest);
  }

  void reserve(unsigned bytes) {
    if (variable_.initial.size() < offset_ + bytes) variable_.initial.resize(offset_ + bytes);
  }

  void store(std::uint64_t bits, bool sign) {
    reserve(element_bytes_);
    for (unsigned i = 0; i < element_bytes_; ++i) {
      const bool beyond = i >= sizeof bits;
      variable_.initial[offset_ + i] =
          beyond ? (sign ? 0xff : 0) : static_cast<std::uint8_t>(bits >> (8 * i));
    }
  }

  void value() {
    const unsigned line = in_.line();
    const Constant c = parse_constant(in_);
    if (element_bytes_ == 0) {
      in_.fail(line, "value for a variable of type ." + std::string(type_name(variable_.type)),
               "a type with a size in memory");
    }
    const bool f32 = variable_.type == Type::kF32;
    const bool f64 = variable_.type == Type::kF64;
    double number = 0;
    if (c.is_float) std::memcpy(&number, &c.bits, sizeof number);
    if (f32 || f64) {
      if (!c.is_float) {
        number = c.is_unsigned ? static_cast<double>(c.bits)
                               : static_cast<double>(static_cast<std::int64_t>(c.bits));
      }
      store(f32 ? single_bits(number) : double_bits(number), false);
    } else if (!c.is_float) {
      store_integer(c, line);
    } else if (element_bytes_ == 8) {
      store(c.bits, false);
    } else if (element_bytes_ == 4 && c.is_f32) {
      store(single_bits(number), false);
    } else {
      in_.fail(
          line,
          "floating-point value for a variable of type ." + std::string(type_name(variable_.type)),
          "an integer");
    }
  }

  void store_integer(const Constant& c, unsigned line) {
    const auto sign = !c.is_unsigned && static_cast<std::int64_t>(c.bits) < 0;
    if (element_bytes_ < 8) {
      const unsigned width = 8 * element_bytes_;
      const auto value = static_cast<std::int64_t>(c.bits);
      const bool fits = sign ? value >= -(std::int64_t{1} << (width - 1)) : c.bits >> width == 0;
      if (!fits) {
        in_.fail(line, "value out of range",
                 "one that fits ." + std::string(type_name(variable_.type)));
      }
    }
    store(c.bits, sign);
  }

  static std::uint64_t double_bits(double value) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }

  static std::uint64_t single_bits(double value) {
    const auto single = static_cast<float>(value);
    std::uint32_t bits;
    std::memcpy(&bits, &single, sizeof bits);
    return bits;
  }

  TokenStream& in_;
  Variable& variable_;
  unsigned element_bytes_;
  bool unsized_ = false;
  std::vector<std::uint64_t> strides_;
  std::uint64_t used_ = 0;
  std::uint64_t offset_ = 0;
};

}  // namespace

void parse_initializer(TokenStream& in, const std::vector<std::uint64_t>& dimensions,
                       Variable& variable) {
  if (is_opaque(variable.type) && in.at("{")) return in.skip_brackets("{", "}");
  Initializer(in, dimensions, variable).run();
}

}  // namespace tessera::ptx
