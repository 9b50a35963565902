// SPDX-License-Identifier: Apache-2.0
#include "stimuli/traces/line_reader.h"

#include <zstd.h>

#include <algorithm>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <cstring>
#include <exception>
#include <istream>
#include <stdexcept>

#include "common/error.h"
#include "common/input_file.h"

namespace tessera::traces {
namespace {

namespace io = boost::iostreams;

constexpr std::size_t kBlockBytes = 1U << 18;
constexpr std::size_t kMostLineBytes = 16U << 20;

/// The bytes of a file, for Boost.Iostreams. Copies share the position.
class FileSource {
 public:
  using char_type = char;
  using category = io::source_tag;

  FileSource(std::shared_ptr<InputFile> file, std::shared_ptr<std::uint64_t> position)
      : file_(std::move(file)), position_(std::move(position)) {}

  std::streamsize read(char* out, std::streamsize bytes) {
    const std::size_t n = file_->read(*position_, out, static_cast<std::size_t>(bytes));
    *position_ += n;
    return n == 0 ? -1 : static_cast<std::streamsize>(n);
  }

 private:
  std::shared_ptr<InputFile> file_;
  std::shared_ptr<std::uint64_t> position_;
};

/// Frames of zstd, one after the other. Boost's filter takes a frame without its end for a whole
/// one.
class ZstdSource {
 public:
  using char_type = char;
  using category = io::source_tag;

  explicit ZstdSource(FileSource file) : state_(std::make_shared<State>(std::move(file))) {}

  std::streamsize read(char* out, std::streamsize bytes) {
    State& s = *state_;
    ZSTD_outBuffer to = {out, static_cast<std::size_t>(bytes), 0};
    for (;;) {
      // Also without input: the last call can have filled `out` before it had written all.
      if (s.within_frame || s.from.pos != s.from.size) {
        const std::size_t left = ZSTD_decompressStream(s.stream.get(), &to, &s.from);
        if (ZSTD_isError(left) != 0) throw std::runtime_error(ZSTD_getErrorName(left));
        s.within_frame = left != 0;
      }
      if (to.pos != 0) return static_cast<std::streamsize>(to.pos);
      if (s.from.pos != s.from.size || s.fill()) continue;
      if (s.within_frame) throw std::runtime_error("the file ends within a zstd frame");
      return -1;
    }
  }

 private:
  struct State {
    explicit State(FileSource f) : file(std::move(f)), packed(kBlockBytes) {}
    bool fill() {
      const std::streamsize n =
          file.read(packed.data(), static_cast<std::streamsize>(packed.size()));
      from = {packed.data(), n < 0 ? 0 : static_cast<std::size_t>(n), 0};
      return n > 0;
    }
    FileSource file;
    std::vector<char> packed;
    ZSTD_inBuffer from = {nullptr, 0, 0};
    std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream{ZSTD_createDStream(),
                                                                      &ZSTD_freeDStream};
    bool within_frame = false;
  };
  std::shared_ptr<State> state_;
};

const char* name_of(Compression c) {
  switch (c) {
    case Compression::kGzip:
      return "gzip";
    case Compression::kXz:
      return "xz";
    case Compression::kZstd:
      return "zstd";
    case Compression::kNone:
      break;
  }
  return "plain";
}

/// What is wrong with compressed data. Boost's texts do not say it.
std::string text_of(const std::exception& e) {
  if (const auto* gzip = dynamic_cast<const io::gzip_error*>(&e)) {
    const bool ends =
        gzip->error() == io::gzip::bad_footer ||
        (gzip->error() == io::gzip::zlib_error && gzip->zlib_error_code() == io::zlib::buf_error);
    if (ends) return "the file ends within a gzip stream";
    if (gzip->error() == io::gzip::bad_header) return "no header of a gzip stream";
    return gzip->error() == io::gzip::bad_crc ? "another checksum" : "no gzip stream";
  }
  if (const auto* lzma = dynamic_cast<const io::lzma_error*>(&e)) {
    return lzma->error() == io::lzma::buf_error ? "the file ends within an xz stream"
                                                : "no xz stream";
  }
  return e.what();
}

}  // namespace

Compression compression_of(std::string_view begin) {
  const auto is = [&](std::string_view magic) { return begin.substr(0, magic.size()) == magic; };
  if (is(std::string_view("\x1f\x8b", 2))) return Compression::kGzip;
  if (is(std::string_view("\xfd"
                          "7zXZ\0",
                          6))) {
    return Compression::kXz;
  }
  if (is(std::string_view("\x28\xb5\x2f\xfd", 4))) return Compression::kZstd;
  return Compression::kNone;
}

class LineReader::Stream {
 public:
  explicit Stream(const std::string& path)
      : file_(std::make_shared<InputFile>(path)), position_(std::make_shared<std::uint64_t>(0)) {
    char begin[8] = {};
    const std::size_t n = file_->read(0, begin, sizeof begin);
    kind_ = compression_of({begin, n});
    switch (kind_) {
      case Compression::kGzip:
        buffer_.push(io::gzip_decompressor());
        break;
      case Compression::kXz:
        buffer_.push(io::lzma_decompressor());
        break;
      case Compression::kZstd:
        buffer_.push(ZstdSource(FileSource(file_, position_)), kBlockBytes);
        return;
      case Compression::kNone:
        break;
    }
    buffer_.push(FileSource(file_, position_), kBlockBytes);
  }

  /// Up to `bytes` bytes; 0 at the end.
  std::size_t read(char* out, std::size_t bytes) {
    const std::streamsize n = buffer_.sgetn(out, static_cast<std::streamsize>(bytes));
    return n <= 0 ? 0 : static_cast<std::size_t>(n);
  }
  double done() const {
    if (file_->bytes() == 0) return 1;
    return std::min(1.0, static_cast<double>(*position_) / static_cast<double>(file_->bytes()));
  }
  const char* kind() const { return name_of(kind_); }

 private:
  std::shared_ptr<InputFile> file_;
  std::shared_ptr<std::uint64_t> position_;
  Compression kind_ = Compression::kNone;
  io::filtering_streambuf<io::input> buffer_;
};

LineReader::LineReader(const std::string& path)
    : path_(path), stream_(std::make_unique<Stream>(path)), buffer_(kBlockBytes) {}

LineReader::~LineReader() = default;

double LineReader::done() const { return stream_->done(); }

/// Reads another block after the bytes that are left. False at the end.
bool LineReader::fill() {
  if (at_end_) return false;
  if (begin_ != 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    if (buffer_.size() >= kMostLineBytes) {
      throw InputError(path_ + ":" + std::to_string(number_ + 1) +
                       ": expected a line of at most 16 MiB");
    }
    buffer_.resize(buffer_.size() * 2);
  }
  std::size_t n = 0;
  try {
    n = stream_->read(buffer_.data() + end_, buffer_.size() - end_);
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& e) {
    throw InputError(path_ + ":" + std::to_string(number_ + 1) + ": expected " + stream_->kind() +
                     " data, found damaged data after this line (" + text_of(e) + ")");
  }
  end_ += n;
  at_end_ = n == 0;
  return n != 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = begin_;
  for (;;) {
    const char* const from = buffer_.data() + searched;
    const auto* const stop = static_cast<const char*>(std::memchr(from, '\n', end_ - searched));
    if (stop != nullptr) {
      const auto at = static_cast<std::size_t>(stop - buffer_.data());
      line = {buffer_.data() + begin_, at - begin_};
      begin_ = at + 1;
      break;
    }
    const std::size_t left = end_ - begin_;
    if (!fill()) {
      if (begin_ == end_) return false;
      line = {buffer_.data() + begin_, end_ - begin_};
      begin_ = end_;
      break;
    }
    searched = begin_ + left;
  }
  ++number_;
  const std::size_t nul = line.find('\0');
  if (nul != std::string_view::npos) {
    throw InputError(place() + ": expected text, found a NUL byte in column " +
                     std::to_string(nul + 1));
  }
  return true;
}

}  // namespace tessera::traces
