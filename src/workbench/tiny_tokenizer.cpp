// The tokenizer of the tiny models: 256 bytes, a few merges of English, and the control tokens of ChatML.
#include "text/byte_alphabet.h"
#include "workbench/tiny_model.h"

namespace hyalite {
namespace {

// Left and right piece of each merge, in rank order; '_' is a space.
constexpr std::string_view kMerges[][2] = {{"_", "t"},   {"h", "e"},  {"_", "a"},    {"i", "n"},  {"r", "e"},   {"_t", "he"},  {"o", "n"},
                                           {"e", "r"},   {"_", "s"},  {"a", "t"},    {"_", "o"},  {"n", "d"},   {"_", "w"},    {"o", "r"},
                                           {"_", "c"},   {"e", "s"},  {"e", "n"},    {"_o", "f"}, {"_", "b"},   {"i", "s"},    {"_", "p"},
                                           {"in", "g"},  {"i", "t"},  {"_a", "nd"},  {"o", "u"},  {"_t", "o"},  {"a", "l"},    {"_", "i"},
                                           {"a", "r"},   {"e", "d"},  {"_", "m"},    {"_", "d"},  {"_", "f"},   {"_i", "n"},   {"_i", "s"},
                                           {"l", "l"},   {"a", "n"},  {"T", "he"},   {"_", "_"},  {"i", "on"},  {"at", "ion"}, {"a", "s"},
                                           {"_w", "as"}, {"_t", "h"}, {"_th", "at"}, {"_", "T"},  {"_f", "or"}, {"_th", "is"}, {"_", "n"},
                                           {"_", "h"},   {"_h", "e"}, {"_b", "e"},   {"v", "er"}, {"o", "m"},   {"_", "l"},    {"_s", "t"}};

std::string in_alphabet(std::string_view text) {
  std::string bytes(text);
  for (char& c : bytes)
    if (c == '_') c = ' ';
  return to_byte_alphabet(bytes);
}

constexpr const char* kControls[] = {"<|endoftext|>", "<|im_start|>", "<|im_end|>"};
constexpr const char* kTemplate =
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

Json byte_level(bool add_prefix_space) {
  return {{"type", "ByteLevel"}, {"add_prefix_space", add_prefix_space}, {"trim_offsets", true}, {"use_regex", true}};
}

Json added_token(int64_t id, const char* text) {
  return {{"id", id},        {"content", text},     {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

}  // namespace

TinyTokenizer tiny_tokenizer() {
  TinyTokenizer tiny;
  Json vocab = Json::object(), merges = Json::array(), added = Json::array();
  for (int byte = 0; byte < 256; ++byte) vocab[to_byte_alphabet(std::string(1, static_cast<char>(byte)))] = tiny.vocab++;
  for (const auto& [left, right] : kMerges) {
    vocab[in_alphabet(left) + in_alphabet(right)] = tiny.vocab++;
    merges.push_back({in_alphabet(left), in_alphabet(right)});
  }
  for (const char* text : kControls) added.push_back(added_token(tiny.vocab++, text));
  tiny.tokenizer = {{"version", "1.0"},          {"truncation", nullptr},      {"padding", nullptr},
                    {"added_tokens", added},     {"normalizer", nullptr},      {"pre_tokenizer", byte_level(false)},
                    {"post_processor", nullptr}, {"decoder", byte_level(true)}};
  tiny.tokenizer["model"] = {{"type", "BPE"},
                             {"dropout", nullptr},
                             {"unk_token", nullptr},
                             {"continuing_subword_prefix", nullptr},
                             {"end_of_word_suffix", nullptr},
                             {"fuse_unk", false},
                             {"byte_fallback", false},
                             {"ignore_merges", false},
                             {"vocab", vocab},
                             {"merges", merges}};
  tiny.config = {{"tokenizer_class", "PreTrainedTokenizerFast"},
                 {"bos_token", kControls[0]},
                 {"eos_token", kControls[2]},
                 {"pad_token", kControls[0]},
                 {"add_bos_token", false},
                 {"model_max_length", 2048},
                 {"clean_up_tokenization_spaces", false},
                 {"chat_template", kTemplate}};
  return tiny;
}

}  // namespace hyalite
