"""Random instances of a part, drawn from its JSON Schema: a new part is tested as soon as it exists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from barchan.errors import SceneError
from barchan.registry import Part


def drawn(path: Path) -> bool:
    """Whether a picture shows something: more than a tenth of a per cent of its pixels are not as its corner."""
    with Image.open(path) as image:
        pixels = np.asarray(image.convert("RGB"), int)
    return bool((np.abs(pixels - pixels[0, 0]).max(axis=2) > 30).mean() > 1e-3)


def sample(part: type[Part], count: int, seed: int = 0) -> list[Any]:
    """`count` valid instances; numbers are of order one, half of the optional fields are left out."""
    schema = part.model_json_schema()
    rng = np.random.default_rng(seed)
    found: list[Any] = []
    for _ in range(1000 * count):
        try:
            found.append(part(**_fields(schema, rng)))
        except SceneError:
            continue  # a rule between two fields, such as low < high
        if len(found) == count:
            return found
    raise AssertionError(f"no valid {part.key!r} could be drawn from its schema")


def _fields(schema: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    required = schema.get("required", [])
    fields = schema.get("properties", {}).items()
    drawn = {name: field for name, field in fields if name in required or rng.random() < 0.5}
    return {name: _value(field, rng) for name, field in drawn.items() if name in required or not _is_text(field)}


def _is_text(schema: dict[str, Any]) -> bool:
    """Whether a field holds free text, such as a path, which nobody can make up."""
    return schema.get("anyOf", [schema])[0].get("type") == "string" and "enum" not in schema


def _value(schema: dict[str, Any], rng: np.random.Generator) -> Any:
    if "examples" in schema:
        return schema["examples"][rng.integers(len(schema["examples"]))]
    if "enum" in schema:
        return schema["enum"][rng.integers(len(schema["enum"]))]
    if "anyOf" in schema:
        return _value(schema["anyOf"][0], rng)  # a number rather than a string, a value rather than none
    if "prefixItems" in schema:
        return [_value(item, rng) for item in schema["prefixItems"]]
    if schema.get("type") == "array":
        return [_value(schema["items"], rng) for _ in range(rng.integers(4))]
    if schema.get("type") == "number":
        positive = "minimum" in schema or "exclusiveMinimum" in schema
        return float(rng.uniform(0.3, 1.5) if positive else rng.uniform(-1.5, 1.5))
    if schema.get("type") == "boolean":
        return bool(rng.random() < 0.5)
    raise AssertionError(f"no sample for {schema}")
