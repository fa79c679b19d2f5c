"""The machine again, in sets, loops and Python integers, from the semantics alone.

Nothing is imported from the package: where this and the oracle agree, both have read the page alike.
"""

import math

MASK64, MASK32 = 2**64 - 1, 2**32 - 1
G, K1, K2 = 0x9E3779B97F4A7C15, 0xD1342543DE82EF95, 0xC2B2AE3D27D4EB4F
K3, K4 = 0x9FB21C651E98DF25, 0xD6E8FEB86659FD93


def mix(z):
    z &= MASK64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK64
    return z ^ (z >> 31)


def step_key(seed, purpose, step):
    return mix(mix(mix(seed + G) + purpose * K1) + (step + 1) * G)


def output_key(seed, purpose, step, output):
    return mix(step_key(seed, purpose, step) + (output + 1) * G)


def clause_key(seed, purpose, step, output, clause, layer):
    return mix(output_key(seed, purpose, step, output) + (clause + 1) * K2 + layer * K3)


def hash32(key, index):
    x = (index * 0x9E3779B9 + key) & MASK32
    x = (x ^ (x >> 16)) * 0x7FEB352D & MASK32
    x = (x ^ (x >> 15) ^ (key >> 32)) * 0x846CA68B & MASK32
    return x ^ (x >> 16)


def rotl(x, places):
    return (x << places | x >> (64 - places)) & MASK64


def u32(seed, purpose, step=0, output=0, clause=0, word=0):
    if purpose == 2:
        return hash32(step_key(seed, 2, step), output)
    if purpose in (6, 7):
        return hash32(clause_key(seed, purpose, step, output, clause, 0), word)
    return hash32(output_key(seed, purpose, step, output), clause)


def mask_digit(seed, step, output, clause, layer, word, digit):
    x = (clause_key(seed, 4, step, output, clause, layer) + word * G) & MASK64
    x = (x ^ (x >> 32)) * K4 & MASK64
    x ^= x >> 32
    y = rotl(x, 32) * K4 & MASK64
    for _ in range(digit):
        x = (rotl(x, 56) + y) & MASK64
        y = rotl(y, 3) ^ x
    return x


def mask_fraction(s):
    r = min(1.0, 1.0 / s)
    n = 0
    while True:
        for k in (math.floor(r * 2**n), math.ceil(r * 2**n)):
            if abs(k / 2**n - r) <= r / 128:
                return k, n
        n += 1


def shuffled(seed, epoch, n):
    return sorted(range(n), key=lambda example: (mix(step_key(seed, 8, epoch) + (example + 1) * G), example))


def random_code(seed, purpose, n_owners, size, bits):
    """Positions of every owner, drawn one after the other; owners may have the same code, as clauses may."""
    codes = []
    for owner in range(n_owners):
        owned, draw = [], 0
        while len(owned) < bits:
            position = u32(seed, purpose, clause=owner, word=draw) * size >> 32
            draw += 1
            if position not in owned:
                owned.append(position)
        codes.append(owned)
    return codes


class NaiveMachine:
    """A machine as dictionaries; ``p`` has the parameters under the names of the paper and the semantics."""

    def __init__(self, p, state=None, weight=None, step=0):
        self.p = p
        self.step = step
        start = 2 ** (p["state_bits"] - 1) - 1
        self.state = {
            (j, d, k): start for j in range(p["clauses"]) for d in range(p["depth"]) for k in range(2 * self.size(d))
        }
        self.weight = {
            (i, j): 1 if u32(p["seed"], 5, 0, i, j) < 2**31 else -1
            for i in range(p["outputs"])
            for j in range(p["clauses"])
        }
        self.state |= state or {}
        self.weight |= weight or {}

    def size(self, layer):
        return self.p["H"] if layer == 0 else self.p["M"]

    def included(self, j, d):
        half = 2 ** (self.p["state_bits"] - 1)
        return {k for k in range(2 * self.size(d)) if self.state[j, d, k] >= half}

    # evaluation

    def evaluate(self, graph):
        """Return literals[d][node] (sets) and the strength of every (clause, node)."""
        p = self.p
        nodes = range(len(graph["bits"]))

        def all_literals(bits, size):
            return set(bits) | {size + k for k in range(size) if k not in bits}

        literals = [[all_literals(graph["bits"][n], p["H"]) for n in nodes]]
        truth = [set()]
        for j in range(p["clauses"]):
            for n in nodes:
                right_type = p["K"] <= 1 or graph["types"][n] == j % p["K"]
                if right_type and self.included(j, 0) <= literals[0][n]:
                    truth[0].add((j, n))
        for d in range(1, p["depth"]):
            inbox = [set() for _ in nodes]
            for u, v, t in graph["edges"]:
                for j in range(p["clauses"]):
                    if (j, u) in truth[d - 1]:
                        inbox[v] |= {(b + t) % p["M"] for b in p["code"][j]}
            literals.append([all_literals(inbox[n], p["M"]) for n in nodes])
            truth.append({(j, n) for j, n in truth[d - 1] if self.included(j, d) <= literals[d][n]})
        strength = {}
        for j in range(p["clauses"]):
            for n in nodes:
                right_type = p["K"] <= 1 or graph["types"][n] == j % p["K"]
                misses = sum(len(self.included(j, d) - literals[d][n]) for d in range(p["depth"]))
                strength[j, n] = max(0, p["m"] + 1 - misses) if right_type else 0
                if p["m"] == 0:
                    assert strength[j, n] == ((j, n) in truth[-1])
        return literals, strength

    def best_nodes(self, graph, strength, j):
        """The strength of a clause for the graph, and the readout nodes that have it."""
        out = [n for n in range(len(graph["bits"])) if graph["readout"] is None or n in graph["readout"]]
        most = max(strength[j, n] for n in out)
        return most, [n for n in out if strength[j, n] == most]

    def clause_outputs(self, graph):
        _, strength = self.evaluate(graph)
        return [self.best_nodes(graph, strength, j)[0] for j in range(self.p["clauses"])]

    def node_outputs(self, graph):
        _, strength = self.evaluate(graph)
        return [[strength[j, n] for j in range(self.p["clauses"])] for n in range(len(graph["bits"]))]

    def class_sums(self, graph):
        outputs = self.clause_outputs(graph)
        return [sum(self.weight[i, j] * outputs[j] for j in range(self.p["clauses"])) for i in range(self.p["outputs"])]

    # learning

    def learn(self, graph, wanted, silent, thinned, q, w):
        """One example: ``wanted`` maps outputs to y; all others are silent or want -T."""
        p, seed, T = self.p, self.p["seed"], self.p["T"]
        literals, strength = self.evaluate(graph)
        best = {j: self.best_nodes(graph, strength, j) for j in range(p["clauses"])}
        focus = {
            j: nodes[u32(seed, 1, self.step, 0, j) * len(nodes) >> 32] for j, (most, nodes) in best.items() if most > 0
        }
        count = {j: sum(len(self.included(j, d)) for d in range(p["depth"])) for j in range(p["clauses"])}
        sums = [sum(self.weight[i, j] * best[j][0] for j in focus) for i in range(p["outputs"])]
        y = dict(wanted) if silent else {i: wanted.get(i, -T) for i in range(p["outputs"])}
        n_neg = sum(1 for value in y.values() if value == -T)
        n_pos = len(y) - n_neg
        g = min(1.0, q * max(1, n_pos) / max(1, n_neg)) if thinned else 1.0
        gate = math.floor(g * 2**32 + 0.5)
        for i in sorted(y):
            negative = y[i] == -T
            if negative and p["negative_sampling"] == "class" and not u32(seed, 2, self.step, i) < gate:
                continue
            v = max(-T, min(T, sums[i]))
            target = 1 if v <= y[i] else -1
            P = abs(y[i] - v) * 2**32 // (2 * T)
            if negative and p["negative_sampling"] == "clause":
                P = P * gate >> 32
            P = min(2**32, P * math.floor(w * 2**16 + 0.5) >> 16)
            for j in range(p["clauses"]):
                if u32(seed, 3, self.step, i, j) < P:
                    self.feedback(i, j, target, literals, focus.get(j), count[j])
        self.step += 1

    def feedback(self, i, j, target, literals, focus, count):
        p = self.p
        sign = 1 if self.weight[i, j] >= 0 else -1
        one = target == sign
        if focus is not None:
            moved = self.weight[i, j] + (sign if one else -sign)
            if -(2**31) < moved < 2**31:
                self.weight[i, j] = moved
        within = p["limit"] is None or count <= p["limit"]
        for d in range(p["depth"]):
            included = self.included(j, d)
            for k in range(2 * self.size(d)):
                holds = focus is not None and k in literals[d][focus]
                if not one:
                    by = int(focus is not None and not holds and k not in included)
                elif focus is not None and p["m"] > 0:
                    by = self.graded_type_one(holds, within, k in included, self.masked(i, j, d, k))
                else:
                    by = self.type_one(holds, focus is not None and within, self.masked(i, j, d, k))
                self.move(j, d, k, by)

    def type_one(self, holds, learns, masked):
        if learns and holds:
            return int(self.p["boost"] or not masked)
        return -int(masked)

    def graded_type_one(self, holds, grows, included, masked):
        if holds:
            return int(grows and (self.p["boost"] or not masked))
        return -int(not included)

    def move(self, j, d, k, by):
        self.state[j, d, k] = max(0, min(2 ** self.p["state_bits"] - 1, self.state[j, d, k] + by))

    def masked(self, i, j, d, k):
        """The mask bit of one automaton."""
        size = self.size(d)
        negated, place = divmod(k, size)
        word, bit = negated * math.ceil(size / 64) + place // 64, place % 64
        numerator, n = mask_fraction(self.p["s"][d])
        if n == 0:
            return True

        def digit(number):
            return mask_digit(self.p["seed"], self.step, i, j, d, word, number) >> bit & 1

        m = digit(n)
        for number in range(n - 1, 0, -1):
            m = m | digit(number) if numerator >> (n - number) & 1 else m & digit(number)
        return bool(m)
