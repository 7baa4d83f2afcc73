"""``%%prof`` in IPython and notebooks, after ``%load_ext libprof``."""

from __future__ import annotations

from typing import Any

from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display

from .. import profile


@magics_class
class ProfMagics(Magics):  # type: ignore[misc]  # the host need not be there
    """Commands of IPython."""

    @magic_arguments()
    @argument("-n", "--rows", type=int, default=20, help="rows of the table (20)")
    @argument("-s", "--sort", default="cpu_time_total", help="column to sort by")
    @argument("-o", "--output", help="write the trace to this file; its extension is the format")
    @argument("--shapes", action="store_true", help="shapes of PyTorch's inputs")
    @argument("--memory", action="store_true", help="memory of each range")
    @argument("--stacks", action="store_true", help="Python functions as call stacks")
    @argument("--to", metavar="NAME", help="assign the profile to this variable")
    @argument("code", nargs="*", help="with %%prof: what to run")
    @line_cell_magic  # type: ignore[misc]
    def prof(self, line: str, cell: Any = None) -> None:
        """Profile a cell (%%prof) or a line (%prof), and show the table."""
        if cell is None:
            line, _, cell = self._split(line)
        options = parse_argstring(self.prof, line)
        profiled = profile(
            record_shapes=options.shapes, profile_memory=options.memory, with_stack=options.stacks
        )
        with profiled:
            self.shell.run_cell(cell)
        if options.to:
            self.shell.user_ns[options.to] = profiled
        if options.output:
            profiled.export(options.output)
        table = profiled.key_averages().table(sort_by=options.sort, row_limit=options.rows)
        display({"text/plain": table, "text/html": profiled._repr_html_()}, raw=True)

    @staticmethod
    def _split(line: str) -> Any:
        """Options end before "--" or the first word that is none."""
        options, rule, code = line.partition(" -- ")
        if rule:
            return options, rule, code
        return ("", "", line.removeprefix("-- ")) if not line.startswith("-") else (line, "", "")


def load_ipython_extension(shell: Any) -> None:
    """What %load_ext calls."""
    shell.register_magics(ProfMagics)
