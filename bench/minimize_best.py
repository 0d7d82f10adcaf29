"""The shortest executions that are known of the bugs of the case studies: bench/minimize_best.txt, a line each, and their
schedules in bench/best/. Sizes only ever become smaller."""
import os


class Best:
    """Lines "bug size proven|found"; lines that begin with # are kept as they are."""

    def __init__(self, folder):
        self.folder = folder
        self.path = os.path.join(folder, "minimize_best.txt")
        self.comments, self.sizes = [], {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                for line in file:
                    self.read(line)

    def read(self, line):
        if line.startswith("#"):
            self.comments.append(line)
            return
        bug, size, how = line.split()
        assert how in ("proven", "found"), line
        self.sizes[bug] = (int(size), how)

    def schedule(self, bug):
        return os.path.join(self.folder, "best", bug + ".sched")

    def is_proven(self, bug):
        return self.sizes.get(bug, (0, "found"))[1] == "proven"

    def known(self, bug, by_hand):
        """What is proven, else the less of what was found and what others made by hand."""
        if bug not in self.sizes:
            return by_hand
        size, how = self.sizes[bug]
        return size if how == "proven" else min(size, by_hand)

    def offer(self, bug, stats):
        """Takes a result if it is shorter than what is known, or proves it; says whether its schedule is to be kept."""
        size, how = stats["final_events"], "proven" if stats["optimal"] else "found"
        before = self.sizes.get(bug)
        is_better = before is None or size < before[0] or (size, how, before[1]) == (before[0], "proven", "found")
        if is_better:
            self.sizes[bug] = (size, how)
        return is_better

    def write(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.writelines(self.comments)
            for bug, (size, how) in self.sizes.items():
                file.write(f"{bug} {size} {how}\n")
