// The page in a real browser: make test-page. Prints TAP; screenshots go into the build folder.
//
//     node page_test.mjs BUILD
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const source = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const build = resolve(process.argv[2] ?? join(source, "build"));
const shots = join(build, "page");

if (!existsSync(CHROMIUM)) {
  console.log(`1..0 # SKIP ${CHROMIUM} is not there: apt install chromium, or set CHROMIUM`);
  process.exit(0);
}
let chromium;
try {
  ({ chromium } = createRequire(join(build, "page-test", "package.json"))("playwright-core"));
} catch {
  console.log("1..0 # SKIP playwright-core is not there: make test-page installs it");
  process.exit(0);
}

const scratch = mkdtempSync(join(tmpdir(), "clew-page-"));
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
mkdirSync(shots, { recursive: true });

const clew = (...words) => {
  try {
    return execFileSync(join(build, "clew"), words, { cwd: scratch, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    if (error.status === 1) {
      return error.stdout; // found
    }
    throw error;
  }
};

const check = (claim, says) => {
  if (!claim) {
    throw new Error(says);
  }
};
const same = (got, wanted, says) => check(got === wanted, `${says}: got ${JSON.stringify(got)}, wanted ${JSON.stringify(wanted)}`);

// A page that fails the test when it throws, asks for anything, or opens a dialog.
async function open(file, { fragment = "", ...options } = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push("error: " + error.message));
  page.on("console", (message) => message.type() === "error" && page.faults.push("console: " + message.text()));
  page.on("request", (request) => request.url().startsWith("file:") || page.faults.push("request: " + request.url()));
  page.on("dialog", (dialog) => {
    page.faults.push("dialog: " + dialog.message());
    dialog.dismiss();
  });
  await page.goto("file://" + join(scratch, file) + fragment);
  await page.waitForFunction(() => window.clew?.diagram.drawTimes?.length > 0);
  return page;
}

async function close(page) {
  const faults = page.faults;
  await page.close();
  check(faults.length === 0, faults.join("; "));
}

const counts = (page) => page.locator(".counts").textContent();
const selected = (page) => page.locator('.row[aria-selected="true"]:visible .number').textContent();
const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const press = async (page, ...keys) => {
  for (const key of keys) {
    await page.keyboard.press(key);
  }
  await settled(page);
};

const tests = {};

tests.a_race_opens_at_its_second_access_with_the_causal_past = async () => {
  const page = await open("race.html");
  check((await page.locator("#verdict").textContent()).startsWith("balance is written at ledger.c:33"), "the verdict");
  same(await selected(page), "17", "the selected event");
  check((await counts(page)).startsWith("16 of 32 events. 16 hidden: not in the causal past of events 13, 17"), await counts(page));
  same(await page.locator(".row.key:visible").count(), 2, "marked rows");
  await page.screenshot({ path: join(shots, "race.png") });
  await close(page);
};

tests.keys_walk_through_the_bug = async () => {
  const page = await open("race.html");
  await press(page, "ArrowUp");
  same(await selected(page), "16", "up");
  await press(page, "Enter");
  same(await selected(page), "9", "the other end of the message");
  await press(page, "]");
  same(await selected(page), "13", "the next event of the finding");
  await press(page, "ArrowLeft");
  same(await selected(page), "12", "the event before it of the same task");
  check((await page.locator(".panel").textContent()).includes("journal: now held by deposits@ledger"), "the panel says what changed");
  await press(page, "Home");
  same(await selected(page), "0", "home");
  await press(page, "n");
  check((await page.locator("#verdict").textContent()).includes("ledger.c:31"), "the next finding");
  await press(page, "?");
  check(await page.locator("dialog").isVisible(), "the list of keys");
  await press(page, "Escape");
  check(!(await page.locator("dialog").isVisible()), "Escape closes it");
  await close(page);
};

tests.all_events_can_be_shown_and_filtered = async () => {
  const page = await open("race.html");
  await press(page, "a");
  check((await counts(page)).startsWith("32 of 32 events."), await counts(page));
  await press(page, "/");
  await page.keyboard.type("node:teller-1 -kind:thread");
  await settled(page);
  check((await counts(page)).startsWith("4 of 32 events. 28 hidden by the filter."), await counts(page));
  await close(page);
};

tests.the_address_names_the_moment = async () => {
  const page = await open("race.html");
  await press(page, "a", "ArrowDown", "ArrowDown");
  const event = await selected(page);
  const fragment = await page.evaluate(() => location.hash);
  await close(page);
  const again = await open("race.html", { fragment });
  same(await selected(again), event, "the event");
  same(await again.evaluate(() => location.hash), fragment, "the address");
  check((await counts(again)).startsWith("32 of 32"), await counts(again));
  await press(again, "[");
  await again.goBack();
  await again.waitForFunction((wanted) => String(window.clew.view.event) === wanted, event);
  await close(again);
};

tests.memory_of_one_task_is_hidden_until_all_is_asked_for = async () => {
  const page = await open("own.html");
  check((await counts(page)).startsWith("7 of 9 events. 2 hidden: memory that only one task accesses."), await counts(page));
  await press(page, "a");
  check((await counts(page)).startsWith("9 of 9 events."), await counts(page));
  await close(page);
};

tests.arrows_are_the_messages = async () => {
  const page = await open("race.html");
  const messages = await page.evaluate(() => {
    const { edges, kindName } = window.clew.t; // of the only run
    return [...edges.kind.keys()]
      .filter((i) => edges.names[edges.kind[i]] === "message")
      .map((i) => [kindName(edges.from[i]), kindName(edges.to[i])].join(" "));
  });
  same(messages.join(), Array(4).fill("send recv").join(), "the messages of bank.log");
  await close(page);
};

tests.a_witness_has_its_own_order = async () => {
  const page = await open("race.html");
  await press(page, "w");
  check((await counts(page)).includes("In the order of the witness."), await counts(page));
  await close(page);
};

tests.dark_and_light_zoom_and_print_work = async () => {
  const page = await open("race.html", { colorScheme: "dark" });
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await paper();
  await page.screenshot({ path: join(shots, "race-dark.png") });
  await press(page, "t", "t");
  check((await paper()) !== dark, "t changes to light");
  await press(page, "+", "-", "-", "-", "-", "-", "-", "-");
  same(await page.locator(".row:visible").count(), 0, "labels of rows that are too low");
  await page.emulateMedia({ media: "print" });
  await settled(page);
  await close(page);
};

tests.the_diagram_is_saved_as_svg = async () => {
  const page = await open("run.html");
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("s")]);
  const text = readFileSync(await download.path(), "utf8");
  check(text.startsWith("<svg ") && text.includes("fault: crash coordinator"), text.slice(0, 200));
  await close(page);
};

tests.a_narrow_window_stacks_the_parts = async () => {
  const page = await open("race.html", { viewport: { width: 800, height: 900 } });
  const [diagram, panel] = await Promise.all([page.locator(".diagram").boundingBox(), page.locator(".panel").boundingBox()]);
  check(panel.y >= diagram.y + diagram.height - 1, "the panel is below the diagram");
  await page.screenshot({ path: join(shots, "race-narrow.png") });
  await close(page);
};

tests.a_failing_run_of_a_system_shows_its_faults_and_steps = async () => {
  const page = await open("run.html");
  check((await page.locator("#replay code").textContent()).startsWith("clew replay commit.campaign/"), "the command");
  await press(page, "]", "]", "]");
  check((await page.locator(".panel").textContent()).includes("step 11"), "the step");
  check((await page.locator(".labels").first().textContent()).includes("fault: crash coordinator"), "the crash");
  await page.screenshot({ path: join(shots, "run.png") });
  await close(page);
};

tests.the_nearest_passing_run_stands_beside_the_failing_one = async () => {
  const page = await open("run.html");
  same(await page.locator(".caption:visible").allTextContents().then((texts) => texts.join(", ")), "commit.campaign/violations/1.sched, the nearest passing run", "the two runs");
  const at = await page.evaluate(() => [window.clew.data.divergence, window.clew.view.event]);
  same(at[1], at[0], "it opens where they part");
  await press(page, "ArrowUp");
  const partner = await page.evaluate(() => window.clew.sides[1].diagram.selected);
  await press(page, "o");
  same(await page.evaluate(() => [window.clew.t.index, window.clew.view.event].join()), `1,${partner}`, "o goes to the same event of the other run");
  const fragment = await page.evaluate(() => location.hash);
  check(fragment.includes("run=2"), fragment);
  await close(page);
  const again = await open("run.html", { fragment });
  same(await again.evaluate(() => [window.clew.t.index, window.clew.view.event].join()), `1,${partner}`, "its address");
  await close(again);
};

tests.two_traces_are_compared = async () => {
  const page = await open("both.html");
  same(await page.locator(".diagram").count(), 2, "diagrams");
  check((await page.locator(".row.only:visible").count()) > 0, "events of one run only are marked");
  check((await counts(page)).includes("only in this run."), await counts(page));
  await page.screenshot({ path: join(shots, "both.png") });
  await close(page);
};

tests.a_pattern_finds_chains_of_events = async () => {
  const page = await open("race.html");
  await press(page, "a", "/");
  await page.keyboard.type("send deposit -> recv .. lock journal");
  await settled(page);
  check((await counts(page)).includes("The pattern occurs once."), await counts(page));
  check((await counts(page)).startsWith("5 of 32"), await counts(page)); // three of the pattern, two of the finding
  await close(page);
};

tests.a_property_of_clocks_shows_its_argument = async () => {
  const page = await open("moment.html");
  same(await page.locator(".drawn:visible").count(), 2, "intervals, a line each");
  same(await page.locator(".row.key:visible").count(), 2, "marked rows");
  await page.screenshot({ path: join(shots, "moment.png") });
  await close(page);
};

tests.the_step_with_which_a_run_was_lost_is_marked = async () => {
  const page = await open("lost.html");
  const [lost, line] = [await page.evaluate(() => window.clew.sides[0].diagram.lost), await page.locator(".lost").textContent()];
  check(/^lost at step \d+ \(.*\): of runs with the same first \d+ steps, \d+ of 40 fail/.test(line), line);
  await press(page, "Home", "d");
  same(await page.evaluate(() => [window.clew.t.index, window.clew.view.event].join()), `0,${lost}`, "d goes there");
  check(/\d+ of 40 runs with the same first \d+ steps fail/.test(await page.locator(".panel").textContent()), "the panel has the share");
  same(await page.locator(".head.share").count(), 1, "one head, of the run that was measured");
  await page.screenshot({ path: join(shots, "lost.png") });
  await close(page);
};

tests.three_hundred_hostile_names_execute_nothing = async () => {
  const page = await open("hostile.html");
  const benign = await open("race.html");
  for (let i = 0; i < 40; i++) {
    await press(page, "PageDown", "Enter", "ArrowLeft");
  }
  await page.locator("select, input").last().fill("<script>");
  await settled(page);
  same(await page.evaluate(() => window.hacked), undefined, "a script of a name ran");
  const elements = (p) => p.evaluate(() => [...new Set([...document.body.querySelectorAll("*")].map((e) => e.tagName))].filter((tag) => /SCRIPT|IMG|SVG|IFRAME|OBJECT|STYLE|LINK|B$/i.test(tag)).join());
  same(await elements(page), await elements(benign), "elements");
  await close(benign);
  await close(page);
};

tests.the_policy_stops_a_script_that_gets_in = async () => {
  const page = await open("race.html");
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.hacked = 1";
    document.body.append(script);
  });
  same(await page.evaluate(() => window.hacked), undefined, "it ran");
  page.faults = page.faults.filter((fault) => !fault.includes("Content Security Policy"));
  await close(page);
};

tests.a_hundred_thousand_events_can_be_walked = async () => {
  const started = Date.now();
  const page = await open("large.html");
  const opened = Date.now() - started;
  await press(page, "a", "End");
  same(await selected(page), "99999", "the last event");
  const wheel = page.locator(".body");
  await wheel.hover();
  await page.evaluate(() => (window.clew.diagram.drawTimes = []));
  for (let i = 0; i < 60; i++) {
    await page.mouse.wheel(0, i % 2 === 0 ? -900 : 300);
    await settled(page);
  }
  const times = (await page.evaluate(() => window.clew.diagram.drawTimes)).sort((a, b) => a - b);
  console.log(`# 100,000 events: opened in ${opened} ms; draws: median ${times[times.length >> 1].toFixed(1)} ms, p95 ${times[Math.floor(times.length * 0.95)].toFixed(1)} ms`);
  await page.screenshot({ path: join(shots, "large.png") });
  await close(page);
};

tests.a_million_events_can_be_walked = async () => {
  const started = Date.now();
  const page = await open("huge.html");
  const opened = Date.now() - started;
  await press(page, "a", "End");
  same(await selected(page), "999999", "the last event");
  await page.locator(".body").hover();
  await page.evaluate(() => (window.clew.diagram.drawTimes = []));
  for (let i = 0; i < 60; i++) {
    await page.mouse.wheel(0, i % 2 === 0 ? -900 : 300);
    await settled(page);
  }
  const times = (await page.evaluate(() => window.clew.diagram.drawTimes)).sort((a, b) => a - b);
  console.log(`# 1,000,000 events: ${(statSync(join(scratch, "huge.html")).size / 1e6).toFixed(1)} MB, opened in ${opened} ms; p95 of a draw ${times[Math.floor(times.length * 0.95)].toFixed(1)} ms`);
  await close(page);
};

// ---- inputs ----

function makeInputs() {
  const bank = join(source, "examples/bank.log");
  writeFileSync(join(scratch, "race.findings"), clew("races", "--json", "--witness", bank));
  clew("view", "-q", "race.findings", "-o", "race.html");
  clew("cc", "--sim", join(source, "examples/commit.c"), "-o", "commit.so");
  clew("explore", "-q", "--first", "--strategy", "pos", "--budget", "20000runs", "./commit.so");
  clew("view", "-q", "commit.campaign/violations/1.sched", "./commit.so", "-o", "run.html");
  clew("view", "-q", "--likelihood", "commit.campaign/violations/1.sched", "./commit.so", "-o", "lost.html");
  clew("view", "-q", bank.replace("bank.log", "bank-broken.log"), bank, "-o", "both.html");
  const turns = join(source, "examples/turns");
  writeFileSync(join(scratch, "moment.findings"), clew("monitor", "--json", "--spec", turns + ".spec", "--skew", "6ms", turns + ".txt"));
  clew("view", "-q", "moment.findings", "-o", "moment.html");
  writeFileSync(join(scratch, "own.txt"), OWN_MEMORY);
  writeFileSync(join(scratch, "own.findings"), clew("races", "--json", "own.txt"));
  clew("view", "-q", "own.findings", "-o", "own.html");
  writeFileSync(join(scratch, "hostile.txt"), hostileTrace(300));
  clew("view", "-q", "hostile.txt", "-o", "hostile.html");
  writeFileSync(join(scratch, "large.txt"), largeTrace(100000));
  clew("view", "-q", "large.txt", "-o", "large.html");
  writeFileSync(join(scratch, "huge.txt"), largeTrace(1000000));
  clew("view", "-q", "huge.txt", "-o", "huge.html");
}

// A race on `count`; `i` is of main/1 alone.
const OWN_MEMORY = `clew-text 1 order=exact
main@n process-start
main@n thread-create main/1@n
main@n thread-create main/2@n
main/1@n thread-start
main/1@n write i @own.c:3 size=4
main/1@n read i @own.c:4 size=4
main/1@n write count @own.c:5 size=4
main/2@n thread-start
main/2@n write count @own.c:6 size=4
`;

function hostileTrace(count) {
  const shapes = [
    (i) => `</script><script>window.hacked=${i}</script>`,
    (i) => `<img src=x onerror=window.hacked=${i}>`,
    (i) => `<svg onload=window.hacked=${i}><!--`,
    (i) => `javascript:window.hacked=${i}//'"><b>`,
    (i) => `__proto__ constructor ${i} \\u003c ]]> &lt;script&gt;`,
    (i) => `\u202e${i}\u2028\u0000x`.replace("\u0000", ""),
  ];
  const quote = (text) => `"${text.replace(/\\/g, "\\\\").replace(/"/g, '\\"')}"`;
  const lines = ["clew-text 1 order=exact"];
  for (let i = 0; i < count; i++) {
    const name = shapes[i % shapes.length](i);
    const task = quote(`${name}@${shapes[(i + 1) % shapes.length](i % 7)}`);
    lines.push(`${task} write ${quote(name)} @${quote(name + ":3")} value=${i} text=${quote(name)}`);
    lines.push(`${task} send ${quote(name)} msg=${quote("m" + name)} size=1`);
    lines.push(`"receiver@n" recv ${quote(name)} msg=${quote("m" + name)} size=1`);
    lines.push(`${task} violation ${quote(name)} text=${quote(name)}`);
  }
  return lines.join("\n") + "\n";
}

function largeTrace(count) {
  const lines = ["clew-text 1 order=exact"];
  let last = "";
  for (let i = 0; i < count; i++) {
    const task = `main/${i % 7}@n${i % 5}`;
    const step = i % 10;
    if (step === 0) {
      last = `"m#${i}"`;
      lines.push(`${task} send "a>b" mode=udp msg=${last} size=8`);
    } else if (step === 4) {
      lines.push(`${task} recv "a>b" mode=udp msg=${last} size=8`);
    } else if (step === 5) {
      lines.push(`${task} log text="round ${i}"`);
    } else {
      lines.push(`${task} ${step % 2 === 0 ? "read" : "write"} "x${i % 50}" @"store.c:${i % 400}" size=4 value=${i}`);
    }
  }
  lines[count] = `main/0@n0 violation "late" text="the last event breaks the property"`;
  return lines.join("\n") + "\n";
}

let failed = 0;
try {
  makeInputs();
  console.log(`1..${Object.keys(tests).length}`);
  for (const [i, [name, test]] of Object.entries(tests).entries()) {
    try {
      await test();
      console.log(`ok ${i + 1} ${name}`);
    } catch (error) {
      failed++;
      console.log(`not ok ${i + 1} ${name}\n# ${String(error.message).replace(/\n/g, "\n# ")}`);
    }
  }
} finally {
  await browser.close();
  rmSync(scratch, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);
