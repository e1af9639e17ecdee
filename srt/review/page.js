// The review page. Everything that comes from data is put in place as text (el, said), never as HTML.

const TOKEN = new URLSearchParams(location.search).get("token") ?? "";
const DONE = { accept: "accepted", edit: "edited", reject: "rejected" };
const MARK = { proved: "✓ proved", refuted: "✗ refuted", consistent: "≈ consistent", unchecked: "– unchecked" };
const $ = (id) => document.getElementById(id);

let session = null; // what the server told of the folder: cases, faults, operations
let at = -1; // index of the case that is open
let view = null; // that case, whole
let editor = null; // the open editor: {rows, text, answer, dirty}
let last = null; // index of the case that was decided last on this page
let busy = false; // a decision is on its way

// ---- small helpers ----------------------------------------------------------------------------------------------

function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

async function api(path, body) {
  const headers = { "X-SRT-Token": TOKEN, ...(body && { "Content-Type": "application/json" }) };
  try {
    const response = await fetch(path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) });
    const failed = () => ({ error: `srt review failed (${response.status}); its terminal says why. Nothing was saved.` });
    return { status: response.status, data: await response.json().catch(failed) };
  } catch {
    return { status: 0, data: { error: "srt review does not answer: was it ended? Start it again; what was saved is kept." } };
  }
}

let toastTimer;
function toast(text, wrong = false) {
  clearTimeout(toastTimer);
  $("toast").textContent = text;
  $("toast").classList.toggle("wrong", wrong);
  toastTimer = setTimeout(() => ($("toast").textContent = ""), wrong ? 9000 : 3500);
}

const words = (name) => name.replaceAll("_", " ");
const local = (when) => new Date(when).toLocaleString([], { day: "numeric", month: "short", hour: "numeric", minute: "2-digit" });
const keyed = (text, ...keys) => [text + " ", ...keys.map((key) => el("kbd", {}, key))];

// Text in pieces: LaTeX in a monospace span, claims underlined in the colour of their verdict.
function said(pieces, lang) {
  const nodes = [];
  let formula = null;
  for (const { text, latex, support, why } of pieces) {
    if (!latex) formula = null;
    else if (!formula) nodes.push((formula = el("span", { class: "latex" })));
    const piece = support ? el("span", { class: `claim ${support}`, title: support + (why ? `: ${why}` : "") }, text) : text;
    if (formula) formula.append(piece);
    else nodes.push(piece);
  }
  return el("div", { class: "said", lang }, nodes);
}

const GOLD = { equal: "✓ equals gold", differs: "✗ differs from gold", unreadable: "✗ not readable as an answer of gold's kind", undecided: "a machine cannot tell whether it equals gold", no_gold: "no gold answer" };
const goldTag = (told) => el("span", { class: `verdict ${{ equal: "proved", undecided: "consistent", no_gold: "unchecked" }[told.gold] ?? "refuted"}` }, GOLD[told.gold]);
const verdict = (check) => el("span", { class: `verdict ${check.support}`, title: check.reason }, MARK[check.support]);

// Why a verdict is what it is: reason, counterexample or witness, and the claims that are not proved.
function reasons(check) {
  const lines = [];
  const silent = check.support === "unchecked" && view.kind === "free"; // prose without a claim: most of it, and no fault
  if (check.support !== "proved" && check.reason && !silent) lines.push(el("p", { class: "why" }, check.reason));
  if (check.witness) lines.push(el("p", { class: "why" }, "It need not be so: " + check.witness));
  if (check.counterexample) lines.push(el("p", { class: "against" }, "Counterexample: " + check.counterexample));
  for (const claim of check.claims.filter((one) => one.support === "refuted")) {
    const against = claim.counterexample ?? claim.reason;
    if (!check.counterexample || against !== check.counterexample)
      lines.push(el("p", { class: "against" }, el("span", { class: "latex" }, claim.claim), ` is refuted: ${against}`));
  }
  if (check.truth === "false") lines.push(el("p", { class: "against" }, "The solver of this world says that it is false."));
  return lines;
}

// An issue of the machine that says of a step what its verdict says already.
const repeats = (issue, check) => issue.by === "machine" &&
  (check.support === "refuted" ? issue.fault === "false_claim" : check.reason && issue.explanation.startsWith(check.reason));

function issueCard(issue, gone = false) {
  const fix = issue.suggested_fix && el("div", {}, "Suggests: " + issue.suggested_fix);
  const where = gone && issue.step ? ` at step ${issue.step}` : "";
  const who = issue.by === "machine" ? "Machine" : "Reviewer";
  return el("div", { class: gone ? "issue gone" : "issue", title: issue.meaning },
    el("b", {}, `${who}${where}: ${words(issue.fault)}`), " — " + issue.explanation, fix);
}

// ---- the list ---------------------------------------------------------------------------------------------------

const FILTERS = [
  ["by-category", (one) => [one.category]],
  ["by-state", (one) => [one.state]],
  ["by-fault", (one) => one.faults],
  ["by-done", (one) => [one.decided ? "decided" : "open", ...(one.decided ? [DONE[one.decided]] : [])]],
];

function fillFilters() {
  for (const [id, values] of FILTERS) {
    const found = id === "by-done" ? ["open", "decided", ...Object.values(DONE)] : [...new Set(session.cases.flatMap(values))].sort();
    $(id).replaceChildren(el("option", { value: "" }, "all"), ...found.map((value) => el("option", { value }, words(value))));
    $(id).addEventListener("change", () => { drawList(); $(id).blur(); });
  }
}

const shown = () => session.cases.map((_, n) => n).filter((n) =>
  FILTERS.every(([id, values]) => !$(id).value || values(session.cases[n]).includes($(id).value)));

const entries = new Map(); // index of a case -> its button in the list, where it is shown

function drawList() {
  entries.clear();
  for (const n of shown()) entries.set(n, el("button", { type: "button", onclick: () => open(n) }));
  $("list").replaceChildren(...[...entries].map(([n, button]) => { fillEntry(n); return el("li", {}, button); }));
  $("none").hidden = entries.size > 0;
  drawProgress();
}

function fillEntry(n) {
  const one = session.cases[n];
  const done = one.decided && el("span", { class: `done ${one.decided}` }, `${one.decided === "reject" ? "✗" : "✓"} ${DONE[one.decided]}`);
  entries.get(n)?.replaceChildren(el("div", { class: "top" }, one.id, done || ""), el("div", { class: "question" }, one.question));
}

function drawProgress() {
  $("list").querySelector("[aria-current]")?.removeAttribute("aria-current");
  entries.get(at)?.setAttribute("aria-current", "true");
  entries.get(at)?.scrollIntoView({ block: "nearest" });
  const decided = session.cases.filter((one) => one.decided).length;
  $("bar").max = session.cases.length || 1;
  $("bar").value = decided;
  $("count").textContent = `${decided} of ${session.cases.length} decided`;
}

function step(by) {
  const indices = [...entries.keys()];
  const place = indices.indexOf(at);
  const next = place < 0 ? indices[0] : indices[place + by];
  if (next !== undefined) open(next);
}

// ---- one case ---------------------------------------------------------------------------------------------------

async function open(index) {
  if (!mayLeave()) return;
  const { status, data } = await api(`api/cases/${index}`);
  if (status !== 200) return toast(data.error, true);
  at = index;
  history.replaceState(null, "", `#${index}`);
  show(data);
  $("problem").scrollTop = $("trace").scrollTop = 0;
}

function show(data) {
  view = data;
  editor = null;
  drawProgress();
  drawProblem();
  drawTrace();
}

function drawProblem() {
  const { problem } = view;
  const part = (title, ...content) => [el("h3", {}, title), ...content];
  $("problem").replaceChildren(
    el("h2", {}, view.id),
    el("p", { class: "faint" }, [view.category, problem.source, view.state].join(" · ")),
    ...part("Question", problem.instruction && el("p", { class: "faint said", lang: problem.lang }, problem.instruction), said(problem.question, problem.lang)).filter(Boolean),
    problem.choices.length ? el("ul", { class: "choices" }, problem.choices.map((one) =>
      el("li", { class: one.gold && "gold" }, el("b", {}, one.letter), said(one.text, problem.lang)))) : "",
    ...(problem.pictures ? part("Pictures", el("div", { class: "pictures" }, Array.from({ length: problem.pictures }, (_, n) => picture(n + 1)))) : []),
    ...(problem.description.length > 0 && problem.description[0].text ? part("Diagram description", said(problem.description, problem.lang)) : []),
    ...part("Gold answer", problem.gold === null ? el("p", { class: "faint" }, "none") : el("div", { class: "gold-answer said", lang: problem.lang }, problem.gold)),
    ...part("Official solution", problem.solution.some((piece) => piece.text) ? said(problem.solution, problem.lang) : el("p", { class: "faint" }, "none")),
  );
}

function picture(number) {
  const place = el("div", { class: "faint" }, "…");
  fetch(`api/cases/${at}/pictures/${number}`, { headers: { "X-SRT-Token": TOKEN } }).then(async (response) => {
    if (!response.ok) return place.replaceChildren(el("p", { class: "error" }, (await response.json()).error));
    const src = URL.createObjectURL(await response.blob());
    const alt = `Picture ${number} of problem ${view.id}`;
    place.replaceChildren(el("button", { type: "button", title: "Show it larger", onclick: () => {
      $("zoom").replaceChildren(el("img", { src, alt }));
      $("zoom").showModal();
    } }, el("img", { src, alt })));
  }).catch(() => place.replaceChildren(el("p", { class: "error" }, `picture ${number} could not be loaded`)));
  return place;
}

function drawTrace() {
  const { trace } = view;
  const parts = [];
  if (view.reason) parts.push(el("p", { class: "banner" }, view.reason));
  if (!trace) parts.push(el("p", { class: "banner wrong" }, "No candidate could be read as a trace. Write one with e, or reject the problem with r."));
  else {
    const general = [...view.issues, ...view.verdict.issues].filter((issue) =>
      (!issue.step || issue.step > trace.steps.length) && !(view.kind === "cot" && issue.fault === "false_claim" && issue.by === "machine"));
    parts.push(...general.map((issue) => issueCard(issue)), el("h3", {}, "Trace"));
    if (view.kind === "cot") parts.push(said(trace.pieces, view.problem.lang), ...proseReasons(view.verdict.prose));
    else parts.push(el("ol", { class: `steps ${view.kind}` }, trace.steps.map((one, n) => stepCard(one, n + 1))));
    parts.push(answerCard(trace));
  }
  if (view.rounds.length) parts.push(el("h3", {}, "How it came about"), ...view.rounds.map(roundCard));
  if (view.history.length) parts.push(el("h3", {}, "Decisions"), el("ol", { class: "log" }, view.history.map((one) =>
    el("li", {}, `${DONE[one.action] ?? "undone"} by ${one.who}, ${local(one.when)}`, one.fault && ` (${words(one.fault)})`, one.note && `: ${one.note}`))));
  $("trace").replaceChildren(...parts);
  drawActions();
}

function stepCard(one, number) {
  const check = view.verdict.steps[number - 1];
  return el("li", { class: `step is-${check.support}`, id: `step-${number}` },
    el("div", { class: "line" }, el("span", { class: "number" }, `#${number}`), el("span", { class: "op" }, one.op),
      one.premises.map((word) => el("span", { class: "premise" }, word)), verdict(check)),
    said(one.pieces, view.problem.lang),
    reasons(check),
    view.verdict.unused.includes(number) && el("p", { class: "why" }, "Nothing uses this step."),
    [...view.verdict.issues, ...view.issues].filter((issue) => issue.step === number && !repeats(issue, check)).map((issue) => issueCard(issue)));
}

const proseReasons = (claims) => claims.filter((claim) => claim.support === "refuted").map((claim) =>
  el("p", { class: "against" }, el("span", { class: "latex" }, claim.claim), ` is refuted: ${claim.counterexample ?? claim.reason}`));

function answerCard(trace) {
  const check = view.verdict.answer;
  return el("div", { class: `step is-${check.support}`, id: "step-answer" },
    el("div", { class: "line" }, el("span", { class: "op" }, "ANSWER"), el("span", { class: "space" }), goldTag(view.verdict), verdict(check)),
    el("div", { class: "said", lang: view.problem.lang }, trace.answer), reasons(check));
}

function roundCard(round) {
  const who = { teacher: "Teacher", checker: "Checker", person: "A person" }[round.made_by];
  const count = round.issues.length;
  const what = round.outcome === "ok" ? (count ? `${count} ${count === 1 ? "issue" : "issues"}` : round.made_by === "person" ? "edited" : "no issue") : words(round.outcome);
  const unseen = !round.reviewed && round.made_by !== "person" && round.outcome === "ok";
  const head = [el("b", {}, `${round.number}. ${who}`), ` · ${what}`, unseen && el("span", { class: "faint" }, " · not seen by the Reviewer")];
  if (!count && !round.overruled.length && !round.diff) return el("div", { class: "round" }, head);
  return el("details", { class: "round", open: round.diff !== null }, el("summary", {}, head),
    round.issues.map((issue) => issueCard(issue, true)),
    round.overruled.map((issue) => el("div", {}, issueCard(issue, true), el("p", { class: "why" }, "Overruled: the machine has proved this step."))),
    round.diff && diffList(round.diff));
}

function diffList(lines) {
  const rows = [];
  let same = 0;
  const flush = () => { if (same) rows.push(el("li", { class: "faint" }, `${same} ${same === 1 ? "line" : "lines"} unchanged`)); same = 0; };
  for (const line of lines) {
    if (line.change === "same") { same += 1; continue; }
    flush();
    rows.push(el("li", {}, el("span", { class: "number" }, line.words[0][1].startsWith("ANSWER:") ? "" : `#${line.new ?? line.old}`), el("div", { class: "said", lang: view.problem.lang },
      line.words.map(([mark, text]) => (mark === "same" ? text : el(mark === "added" ? "ins" : "del", {}, text))))));
  }
  flush();
  return el("ol", { class: "diff" }, rows);
}

function drawActions() {
  const decided = view.history.length && session.cases[at].decided ? view.history.findLast((one) => one.action === session.cases[at].decided) : null;
  const barred = !view.trace || view.verdict.barred.length > 0; // then there is nothing to accept, only to mend
  const button = (text, key, cls, action) => el("button", { type: "button", class: cls, id: `do-${key}`, onclick: action }, keyed(text, key));
  $("actions").replaceChildren(...(editor ? [
    el("button", { type: "button", class: "main", id: "save", onclick: save }, keyed("Save", "Ctrl", "Enter")),
    el("button", { type: "button", onclick: leaveEditor }, keyed("Cancel", "Esc")),
    el("span", { class: "status", id: "checked" }, ""),
  ] : [
    button("Accept", "a", barred ? "" : "yes", accept), button("Edit", "e", barred ? "main" : "", edit), button("Reject", "r", "no", askRejection), button("Undo", "u", "", undo),
    el("span", { class: `status ${decided ? decided.action : ""}` }, decided ? `${DONE[decided.action]} by ${decided.who}, ${local(decided.when)}` : "not decided yet"),
  ]));
}

// ---- decisions --------------------------------------------------------------------------------------------------

// Ask for one decision; true where it was saved. A refusal of an edit is shown in the editor, which stays open.
async function decide(asked, index = at, digest = view.digest) {
  if (busy) return false;
  busy = true;
  const { status, data } = await api(`api/cases/${index}/decide`, { digest, ...asked });
  busy = false;
  if (status === 200) {
    session.cases[index] = data.summary;
    fillEntry(index);
    last = asked.action === "undo" ? null : index;
    at = index;
    show(data.case);
    return true;
  }
  toast(data.error, true);
  if (status === 409) { editor = null; await open(index); }
  if (status === 422 && editor) mark(data, true);
  else if (status === 422) document.getElementById(`step-${data.verdict?.barred[0]?.step ?? "answer"}`)?.scrollIntoView({ block: "center" });
  return false;
}

// After a decision: the next open case in the list, from here on and then from the top.
function goOn(done) {
  toast(`${session.cases[at].id}: ${done}. u undoes it.`);
  const indices = session.cases.map((_, n) => n).filter((n) => !session.cases[n].decided &&
    FILTERS.every(([id, values]) => id === "by-done" || !$(id).value || values(session.cases[n]).includes($(id).value)));
  const next = indices.find((n) => n > at) ?? indices[0];
  if (next !== undefined) open(next);
  else toast("Every case in this list is decided.");
}

async function accept() { if (view && (await decide({ action: "accept" }))) goOn("accepted"); }

async function undo() {
  const index = session.cases[at]?.decided ? at : last;
  if (index === null || !session.cases[index]?.decided) return toast("There is nothing to undo.");
  const { status, data } = await api(`api/cases/${index}`);
  if (status !== 200) return toast(data.error, true);
  if (await decide({ action: "undo" }, index, data.digest)) toast(`${view.id}: open again.`);
}

function askRejection() {
  if (!view) return;
  const known = [...view.issues, ...(view.verdict?.issues ?? [])].map((issue) => issue.fault);
  $("reject-fault").value = known[0] ?? "";
  $("reject-note").value = $("reject-error").textContent = "";
  $("reject").showModal();
  $("reject-fault").focus();
}

async function reject() {
  const fault = $("reject-fault").value || null;
  const note = $("reject-note").value;
  if (!fault && !note.trim()) return ($("reject-error").textContent = "Choose what is wrong, or write a note.");
  $("reject").close();
  if (await decide({ action: "reject", fault, note })) goOn("rejected");
}

// ---- the editor -------------------------------------------------------------------------------------------------

function edit() {
  if (!view) return;
  const steps = view.trace?.steps ?? [];
  editor = { rows: [], text: null, dirty: false };
  editor.answer = el("input", { id: "answer", "aria-label": "Answer", lang: view.problem.lang, oninput: changed });
  editor.answer.value = view.trace?.answer ?? "";
  editor.note = el("div", { class: "line note" });
  const parts = [el("h3", {}, "Edit the trace"), ...view.issues.filter((issue) => !(steps[issue.step - 1])).map((issue) => issueCard(issue))];
  if (view.kind === "cot") {
    editor.text = el("textarea", { class: "prose", "aria-label": "Text", lang: view.problem.lang, oninput: changed });
    editor.text.value = view.trace?.text ?? "";
    parts.push(editor.text);
  } else {
    editor.list = el("ol", { class: `steps ${view.kind}` });
    editor.rows = (steps.length ? steps : [{}]).map((one, n) => makeRow(one, view.issues.filter((issue) => issue.step === n + 1)));
    parts.push(editor.list);
  }
  parts.push(el("div", { class: "answer-row" }, el("span", { class: "op" }, "ANSWER"), editor.answer), editor.note);
  $("trace").replaceChildren(...parts);
  drawRows();
  drawActions();
  (editor.rows[(view.verdict?.barred[0]?.step ?? 1) - 1]?.text ?? editor.text).focus();
  check();
}

// One step in the editor. What the Reviewer said of the step stays with it, wherever it is moved.
function makeRow(from = {}, issues = []) {
  const row = { said: el("div") };
  row.op = el("select", { "aria-label": "Operation", onchange: changed }, session.operations.map((op) => el("option", {}, op)));
  row.op.value = from.op ?? "INFER";
  row.premises = el("input", { "aria-label": "Premises", placeholder: "premises: #1 (2) scene", spellcheck: "false", lang: view.problem.lang, oninput: changed });
  row.premises.value = (from.premises ?? []).join(" ");
  row.text = el("textarea", { "aria-label": "Text", rows: 1, placeholder: view.kind === "world" ? "claim" : "what the step says", lang: view.problem.lang, oninput: changed });
  row.text.value = from.text ?? "";
  row.number = el("span", { class: "number" });
  row.verdict = el("span", {});
  const small = (sign, title, action) => el("button", { type: "button", title, "aria-label": title, tabindex: -1, onclick: () => action(row) }, sign);
  row.node = el("li", { class: "step row" },
    el("div", { class: "line" }, row.number, row.op, row.premises, row.verdict,
      el("span", { class: "small" }, small("↑", "Move up (Alt ↑)", (r) => move(r, -1)), small("↓", "Move down (Alt ↓)", (r) => move(r, 1)),
        small("+", "New step below (Alt Enter)", insert), small("×", "Take out (Alt Backspace)", remove))),
    row.text, row.said, issues.map((issue) => issueCard(issue)));
  return row;
}

function drawRows() {
  editor.rows.forEach((row, n) => { row.number.textContent = `#${n + 1}`; });
  editor.list?.replaceChildren(...editor.rows.map((row) => row.node));
}

// Put the rows in another order; #k in the premises follows the step it meant. References to a step that is gone go too.
function reorder(rows) {
  const place = new Map(editor.rows.map((row, n) => [n + 1, rows.indexOf(row) + 1]));
  let lost = 0;
  for (const row of rows) {
    row.premises.value = row.premises.value.replace(/#([0-9]+)(?![0-9])\s*/g, (whole, k) => {
      const now = place.get(Number(k));
      if (now === 0) lost += 1;
      return now === 0 ? "" : whole.replace(k, now ?? k);
    }).trimEnd();
  }
  editor.rows = rows;
  drawRows();
  changed();
  if (lost) toast(`${lost} ${lost === 1 ? "reference" : "references"} to this step went with it.`);
}

function move(row, by) {
  const rows = [...editor.rows];
  const from = rows.indexOf(row);
  if (!rows[from + by]) return;
  rows.splice(from + by, 0, ...rows.splice(from, 1));
  const focused = document.activeElement;
  reorder(rows);
  focused.focus();
}

function insert(after) {
  const row = makeRow();
  const rows = [...editor.rows];
  rows.splice(rows.indexOf(after) + 1, 0, row);
  reorder(rows);
  row.premises.focus();
}

function remove(row) {
  if (editor.rows.length === 1) return toast("A trace needs a step.");
  const from = editor.rows.indexOf(row);
  reorder(editor.rows.filter((one) => one !== row));
  editor.rows[Math.min(from, editor.rows.length - 1)].text.focus();
}

const draft = () => ({
  steps: editor.rows.map((row) => ({ op: row.op.value, premises: row.premises.value, text: row.text.value })),
  text: editor.text && editor.text.value,
  answer: editor.answer.value,
});

let checkTimer;
let checks = 0;
function changed() {
  editor.dirty = true;
  clearTimeout(checkTimer);
  checkTimer = setTimeout(check, 450);
}

// The machine's verdicts on what is typed, while it is typed. Only the newest answer counts.
async function check() {
  if (!editor) return;
  const mine = editor;
  const number = ++checks;
  const { status, data } = await api(`api/cases/${at}/check`, draft());
  if (editor === mine && number === checks && status === 200) mark(data, false);
}

function mark({ faults = [], verdict: told }, leap) {
  checks += 1;
  editor.rows.forEach((row, n) => {
    const wrong = faults.filter((fault) => fault.step === n + 1);
    const check_ = told?.steps[n];
    row.node.className = `step row is-${check_?.support ?? "unchecked"}`;
    row.verdict.replaceChildren(...(check_ ? [verdict(check_)] : []));
    row.premises.toggleAttribute("aria-invalid", wrong.some((fault) => fault.field === "premises"));
    row.text.toggleAttribute("aria-invalid", wrong.some((fault) => fault.field === "text"));
    const against = (told?.issues ?? []).filter((issue) => issue.step === n + 1 && !repeats(issue, check_));
    row.said.replaceChildren(...wrong.map((fault) => el("p", { class: "against" }, `${fault.field}: ${fault.message}`)),
      ...(check_ ? reasons(check_) : []), ...against.map((issue) => issueCard(issue)));
  });
  const general = faults.filter((fault) => !fault.step).map((fault) => el("p", { class: "against" }, `${fault.field}: ${fault.message}`));
  if (told) general.push(goldTag(told), verdict(told.answer), ...reasons(told.answer), ...proseReasons(told.prose), ...told.issues.filter((issue) => !issue.step && !(editor.text && issue.fault === "false_claim")).map((issue) => issueCard(issue)));
  editor.note.replaceChildren(...general);
  const barred = (told?.barred.length ?? 0) + faults.length;
  $("checked").textContent = barred ? `${barred} ${barred === 1 ? "fault" : "faults"} to mend before it can be saved` : "nothing stands against saving";
  if (leap) $("trace").querySelector(".against, .issue")?.scrollIntoView({ block: "center" });
}

async function save() {
  if (editor && (await decide({ action: "edit", draft: draft() }))) goOn("edited");
}

function mayLeave() {
  return !editor?.dirty || confirm("Leave the editor? What you changed is not saved.");
}

function leaveEditor() {
  if (!mayLeave()) return;
  editor = null;
  drawTrace();
  $("trace").focus();
}

// ---- keys -------------------------------------------------------------------------------------------------------

const COMMANDS = { j: () => step(1), k: () => step(-1), a: accept, e: edit, r: askRejection, u: undo, "?": () => $("keys").showModal() };

document.addEventListener("keydown", (event) => {
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if (document.querySelector("dialog[open]")) {
    if ($("reject").open && event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); reject(); }
    return;
  }
  if (editor) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); return save(); }
    if (event.key === "Escape" && !event.isComposing) { event.preventDefault(); return leaveEditor(); }
    const row = editor.rows.find((one) => one.node.contains(document.activeElement));
    const action = event.altKey && row && { ArrowUp: () => move(row, -1), ArrowDown: () => move(row, 1), Enter: () => insert(row), Backspace: () => remove(row) }[event.key];
    if (action) { event.preventDefault(); action(); }
    return;
  }
  if (plain && !event.target.closest("select, input, textarea") && COMMANDS[event.key]) {
    event.preventDefault();
    COMMANDS[event.key]();
  }
});

$("help").addEventListener("click", () => $("keys").showModal());
$("reject-no").addEventListener("click", () => $("reject").close());
$("reject-yes").addEventListener("click", reject);
$("zoom").addEventListener("click", () => $("zoom").close());
addEventListener("beforeunload", (event) => { if (editor?.dirty) event.preventDefault(); });

// ---- start ------------------------------------------------------------------------------------------------------

const told = await api("api/session");
if (told.status !== 200) toast(told.data.error, true);
else {
  session = told.data;
  $("folder").textContent = session.folder;
  $("where").textContent = session.where === "audit" ? "audit sample" : "queue";
  $("who").textContent = session.who;
  document.title = `srt review: ${session.folder}`;
  $("reject-fault").replaceChildren(el("option", { value: "" }, "choose…"), ...session.faults.map((fault) =>
    el("option", { value: fault.name, title: fault.explanation }, `${words(fault.name)} — ${fault.explanation}`)));
  fillFilters();
  drawList();
  const first = session.cases.findIndex((one) => !one.decided);
  const asked = /^#\d+$/.test(location.hash) ? Number(location.hash.slice(1)) : -1;
  if (session.cases[asked]) open(asked);
  else if (session.cases.length) open(first < 0 ? 0 : first);
  else $("trace").replaceChildren(el("p", { class: "banner" }, session.where === "audit" ? "No trace has passed yet: there is nothing to audit." : "No case is waiting for people."));
}
