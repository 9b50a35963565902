// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/elf_file.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/error.h"
#include "common/hex.h"
#include "common/input_file.h"

namespace tessera {

namespace {

/// The bytes of a file, with checked accesses.
class Image {
 public:
  explicit Image(std::string file) : file_(std::move(file)) {
    const std::string text = read_input_file(file_);
    bytes_.assign(text.begin(), text.end());
  }
  bool is_elf() const {
    return bytes_.size() >= SELFMAG && std::memcmp(bytes_.data(), ELFMAG, SELFMAG) == 0;
  }
  template <class T>
  T at(std::uint64_t offset) const {
    T value;
    std::memcpy(&value, range(offset, sizeof value), sizeof value);
    return value;
  }
  const unsigned char* range(std::uint64_t offset, std::uint64_t bytes) const {
    if (offset > bytes_.size() || bytes > bytes_.size() - offset) {
      throw InputError(file_ + ": the ELF file is cut off");
    }
    return bytes_.data() + offset;
  }
  /// A text that ends with 0.
  std::string text(std::uint64_t offset) const {
    std::string out;
    while (const unsigned char c = *range(offset++, 1)) out += static_cast<char>(c);
    return out;
  }
  const std::vector<unsigned char>& bytes() const { return bytes_; }
  const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::vector<unsigned char> bytes_;
};

void read_symbols(const Image& image, const Elf64_Ehdr& header, Program& program) {
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto section =
        image.at<Elf64_Shdr>(header.e_shoff + std::uint64_t{i} * header.e_shentsize);
    if (section.sh_type != SHT_SYMTAB || section.sh_entsize == 0) continue;
    const auto names =
        image.at<Elf64_Shdr>(header.e_shoff + std::uint64_t{section.sh_link} * header.e_shentsize);
    for (std::uint64_t s = 0; s < section.sh_size / section.sh_entsize; ++s) {
      const auto symbol = image.at<Elf64_Sym>(section.sh_offset + s * section.sh_entsize);
      const auto type = ELF64_ST_TYPE(symbol.st_info);
      const bool is_label =
          type == STT_NOTYPE && symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS;
      if (type != STT_FUNC && !is_label) continue;
      const std::string name = image.text(names.sh_offset + symbol.st_name);
      if (name.empty() || name[0] == '$' || name[0] == '.') continue;
      std::string& known = program.symbols[symbol.st_value];
      if (known.empty() || type == STT_FUNC) known = name;
    }
  }
}

}  // namespace

std::string Program::symbol_at(std::uint64_t address) const {
  auto after = symbols.upper_bound(address);
  const bool inside = std::any_of(segments.begin(), segments.end(),
                                  [&](const Segment& s) { return address - s.address < s.bytes; });
  if (!inside || after == symbols.begin()) return "";
  --after;
  if (after->first == address) return after->second;
  return after->second + "+" + hex(address - after->first);
}

std::string symbol_in(const std::vector<Program>& programs, std::uint64_t address) {
  for (const Program& p : programs) {
    std::string symbol = p.symbol_at(address);
    if (!symbol.empty()) return symbol;
  }
  return "";
}

Program read_program(const std::string& file, std::uint64_t address) {
  const Image image(file);
  Program program;
  if (!image.is_elf()) {
    if (image.bytes().empty()) throw InputError(file + ": it is empty");
    program.entry = address;
    program.segments.push_back({address, image.bytes().size(), image.bytes()});
    return program;
  }
  const auto header = image.at<Elf64_Ehdr>(0);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_machine != EM_RISCV) {
    throw InputError(file + ": is not an ELF file of 64-bit RISC-V");
  }
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) {
    throw InputError(file + ": is not an executable; link it");
  }
  program.entry = header.e_entry;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto part = image.at<Elf64_Phdr>(header.e_phoff + std::uint64_t{i} * header.e_phentsize);
    if (part.p_type != PT_LOAD || part.p_memsz == 0) continue;
    const unsigned char* const data = image.range(part.p_offset, part.p_filesz);
    program.segments.push_back({part.p_paddr, part.p_memsz, {data, data + part.p_filesz}});
  }
  if (program.segments.empty()) throw InputError(file + ": has nothing to load");
  read_symbols(image, header, program);
  return program;
}

}  // namespace tessera
