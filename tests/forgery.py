"""Damaged and forged files: bytes changed at random, and headers and arrays changed with their checksums repaired."""

import copy
import json
import random
import struct
import zlib

ODD_VALUES = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    7,
    63,
    64,
    65,
    2**31 - 1,
    2**31,
    2**62,
    2**63,
    2**64,
    2**70,
    -(2**63),
    10**400,
    0.0,
    0.5,
    -1.5,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "A",
    "auto",
    "cuda",
    "one_hot",
    "random",
    "\ud800",
    "0" * 200,
    [],
    [[]],
    [0],
    [None],
    ["A"],
    [1, 2, 3],
    [[1, 2], [3]],
    {},
    {"pairs": []},
    {"pairs": [[1]]},
    {"A": 1},
    {"dtype": "<i8", "labels": [0, 1]},
    {"dtype": "object", "labels": [None, [1]]},
]


def odd_value(rng):
    """Return a value of its own, since lists and dicts of headers are changed later."""
    return copy.deepcopy(rng.choice(ODD_VALUES))


def mutated(content, rng):
    """Return the bytes of a file after some accident."""
    content = bytearray(content)
    place = rng.randrange(len(content))
    kind = rng.randrange(6)
    if kind == 0:
        content[place] ^= 1 << rng.randrange(8)
    elif kind == 1:
        content[place : place + rng.randrange(1, 40)] = rng.randbytes(rng.randrange(1, 40))
    elif kind == 2:
        del content[place:]
    elif kind == 3:
        content += rng.randbytes(rng.randrange(1, 200))
    elif kind == 4:
        del content[place : place + rng.randrange(1, 100)]
    else:
        other = rng.randrange(len(content))
        content[place : place + 8], content[other : other + 8] = content[other : other + 8], content[place : place + 8]
    return bytes(content)


def forged(content, rng):
    """Return the bytes of a file whose header or arrays say something else, with right checksums."""
    magic, version, _, length = struct.unpack("<8sIIQ", content[:24])
    header = json.loads(content[24 : 24 + length])
    start = -(-(24 + length) // 64) * 64
    arrays = []
    for entry in header.pop("arrays"):
        stored = content[start + entry["offset"] :]
        packed = "stored" in entry
        stored = stored[: entry["stored"] if packed else n_bytes(entry)]
        arrays.append([entry, zlib.decompress(stored) if packed else stored])
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if rng.random() < 0.25 and arrays:
            change_array(arrays, rng)
        else:
            change_json(header, rng)
    table, data = [], b""
    for entry, octets in arrays:
        data += bytes(-len(data) % 64)
        octets = zlib.compress(octets, 1) if "stored" in entry else octets
        entry = {**entry, "offset": len(data), "crc32": zlib.crc32(octets)}
        table.append({**entry, "stored": len(octets)} if "stored" in entry else entry)
        data += octets
    header |= {"arrays": table, "data_bytes": len(data)}
    text = json.dumps(header if rng.random() < 0.98 else odd_value(rng)).encode()
    body = struct.pack("<8sIIQ", magic, version, zlib.crc32(text), len(text)) + text
    return body + bytes(-len(body) % 64) + data


def n_bytes(entry):
    size = {"<u8": 8, "<i8": 8, "<i4": 4, "|u1": 1, "|b1": 1}[entry["dtype"]]
    for length in entry["shape"]:
        size *= length
    return size


def change_array(arrays, rng):
    """Change what an array holds, or what is said of it."""
    number = rng.randrange(len(arrays))
    entry, octets = arrays[number]
    kind = rng.randrange(5)
    if kind == 0 and octets:
        place = rng.randrange(len(octets))
        changed = bytes([rng.choice([0, 1, 127, 128, 255])]) * rng.choice([1, 4, 8])
        arrays[number][1] = (octets[:place] + changed + octets[place + len(changed) :])[: len(octets)]
    elif kind == 1:
        arrays[number][1] = rng.choice([b"", octets + bytes(8), octets[:-8], rng.randbytes(len(octets))])
    elif kind == 2:
        arrays[number] = [{**entry, rng.choice(["name", "dtype", "shape"]): odd_value(rng)}, octets]
    elif kind == 3 and isinstance(entry["shape"], list):  # unless it was changed before
        arrays[number] = [{**entry, "shape": entry["shape"][::-1]}, octets]
    else:
        del arrays[number]


def change_json(value, rng):
    """Replace, remove or add something anywhere in JSON."""
    places = [(value, key) for key in (value if isinstance(value, dict) else range(len(value)))]
    for container, key in places:
        inner = container[key]
        if isinstance(inner, dict):
            places += [(inner, name) for name in inner]
        elif isinstance(inner, list):
            places += [(inner, number) for number in range(len(inner))]
    container, key = rng.choice(places)
    kind = rng.random()
    if kind < 0.7:
        container[key] = odd_value(rng)
    elif kind < 0.8:
        del container[key]
    elif kind < 0.9 and isinstance(container, dict):
        container[rng.choice(["more", "", "s", "T"])] = odd_value(rng)
    else:
        other, place = rng.choice(places)
        if other is not container:
            container[key] = json.loads(json.dumps(other[place]))


def generator(*seed):
    return random.Random(repr(seed))
