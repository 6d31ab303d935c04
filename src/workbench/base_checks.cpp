#include "workbench/base_checks.h"

#include "base/error.h"

namespace hyalite {
namespace {

constexpr int64_t kLeastContext = 4;  // a window of fewer tokens scores none
constexpr int64_t kMostOfAny = 1 << 24;

}  // namespace

void check_base_shape(int64_t context, int64_t windows, int64_t vocab, const std::string& where) {
  auto refuse = [&](const std::string& why) { throw Error(ErrorCode::invalid_model, where, why); };
  if (context < kLeastContext || context > kMostOfAny) refuse("has windows of " + std::to_string(context) + " tokens");
  if (windows < 1 || windows > kMostOfAny) refuse("has " + std::to_string(windows) + " windows");
  if (vocab < 1 || vocab > kMostOfAny) refuse("has a vocabulary of " + std::to_string(vocab) + " ids");
}

void check_base_ids(std::span<const int32_t> ids, int64_t vocab, size_t offset, const std::string& where) {
  for (size_t i = 0; i < ids.size(); ++i)
    if (ids[i] < 0 || ids[i] >= vocab)
      throw Error(ErrorCode::invalid_model, where,
                  "token " + std::to_string(i) + " is " + std::to_string(ids[i]) + ", beyond the vocabulary of " + std::to_string(vocab) +
                      " ids (at offset " + std::to_string(offset + i * sizeof(int32_t)) + ")");
}

}  // namespace hyalite
