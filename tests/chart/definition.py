# SPDX-License-Identifier: Apache-2.0
"""CustomResourceDefinitions as an API server uses them: structural rules, validation,
defaults, and the fields that it drops."""

import copy

import jsonschema

PRESERVE = "x-kubernetes-preserve-unknown-fields"

# What a structural schema may have, of that which an API server knows.
KEYWORDS = {
    "type", "description", "properties", "items", "additionalProperties", "required",
    "enum", "default", "pattern", "format", "nullable", "maxLength", "minLength",
    "maxItems", "minItems", "maximum", "minimum", PRESERVE,
    "x-kubernetes-map-type", "x-kubernetes-list-type", "x-kubernetes-list-map-keys",
}  # fmt: skip
TYPES = {"object", "array", "string", "integer", "number", "boolean"}


def structural_faults(schema, where=""):
    """Why a schema is not structural, or not described, as sentences."""
    for key in sorted(set(schema) - KEYWORDS):
        yield f"{where}: unknown keyword {key}"
    kind = schema.get("type")
    if kind not in TYPES and not (kind is None and schema.get(PRESERVE)):
        yield f"{where}: type {kind}"
    if ("properties" in schema or "additionalProperties" in schema) and kind != "object":
        yield f"{where}: properties of no object"
    if "properties" in schema and "additionalProperties" in schema:
        yield f"{where}: both properties and additionalProperties"
    if ("items" in schema) != (kind == "array"):
        yield f"{where}: items and array go together"
    for name in schema.get("required", []):
        if name not in schema.get("properties", {}):
            yield f"{where}: required {name} is no property"
    if "default" in schema and "enum" in schema and schema["default"] not in schema["enum"]:
        yield f"{where}: its default is none of its enum"
    yield from _list_map_faults(schema, where)
    for name, child in schema.get("properties", {}).items():
        yield from structural_faults(child, f"{where}.{name}")
    if "items" in schema:
        yield from structural_faults(schema["items"], f"{where}[]")
    if "additionalProperties" in schema:
        yield from structural_faults(schema["additionalProperties"], f"{where}{{}}")


def _list_map_faults(schema, where):
    if schema.get("x-kubernetes-list-type") != "map":
        return
    items = schema.get("items", {})
    for key in schema.get("x-kubernetes-list-map-keys", []):
        child = items.get("properties", {}).get(key, {})
        if key not in items.get("required", []) and "default" not in child:
            yield f"{where}: key {key} is neither required nor defaulted"


def undescribed(schema, where=""):
    """Where `kubectl explain` has nothing to say."""
    for name, child in schema.get("properties", {}).items():
        if "description" not in child and (where, name) != ("", "metadata"):
            yield f"{where}.{name}"
        if (where, name) != ("", "metadata"):
            yield from undescribed(child, f"{where}.{name}")
    if schema.get("type") == "array":
        yield from undescribed(schema["items"], f"{where}[]")


def schema_of(definition, version=None):
    """The schema of a version; None: the stored one."""
    for one in definition["spec"]["versions"]:
        if one["name"] == version or (version is None and one["storage"]):
            return one["schema"]["openAPIV3Schema"]
    raise KeyError(version)


def _as_json_schema(schema):
    """Without what only an API server knows; null is as good as absent unless nullable."""
    made = {}
    for key, value in schema.items():
        if key == "properties":
            made[key] = {name: _as_json_schema(child) for name, child in value.items()}
        elif key in ("items", "additionalProperties"):
            made[key] = _as_json_schema(value)
        elif not key.startswith("x-") and key not in ("nullable", "description", "default"):
            made[key] = value
    return made


def _without_nulls(schema, value):
    if isinstance(value, dict) and "properties" in schema:
        return {
            key: _without_nulls(schema["properties"].get(key, {}), one)
            for key, one in value.items()
            if one is not None or key not in schema["properties"]
        }
    if isinstance(value, list):
        return [_without_nulls(schema.get("items", {}), one) for one in value]
    return value


def faults(schema, document):
    """What an API server would refuse, as sentences."""
    validator = jsonschema.Draft4Validator(_as_json_schema(schema))
    return [
        ".".join(str(part) for part in error.absolute_path) + ": " + error.message
        for error in validator.iter_errors(_without_nulls(schema, document))
    ]


def dropped(schema, value, where=""):
    """The fields that an API server would drop, since nobody knows them."""
    if isinstance(value, list) and (schema.get("items") or not schema.get(PRESERVE)):
        for i, one in enumerate(value):
            yield from dropped(schema.get("items", {}), one, f"{where}[{i}]")
    if not isinstance(value, dict):
        return
    for key, one in value.items():
        if (where, key) == ("", "metadata"):
            continue
        child = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
        if child is not None:
            yield from dropped(child, one, f"{where}.{key}")
        elif not schema.get(PRESERVE):
            yield f"{where}.{key}"


def defaulted(schema, value):
    """A copy of the value with defaults filled in."""
    value = copy.deepcopy(value)
    if isinstance(value, dict):
        for key, child in schema.get("properties", {}).items():
            if "default" in child and value.get(key) is None:
                value[key] = child["default"]
            elif key in value:
                value[key] = defaulted(child, value[key])
    elif isinstance(value, list):
        value = [defaulted(schema.get("items", {}), one) for one in value]
    return value
