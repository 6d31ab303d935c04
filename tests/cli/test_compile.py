"""compile, and the artifact that it leaves."""

import os
import shutil
import unittest

from cli_case import CliCase, artifact, edit_json, scratch, tiny

GREEDY = ("--raw", "--prompt", "The cat sat on", "--temperature", "0", "--max-new-tokens", "8", "--ignore-eos")
FAMILIES = ("llama", "qwen2", "qwen3", "gemma3")


def copy_of(path):
    copy = scratch("copy")
    shutil.copytree(path, copy)
    return copy


class Compile(CliCase):
    def ids(self, model):
        return self.json_of("run", model, *GREEDY)["token_ids"]

    def test_passes(self):
        out = scratch("a")
        d = self.json_of("compile", tiny(), "-o", out)
        self.assertGreater(len(d["passes"]), 10)
        for one in d["passes"]:
            self.assertFields(one, "name", "changed", "nodes_before", "nodes_after", "ms")
        diffs = sorted(os.listdir(os.path.join(out, "passes")))
        changed = [f"{i:02}-{p['name']}.diff" for i, p in enumerate(d["passes"], 1) if p["changed"]]
        self.assertEqual(diffs, changed)
        self.assertIn("qkv-fusion", "".join(diffs))

    def test_validate_measures_every_pass(self):
        for family in FAMILIES:
            with self.subTest(family=family):
                passes = self.json_of("compile", tiny(family), "-o", scratch("a"), "--validate")["passes"]
                errors = {p["name"]: p["max_abs_error"] for p in passes}
                self.assertNotIn(None, errors.values())
                # Choosing kernels is where rounding starts; the passes around it only rewrite, and the last two move things about.
                self.assertLess(errors.pop("kernel-selection"), 0.1)
                self.assertLess(max(errors.values()), 1e-3)
                self.assertEqual(errors["scheduling"], 0)
                self.assertEqual(errors["memory-planning"], 0)

    def test_validate_says_where_plans_are_too_small_to_measure(self):
        passes = self.json_of("compile", tiny(), "-o", scratch("a"), "--validate", "--max-batch", 1)["passes"]
        self.assertIsNone(passes[-1]["max_abs_error"])
        self.assertIn("too small", passes[-1]["remarks"][-1]["text"])

    def test_an_artifact_runs_like_its_model(self):
        for family in FAMILIES:
            with self.subTest(family=family):
                self.assertEqual(self.ids(artifact(family=family)), self.ids(tiny(family)))

    def test_an_artifact_runs_as_it_was_compiled(self):
        for flags in (("--isa", "scalar"), ("--numerics", "reference")):
            with self.subTest(flags=flags):
                out = scratch("as_compiled")
                self.done("compile", tiny(), "-o", out, *flags)
                self.assertEqual(self.ids(out), self.json_of("run", tiny(), *GREEDY, *flags)["token_ids"])
        self.assertIn("reference", self.refused(2, "run", out, *GREEDY, "--numerics", "deterministic"))

    def test_a_compilation_that_stopped_is_neither_run_nor_predicted(self):
        stopped = scratch("stopped")
        self.done("compile", tiny(), "-o", stopped, "--stop-after", "scheduling")
        for verb in ("plan", "run"):
            self.assertIn("stopped after scheduling", self.refused(3, verb, stopped, *(GREEDY if verb == "run" else ())))

    def test_a_layer_without_attention_runs(self):
        stopped, text, out = scratch("stopped"), scratch("cut.cir"), scratch("a")
        self.done("compile", tiny(), "-o", stopped, "--stop-after", "shape-inference")
        with open(os.path.join(stopped, "graphs", "module.cir"), encoding="utf-8") as file:
            lines = file.readlines()
        kept = "".join(line for line in lines if not line.startswith("  %blk1.attn"))
        with open(text, "w", encoding="utf-8") as file:
            file.write(kept.replace("%blk1.attn.residual", "%blk0.ffn.residual").replace("%blk1.kv", "%blk0.kv"))
        self.done("compile", tiny(), "-o", out, "--resume-from", text)
        self.assertEqual(len(self.ids(out)), 8)

    def test_a_text_that_is_no_model_is_refused(self):
        stopped = scratch("stopped")
        self.done("compile", tiny(), "-o", stopped, "--stop-after", "prefill-decode-specialisation")
        with open(os.path.join(stopped, "graphs", "module.cir"), encoding="utf-8") as file:
            whole = file.read()
        texts = {
            "holds no graph": "",
            "no graph @prefill": whole[: whole.index("graph @decode")].replace("graph @prefill", "graph @other"),
            "is none of the passes": whole.replace("prefill-decode-specialisation", "another-pass", 1),
        }
        for word, text in texts.items():
            with self.subTest(word=word):
                path = scratch("part.cir")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                error = self.refused(3, "compile", tiny(), "-o", scratch("a"), "--resume-from", path)
                self.assertIn(word, error)
                self.assertIn(path, error)

    def test_resumes_from_every_stage(self):
        names = [p["name"] for p in self.json_of("compile", tiny(), "-o", scratch("a"))["passes"]]
        want = self.ids(tiny())
        for name in names:
            with self.subTest(stage=name):
                stopped, whole = scratch("stopped"), scratch("whole")
                self.assertEqual(self.json_of("compile", tiny(), "-o", stopped, "--stop-after", name)["stage"], name)
                graphs = os.path.join(stopped, "graphs")
                texts = ["decode.cir", "prefill.cir"] if name == names[-1] else ["module.cir"]
                self.assertEqual(sorted(os.listdir(graphs)), texts)
                for source in [graphs] if len(texts) > 1 else [graphs, os.path.join(graphs, texts[0])]:
                    self.done("compile", tiny(), "-o", whole, "--resume-from", source, "--max-seq", 256)
                    self.assertEqual(self.ids(whole), want)

    def test_a_text_of_one_mode_goes_on_beside_the_models_own_other(self):
        graphs, out = os.path.join(artifact(), "graphs"), scratch("whole")
        for name in ("prefill.cir", "decode.cir"):
            with self.subTest(text=name):
                self.done("compile", tiny(), "-o", out, "--resume-from", os.path.join(graphs, name), "--max-seq", 256)
                self.assertEqual(self.ids(out), self.ids(artifact()))
                for text in ("prefill.cir", "decode.cir"):
                    with open(os.path.join(graphs, text), encoding="utf-8") as one, open(os.path.join(out, "graphs", text), encoding="utf-8") as other:
                        self.assertEqual(one.read(), other.read())

    def test_the_other_mode_is_measured_and_shown_like_the_text(self):
        names = [p["name"] for p in self.json_of("compile", tiny(), "-o", scratch("a"))["passes"]]
        whole = os.path.join(artifact("--stop-after", "prefill-decode-specialisation"), "graphs", "module.cir")
        part = scratch("part.cir")
        with open(whole, encoding="utf-8") as text, open(part, "w", encoding="utf-8") as out:
            out.write("\ngraph @".join(one for one in text.read().split("\ngraph @") if not one.startswith("prefill")))
        for text in (part, os.path.join(artifact(), "graphs", "decode.cir")):
            with self.subTest(text=text):
                out = scratch("whole")
                passes = self.json_of("compile", tiny(), "-o", out, "--resume-from", text, "--validate")["passes"]
                self.assertEqual([p["name"] for p in passes], names)
                self.assertNotIn(None, [p["max_abs_error"] for p in passes])
                diffs = os.listdir(os.path.join(out, "passes"))
                self.assertEqual(len(diffs), sum(p["changed"] for p in passes))
                (fusion,) = [one for one in diffs if "-qkv-fusion" in one]
                with open(os.path.join(out, "passes", fusion), encoding="utf-8") as diff:
                    self.assertIn("qkv", diff.read())

    def test_texts_that_do_not_belong_together_are_refused(self):
        folder = copy_of(os.path.join(artifact(), "graphs"))
        shutil.copy(os.path.join(artifact("--stop-after", "dce"), "graphs", "module.cir"), folder)
        self.assertIn("another pass", self.refused(3, "compile", tiny(), "-o", scratch("a"), "--resume-from", folder))
        self.assertIn("holds no graph", self.refused(3, "compile", tiny(), "-o", scratch("a"), "--resume-from", os.path.dirname(scratch("empty"))))

    def test_goes_on_only_before_the_stop(self):
        path = os.path.join(artifact("--stop-after", "dce"), "graphs", "module.cir")
        self.assertIn("dce", self.refused(2, "compile", tiny(), "-o", scratch("a"), "--resume-from", path, "--stop-after", "cse"))

    def test_planning_passes_leave_what_they_chose(self):
        for name in ("kernel-selection", "scheduling"):
            stopped = artifact("--stop-after", name)
            steps = self.json_of("inspect", stopped, "--mode", "decode", "--schedule")["steps"]
            self.assertTrue(all(step["variant"] and step["reason"] for step in steps))
            self.assertIn(name, self.refused(3, "run", stopped, *GREEDY))

    def test_a_stopped_artifact_does_not_run(self):
        stopped = artifact("--stop-after", "cse")
        self.assertIn("stopped after cse", self.refused(3, "run", stopped, *GREEDY))

    def test_broken_text_is_refused_with_its_place(self):
        text = scratch("broken.cir")
        with open(text, "w", encoding="utf-8") as file:
            file.write("module @m {\n  nonsense\n}\n")
        self.assertRegex(self.refused(3, "compile", tiny(), "-o", scratch("a"), "--resume-from", text), r"broken\.cir:?\D*\d+:\d+")

    def test_another_version_is_refused(self):
        copy = copy_of(artifact())
        edit_json(os.path.join(copy, "artifact.json"), lambda d: d.update(format_version=999))
        error = self.refused(3, "run", copy, *GREEDY)
        self.assertIn("999", error)

    def test_changed_weights_are_refused_by_name(self):
        copy = copy_of(artifact())
        path = os.path.join(copy, "weights", "packed.bin")
        with open(path, "r+b") as file:
            file.seek(os.path.getsize(path) // 2)
            byte = file.read(1)
            file.seek(-1, 1)
            file.write(bytes([byte[0] ^ 1]))
        self.assertIn("packed.bin", self.refused(3, "run", copy, *GREEDY))

    def test_plans_that_do_not_fit_their_weights_are_refused(self):
        def other_vocabulary(d):
            d["model"]["vocab"] += 1

        def other_shape(d):
            d["weights"]["entries"][0]["dims"][0] += 16

        def odd_offset(d):
            d["weights"]["entries"][0]["offset"] += 1

        def another_place(d):
            d["weights"]["entries"][2]["offset"] = d["weights"]["entries"][0]["offset"]

        def swapped_names(d):
            one, other = [e for e in d["weights"]["entries"] if e["name"].endswith(("attn_q", "attn_output"))][:2]
            one["name"], other["name"] = other["name"], one["name"]

        def more_bytes(d):
            d["weights"]["bytes"] += 64

        targets = {"isa": "foo", "numerics": "reference", "kv_dtype": "f32", "max_positions": 2000}
        other_targets = [lambda d, one=one: d["target"].update([one]) for one in targets.items()]
        for change in (other_vocabulary, other_shape, odd_offset, another_place, swapped_names, more_bytes, *other_targets):
            with self.subTest(change.__name__):
                copy = copy_of(artifact())
                edit_json(os.path.join(copy, "artifact.json"), change)
                self.refused(3, "run", copy, *GREEDY)

    def test_what_is_shown_is_what_was_written(self):
        for name, look in (("graphs/decode.cir", ()), ("passes/05-qkv-fusion.diff", ("--pass-name", "qkv-fusion"))):
            copy = copy_of(artifact())
            with open(os.path.join(copy, name), "a", encoding="utf-8") as file:
                file.write("// tampered")
            self.assertIn("changed or damaged", self.refused(3, "inspect", copy, *look))
            os.remove(os.path.join(copy, name))
            self.assertIn("is missing", self.refused(3, "inspect", copy, *look))

    def test_broken_artifacts_are_refused(self):
        for name in ("artifact.json", "tokenizer.json", "schedules/prefill.json", "schedules/decode.json", "weights/packed.bin"):
            for damage in ("removed", "empty", "cut"):
                with self.subTest(file=name, damage=damage):
                    copy = copy_of(artifact())
                    path = os.path.join(copy, name)
                    if damage == "removed":
                        os.remove(path)
                    else:
                        os.truncate(path, 0 if damage == "empty" else os.path.getsize(path) // 2)
                    self.refused(3, "run", copy, *GREEDY)

    def test_an_artifact_says_what_it_was_compiled_for(self):
        self.assertIn("reference", self.refused(2, "run", artifact(), *GREEDY, "--numerics", "reference"))

    def test_replaces_an_artifact_but_nothing_else(self):
        out = scratch("out")
        for _ in range(2):
            self.done("compile", tiny(), "-o", out)
        folder = scratch("precious")
        os.makedirs(folder)
        with open(os.path.join(folder, "words.txt"), "w") as file:
            file.write("words")
        self.refused(2, "compile", tiny(), "-o", folder)
        self.assertEqual(os.listdir(folder), ["words.txt"])
        with open(os.path.join(out, "words.txt"), "w") as file:
            file.write("words")
        self.refused(2, "compile", tiny(), "-o", out)
        self.assertTrue(os.path.exists(os.path.join(out, "words.txt")))

    def test_a_failed_compile_leaves_nothing(self):
        out = scratch("out")
        self.refused(2, "compile", tiny(), "-o", out, "--stop-after", "nonsense")
        self.assertEqual(os.listdir(os.path.dirname(out)), [])


if __name__ == "__main__":
    unittest.main()
