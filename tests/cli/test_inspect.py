import json
import os
import shutil
import unittest

from cli_case import CliCase, artifact, edit_json, scratch, tiny


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
        layers = len(d["remarks"])
        self.assertIn({"kind": "removed", "op": "matmul", "count": 2 * layers}, d["changes"])
        text = self.done("inspect", artifact(), "--pass-name", "qkv-fusion").out
        self.assertIn(f"changed {layers} x matmul -> fused_qkv", text)
        self.assertIn("fused_qkv", text)
        self.refused(2, "inspect", artifact(), "--pass-name", "nonsense")

    def test_tables_for_people(self):
        for flag in ("--schedule", "--memory", "--weights", "--kernels"):
            self.assertGreater(len(self.done("inspect", artifact(), flag).out.splitlines()), 2)

    def test_refuses_what_is_no_artifact(self):
        self.refused(3, "inspect", tiny())
        self.refused(2, "inspect", artifact(), "--mode", "backwards")

    def test_refuses_another_format_version(self):
        other = shutil.copytree(artifact(), scratch("artifact"))
        edit_json(os.path.join(other, "artifact.json"), lambda json: json.update(format_version=999))
        self.assertIn("version 999", self.refused(3, "inspect", other))


if __name__ == "__main__":
    unittest.main()
