"""Vectors of 64-bit words as values inside kernels.

Automatic vectorisation uses only about half of what the vector registers can do. A kernel therefore takes a *width* as
its first argument and works on values of that many words: ``WIDE`` (8), ``HALF`` (4) or ``PLAIN`` (1, an ordinary
``uint64``). The same source serves the vector path and the plain path. Processors with shorter registers process a
vector in several steps.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

# The compiler knows a width by its type: a tuple of that length.
WIDE = (0,) * 8
HALF = (0,) * 4
PLAIN = (0,)

_WORD = ir.IntType(64)


class Vector(types.Type):
    """Numba type of a vector of words."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"Vector({width})")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, vector: Vector) -> None:
        super().__init__(manager, vector, _llvm(vector.width))


def _llvm(width: int) -> Any:
    return ir.VectorType(_WORD, width) if width > 1 else _WORD


def _value_type(width: Any) -> Any:
    return Vector(width.count) if width.count > 1 else types.uint64


def _same_in_all(builder: Any, word: Any, width: int) -> Any:
    if width == 1:
        return word
    index = ir.IntType(32)
    empty = ir.Constant(_llvm(width), ir.Undefined)
    first = builder.insert_element(empty, word, ir.Constant(index, 0))
    return builder.shuffle_vector(first, empty, ir.Constant(ir.VectorType(index, width), [0] * width))


def _address(context: Any, builder: Any, array_type: Any, array: Any, place: Any, width: int) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [place]), _llvm(width).as_pointer())


@intrinsic
def load(typing: Any, width: Any, array: Any, place: Any) -> Any:
    """Return the words starting at ``place``."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _address(context, builder, signature.args[1], arguments[1], arguments[2], width.count)
        value = builder.load(address)
        value.align = 8
        return value

    return _value_type(width)(width, array, types.uint64), code


@intrinsic
def store(typing: Any, width: Any, array: Any, place: Any, value: Any) -> Any:
    """Write words starting at ``place``."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _address(context, builder, signature.args[1], arguments[1], arguments[2], width.count)
        builder.store(arguments[3], address).align = 8
        return context.get_dummy_value()

    return types.void(width, array, types.uint64, _value_type(width)), code


@intrinsic
def prefetch(typing: Any, array: Any, place: Any) -> Any:
    """Load the cache line of a word that will be written soon; places past the end are ignored."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", (byte,), kind)
        write, keep, data_cache = ir.Constant(number, 1), ir.Constant(number, 3), ir.Constant(number, 1)
        builder.call(function, [builder.bitcast(builder.gep(data, [arguments[1]]), byte), write, keep, data_cache])
        return context.get_dummy_value()

    return types.void(array, types.uint64), code


@intrinsic
def splat(typing: Any, width: Any, word: Any) -> Any:
    """Return a vector with the same word in all lanes."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _same_in_all(builder, arguments[1], width.count)

    return _value_type(width)(width, types.uint64), code


@intrinsic
def places(typing: Any, width: Any) -> Any:
    """Return 0, 1, 2, ..."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        n = width.count
        return ir.Constant(_llvm(n), list(range(n))) if n > 1 else ir.Constant(_WORD, 0)

    return _value_type(width)(width), code


@intrinsic
def some(typing: Any, width: Any, value: Any) -> Any:
    """Return whether any bit of a vector is 1."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        n = width.count
        compared = builder.icmp_unsigned("!=", arguments[1], ir.Constant(_llvm(n), None))
        if n == 1:
            return compared
        bits = ir.IntType(n)
        return builder.icmp_unsigned("!=", builder.bitcast(compared, bits), ir.Constant(bits, 0))

    return types.boolean(width, _value_type(width)), code


@intrinsic
def bit_counts(typing: Any, width: Any, value: Any) -> Any:
    """Return the number of ones in each word."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        n = width.count
        return _call(builder, "llvm.ctpop", _llvm(n), arguments[1]) if n > 1 else builder.ctpop(arguments[1])

    return _value_type(width)(width, _value_type(width)), code


@intrinsic
def total(typing: Any, width: Any, value: Any) -> Any:
    """Return the sum of the words."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _call(builder, "llvm.vector.reduce.add", _WORD, arguments[1]) if width.count > 1 else arguments[1]

    return types.uint64(width, _value_type(width)), code


def _call(builder: Any, name: str, result: Any, vector: Any) -> Any:
    """Call a function of LLVM that takes a vector."""
    name = f"{name}.v{vector.type.count}i64"
    known = builder.module.globals.get(name)
    return builder.call(known or ir.Function(builder.module, ir.FunctionType(result, [vector.type]), name), [vector])


def _binary(function: Any, build: Callable[[Any, Any, Any], Any], vector: Vector) -> None:
    @type_callable(function)
    def typer(context: Any) -> Any:
        return lambda a, b: vector if a == vector and b == vector else None

    @lower_builtin(function, vector, vector)
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return build(builder, arguments[0], arguments[1])


def _shift(function: Any, build: Callable[[Any, Any, Any], Any], vector: Vector) -> None:
    @type_callable(function)
    def typer(context: Any) -> Any:
        return lambda a, b: vector if a == vector and isinstance(b, types.Integer) else None

    @lower_builtin(function, vector, types.uint64)
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return build(builder, arguments[0], _same_in_all(builder, arguments[1], vector.width))


def _inverted(vector: Vector) -> None:
    @type_callable(operator.invert)
    def typer(context: Any) -> Any:
        return lambda a: vector if a == vector else None

    @lower_builtin(operator.invert, vector)
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.xor(arguments[0], ir.Constant(_llvm(vector.width), [2**64 - 1] * vector.width))


for _vector in (Vector(len(WIDE)), Vector(len(HALF))):
    for _function, _build in (
        (operator.and_, ir.IRBuilder.and_),
        (operator.or_, ir.IRBuilder.or_),
        (operator.xor, ir.IRBuilder.xor),
        (operator.add, ir.IRBuilder.add),
        (operator.mul, ir.IRBuilder.mul),
    ):
        _binary(_function, _build, _vector)
    _shift(operator.lshift, ir.IRBuilder.shl, _vector)
    _shift(operator.rshift, ir.IRBuilder.lshr, _vector)
    _inverted(_vector)
