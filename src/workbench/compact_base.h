// Log-probabilities of a base model over a text, small enough to keep: for each scored token the likeliest ids with their
// log-probabilities, and that of everything else together. The text is in it as token ids, the vocabulary as a digest. Little-endian:
//
//   "HYALBASE", u32 version, u32 context, u32 vocab, u32 windows, u32 kept, u32 bytes of the model's name, 32 digits of the vocabulary's
//   digest, the name padded with zeros to a multiple of 4, i32 ids[windows * context], then for every scored token: f32 log-probability of
//   the token that follows, f32 of all ids that are not kept (minus infinity where all are), i32 ids[kept] from the likeliest on, f32
//   log-probabilities[kept]; then 32 digits of the digest of all bytes before
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "workbench/distribution.h"
#include "workbench/scored_windows.h"

namespace hyalite {

inline constexpr uint32_t kCompactBaseVersion = 1;
inline constexpr int64_t kMostKept = 1 << 16;

struct CompactBaseHead {
  std::string model;       // its name, for messages
  std::string vocabulary;  // vocabulary_digest of its tokenizer
  int64_t vocab = 0;
  WindowCut cut;
  int64_t kept = 0;
};

// Of every token's bytes, in the order of ids.
std::string vocabulary_digest(const Tokenizer& tokenizer, int64_t ids);

struct CompactRow {
  float next_log_prob = 0;
  float rest_log_prob = 0;
  std::span<const int32_t> ids;
  std::span<const float> log_probs;
};

class CompactBaseWriter {
 public:
  // Takes memory for all rows. REQUIRES: ids.size() == cut.windows * cut.context, 0 < head.kept <= min(head.vocab, kMostKept).
  CompactBaseWriter(const CompactBaseHead& head, std::span<const int32_t> ids);

  // Any thread, each row once.
  void set(int64_t scored, const Distribution& distribution, int32_t next);
  // The whole file, where every row was set.
  std::string finish() &&;

 private:
  int64_t vocab_, kept_;
  size_t rows_at_;
  std::string bytes_;
};

class CompactBase {
 public:
  static bool recognises(std::span<const uint8_t> bytes);

  // `bytes` outlive the base. Throws Error{invalid_model} naming `where` and what does not hold: size, version, digest, an id beyond the
  // vocabulary, a log-probability that is none.
  CompactBase(std::span<const uint8_t> bytes, const std::string& where);

  const CompactBaseHead& head() const { return head_; }
  std::span<const int32_t> ids() const { return ids_; }
  // REQUIRES: 0 <= scored < head().cut.scored()
  CompactRow row(int64_t scored) const;

 private:
  CompactBaseHead head_;
  std::span<const int32_t> ids_;
  const uint8_t* rows_ = nullptr;
};

}  // namespace hyalite
