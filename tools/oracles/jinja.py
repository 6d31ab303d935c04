#!/usr/bin/env python3
"""Writes tests/jinja/*.json: what Jinja2, set up as transformers sets it up for chat templates, makes of snippets and whole templates.

Needs: jinja2 3.1.6. Run from the root of the repository. Cases live in jinja_snippets.py and jinja_templates.py beside this file.
"""
import datetime
import json
import pathlib
import sys

import jinja2
import jinja2.ext
import jinja2.nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import jinja_snippets  # noqa: E402
import jinja_templates  # noqa: E402

NOW = datetime.datetime(2024, 7, 26, 14, 5, 9)


class Generation(jinja2.ext.Extension):
    """{% generation %}: marks what the model wrote; the text itself is unchanged."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_same"), [], [], body).set_lineno(line)

    def _same(self, caller):
        return caller()


def make_environment():
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])

    def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    def raise_exception(message):
        raise jinja2.TemplateError(message)

    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = NOW.strftime
    return env


def render(env, source, variables):
    """The text, or None where Jinja2 raises; and the message of what it raises."""
    try:
        return env.from_string(source).render(**variables), None
    except Exception as error:  # any exception is a refusal
        return None, str(error)


def case_of(env, source, variables):
    text, error = render(env, source, variables)
    crlf, _ = render(env, source.replace("\n", "\r\n"), variables)
    assert crlf == text, source
    return {"expected": text} if error is None else {"error": error}


def snippets(env):
    for group, cases in jinja_snippets.CASES.items():
        for number, case in enumerate(cases):
            source, variables = case if isinstance(case, tuple) else (case, {})
            all_variables = {"messages": [], "tools": None, "documents": None, "add_generation_prompt": True}
            all_variables.update(bos_token="<s>", eos_token="</s>", **variables)
            result = case_of(env, source, all_variables)
            wants_error = group.startswith("errors")
            if ("error" in result) != wants_error:
                sys.exit(f"{group} {number}: {source!r} gives {result}")
            yield {"name": f"{group}.{number}", "source": source, "variables": variables, **result}


def templates(env):
    for name, source in jinja_templates.TEMPLATES.items():
        cases = []
        for title, case in jinja_templates.CONVERSATIONS.items():
            variables = {"documents": None, "bos_token": "<s>", "eos_token": "</s>", "messages": case["messages"],
                         "tools": case.get("tools"), "add_generation_prompt": case.get("add_generation_prompt", True)}
            variables.update(case.get("variables", {}))
            cases.append({"conversation": title, **case_of(env, source, variables)})
        yield {"name": name, "source": source, "cases": cases}


def write(path, value):
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main():
    env = make_environment()
    out = pathlib.Path("tests/jinja")
    write(out / "snippets.json", list(snippets(env)))
    write(out / "templates.json", {"conversations": jinja_templates.CONVERSATIONS, "templates": list(templates(env))})


if __name__ == "__main__":
    main()
