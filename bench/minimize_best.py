"""The shortest executions that are known of the bugs of the case studies: bench/minimize_best.txt, a line each, and their
schedules in bench/best/. Sizes only ever become smaller."""
import dataclasses
import os


@dataclasses.dataclass
class Known:
    """A bug's line: the least size, whether it is "proven" or only "found", from how many other starts it was searched for
    (bench/minimize_search.py), how many of them came to it, and the seconds of the processor that this took."""
    size: int
    how: str
    starts: int = 0
    reached: int = 0
    seconds: int = 0


class Best:
    """Lines that begin with # are kept as they are."""

    def __init__(self, folder):
        self.folder = folder
        self.path = os.path.join(folder, "minimize_best.txt")
        self.comments, self.lines = [], {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                for line in file:
                    self.read(line)

    def read(self, line):
        if line.startswith("#"):
            self.comments.append(line)
            return
        bug, size, how, *searched = line.split()
        assert how in ("proven", "found"), line
        self.lines[bug] = Known(int(size), how, *map(int, searched))

    def schedule(self, bug):
        return os.path.join(self.folder, "best", bug + ".sched")

    def is_proven(self, bug):
        return bug in self.lines and self.lines[bug].how == "proven"

    def known(self, bug, by_hand):
        """What is proven, else the less of what was found and what others made by hand."""
        if bug not in self.lines:
            return by_hand
        known = self.lines[bug]
        return known.size if known.how == "proven" else min(known.size, by_hand)

    def offer(self, bug, stats):
        """Takes a result if it is shorter than what is known, or proves it; says whether its schedule is to be kept."""
        size, how = stats["final_events"], "proven" if stats["optimal"] else "found"
        known = self.lines.setdefault(bug, Known(size + 1, "found"))
        if size > known.size or (size == known.size and (how, known.how) != ("proven", "found")):
            return False
        if size < known.size:
            known.reached = 0
        known.size, known.how = size, how
        return True

    def count(self, bug, stats, seconds):
        """One more start, which came to this, and was offered."""
        known = self.lines[bug]
        known.starts += 1
        known.reached += stats["final_events"] == known.size
        known.seconds += round(seconds)

    def write(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.writelines(self.comments)
            for bug, known in self.lines.items():
                file.write(" ".join(map(str, (bug, *dataclasses.astuple(known)))) + "\n")
