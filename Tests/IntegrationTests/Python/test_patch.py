"""Runs the patch vectors: python3 -m unittest test_patch"""

import copy
import json
import pathlib
import unittest

from json_patch import PatchError, apply_patch, equal

VECTORS = pathlib.Path(__file__).parents[2] / "Vectors" / "patches"


class PatchTests(unittest.TestCase):
    def test_vectors(self):
        paths = sorted(VECTORS.glob("*.json"))
        self.assertGreater(len(paths), 20)
        for path in paths:
            with self.subTest(path.stem):
                self.check(json.loads(path.read_text()))

    def check(self, vector):
        value = vector["before"]
        for frame in vector["frames"]:
            before = copy.deepcopy(value)
            if vector.get("fails"):
                with self.assertRaises(PatchError):
                    apply_patch(value, frame["ops"])
                self.assertTrue(equal(value, before))
                return
            patched = apply_patch(value, frame["ops"])
            self.assertTrue(equal(value, before), "the value given has changed")
            value = patched
        self.assertTrue(equal(value, vector["after"]), f"{value} is not {vector['after']}")

    def test_equality_tells_booleans_from_numbers(self):
        self.assertFalse(equal(True, 1))
        self.assertFalse(equal({"a": [0]}, {"a": [False]}))
        self.assertTrue(equal({"a": 1, "b": 2.0}, {"b": 2, "a": 1.0}))


if __name__ == "__main__":
    unittest.main()
