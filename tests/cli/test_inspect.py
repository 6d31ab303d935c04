"""inspect and export."""

import json
import os
import unittest

from cli_case import CliCase, artifact, scratch, tiny


class Inspect(CliCase):
    def test_graph_text(self):
        for mode in ("prefill", "decode"):
            text = self.done("inspect", artifact(), "--mode", mode).out
            self.assertIn(f"graph @{mode}", text)
            self.assertIn("eps = 1e-05", text)

    def test_schedule(self):
        steps = self.json_of("inspect", artifact(), "--schedule")["steps"]
        self.assertGreater(len(steps), 10)
        for step in steps:
            self.assertFields(step, "variant", "reason", "refused")
            self.assertIn("bytes", json.dumps(step))
            self.assertTrue(step["reason"])

    def test_memory_is_planned_without_overlap(self):
        memory = self.json_of("inspect", artifact(), "--memory")["memory"]
        values = memory["values"]
        for one in values:
            self.assertLessEqual(one["offset"] + one["bytes"], memory["arena_bytes"])
        for i, a in enumerate(values):
            for b in values[:i]:
                apart = a["offset"] + a["bytes"] <= b["offset"] or b["offset"] + b["bytes"] <= a["offset"]
                self.assertTrue(apart or a["last"] < b["first"] or b["last"] < a["first"], f"{a['name']} and {b['name']} share memory")

    def test_weights_and_kernels(self):
        d = self.json_of("inspect", artifact(), "--weights", "--kernels")
        self.assertIn("token_embd", [w["name"] for w in d["weights"]])
        steps = self.json_of("inspect", artifact(), "--schedule")["steps"]
        self.assertEqual(sum(k["steps"] for k in d["kernels"].values()), len(steps))

    def test_pass(self):
        d = self.json_of("inspect", artifact(), "--pass-name", "qkv-fusion")
        self.assertFields(d, "diff", "remarks", "nodes_before", "nodes_after")
        self.assertIn("fused_qkv", d["diff"])
        self.assertIn("fused_qkv", self.done("inspect", artifact(), "--pass-name", "qkv-fusion").out)
        self.refused(2, "inspect", artifact(), "--pass-name", "nonsense")

    def test_tables_for_people(self):
        for flag in ("--schedule", "--memory", "--weights", "--kernels"):
            self.assertGreater(len(self.done("inspect", artifact(), flag).out.splitlines()), 2)

    def test_refuses_what_is_no_artifact(self):
        self.refused(3, "inspect", tiny())
        self.refused(2, "inspect", artifact(), "--mode", "backwards")


class Export(CliCase):
    def export(self, form, mode="decode"):
        out = scratch("file")
        self.done("export", artifact(), out, "--mode", mode, "--format", form)
        with open(out, encoding="utf-8") as file:
            return file.read()

    def test_text_is_cacheir(self):
        self.assertIn("graph @prefill", self.export("text", "prefill"))

    def test_json(self):
        self.assertTrue(json.loads(self.export("json")))

    def test_dot(self):
        text = self.export("dot")
        self.assertTrue(text.startswith("digraph"))
        self.assertEqual(text.count("{"), text.count("}"))

    def test_page_needs_nothing_from_outside(self):
        page = self.export("html")
        self.assertTrue(page.lstrip().lower().startswith("<!doctype html>"))
        for outside in ('src="http', 'href="http', "@import", 'src="//'):
            self.assertNotIn(outside, page)

    def test_refusals(self):
        out = scratch("file")
        self.refused(2, "export", artifact(), out, "--format", "jpeg")
        self.refused(3, "export", tiny(), out)
        self.assertFalse(os.path.exists(out))


if __name__ == "__main__":
    unittest.main()
