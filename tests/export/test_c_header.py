"""What exported C headers are made of: no libraries, one prefix, names that do no harm."""

import re
import shutil
import subprocess

import pytest
from export.by_hand import NONE, TINY, program
from export.compiled import build, needs_cc, needs_cxx
from hypothesis import given
from hypothesis import strategies as st
from strategies import names

import graphtm as gtm
from graphtm.export import c_header_text
from graphtm.export.c_text import texts_of

USE = """#include "machine.h"
int use(const machine_graph *graph, machine_word *workspace, size_t size);
int use(const machine_graph *graph, machine_word *workspace, size_t size)
{
    return machine_predict(graph, workspace, size);
}
"""


def code_of(text):
    """Return C code without comments and strings."""
    return re.sub(r"""/\*.*?\*/|"(\\.|[^"\\])*"|'(\\\d+|\\.|.)'""", "", text, flags=re.DOTALL)


@needs_cc
@pytest.mark.skipif(shutil.which("nm") is None, reason="there is no nm on the path")
@pytest.mark.parametrize("name", ["strict", "large"])
def test_no_function_of_a_library_is_called_and_the_stack_stays_small(name, tmp_path):
    (tmp_path / "machine.h").write_text(c_header_text(TINY[name], "machine"))
    (tmp_path / "use.c").write_text(USE)
    build(tmp_path, "-O2", "-c", "use.c", "-Wframe-larger-than=512")
    found = subprocess.run(["nm", "-u", tmp_path / "use.o"], capture_output=True, text=True, check=True).stdout
    # Compilers clear and copy memory by these functions, which every system has.
    allowed = {"memset", "memcpy", "memmove", "_GLOBAL_OFFSET_TABLE_"}
    assert {line.split()[-1] for line in found.splitlines()} <= allowed


def test_no_floating_point_allocation_or_recursion():
    code = code_of(c_header_text(TINY["shift"], "machine"))
    assert re.findall(r"#include (.*)", code) == ["<stddef.h>", "<stdint.h>"]
    assert not set(re.findall(r"\w+", code)) & {"float", "double", "malloc", "calloc", "realloc", "free", "alloca"}
    assert not re.search(r"\b\d+\.|\b\d+[eE]\d", code)
    functions = re.findall(r"^static inline [^(]*?(\w+)\([^)]*\)\n\{\n(.*?)^\}", code, re.DOTALL | re.MULTILINE)
    assert len(functions) == len(re.findall("static inline", code)) > 10
    for number, (_, body) in enumerate(functions):
        # Nothing is declared before it is defined, so that a function can call earlier ones only.
        not_earlier = {name for name, _ in functions[number:]}
        assert not not_earlier & set(re.findall(r"(\w+)\(", body))


def test_all_identifiers_begin_with_the_name():
    code = code_of(c_header_text(TINY["typed"], "my_model"))
    found = re.findall(r"#define (\w+)|^typedef \w+ (\w+);|^static (?:const|inline) .*?(\w+)[\[(]", code, re.MULTILINE)
    found = {"".join(one) for one in found} | set(re.findall(r"\bstruct (\w+)|^} (\w+);", code, re.MULTILINE)[0])
    assert len(found) > 50
    assert {one for one in found if one and not one.startswith("my_model_")} == set()
    assert not re.search("gtm_|my_model__", code)


@pytest.mark.parametrize("name", ["", "2d", "a b", "a-b", "_a", "a_", "a__b", "é", "a\n", "a;", "x" * 32, "*/"])
def test_names_that_identifiers_cannot_begin_with(name):
    with pytest.raises(ValueError, match="must begin with a letter and have at most 31 letters"):
        c_header_text(TINY["equal"], name)


@needs_cc
def test_two_machines_in_two_files_of_a_program(tmp_path):
    for name, tiny in (("one", "equal"), ("two", "strict")):
        (tmp_path / f"{name}.h").write_text(c_header_text(TINY[tiny], name))
    for file, name in (("first", "one"), ("second", "two")):
        (tmp_path / f"{file}.c").write_text(
            '#include "one.h"\n#include "two.h"\n#include "one.h"\n'
            f"int {file}(void);\nint {file}(void)\n{{\n"
            f"    static {name}_word workspace[{name}_WORKSPACE(1)];\n"
            f"    const {name}_graph graph = {{1, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL}};\n"
            f"    return {name}_predict(&graph, workspace, sizeof workspace);\n}}\n"
        )
    (tmp_path / "main.c").write_text(
        "int first(void);\nint second(void);\nint main(void)\n{\n    return 10 * first() + second();\n}\n"
    )
    build(tmp_path, "first.c", "second.c", "main.c", "-o", "main")
    assert subprocess.run([tmp_path / "main"], check=False).returncode == 10


# Names

HOSTILE = [
    "import os",
    'quote " and \\ backslash',
    "*/ int x; /*",
    "// comment \\\n",
    "??/ trigraph ??)",
    '"); system("true',
    "line\nbreak\r\ttab",
    "%s %n",
    "é ü 漢字 🙂",
    "\ud800",
    "\x01\x7f\x00",
    "",
    "gtm_symbol",
    "#endif",
    "'",
    "1",
    1,
    True,
    None,
    (),
    ("row", 3, ("a\n", None)),
    "x" * 10_000,
    "9" * 300 + "é?'\"\\" * 1_000,
    2**4000,
]

PRINT = r"""
#include <stdio.h>
#include "machine.h"
static void print(const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        fputs(names[i], stdout), putchar(0);
        if (machine_number(names, n, names[i]) != (int)i) putchar('!');
    }
}
int main(void)
{
    print(machine_symbols, machine_N_SYMBOLS);
    print(machine_edge_types, machine_N_EDGE_TYPES);
    print(machine_node_types, machine_N_NODE_TYPES);
    print(machine_outputs, machine_N_OUTPUTS);
    return machine_number(machine_symbols, machine_N_SYMBOLS, "import o") == -1
        && machine_number(machine_symbols, machine_N_SYMBOLS, "import os.") == -1 ? 0 : 1;
}
"""


def hostile():
    n = len(HOSTILE)
    return program(
        ((NONE,),),
        ((1,),) * n,
        outputs=tuple(HOSTILE),
        vocabulary=gtm.Vocabulary(HOSTILE, HOSTILE, [name for name in HOSTILE if name is not None]),
        symbol_bits=tuple((bit,) for bit in range(n)),
        hypervector_size=n,
    )


def texts_in(program, folder, source, **how):
    """Return the names in a header, read by a compiled program."""
    (folder / "machine.h").write_text(c_header_text(program, "machine"), encoding="ascii")
    (folder / source).write_text(PRINT)
    build(folder, source, "-o", "names", **how)
    printed = subprocess.run([folder / "names"], capture_output=True, check=True).stdout
    return printed.decode("utf-8", "surrogatepass").split("\0")[:-1]


@pytest.mark.parametrize(
    ("source", "how"),
    [pytest.param("names.c", {}, marks=needs_cc), pytest.param("names.cpp", {"cxx": True}, marks=needs_cxx)],
)
def test_hostile_names_do_no_harm(source, how, tmp_path):
    made = hostile()
    symbols = texts_of(HOSTILE)
    assert texts_in(made, tmp_path, source, **how) == [*symbols * 2, *texts_of(made.vocabulary.node_types), *symbols]


def test_names_occur_in_strings_only():
    assert "import os" in c_header_text(hostile(), "machine")
    assert "import os" not in code_of(c_header_text(hostile(), "machine"))


@needs_cc
def test_tables_of_names_can_be_left_out(tmp_path):
    (tmp_path / "use.c").write_text(USE)
    (tmp_path / "machine.h").write_text(c_header_text(hostile(), "machine"))
    for flags, has_names in (([], True), (["-Dmachine_NO_NAMES"], False)):
        build(tmp_path, "-E", "use.c", "-o", "use.i", *flags)
        assert ("import os" in (tmp_path / "use.i").read_text()) == has_names
        build(tmp_path, "-c", "use.c", *flags)


@given(st.lists(names, unique_by=repr))
def test_different_names_have_different_texts(drawn):
    texts = texts_of(drawn)
    assert len(set(texts)) == len(drawn)
    assert not any("\0" in text for text in texts)
    if all(isinstance(name, str) and "\0" not in name for name in drawn):
        assert texts == drawn


def test_strings_that_could_be_mistaken_for_other_names():
    mixed = ["1", 1, 1.0, "1.0", "[1]", (1,), '"1"', "null", None, "NaN", "a\0", '"a\\u0000"', "A"]
    texts = texts_of(mixed)
    assert texts[:2] == ['"1"', "1"]
    assert texts[-1] == "A"
    assert len(set(texts)) == len(mixed)
    plain = ["a\0b", '"a\\u0000b"', "A"]
    assert len(set(texts_of(plain))) == 3
