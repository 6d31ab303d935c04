#include "importers/pre_tokenizer_table.h"

#include <algorithm>

namespace hyalite {
namespace {

using Strings = std::string_view[];

// Patterns that several rows share, and parts too long for a row.
constexpr std::string_view kGpt2 = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kGpt4o =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kWideLetters = R"([一-龥ࠀ-一가-퟿]+)";
constexpr std::string_view kCjk = R"([一-龥぀-ゟ゠-ヿ]+)";
constexpr std::string_view kDeepseek =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kBloom = R"( ?[^(\s|.,!?…。，、।۔،)]+)";
constexpr std::string_view kDeepseekLetters =
    R"(\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+)";

constexpr Strings kGpt2Names = {"gpt-2",   "phi-2",  "jina-es",     "jina-de",         "gigachat",     "jina-v2-es",  "jina-v2-de",
                                "a.x-4.0", "mellum", "modern-bert", "jina-v1-en",      "jina-v2-code", "roberta-bpe", "mpt",
                                "olmo",    "jais",   "trillion",    "granite-docling", "exaone4"};
constexpr Strings kGpt2Patterns = {kGpt2};
constexpr Strings kDigitsGpt2Names = {"starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b", "mellum2"};
constexpr Strings kDigitsGpt2Patterns = {R"(\p{N})", kGpt2};
constexpr Strings kLlama3Names = {"llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "jina-v5-nano"};
constexpr Strings kLlama3Patterns = {kLlama3};
constexpr Strings kDbrxNames = {"dbrx", "smaug-bpe", "chatglm-bpe"};
constexpr Strings kDbrxPatterns = {kLlama3};
constexpr Strings kGlm4Names = {"glm4", "glm5"};
constexpr Strings kGlm4Patterns = {kLlama3};
constexpr Strings kQwen2Names = {"qwen2", "deepseek-r1-qwen", "kormo", "f2llmv2", "megrez", "stablelm2", "hunyuan", "solar-open", "grok-2"};
constexpr Strings kQwen2Patterns = {kQwen2};
constexpr Strings kQwen35Names = {"qwen35"};
constexpr Strings kQwen35Patterns = {
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|)"
    R"(\s+(?!\S)|\s+)"};
constexpr Strings kTekkenNames = {"tekken"};
constexpr Strings kTekkenPatterns = {
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr Strings kGpt4oNames = {"gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"};
constexpr Strings kGpt4oPatterns = {kGpt4o};
constexpr Strings kGraniteEmbedNames = {"granite-embed-multi-97m"};
constexpr Strings kGraniteEmbedPatterns = {kGpt4o};
constexpr Strings kTinyAyaNames = {"tiny_aya", "cohere2moe"};
constexpr Strings kTinyAyaPatterns = {R"(\d{1,3}(?=(?:\d{3})*\b))", kGpt4o};
constexpr Strings kKimiK2Names = {"kimi-k2"};
constexpr Strings kKimiK2Patterns = {
    R"([\p{Han}]+|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|)"
    R"('re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|)"
    R"('re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr Strings kDeepseekLlmNames = {"deepseek-llm"};
constexpr Strings kDeepseekLlmPatterns = {R"([\r\n])", kDeepseekLetters, R"(\s?[!-/:-~！-／：-～‘-‟　-。]+)",
                                          R"(\s+$)",   kWideLetters,     R"(\p{N})"};
constexpr Strings kDeepseekCoderNames = {"deepseek-coder"};
constexpr Strings kDeepseekCoderPatterns = {R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)", kWideLetters, R"(\p{N})"};
constexpr Strings kDeepseekV3Names = {"deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"};
constexpr Strings kDeepseekV3Patterns = {R"(\p{N}{1,3})", kCjk, kDeepseek};
constexpr Strings kSparkNames = {"spark2_5"};
constexpr Strings kSparkPatterns = {
    R"(\p{N}{1,3})", kCjk,
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+|[\r\n]|)"
    R"(\s+(?!\S)|\s+)",
    R"(\p{N})"};
constexpr Strings kYoutuNames = {"youtu"};
constexpr Strings kYoutuPatterns = {
    R"([가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥぀-ゟ゠-ヿ]+)",
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr Strings kFalconNames = {"falcon"};
constexpr Strings kFalconPatterns = {R"([\p{P}$+<=>^~|`]+)", kGpt2, R"([0-9][0-9][0-9])"};
constexpr Strings kBloomNames = {"bloom", "gpt3-finnish", "poro-chat"};
constexpr Strings kBloomPatterns = {kBloom};
constexpr Strings kVikingNames = {"viking"};
constexpr Strings kVikingPatterns = {kBloom, R"(\p{N})"};
constexpr Strings kChameleonNames = {"chameleon"};
constexpr Strings kChameleonPatterns = {
    R"(<sentinel:[0-9]+>)", R"((IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z)", R"(([\t\n]|    |  ))", R"(\p{N})", R"([\p{P}!-/:-@\[-`{-~])", kGpt2};
constexpr Strings kSuperbpeNames = {"superbpe"};
constexpr Strings kSuperbpePatterns = {R"(\p{N}+)", R"((?=(\d{3})+(?!\d)))"};
constexpr Strings kBailingmoeNames = {"bailingmoe", "bailingmoe2", "llada-moe"};
constexpr Strings kBailingmoePatterns = {
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)"};
constexpr Strings kSeedCoderNames = {"seed-coder"};
constexpr Strings kSeedCoderPatterns = {
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr Strings kUfakzekaNames = {"ufakzeka"};
constexpr Strings kUfakzekaPatterns = {R"([^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr Strings kAfmoeNames = {"afmoe"};
constexpr Strings kAfmoePatterns = {
    R"(\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N})))",
    R"([一-鿿㐀-䶿豈-﫿぀-ゟ゠-ヿ･-ﾟ⼀-⿟เ-๿຀-໿ក-៿က-႟ꩠ-ꩿꧠ-꧿가-힯ᄀ-ᇿ]+)", kDeepseek};
constexpr Strings kLagunaNames = {"laguna"};
constexpr Strings kLagunaPatterns = {R"([^\n]+|[\n]+)", kQwen2};
constexpr Strings kExaoneMoeNames = {"exaone-moe"};
constexpr Strings kExaoneMoePatterns = {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}|)"
                                        R"( ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+)"};
constexpr Strings kJais2Names = {"jais-2"};
constexpr Strings kJais2Patterns = {
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|)"
    R"(\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|)"
    R"(\s{1,2}(?!\S)|\s{1})"};
constexpr Strings kMinicpm5Names = {"minicpm5"};
constexpr Strings kMinicpm5Patterns = {
    R"(\p{N}{1,3})", R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr Strings kFallbackNames = {"default"};
constexpr Strings kFallbackPatterns = {R"([\p{P}$+<=>^~|]+)", kGpt2, R"(\p{N}+)", R"([0-9][0-9][0-9])"};

constexpr PublishedPreTokenizer kRows[] = {
    {.names = kGpt2Names, .patterns = kGpt2Patterns},
    {.names = kDigitsGpt2Names, .patterns = kDigitsGpt2Patterns},
    {.names = kLlama3Names, .patterns = kLlama3Patterns, .ignore_merges = true, .add_bos = true},
    {.names = kDbrxNames, .patterns = kDbrxPatterns},
    {.names = kGlm4Names, .patterns = kGlm4Patterns, .ignore_merges = true},
    {.names = kQwen2Names, .patterns = kQwen2Patterns},
    {.names = kQwen35Names, .patterns = kQwen35Patterns},
    {.names = kTekkenNames, .patterns = kTekkenPatterns, .ignore_merges = true, .add_bos = true},
    {.names = kGpt4oNames, .patterns = kGpt4oPatterns},
    {.names = kGraniteEmbedNames, .patterns = kGraniteEmbedPatterns, .ignore_merges = true},
    {.names = kTinyAyaNames, .patterns = kTinyAyaPatterns},
    {.names = kKimiK2Names, .patterns = kKimiK2Patterns},
    {.names = kDeepseekLlmNames, .patterns = kDeepseekLlmPatterns},
    {.names = kDeepseekCoderNames, .patterns = kDeepseekCoderPatterns},
    {.names = kDeepseekV3Names, .patterns = kDeepseekV3Patterns},
    {.names = kSparkNames, .patterns = kSparkPatterns},
    {.names = kYoutuNames, .patterns = kYoutuPatterns, .ignore_merges = true},
    {.names = kFalconNames, .patterns = kFalconPatterns},
    {.names = kBloomNames, .patterns = kBloomPatterns},
    {.names = kVikingNames, .patterns = kVikingPatterns},
    {.names = kChameleonNames, .patterns = kChameleonPatterns, .add_bos = true},
    {.names = kSuperbpeNames, .patterns = kSuperbpePatterns},
    {.names = kBailingmoeNames, .patterns = kBailingmoePatterns},
    {.names = kSeedCoderNames, .patterns = kSeedCoderPatterns},
    {.names = kUfakzekaNames, .patterns = kUfakzekaPatterns},
    {.names = kAfmoeNames, .patterns = kAfmoePatterns},
    {.names = kLagunaNames, .patterns = kLagunaPatterns},
    {.names = kExaoneMoeNames, .patterns = kExaoneMoePatterns},
    {.names = kJais2Names, .patterns = kJais2Patterns},
    {.names = kMinicpm5Names, .patterns = kMinicpm5Patterns, .ignore_merges = true},
    {.names = kFallbackNames, .patterns = kFallbackPatterns},
};

}  // namespace

const PublishedPreTokenizer* find_published_pre_tokenizer(std::string_view name) {
  for (const PublishedPreTokenizer& row : kRows)
    if (std::find(row.names.begin(), row.names.end(), name) != row.names.end()) return &row;
  return nullptr;
}

std::string_view name_of_published_pre_tokenizer(std::span<const std::string> patterns, bool ignore_merges) {
  for (const PublishedPreTokenizer& row : kRows)
    if (row.ignore_merges == ignore_merges && std::ranges::equal(row.patterns, patterns)) return row.names.front();
  return {};
}

}  // namespace hyalite
