"""Products, lengths and angles of vectors, written out in coordinates."""

from __future__ import annotations

from srt.maths.syntax.expression import Call, Expression, Number, Quantity, Symbol, number, walk


def scalar(tree: Expression) -> Expression:
    """``tree`` with products, lengths and angles of vectors written out in coordinates. Raises :class:`NotScalar`."""
    result = _expanded(tree)
    if isinstance(result, Call) and result.head == "vec":
        raise NotScalar
    if any(isinstance(node, Call) and node.head in ("vec", "angle", "point", "pm") for node in walk(result)):
        raise NotScalar
    return result


class NotScalar(Exception):
    """The expression is a vector, or mixes vectors and numbers in a way that is not understood."""


def components(tree: Expression) -> tuple[Expression, ...] | None:
    """The coordinates of a vector expression, ``None`` where it is none."""
    try:
        result = _expanded(tree)
    except NotScalar:
        return None
    return result.parts if isinstance(result, Call) and result.head == "vec" else None


def product_missing(tree: Expression) -> bool:
    """Whether vectors are added, or divided by one another, above lengths of vectors: ``(m + n)/(|m||n|)``.

    That is no number; a scalar product is meant.
    """
    for node in walk(tree):
        match node:
            case Call("div", (above, below)) if any(map(_is_length, walk(below))):
                while isinstance(above, Call) and above.head == "neg":
                    above = above.parts[0]
                added = isinstance(above, Call) and above.head == "add" and components(above) is not None
                if added or any(map(_divides_by_vector, walk(above))):
                    return True
    return False


def _is_length(node: Expression) -> bool:
    return isinstance(node, Call) and node.head == "abs" and components(node.parts[0]) is not None


def _divides_by_vector(node: Expression) -> bool:
    return isinstance(node, Call) and node.head == "div" and components(node.parts[1]) is not None


def _expanded(tree: Expression) -> Expression:
    """``tree`` as a scalar or one ``vec`` of scalars."""
    match tree:
        case Number() | Symbol():
            return tree
        case Quantity(value=value):
            inner = _expanded(value)
            return Quantity(inner, tree.unit, tree.scale, tree.dimension)
        case Call("vec", parts):
            return Call("vec", tuple(map(_scalar_part, parts)))
        case Call("angle" | "point", _):
            raise NotScalar
        case Call(head, (Call("angle", (a, b)),)) if head == "cos":
            u, v = _vector(a), _vector(b)
            lengths = Call("mul", (_length(u), _length(v)))
            return Call("div", (_dot(u, v), lengths))
        case Call(head, parts):
            return _expanded_call(head, tuple(_expanded(part) for part in parts))
    raise AssertionError


def _expanded_call(head: str, parts: tuple[Expression, ...]) -> Expression:
    vectors = [part.parts for part in parts if isinstance(part, Call) and part.head == "vec"]
    if not vectors:
        return Call(head, parts)
    size = len(vectors[0])
    if any(len(vector) != size for vector in vectors):
        raise NotScalar
    match head:
        case "add" if len(vectors) == len(parts):
            return Call("vec", tuple(Call("add", tuple(column)) for column in zip(*vectors, strict=True)))
        case "neg":
            return Call("vec", tuple(Call("neg", (part,)) for part in vectors[0]))
        case "abs":
            return _length(vectors[0])
        case "dot" | "mul" if len(vectors) == 2 == len(parts):
            return _dot(vectors[0], vectors[1])
        case "mul" | "dot" | "cross" if len(vectors) == 1:
            scalars = tuple(part for part in parts if not (isinstance(part, Call) and part.head == "vec"))
            return Call("vec", tuple(Call("mul", (*scalars, part)) for part in vectors[0]))
        case "div" if len(vectors) == 1 and isinstance(parts[0], Call) and parts[0].head == "vec":
            return Call("vec", tuple(Call("div", (part, parts[1])) for part in vectors[0]))
        case "pow" if parts[1] == number(2):
            return _dot(vectors[0], vectors[0])
    raise NotScalar


def _scalar_part(part: Expression) -> Expression:
    inner = _expanded(part)
    if isinstance(inner, Call) and inner.head == "vec":
        raise NotScalar
    return inner


def _vector(tree: Expression) -> tuple[Expression, ...]:
    inner = _expanded(tree)
    if isinstance(inner, Call) and inner.head == "vec":
        return inner.parts
    raise NotScalar


def _dot(u: tuple[Expression, ...], v: tuple[Expression, ...]) -> Expression:
    if len(u) != len(v):
        raise NotScalar
    return Call("add", tuple(Call("mul", pair) for pair in zip(u, v, strict=True)))


def _length(u: tuple[Expression, ...]) -> Expression:
    return Call("root", (_dot(u, u), number(2)))
