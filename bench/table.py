"""Tables for people, and the lines that say what was wanted and what was got."""


def table(title, heads, rows):
    """Prints rows under heads; the first column to the left, the others to the right."""
    cells = [[str(cell) for cell in row] for row in [heads, *rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(heads))]
    print(f"\n{title}\n")
    for number, row in enumerate(cells):
        print("  ".join(cell.ljust(width) if column == 0 else cell.rjust(width)
                        for column, (cell, width) in enumerate(zip(row, widths))).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))
    print(flush=True)


def seconds(number):
    """1.8 s, 35 ms, 1 h 43 min: three digits at most."""
    if number is None:
        return "-"
    if number >= 3600:
        return f"{int(number // 3600)} h {int(number % 3600 // 60):02d} min"
    if number >= 60:
        return f"{int(number // 60)} min {int(number % 60):02d} s"
    if number >= 1:
        return f"{number:.2f} s" if number < 10 else f"{number:.1f} s"
    return f"{number * 1000:.0f} ms" if number >= 0.01 else f"{number * 1000:.1f} ms"


def size(number):
    for unit in ("B", "KB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"


def count(number):
    return "-" if number is None else f"{number:,}"


class Wanted:
    """Lines of what is wanted and what was got, printed as they come in; counts those that fall short."""

    def __init__(self):
        self.short = 0
        print(f"{'measure':<58} {'wanted':>14} {'got':>14}")
        print("-" * 93)

    def line(self, what, wanted, got, is_met):
        self.short += not is_met
        print(f"{what:<58} {wanted:>14} {got:>14}  {'ok' if is_met else 'short'}", flush=True)

    @staticmethod
    def told(what, got):
        """Something to know, of which nothing is wanted."""
        print(f"{what:<58} {'':>14} {got:>14}", flush=True)

    def at_most(self, what, wanted, got, show):
        self.line(what, "<= " + show(wanted), show(got), got <= wanted)

    def at_least(self, what, wanted, got, show):
        self.line(what, ">= " + show(wanted), show(got), got >= wanted)
