#include "workbench/compact_base.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/digest.h"
#include "base/error.h"
#include "workbench/base_checks.h"

namespace hyalite {
namespace {

constexpr std::string_view kMagic = "HYALBASE";
constexpr size_t kDigestBytes = 32;
constexpr uint32_t kLongestName = 1 << 12;
constexpr double kSumTolerance = 1e-3;

enum Field { version, context, vocab, windows, kept, name_bytes, field_count };
constexpr size_t kHeadBytes = kMagic.size() + field_count * sizeof(uint32_t) + kDigestBytes;

size_t padded(size_t bytes) {
  return (bytes + 3) / 4 * 4;
}

size_t row_bytes(int64_t kept) {
  return 2 * sizeof(float) + static_cast<size_t>(kept) * (sizeof(int32_t) + sizeof(float));
}

template <class T>
void append(std::string& bytes, const T* values, size_t count) {
  bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

std::string name_to_keep(const std::string& name) {
  return name.substr(0, kLongestName);
}

// The likeliest `count` ids, from the likeliest on; of equals the lower id first.
std::vector<int32_t> likeliest(std::span<const float> logits, int64_t count) {
  std::vector<int32_t> ids(logits.size());
  std::iota(ids.begin(), ids.end(), 0);
  auto before = [&](int32_t a, int32_t b) { return logits[a] != logits[b] ? logits[a] > logits[b] : a < b; };
  std::nth_element(ids.begin(), ids.begin() + (count - 1), ids.end(), before);
  ids.resize(count);
  std::sort(ids.begin(), ids.end(), before);
  return ids;
}

bool is_log_prob(float value) {
  return value <= 1e-5F;  // false for what is no number
}

}  // namespace

std::string vocabulary_digest(const Tokenizer& tokenizer, int64_t ids) {
  std::string all;
  for (int64_t id = 0; id < ids; ++id) {
    const std::string_view piece = tokenizer.piece(static_cast<int32_t>(id));
    all += std::to_string(piece.size()) + ':';
    all += piece;
  }
  return digest_of(all);
}

CompactBaseWriter::CompactBaseWriter(const CompactBaseHead& head, std::span<const int32_t> ids) : vocab_(head.vocab), kept_(head.kept) {
  HYALITE_CHECK(head.vocabulary.size() == kDigestBytes && kept_ > 0 && kept_ <= std::min(vocab_, kMostKept), "the head is not valid");
  const std::string name = name_to_keep(head.model);
  const uint32_t fields[field_count] = {kCompactBaseVersion,
                                        static_cast<uint32_t>(head.cut.context),
                                        static_cast<uint32_t>(head.vocab),
                                        static_cast<uint32_t>(head.cut.windows),
                                        static_cast<uint32_t>(head.kept),
                                        static_cast<uint32_t>(name.size())};
  bytes_ = kMagic;
  append(bytes_, fields, std::size(fields));
  bytes_ += head.vocabulary + name;
  bytes_.resize(kHeadBytes + padded(name.size()));
  append(bytes_, ids.data(), ids.size());
  rows_at_ = bytes_.size();
  bytes_.resize(rows_at_ + row_bytes(kept_) * static_cast<size_t>(head.cut.scored()));
}

void CompactBaseWriter::set(int64_t scored, const Distribution& d, int32_t next) {
  const std::vector<int32_t> ids = likeliest(d.logits, kept_);
  std::vector<float> log_probs(ids.size());
  double mass = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    log_probs[i] = static_cast<float>(d.log_prob(ids[i]));
    mass += std::exp(d.log_prob(ids[i]));
  }
  const double rest = kept_ == vocab_ ? 0 : std::max(0.0, 1 - mass);
  const float head[] = {static_cast<float>(d.log_prob(next)), static_cast<float>(std::log(rest))};
  char* at = bytes_.data() + rows_at_ + row_bytes(kept_) * static_cast<size_t>(scored);
  std::memcpy(at, head, sizeof head);
  std::memcpy(at + sizeof head, ids.data(), ids.size() * sizeof(int32_t));
  std::memcpy(at + sizeof head + ids.size() * sizeof(int32_t), log_probs.data(), log_probs.size() * sizeof(float));
}

std::string CompactBaseWriter::finish() && {
  bytes_ += digest_of(bytes_);
  return std::move(bytes_);
}

bool CompactBase::recognises(std::span<const uint8_t> bytes) {
  return bytes.size() >= kMagic.size() && std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

CompactBase::CompactBase(std::span<const uint8_t> bytes, const std::string& where) {
  auto refuse = [&](const std::string& why) { throw Error(ErrorCode::invalid_model, where, why); };
  if (!recognises(bytes)) refuse("does not begin with HYALBASE");
  if (bytes.size() < kHeadBytes + kDigestBytes) refuse("ends inside its header");
  uint32_t fields[field_count];
  std::memcpy(fields, bytes.data() + kMagic.size(), sizeof fields);
  if (fields[version] != kCompactBaseVersion)
    refuse("is a base file of version " + std::to_string(fields[version]) + ", this build reads version " +
           std::to_string(kCompactBaseVersion));
  check_base_shape(fields[context], fields[windows], fields[vocab], where);
  if (fields[kept] < 1 || fields[kept] > std::min<uint32_t>(fields[vocab], kMostKept))
    refuse("keeps " + std::to_string(fields[kept]) + " of " + std::to_string(fields[vocab]) + " ids");
  if (fields[name_bytes] > kLongestName) refuse("has a name of " + std::to_string(fields[name_bytes]) + " bytes");
  head_.cut = {fields[context], fields[windows]};
  head_.vocab = fields[vocab];
  head_.kept = fields[kept];
  // Rows times their size could overflow, each by itself cannot; so divide.
  const size_t ids_at = kHeadBytes + padded(fields[name_bytes]);
  const size_t id_bytes = size_t{fields[context]} * fields[windows] * sizeof(int32_t);
  const size_t fixed = ids_at + id_bytes + kDigestBytes;
  if (bytes.size() < fixed || (bytes.size() - fixed) % row_bytes(head_.kept) != 0 ||
      (bytes.size() - fixed) / row_bytes(head_.kept) != static_cast<size_t>(head_.cut.scored()))
    refuse("has " + std::to_string(bytes.size()) + " bytes, which its header does not explain");
  const char* text = reinterpret_cast<const char*>(bytes.data());
  const size_t content = bytes.size() - kDigestBytes;
  if (digest_of(bytes.first(content)) != std::string_view(text + content, kDigestBytes)) refuse("is damaged: its digest does not fit");
  head_.vocabulary.assign(text + kMagic.size() + sizeof fields, kDigestBytes);
  head_.model.assign(text + kHeadBytes, fields[name_bytes]);
  ids_ = {reinterpret_cast<const int32_t*>(bytes.data() + ids_at), id_bytes / sizeof(int32_t)};
  rows_ = bytes.data() + ids_at + id_bytes;

  check_base_ids(ids_, head_.vocab, ids_at, where);
  auto known = [&](int32_t id) { return id >= 0 && id < head_.vocab; };
  for (int64_t i = 0; i < head_.cut.scored(); ++i) {
    const CompactRow one = row(i);
    double sum = std::exp(static_cast<double>(one.rest_log_prob));
    for (float log_prob : one.log_probs) sum += std::exp(static_cast<double>(log_prob));
    const bool sound = std::ranges::all_of(one.ids, known) && std::ranges::all_of(one.log_probs, is_log_prob) &&
                       is_log_prob(one.rest_log_prob) && is_log_prob(one.next_log_prob) && std::abs(sum - 1) < kSumTolerance;
    if (!sound) refuse("row " + std::to_string(i) + " is no distribution over the vocabulary");
  }
}

CompactRow CompactBase::row(int64_t scored) const {
  const uint8_t* at = rows_ + row_bytes(head_.kept) * static_cast<size_t>(scored);
  CompactRow row;
  std::memcpy(&row.next_log_prob, at, sizeof(float));
  std::memcpy(&row.rest_log_prob, at + sizeof(float), sizeof(float));
  at += 2 * sizeof(float);
  const auto count = static_cast<size_t>(head_.kept);
  row.ids = {reinterpret_cast<const int32_t*>(at), count};
  row.log_probs = {reinterpret_cast<const float*>(at + count * sizeof(int32_t)), count};
  return row;
}

}  // namespace hyalite
