// Work that a template can ask for without writing it out must count as its steps.
#include <gtest/gtest.h>

#include "base/error.h"
#include "text/jinja/interpreter.h"
#include "text/jinja/parser.h"

namespace hyalite::jinja {
namespace {

// The message with which a rendering ends.
std::string refusal(const std::string& text, const Limits& limits) {
  const Source source(text);
  try {
    const Body body = parse(source);
    Context context(source, limits, {});
    Interpreter(context).render(body, {});
    return "rendered";
  } catch (const Error& error) {
    return error.what();
  }
}

void expect_runaway(const std::string& text, const Limits& limits = {}) {
  const std::string message = refusal(text, limits);
  EXPECT_NE(message.find("runs away"), std::string::npos) << message << ": " << text;
}

// A tuple of 22 levels that holds one text four million times.
const std::string kShared = "{% set ns = namespace(t=('x',)) %}{% for i in range(22) %}{% set ns.t = (ns.t, ns.t) %}{% endfor %}";

TEST(JinjaLimits, KeysOfSharedTuples) {
  for (const char* use : {"{% set d = {ns.t: 1} %}", "{{ ns.t in {} }}", "{{ {}[ns.t] }}", "{{ {}.get(ns.t) }}",
                          "{{ dict([(ns.t, 1)]) | length }}", "{{ [ns.t] | unique | length }}", "{{ {(ns.t, 1): 1} == {1: 1} }}"})
    expect_runaway(kShared + use, {.max_steps = 1'000'000});
}

TEST(JinjaLimits, WalksOfSharedTuples) {
  for (const char* use :
       {"{{ ns.t == (ns.t[0], ns.t[1]) }}", "{{ [ns.t, ns.t] | sort | length }}", "{{ [ns.t] | max == 1 }}{{ ns.t <= ns.t }}",
        "{{ [ns.t].index(ns.t) }}", "{{ [ns.t] | groupby(0) | length }}", "{{ ns.t | tojson }}", "{{ ns.t }}", "{{ '%s' % [ns.t] }}",
        "{{ '{}'.format(ns.t) }}", "{{ ns.t | string }}", "{{ [ns.t] | join }}"})
    expect_runaway(kShared + use, {.max_steps = 1'000'000});
}

TEST(JinjaLimits, CopiesOfLongKeys) {
  const std::string big = "{% set big = 'x' * 4000000 %}{% set d = {big: 1} %}{% for i in range(1000) %}{{ ";
  for (const char* use :
       {"d[big]", "d.get(big)", "big in d", "{big: 1} | length", "dict(d) | length", "namespace(d) is defined", "''[big]"})
    expect_runaway(big + use + " }}{% endfor %}", {.max_steps = 2'000'000});
}

TEST(JinjaLimits, SearchesForLongTexts) {
  // Each byte of `hay` may begin the text that is looked for, up to its last byte.
  const std::string big = "{% set hay = 'a' * 4000000 %}{% set long = 'a' * 1000000 ~ 'b' %}{{ ";
  for (const char* use : {"long in hay", "hay.find(long)", "hay.rfind(long)", "hay.count(long)", "hay.split(long) | length",
                          "hay.replace(long, '') | length", "hay.partition(long) | length", "hay.strip('b' * 1000000) | length"})
    expect_runaway(big + use + " }}");
}

TEST(JinjaLimits, OperationsOnLongTexts) {
  const std::string big = "{% set big = 'a' * 4000000 %}{% set other = 'a' * 3999999 ~ 'b' %}{% for i in range(1000) %}{% set x = ";
  for (const char* use : {"big < other", "big is sameas other", "big.startswith(other)", "big.removeprefix('a')", "big.strip()",
                          "big.ljust(1)", "[] | tojson(separators=(big, other))", "[] | tojson(indent=big)"})
    expect_runaway(big + use + " %}{% endfor %}", {.max_steps = 2'000'000});
  EXPECT_NE(refusal("{{ " + std::string(2000, 'x') + " }}", {}).find("a name is longer"), std::string::npos);
}

TEST(JinjaLimits, KeysAreEqualAsTheirValuesAre) {
  const std::string keys = "{% set d = {1: 'a', 'i1;': 'b', ('a', 'b'): 'c', ('ab',): 'd', none: 'e', (): 'f', ((),): 'g', 1.5: 'h'} %}";
  EXPECT_EQ(
      refusal(keys + "{% if d | length != 8 or d[1.0] ~ d[true] ~ d['i1;'] ~ d[('a', 'b')] ~ d[('ab',)] ~ d[none] ~ d[()] ~ d[((),)] ~ "
                     "d[1.5] != 'aabcdefgh' %}{{ raise_exception('differ') }}{% endif %}",
              {}),
      "rendered");
}

}  // namespace
}  // namespace hyalite::jinja
