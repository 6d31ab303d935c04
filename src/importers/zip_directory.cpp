#include "importers/zip_directory.h"

#include <algorithm>
#include <utility>

#include "importers/byte_reader.h"

namespace hyalite {
namespace {

constexpr uint32_t kEndMark = 0x06054b50, kEnd64Mark = 0x06064b50, kLocatorMark = 0x07064b50, kEntryMark = 0x02014b50,
                   kLocalMark = 0x04034b50;
constexpr uint64_t kEndBytes = 22, kLocatorBytes = 20, kMaxComment = 65535, kMinEntryBytes = 46;
constexpr uint32_t kIn64BitField = 0xffffffff;

struct Directory {
  uint64_t entries = 0, offset = 0, bytes = 0;
};

ByteReader reader_at(std::span<const uint8_t> bytes, const std::string& file, uint64_t offset, const char* what) {
  ByteReader in(bytes, file);
  in.take(offset, what);
  return in;
}

// The end record is the last thing in the archive but for a comment, whose length must fit.
uint64_t find_end(std::span<const uint8_t> bytes, const std::string& file) {
  const uint64_t size = bytes.size();
  for (uint64_t comment = 0; comment <= kMaxComment && kEndBytes + comment <= size; ++comment) {
    ByteReader in = reader_at(bytes, file, size - kEndBytes - comment, "end record");
    if (in.read<uint32_t>("mark") != kEndMark) continue;
    in.take(16, "end record");
    if (in.read<uint16_t>("comment length") == comment) return size - kEndBytes - comment;
  }
  throw Error(ErrorCode::invalid_model, file, "has no zip directory at its end");
}

Directory read_end64(std::span<const uint8_t> bytes, const std::string& file, uint64_t end) {
  if (end < kLocatorBytes) throw Error(ErrorCode::invalid_model, file, "has no room for its 64-bit directory locator");
  ByteReader locator = reader_at(bytes, file, end - kLocatorBytes, "locator");
  if (locator.read<uint32_t>("mark") != kLocatorMark) locator.refuse("the 64-bit directory locator is missing");
  locator.read<uint32_t>("disk");
  ByteReader in = reader_at(bytes, file, locator.read<uint64_t>("offset of the 64-bit end record"), "64-bit end record");
  if (in.read<uint32_t>("mark") != kEnd64Mark) in.refuse("the 64-bit end record is missing");
  in.take(28, "64-bit end record");
  Directory directory;
  directory.entries = in.read<uint64_t>("entries");
  directory.bytes = in.read<uint64_t>("directory size");
  directory.offset = in.read<uint64_t>("directory offset");
  return directory;
}

Directory read_end(std::span<const uint8_t> bytes, const std::string& file) {
  const uint64_t end = find_end(bytes, file);
  ByteReader in = reader_at(bytes, file, end, "end record");
  in.read<uint32_t>("mark");
  if (in.read<uint32_t>("disk numbers") != 0) in.refuse("is a zip archive in several parts", ErrorCode::unsupported);
  in.read<uint16_t>("entries here");
  Directory directory;
  directory.entries = in.read<uint16_t>("entries");
  directory.bytes = in.read<uint32_t>("directory size");
  directory.offset = in.read<uint32_t>("directory offset");
  const bool wide = directory.entries == 0xffff || directory.bytes == kIn64BitField || directory.offset == kIn64BitField;
  return wide ? read_end64(bytes, file, end) : directory;
}

// Sizes and the offset that did not fit 32 bits stand in the extra field 1, in this order.
void read_wide_fields(ByteReader extra, uint64_t& size, uint64_t& stored, uint64_t& offset) {
  while (extra.left() >= 4) {
    const auto id = extra.read<uint16_t>("extra field");
    const auto length = extra.read<uint16_t>("extra length");
    if (id != 1) {
      extra.take(length, "extra field");
      continue;
    }
    for (uint64_t* field : {&size, &stored, &offset})
      if (*field == kIn64BitField) *field = extra.read<uint64_t>("64-bit field");
    return;
  }
}

// Moves from the local header at `offset` to the data.
uint64_t data_offset(std::span<const uint8_t> bytes, const std::string& file, std::string_view name, uint64_t offset) {
  ByteReader in(bytes, file);
  in.set_context("member", name);
  in.take(offset, "local header");
  if (in.read<uint32_t>("mark") != kLocalMark) in.refuse("has no local header where the directory says");
  in.take(22, "local header");
  const auto name_length = in.read<uint16_t>("name length"), extra_length = in.read<uint16_t>("extra length");
  in.take(name_length + uint64_t{extra_length}, "local header");
  return in.offset();
}

// A member with its local header: where it begins.
struct Entry {
  ZipMember member;
  uint64_t begin = 0;
};

Entry read_entry(ByteReader& in, std::span<const uint8_t> bytes, const std::string& file) {
  ZipMember member;
  if (in.read<uint32_t>("mark") != kEntryMark) in.refuse("the zip directory is broken");
  in.take(4, "versions");
  const auto flags = in.read<uint16_t>("flags");
  member.method = in.read<uint16_t>("method");
  in.take(4, "time");
  member.crc32 = in.read<uint32_t>("checksum");
  uint64_t stored = in.read<uint32_t>("stored size"), size = in.read<uint32_t>("size");
  const auto name_length = in.read<uint16_t>("name length"), extra_length = in.read<uint16_t>("extra length"),
             comment_length = in.read<uint16_t>("comment length");
  in.take(8, "attributes");
  uint64_t offset = in.read<uint32_t>("offset");
  const auto name = in.take(name_length, "name");
  member.name = {reinterpret_cast<const char*>(name.data()), name.size()};
  in.set_context("member", member.name);
  if (flags & 1) in.refuse("is encrypted", ErrorCode::unsupported);
  read_wide_fields(ByteReader(in.take(extra_length, "extra fields"), file), size, stored, offset);
  in.take(comment_length, "comment");
  member.offset = data_offset(bytes, file, member.name, offset);
  member.bytes = stored;
  if (stored > bytes.size() - member.offset) in.refuse("needs " + std::to_string(stored) + " bytes, more than the file has");
  if (member.method == 0 && stored != size) in.refuse("is stored in " + std::to_string(stored) + " bytes, but has " + std::to_string(size));
  in.set_context({}, {});
  return {member, offset};
}

// Members that share bytes would let a small archive claim any amount of work.
void check_apart(std::vector<Entry> entries, const std::string& file) {
  std::ranges::stable_sort(entries, {}, &Entry::begin);
  for (size_t i = 1; i < entries.size(); ++i) {
    const ZipMember &before = entries[i - 1].member, &member = entries[i].member;
    if (before.offset + before.bytes > entries[i].begin)
      throw Error(ErrorCode::invalid_model, file + ": member " + std::string(member.name),
                  "overlaps member " + std::string(before.name) + " (at offset " + std::to_string(entries[i].begin) + ")");
  }
}

}  // namespace

std::vector<ZipMember> read_zip_directory(std::span<const uint8_t> bytes, const std::string& file) {
  const Directory directory = read_end(bytes, file);
  ByteReader in = reader_at(bytes, file, directory.offset, "zip directory");
  if (directory.bytes > in.left() || directory.entries > directory.bytes / kMinEntryBytes)
    in.refuse("the zip directory claims " + std::to_string(directory.entries) + " entries in " + std::to_string(directory.bytes) +
              " bytes");
  std::vector<Entry> entries;
  for (uint64_t i = 0; i < directory.entries; ++i) entries.push_back(read_entry(in, bytes, file));
  std::vector<ZipMember> members;
  for (const Entry& entry : entries) members.push_back(entry.member);
  check_apart(std::move(entries), file);
  return members;
}

}  // namespace hyalite
