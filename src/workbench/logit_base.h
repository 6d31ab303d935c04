// Log-probabilities of a base model in the file format of llama.cpp's llama-perplexity (--kl-divergence-base), so that both engines can be
// held against one base. Little-endian:
//
//   "_logits_", i32 context, i32 vocab, i32 windows, i32 ids[windows * context] (as encoded, without the BOS that replaces a window's
//   first), then a row for every scored token: f32 scale, f32 lowest, u16 codes[vocab], one u16 of padding where vocab is odd
//
// A log-probability is scale * code + lowest; logits further than 16 below a row's highest are kept as 16 below.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/atomic_file.h"

namespace hyalite {

struct LogitBaseShape {
  int32_t context = 0, vocab = 0, windows = 0;

  int64_t ids() const { return int64_t{windows} * context; }
  int64_t rows() const { return int64_t{windows} * (context - 1 - context / 2); }
};

struct LogProbRow {
  float scale = 0, lowest = 0;
  std::span<const uint16_t> codes;

  float log_prob(size_t id) const { return scale * static_cast<float>(codes[id]) + lowest; }
};

class LogitBaseWriter {
 public:
  // Throws Error{io}; takes the room on the disk. What is at `path` stays until finish(). REQUIRES: ids.size() == shape.ids().
  LogitBaseWriter(std::filesystem::path path, const LogitBaseShape& shape, std::span<const int32_t> ids);

  // REQUIRES: `shape.vocab` logits.
  void add(std::span<const float> logits);
  // Throws Error{io}. REQUIRES: `shape.rows()` rows were added.
  void finish();

 private:
  AtomicFile file_;
  std::vector<uint16_t> codes_;
};

class LogitBase {
 public:
  static bool recognises(std::span<const uint8_t> bytes);

  // `bytes` outlive the base, at an address that is a multiple of 4. Throws Error{invalid_model} naming `where` and what does not hold:
  // size, shape, an id beyond the vocabulary, a row that is no log-probabilities.
  LogitBase(std::span<const uint8_t> bytes, const std::string& where);

  const LogitBaseShape& shape() const { return shape_; }
  std::span<const int32_t> ids() const { return ids_; }
  // REQUIRES: 0 <= index < shape().rows(). In the order of the scored tokens; valid as long as the bytes.
  LogProbRow row(int64_t index) const;

 private:
  LogitBaseShape shape_;
  std::span<const int32_t> ids_;
  const uint8_t* rows_ = nullptr;
};

}  // namespace hyalite
