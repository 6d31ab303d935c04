#include "workbench/base_file.h"

#include <cmath>

#include "base/error.h"

namespace hyalite {

std::optional<BaseFile> BaseFile::open(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  BaseFile base;
  base.path_ = path.string();
  base.file_ = MappedFile::open(path);
  if (CompactBase::recognises(base.file_->bytes())) {
    base.compact_.emplace(base.file_->bytes(), base.path_);
    base.cut_ = base.compact_->head().cut;
    base.ids_ = base.compact_->ids();
    base.vocab_ = base.compact_->head().vocab;
    return base;
  }
  if (!LogitBase::recognises(base.file_->bytes())) return std::nullopt;
  base.logits_.emplace(base.file_->bytes(), base.path_);
  base.cut_ = {base.logits_->shape().context, base.logits_->shape().windows};
  base.ids_ = base.logits_->ids();
  base.vocab_ = base.logits_->shape().vocab;
  return base;
}

void BaseFile::check_vocabulary(const Engine& model) const {
  auto refuse = [&](const std::string& why) { throw Error(ErrorCode::invalid_argument, path_, why); };
  if (vocab_ != model.valid_ids())
    refuse("was made with a vocabulary of " + std::to_string(vocab_) + " ids, the model has " + std::to_string(model.valid_ids()));
  if (compact_ && compact_->head().vocabulary != vocabulary_digest(model.tokenizer(), vocab_))
    refuse("was made by " + compact_->head().model + " with other tokens in its vocabulary of " + std::to_string(vocab_));
}

void BaseFile::check_text(std::span<const int32_t> ids, const std::string& file, const Tokenizer& tokenizer) const {
  for (size_t i = 0; i < ids_.size(); ++i) {
    if (i < ids.size() && ids[i] == ids_[i]) continue;
    const std::string here = i < ids.size() ? "is '" + std::string(tokenizer.piece(ids[i])) + "'" : "is missing";
    throw Error(ErrorCode::invalid_argument, file,
                "is not the text of " + path_ + ": token " + std::to_string(i) + " " + here + ", there it is '" +
                    std::string(tokenizer.piece(ids_[i])) + "'");
  }
}

std::vector<Divergence> BaseFile::compare_with(Engine& model, const WindowProgress& progress) const {
  return compact_ ? compare(*compact_, model, progress) : compare(*logits_, model, progress);
}

Json BaseFile::description() const {
  if (!compact_) return {{"kind", "llama.cpp"}, {"kl", "estimate"}, {"bits", 16}};
  double kept = 0;
  for (int64_t i = 0; i < cut_.scored(); ++i) kept -= std::expm1(static_cast<double>(compact_->row(i).rest_log_prob));
  return {{"kind", "compact"},
          {"model", compact_->head().model},
          {"kl", compact_->head().kept == vocab_ ? "exact" : "lower bound"},
          {"kept_ids", compact_->head().kept},
          {"kept_probability", kept / static_cast<double>(cut_.scored())}};
}

}  // namespace hyalite
