// When the run was lost: of the runs with the same first steps, the share that fails.

const SHARE = { left: 50, width: 40 }; // of the strip beside the numbers of the events

// The last measured point of the steps up to the event: [steps, failed, runs]; undefined: none, or no step is known.
function shareAt(data, t, e) {
  const step = t.step[e] ?? 0;
  if (data.shares === undefined || t.index !== 0 || step === 0) {
    return undefined;
  }
  return data.shares.findLast(([count]) => count <= step);
}

// "38 of 40 runs with the same first 17 steps fail".
const shareWords = ([count, failed, runs]) => `${failed} of ${runs} runs with the same first ${count} steps fail`;

// The event of the step with which the run was lost; -1: none is known.
function lostEvent(data, t) {
  return data.lost_step === undefined ? -1 : t.step.indexOf(data.lost_step + 1);
}

// A bar for each row in sight, as long as the share that fails.
function drawShares(g, diagram, first, last) {
  const { t, rows } = diagram;
  let share = 0;
  g.fillStyle = diagram.colors()("band");
  g.fillRect(SHARE.left, 0, SHARE.width, diagram.height);
  g.fillStyle = diagram.colors()("bug");
  g.globalAlpha = 0.45;
  for (let row = first; row <= last; row++) {
    const point = diagram.shareOf(rows.events[row]);
    share = point === undefined ? share : point[1] / point[2];
    g.fillRect(SHARE.left, diagram.yOf(row) - diagram.rowHeight / 2, Math.max(1, SHARE.width * share), diagram.rowHeight);
  }
  g.globalAlpha = 1;
  const lost = diagram.lost < 0 ? -1 : rows.of[diagram.lost];
  if (lost >= first && lost <= last) {
    g.fillRect(SHARE.left, diagram.yOf(lost) - diagram.rowHeight / 2 - 1, SHARE.width, 2);
  }
}
