// A file of base log-probabilities of either format, told apart by its first bytes.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "workbench/comparison.h"

namespace hyalite {

class BaseFile {
 public:
  // Nothing where `path` is no such file, perhaps a model. Throws Error{invalid_model} for one that is damaged.
  static std::optional<BaseFile> open(const std::filesystem::path& path);

  const WindowCut& cut() const { return cut_; }
  std::span<const int32_t> ids() const { return ids_; }  // the text

  // Throws Error{invalid_argument} where the model has another vocabulary.
  void check_vocabulary(const Engine& model) const;
  // Throws Error{invalid_argument} naming the first token in which the text `file`, split into `ids`, is another than the base's.
  void check_text(std::span<const int32_t> ids, const std::string& file, const Tokenizer& tokenizer) const;

  // REQUIRES: check_vocabulary(model).
  std::vector<Divergence> compare_with(Engine& model, const WindowProgress& progress) const;

  // What it is and how its KL is meant: {"kind", "kl": "exact", "lower bound" or "estimate", ...}.
  Json description() const;

 private:
  std::string path_;
  std::shared_ptr<MappedFile> file_;
  std::optional<CompactBase> compact_;
  std::optional<LogitBase> logits_;
  WindowCut cut_;
  std::span<const int32_t> ids_;
  int64_t vocab_ = 0;
};

}  // namespace hyalite
