"""JSON Patch (RFC 6902) on plain Python values."""

import copy
import re

_INDEX = re.compile(r"0|[1-9][0-9]*")
_BAD_TILDE = re.compile(r"~(?![01])")


class PatchError(Exception):
    """An operation that doesn't fit the value, or isn't one."""


def apply_patch(value, operations):
    """The value after all operations; the value given stays as it is, also on an error."""
    holder = [copy.deepcopy(value)]
    for operation in operations:
        try:
            _apply(holder, operation)
        except (KeyError, TypeError, AttributeError) as error:
            raise PatchError(f"{operation}: {error!r}") from error
    return holder[0]


def equal(one, other):
    """Equality as in RFC 6902, section 4.6; unlike Python's, True isn't 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    return one == other


def _apply(holder, operation):
    # The document is the only element of `holder`, so that the path "" needs no code of its own.
    path = _tokens(operation["path"])
    match operation["op"]:
        case "add":
            _add(holder, path, copy.deepcopy(operation["value"]))
        case "remove":
            _remove(holder, path)
        case "replace":
            value = operation["value"]
            _get(holder, path)
            parent = _get(holder, path[:-1])
            parent[_key(parent, path[-1])] = copy.deepcopy(value)
        case "move":
            source = _tokens(operation["from"])
            if len(source) < len(path) and path[: len(source)] == source:
                raise PatchError("a value can't move into itself")
            value = _get(holder, source)
            if source != path:
                _remove(holder, source)
                _add(holder, path, value)
        case "copy":
            _add(holder, path, copy.deepcopy(_get(holder, _tokens(operation["from"]))))
        case "test":
            if not equal(_get(holder, path), operation["value"]):
                raise PatchError(f"{operation['path']} has another value")
        case other:
            raise PatchError(f"there is no operation {other!r}")


def _tokens(pointer):
    if pointer and not pointer.startswith("/") or _BAD_TILDE.search(pointer):
        raise PatchError(f"{pointer!r} is no JSON Pointer")
    tokens = [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")]
    return ["0", *tokens[1:]]


def _key(parent, token, extra=0):
    """What `token` names in `parent`: a member, or an element below its length plus `extra`."""
    if isinstance(parent, dict):
        return token
    if not isinstance(parent, list):
        raise PatchError(f"{token!r} leads into a value that isn't an array or object")
    if extra and token == "-":
        return len(parent)
    if not _INDEX.fullmatch(token) or int(token) >= len(parent) + extra:
        raise PatchError(f"{token!r} is no index of an array of {len(parent)}")
    return int(token)


def _get(holder, path):
    value = holder
    for token in path:
        value = value[_key(value, token)]
    return value


def _add(holder, path, value):
    parent = _get(holder, path[:-1])
    if len(path) == 1:
        parent[0] = value
    elif isinstance(parent, list):
        parent.insert(_key(parent, path[-1], extra=1), value)
    else:
        parent[_key(parent, path[-1])] = value


def _remove(holder, path):
    parent = _get(holder, path[:-1])
    if len(path) == 1:
        parent[0] = None
    else:
        del parent[_key(parent, path[-1])]
