"""`tsrp methods`: what there is, with parameters and defaults."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from tsrp.cli.console import out


def methods() -> None:
    """List the methods and their parameters."""
    from tsrp.registry import methods as all_methods
    from tsrp.remedy import TSRP
    from tsrp.spec import CLASSIFIERS, WRAPPERS, defaults

    rows = [
        (name, f"{info.summary}\n({info.reference}; {info.cost})", defaults(info.kind))
        for name, info in all_methods().items()
    ]
    out.print(_parameter_table("Methods", rows))
    wrappers = [(f"+{name}", summary, {**defaults(TSRP), **changes}) for name, (changes, summary) in WRAPPERS.items()]
    out.print(_parameter_table("Around any of them, such as dicd+tsrp", wrappers))
    out.print(f"Classifiers, for classifier= and strong_classifier=: {', '.join(CLASSIFIERS)}", highlight=False)


def _parameter_table(title: str, rows: list[tuple[str, str, dict[str, Any]]]) -> Table:
    table = Table(title=title, show_lines=True)
    for heading in ("name", "what it does", "parameters and defaults"):
        table.add_column(heading)
    for name, what, parameters in rows:
        table.add_row(name, what, ", ".join(f"{key}={value}" for key, value in parameters.items()))
    return table
