// The review page: the list, the open case, decisions, keys.

import { checkDraft, loadCase, loadSession, sendDecision } from "./api.js";
import { DONE, problemNodes, traceNodes } from "./case.js";
import { $, el, local, toast, words } from "./dom.js";
import { Editor } from "./editor.js";

let session = null; // the folder: cases, faults, operations
let at = -1; // index of the open case
let view = null; // that case in full
let editor = null; // the editor, while it is open
let last = null; // {index, view} of the case decided last in this window, as it was shown then
let stale = false; // what is open has changed on the server, and the text in the editor is kept
let busy = false; // a decision is being sent
let turn = 0; // counts actions: a case that arrives after a later action is not shown

// ---- the list ---------------------------------------------------------------------------------------------------

const FILTERS = [
  ["by-category", (one) => [one.category]],
  ["by-state", (one) => [one.state]],
  ["by-fault", (one) => one.faults],
  ["by-done", (one) => [one.decided ? "decided" : "open", ...(one.decided ? [DONE[one.decided]] : [])]],
];
const entries = new Map(); // index of a case -> its button, if the list shows it

function fillFilters() {
  for (const [id, values] of FILTERS) {
    const found = id === "by-done" ? ["open", "decided", ...Object.values(DONE)] : [...new Set(session.cases.flatMap(values))].sort();
    $(id).replaceChildren(el("option", { value: "" }, "all"), ...found.map((value) => el("option", { value }, words(value))));
    $(id).addEventListener("change", () => { drawList(); $(id).blur(); });
  }
}

const matching = (filters) => session.cases.map((_, n) => n).filter((n) =>
  filters.every(([id, values]) => !$(id).value || values(session.cases[n]).includes($(id).value)));

function drawList() {
  entries.clear();
  for (const n of matching(FILTERS)) entries.set(n, el("button", { type: "button", onclick: () => open(n) }));
  $("list").replaceChildren(...[...entries].map(([n, button]) => { fillEntry(n); return el("li", {}, button); }));
  $("none").hidden = entries.size > 0;
  drawProgress();
}

function fillEntry(n) {
  const one = session.cases[n];
  const done = one.decided && el("span", { class: `done ${one.decided}` }, `${one.decided === "reject" ? "✗" : "✓"} ${DONE[one.decided]}`);
  entries.get(n)?.replaceChildren(el("div", { class: "top" }, one.id, done || ""), el("div", { class: "question" }, one.question.replace(/\$\$?([^$]+)\$\$?/g, "$1")));
}

function drawProgress() {
  $("list").querySelector("[aria-current]")?.removeAttribute("aria-current");
  entries.get(at)?.setAttribute("aria-current", "true");
  entries.get(at)?.scrollIntoView({ block: "nearest" });
  const decided = session.cases.filter((one) => one.decided).length;
  $("bar").max = session.cases.length || 1;
  $("bar").value = decided;
  $("count").textContent = session.cases.length ? `${decided} of ${session.cases.length} decided` : "";
  document.body.classList.toggle("finished", decided > 0 && decided === session.cases.length);
}

function step(by) {
  const indices = [...entries.keys()];
  const place = indices.indexOf(at);
  const next = place < 0 ? indices[0] : indices[place + by];
  if (next !== undefined) open(next);
}

// ---- the open case --------------------------------------------------------------------------------------

async function open(index) {
  if (busy || !mayLeave()) return;
  const mine = ++turn;
  const { status, data } = await loadCase(index);
  if (mine !== turn) return;
  if (status !== 200) return toast(data.error, true);
  at = index;
  document.body.classList.remove("listing");
  history.replaceState(null, "", `#${index}`);
  show(data);
  $("problem").scrollTop = $("trace").scrollTop = 0;
}

function show(data) {
  view = data;
  stale = false;
  for (const key of Object.keys(session.cases[at])) session.cases[at][key] = data[key]; // another window may have decided
  fillEntry(at);
  editor = null;
  drawProgress();
  $("problem").replaceChildren(...problemNodes(view, at));
  drawTrace();
}

function drawTrace() {
  $("trace").replaceChildren(el("p", { class: "banner done-all" }, "Every case is decided. Press Ctrl-C in the terminal to write traces.jsonl and the report."), ...traceNodes(view));
  drawActions();
}

function drawActions() {
  const action = session.cases[at].decided;
  const decided = action && view.history.findLast((one) => one.action === action);
  const blocked = !view.trace || view.verdict.blocking.length > 0; // then it cannot be accepted, only edited
  const button = (text, keys, props) => el("button", { type: "button", ...props }, text + " ", ...keys.map((key) => el("kbd", {}, key)));
  $("actions").replaceChildren(...(editor ? [
    button("Save", ["Ctrl", "Enter"], { class: "main", id: "save", onclick: save }),
    button("Cancel", ["Esc"], { onclick: leaveEditor }),
    editor.status,
  ] : [
    button("Accept", ["a"], { class: blocked ? "" : "yes", id: "do-a", onclick: accept }),
    button("Edit", ["e"], { class: blocked ? "main" : "", id: "do-e", onclick: edit }),
    button("Reject", ["r"], { class: "no", id: "do-r", onclick: askRejection }),
    button("Undo", ["u"], { id: "do-u", onclick: undo }),
    el("span", { class: `status ${decided ? action : ""}` }, decided ? `${DONE[action]} by ${decided.who}, ${local(decided.when)}` : "not decided yet"),
  ]));
}

// ---- decisions --------------------------------------------------------------------------------------------------

// Send one decision on what the person has seen; true if it was saved. A refused edit stays in the editor, with the reasons.
async function decide(asked, index = at, shown = view) {
  if (busy) return false;
  busy = true;
  turn += 1;
  const { status, data } = await sendDecision(index, { digest: shown.digest, seen: shown.history.length, ...asked });
  busy = false;
  if (status === 200) {
    last = asked.action === "undo" ? null : { index, view: data.case };
    at = index;
    show(data.case);
    return true;
  }
  toast(status === 409 && editor ? `${data.error}. Your text is kept; Esc discards it.` : data.error, true);
  if (status === 409) {
    if (last?.index === index) last = null;
    if (editor) stale = true;
    else await open(index);
  }
  if (status === 422 && editor) editor.mark(data, true);
  else if (status === 422) $(`step-${data.verdict?.blocking[0]?.step ?? "answer"}`)?.scrollIntoView({ block: "center" });
  return false;
}

// After a decision, open the next undecided case in the list, wrapping around at its end.
function goOn(done) {
  toast(`${session.cases[at].id}: ${done}. Press u to undo.`);
  const undecided = matching(FILTERS.filter(([id]) => id !== "by-done")).filter((n) => !session.cases[n].decided);
  const next = undecided.find((n) => n > at) ?? undecided[0];
  if (next !== undefined) open(next);
  else toast("Every case in this list is decided.");
}

async function accept() { if (view && (await decide({ action: "accept" }))) goOn("accepted"); }

async function undo() {
  // What this window has shown, not what is there now: another window may have decided since.
  const { index, view: shown } = view?.decided ? { index: at, view } : last ?? {};
  if (!shown) return toast("There is nothing to undo.");
  if (await decide({ action: "undo" }, index, shown)) toast(`${view.id}: reopened.`);
}

function askRejection() {
  if (!view) return;
  const known = [...view.issues, ...(view.verdict?.issues ?? [])].map((issue) => issue.fault);
  $("reject-fault").value = known[0] ?? "";
  $("reject-note").value = $("reject-error").textContent = "";
  turn += 1;
  $("reject").showModal();
  $("reject-note").focus();
}

async function reject() {
  const fault = $("reject-fault").value || null;
  const note = $("reject-note").value;
  if (!fault && !note.trim()) return ($("reject-error").textContent = "Choose what is wrong, or write a note.");
  $("reject").close();
  if (await decide({ action: "reject", fault, note })) goOn("rejected");
}

function edit() {
  if (!view || busy) return;
  turn += 1;
  const index = at;
  editor = new Editor(view, session.operations, async (draft) => {
    const { status, data } = await checkDraft(index, draft);
    return status === 200 ? data : null;
  });
  $("trace").replaceChildren(...editor.nodes);
  drawActions();
  editor.start();
}

async function save() {
  if (editor && (await decide({ action: "edit", draft: editor.draft() }))) goOn("edited");
}

function mayLeave() {
  return !editor?.dirty || confirm("Leave the editor? Your changes are not saved.");
}

function leaveEditor() {
  if (busy || !mayLeave()) return;
  editor = null;
  drawTrace();
  $("trace").focus();
  if (stale) open(at);
}

// ---- keys -------------------------------------------------------------------------------------------------------

const COMMANDS = { j: () => step(1), k: () => step(-1), a: accept, e: edit, r: askRejection, u: undo, s: () => document.body.classList.toggle("source"), "?": () => $("keys").showModal() };

function commandOf(event) {
  const confirmed = event.key === "Enter" && (event.ctrlKey || event.metaKey);
  if (document.querySelector("dialog[open]")) return $("reject").open && confirmed ? reject : null;
  if (editor) {
    if (confirmed) return save;
    if (event.key === "Escape" && !event.isComposing) return leaveEditor;
    return event.altKey ? editor.command(event.key) : null;
  }
  const typed = event.ctrlKey || event.metaKey || event.altKey || event.target.closest("select, input, textarea");
  return typed ? null : COMMANDS[event.key];
}

document.addEventListener("keydown", (event) => {
  const command = commandOf(event);
  if (!command) return;
  event.preventDefault();
  command();
});

$("help").addEventListener("click", () => $("keys").showModal());
$("show-list").addEventListener("click", () => document.body.classList.toggle("listing"));
$("reject-no").addEventListener("click", () => $("reject").close());
$("reject-yes").addEventListener("click", reject);
$("zoom").addEventListener("click", () => $("zoom").close());
addEventListener("beforeunload", (event) => { if (editor?.dirty) event.preventDefault(); });

// ---- start ------------------------------------------------------------------------------------------------------

const loaded = await loadSession();
if (loaded.status !== 200) toast(loaded.data.error, true);
else {
  session = loaded.data;
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
  else {
    const [what, next] = session.where === "audit"
      ? ["There is nothing to audit.", "No trace has passed the checks yet."]
      : ["No case is waiting for a decision.", "To look at a sample of the traces that passed: srt review with --audit N."];
    document.querySelector("main").replaceChildren(el("div", { id: "empty" }, el("h2", {}, what), el("p", { class: "faint" }, next)));
  }
}
