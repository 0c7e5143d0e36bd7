"""A diagram of tables as SVG: a box per table, a line per foreign key from the column to the table that it refers to.

Tables are in layers from left to right: each table is to the right of all tables that it refers to. Lines to the same table share
a colour and a vertical trunk. A line that passes a layer in between has its own lane there, so no line crosses a box.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from stcollection.analysis.records import SchemaTable
from stcollection.counts import counted
from stcollection.plots.canvas import BLACK, BLUE, DARK, GREEN, ORANGE, SKY, VERMILION

_LETTER = 6.63  # pixels per letter of a monospaced font of 11 pixels
_ROW, _HEAD, _GAP, _PAD, _EDGE = 16, 20, 16, 7, 12  # pixels
_LANE = 6  # height of a lane between two boxes
_TRUNK, _CHANNEL = 8, 26  # between two trunks; free space of a channel around its trunks
_TOP = 40  # of the boxes, below the key
_SWEEPS = 12
_FONT = "font-family:DejaVu Sans Mono,Menlo,Consolas,monospace;font-size:11px;background:white"
_INKS = (BLUE, VERMILION, GREEN, ORANGE, "#A0528B", SKY)
_FADED = "#707070"
Node = tuple[str, int]  # a table, or a lane to it, and the layer


@dataclass
class _Plan:
    """Where everything is.

    :ivar layers: the nodes of each layer, from the top; a node whose table is in another layer is a lane to that table.
    :ivar y: upper edge of each node.
    """

    tables: Mapping[str, SchemaTable]
    home: dict[str, int]
    layers: list[list[Node]]
    y: dict[Node, float] = field(default_factory=dict)

    def lane(self, node: Node) -> bool:
        return self.home[node[0]] != node[1]

    def height(self, node: Node) -> float:
        return _LANE if self.lane(node) else _HEAD + _ROW * len(self.tables[node[0]].columns) + 4

    def stack(self) -> None:
        """Place the nodes of each layer below each other."""
        for nodes in self.layers:
            at = float(_TOP)
            for node in nodes:
                self.y[node] = at
                at += self.height(node) + _GAP

    def row(self, table: str, column: str) -> float:
        """Return the middle of a column's row."""
        names = [entry.name for entry in self.tables[table].columns]
        return self.y[table, self.home[table]] + _HEAD + _ROW * (names.index(column) + 0.5)

    def links(self) -> list[tuple[str, str, str, str]]:
        """Return (table, column, table it refers to, column there) of each foreign key that is drawn."""
        return [
            (table.name, column.name, target.table, target.column)
            for table in self.tables.values()
            for column in table.columns
            for target in column.refers
            if self.home.get(target.table, len(self.layers)) < self.home[table.name]
        ]


def draw_schema(tables: Sequence[SchemaTable]) -> str:
    """Return the tables as SVG. The comment of a table or column is its tooltip.

    Foreign keys to tables that are not drawn are named in the tooltip of their column; so are those of a cycle.
    """
    plan = _planned({table.name: table for table in tables})
    ends = _ends(plan)
    inks = {name: _INKS[at % len(_INKS)] for at, name in enumerate(dict.fromkeys(link[2] for link in plan.links()))}
    parts: list[str] = []
    x, left = float(_EDGE), []
    for layer, nodes in enumerate(plan.layers):
        if layer:
            trunks = _trunks(plan, ends, layer)
            parts += [part for at, trunk in enumerate(trunks) for part in _trunk(trunk, x, at, inks)]
            x += _CHANNEL + _TRUNK * len(trunks)
        left.append(x)
        wide = max((_width(plan.tables[name]) for name, _ in nodes if not plan.lane((name, layer))), default=0.0)
        for node in nodes:
            if plan.lane(node):
                y = plan.y[node] + _LANE / 2
                parts.append(_line([(x, y), (x + wide, y)], inks[node[0]]))
            else:
                parts.append(_box(plan, node, x, wide, inks))
        x += wide
    high = max((plan.y[node] + plan.height(node) for node in plan.y), default=float(_TOP)) + _EDGE
    wide = max(x + _EDGE, 420.0)
    totals = (
        f"{counted(len(tables), 'table')}, {counted(sum(len(table.columns) for table in tables), 'column')},"
        f" {counted(len(plan.links()), 'foreign key')}"
    )
    key = "bold: primary key; grey: may be NULL; a line leads from a foreign key to the column that it refers to"
    head = f'<text x="{_EDGE}" y="15" font-weight="bold">{totals}</text><text x="{_EDGE}" y="30" fill="{DARK}">{escape(key)}</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:.0f} {high:.0f}" width="{wide:.0f}" height="{high:.0f}"'
        f' role="img" aria-label="{totals}" style="{_FONT}"><rect width="100%" height="100%" fill="white"/>'
        f"{head}{''.join(parts)}</svg>\n"
    )


def schema_rows(tables: Sequence[SchemaTable]) -> tuple[list[str], list[list[str | bool]]]:
    """Return the columns of all tables as a table: names, and a row per column."""
    names = ["table", "column", "type", "key", "nullable", "refers_to", "comment"]
    return names, [
        [
            table.name,
            column.name,
            column.type,
            column.key,
            column.nullable,
            ", ".join(f"{to.table}.{to.column}" for to in column.refers),
            column.comment,
        ]
        for table in tables
        for column in table.columns
    ]


def _planned(tables: Mapping[str, SchemaTable]) -> _Plan:
    """Put the tables and lanes in layers, and order each layer so that lines are short."""
    home = _layers(tables)
    plan = _Plan(tables, home, [[] for _ in range(max(home.values(), default=0) + 1)])
    linked = {name for link in plan.links() for name in (link[0], link[2])}
    for name in sorted(linked):
        plan.layers[home[name]].append((name, home[name]))
    for _, layer, target in sorted({(link[2], home[link[0]], link[2]) for link in plan.links()}):
        for between in range(home[target] + 1, layer):
            if (target, between) not in plan.layers[between]:
                plan.layers[between].append((target, between))
    plan.stack()
    best, order = float("inf"), [list(nodes) for nodes in plan.layers]
    for _ in range(_SWEEPS):
        for nodes in plan.layers:
            pulls = {node: _pull(plan, node) for node in nodes}
            nodes.sort(key=lambda node: (pulls[node], node))
            plan.stack()
        length = sum(abs(plan.y[node] - _pull(plan, node)) for nodes in plan.layers for node in nodes)
        if length < best:
            best, order = length, [list(nodes) for nodes in plan.layers]
    plan.layers = order
    for name in sorted(set(tables) - linked):
        heights = [sum(plan.height(node) + _GAP for node in nodes) for nodes in plan.layers]
        home[name] = heights.index(min(heights))
        plan.layers[home[name]].append((name, home[name]))
    plan.stack()
    return plan


def _layers(tables: Mapping[str, SchemaTable]) -> dict[str, int]:
    """Return the layer of each table: one more than that of any table it refers to."""
    home: dict[str, int] = {}

    def layer(name: str, above: tuple[str, ...]) -> int:
        if name not in home:
            targets = {target.table for column in tables[name].columns for target in column.refers} & set(tables)
            home[name] = max((layer(target, (*above, name)) + 1 for target in sorted(targets - {*above, name})), default=0)
        return home[name]

    for name in sorted(tables):
        layer(name, ())
    return home


def _pull(plan: _Plan, node: Node) -> float:
    """Return the mean height of what a node is linked to."""
    heights: list[float] = []
    for table, column, target, theirs in plan.links():
        path = [(target, plan.home[target]), *((target, at) for at in range(plan.home[target] + 1, plan.home[table]))]
        places = [plan.row(target, theirs), *(plan.y[step] for step in path[1:]), plan.row(table, column)]
        nodes = [*path, (table, plan.home[table])]
        for at, step in enumerate(nodes):
            if step == node:
                heights += places[max(0, at - 1) : at] + places[at + 1 : at + 2]
    return sum(heights) / len(heights) if heights else plan.y[node]


@dataclass
class _Trunk:
    """The vertical line of a table in the channel to the left of a layer.

    :ivar start: height of its left end. :ivar arrow: whether the table is in the layer to the left.
    :ivar ends: heights of its right ends, and whether each is a column.
    """

    table: str
    start: float
    arrow: bool
    ends: list[tuple[float, bool]]
    right: float = 0.0


def _ends(plan: _Plan) -> dict[Node, list[tuple[float, bool]]]:
    """Return the right ends of the trunk of each table in the channel to the left of each layer."""
    ends: dict[Node, list[tuple[float, bool]]] = {}
    for table, column, target, _ in plan.links():
        ends.setdefault((target, plan.home[table]), []).append((plan.row(table, column), True))
    for nodes in plan.layers:
        for node in nodes:
            if plan.lane(node):
                ends.setdefault(node, []).append((plan.y[node] + _LANE / 2, False))
    return ends


def _trunks(plan: _Plan, ends: Mapping[Node, list[tuple[float, bool]]], layer: int) -> list[_Trunk]:
    first = {link[2]: link[3] for link in reversed(plan.links())}
    trunks = []
    for (table, at), right in ends.items():
        if at == layer:
            arrow = plan.home[table] == layer - 1
            start = plan.row(table, first[table]) if arrow else plan.y[table, layer - 1] + _LANE / 2
            trunks.append(_Trunk(table, start, arrow, right))
    trunks.sort(key=lambda trunk: (-trunk.start, trunk.table))
    for trunk in trunks:
        trunk.right = _CHANNEL + _TRUNK * len(trunks)
    return trunks


def _trunk(trunk: _Trunk, x: float, at: int, inks: Mapping[str, str]) -> list[str]:
    """Draw a trunk with its ends. :param x: left edge of its channel."""
    ink, middle, end = inks[trunk.table], x + _CHANNEL / 2 + _TRUNK * (at + 0.5), x + trunk.right
    heights = [trunk.start, *(y for y, _ in trunk.ends)]
    parts = [
        _line([(middle, min(heights)), (middle, max(heights))], ink),
        _line([(x + 6 * trunk.arrow, trunk.start), (middle, trunk.start)], ink),
    ]
    if trunk.arrow:
        parts.append(f'<path d="M{x:g} {trunk.start:g}l7 -3.5v7z" fill="{ink}"/>')
    for y, column in trunk.ends:
        parts.append(_line([(middle, y), (end, y)], ink))
        if column:
            parts.append(f'<circle cx="{end:g}" cy="{y:g}" r="2.5" fill="{ink}"/>')
    return parts


def _line(points: Sequence[tuple[float, float]], ink: str) -> str:
    path = "L".join(f"{x:g} {y:g}" for x, y in points)
    return f'<path d="M{path}" fill="none" stroke="{ink}" stroke-width="1.3"/>'


def _width(table: SchemaTable) -> float:
    name = max((len(column.name) for column in table.columns), default=0)
    kind = max((len(column.type) for column in table.columns), default=0)
    return 2 * _PAD + _LETTER * max(name + 2 + kind, len(table.name))


def _box(plan: _Plan, node: Node, x: float, wide: float, inks: Mapping[str, str]) -> str:
    """Draw a table: its name on a head in its colour, and a row per column."""
    table, y, high = plan.tables[node[0]], plan.y[node], plan.height(node)
    ink = inks.get(table.name, DARK)
    on = BLACK if ink in (ORANGE, SKY) else "white"
    parts = [
        f'<rect x="{x:g}" y="{y:g}" width="{wide:g}" height="{high:g}" rx="3" fill="white" stroke="{ink}"/>',
        f'<path d="M{x:g} {y + _HEAD:g}v-17a3 3 0 0 1 3 -3h{wide - 6:g}a3 3 0 0 1 3 3v17z" fill="{ink}"/>',
        f'<g><title>{escape(table.comment)}</title><text x="{x + _PAD:g}" y="{y + 14:g}" font-weight="bold" fill="{on}">'
        f"{escape(table.name)}</text></g>",
    ]
    for at, column in enumerate(table.columns):
        base = y + _HEAD + _ROW * at + 12
        tip = "; ".join([column.comment, *(f"refers to {key.table}.{key.column}" for key in column.refers)])
        bold = ' font-weight="bold"' if column.key else ""
        colour = _FADED if column.nullable else BLACK
        parts.append(
            f'<g fill="{colour}"><title>{escape(tip)}</title><text x="{x + _PAD:g}" y="{base:g}"{bold}>{escape(column.name)}</text>'
            f'<text x="{x + wide - _PAD:g}" y="{base:g}" text-anchor="end">{escape(column.type)}</text></g>'
        )
    return "".join(parts)
