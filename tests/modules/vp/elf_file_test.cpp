// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/elf_file.h"

#include <elf.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "common/error.h"
#include "tests/support/temporary_file.h"

namespace tessera::elf_file_test {

namespace {

/// A file of one segment of 8 bytes at 0x80000000 and two symbols.
struct Elf {
  Elf64_Ehdr header{};
  Elf64_Phdr segment{};
  unsigned char code[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  Elf64_Sym symbols[4]{};
  char names[24] = "\0main\0$x\0handler\0data";
  Elf64_Shdr sections[2]{};

  Elf() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_EXEC;
    header.e_machine = EM_RISCV;
    header.e_entry = 0x80000004;
    header.e_phoff = offsetof(Elf, segment);
    header.e_phentsize = sizeof segment;
    header.e_phnum = 1;
    header.e_shoff = offsetof(Elf, sections);
    header.e_shentsize = sizeof sections[0];
    header.e_shnum = 2;
    segment.p_type = PT_LOAD;
    segment.p_offset = offsetof(Elf, code);
    segment.p_paddr = 0x80000000;
    segment.p_filesz = 8;
    segment.p_memsz = 24;
    sections[0].sh_type = SHT_SYMTAB;
    sections[0].sh_offset = offsetof(Elf, symbols);
    sections[0].sh_size = sizeof symbols;
    sections[0].sh_entsize = sizeof symbols[0];
    sections[0].sh_link = 1;
    sections[1].sh_type = SHT_STRTAB;
    sections[1].sh_offset = offsetof(Elf, names);
    sections[1].sh_size = sizeof names;
    symbol(0, 1, 0x80000000, STT_FUNC);
    symbol(1, 6, 0x80000000, STT_NOTYPE);
    symbol(2, 9, 0x80000008, STT_NOTYPE);
    symbol(3, 17, 0x80000010, STT_OBJECT);
  }
  void symbol(unsigned i, std::uint32_t name, std::uint64_t value, unsigned char type) {
    symbols[i].st_name = name;
    symbols[i].st_value = value;
    symbols[i].st_info = ELF64_ST_INFO(STB_GLOBAL, type);
    symbols[i].st_shndx = 1;
  }
  std::string bytes() const { return {reinterpret_cast<const char*>(this), sizeof *this}; }
};

Program read(const std::string& bytes, std::uint64_t address = 0) {
  const test::TemporaryFile file(bytes);
  return read_program(file.path(), address);
}

}  // namespace

TEST_CASE("ELF: segments, entry and symbols of functions") {
  const Program p = read(Elf().bytes());
  CHECK(p.entry == 0x80000004);
  REQUIRE(p.segments.size() == 1);
  CHECK(p.segments[0].address == 0x80000000);
  CHECK(p.segments[0].bytes == 24);
  CHECK(p.segments[0].data == std::vector<unsigned char>{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(p.symbol_at(0x80000000) == "main");
  CHECK(p.symbol_at(0x80000006) == "main+0x6");
  CHECK(p.symbol_at(0x80000010) == "handler+0x8");
  CHECK(p.symbol_at(0x7fffffff).empty());
}

TEST_CASE("ELF: another file is an image") {
  const Program p = read("\x13\x05\x15", 0x80200000);
  CHECK(p.entry == 0x80200000);
  REQUIRE(p.segments.size() == 1);
  CHECK(p.segments[0].address == 0x80200000);
  CHECK(p.segments[0].bytes == 3);
}

TEST_CASE("ELF: what cannot be run is refused") {
  Elf x86;
  x86.header.e_machine = EM_X86_64;
  CHECK_THROWS_WITH(read(x86.bytes()), Catch::Contains("is not an ELF file of 64-bit RISC-V"));
  Elf object;
  object.header.e_type = ET_REL;
  CHECK_THROWS_WITH(read(object.bytes()), Catch::Contains("is not an executable"));
  Elf empty;
  empty.segment.p_type = PT_NOTE;
  CHECK_THROWS_WITH(read(empty.bytes()), Catch::Contains("has nothing to load"));
  Elf cut;
  cut.segment.p_filesz = 1U << 20;
  CHECK_THROWS_WITH(read(cut.bytes()), Catch::Contains("is cut off"));
  CHECK_THROWS_WITH(read(Elf().bytes().substr(0, 40)), Catch::Contains("is cut off"));
  CHECK_THROWS_AS(read_program("/nowhere/x.elf", 0), InputError);
}

}  // namespace tessera::elf_file_test
