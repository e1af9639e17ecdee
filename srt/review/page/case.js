// The view of one case: the problem, the trace with the machine's verdicts, the rounds, the decisions.

import { loadPicture } from "./api.js";
import { $, count, drawFormula, el, local, words } from "./dom.js";

export const DONE = { accept: "accepted", edit: "edited", reject: "rejected" };
const MARK = { proved: "✓ proved", computed: "✓ computed", refuted: "✗ refuted", consistent: "≈ consistent", unchecked: "– unchecked" };
const UPHELD = ["proved", "computed"];
const GOLD = {
  equal: ["proved", "✓ gold"],
  differs: ["refuted", "✗ differs from gold"],
  unreadable: ["refuted", "✗ cannot be read as an answer of gold's kind"],
  undecided: ["consistent", "gold: a machine cannot compare"],
  no_gold: ["unchecked", "no gold answer"],
};

// ---- the problem ------------------------------------------------------------------------------------------------

let pictureAddresses = [];

export function problemNodes(view, index) {
  const { problem } = view;
  pictureAddresses.forEach((address) => URL.revokeObjectURL(address));
  pictureAddresses = [];
  const nodes = [el("h2", {}, view.id), el("p", { class: "faint" }, [view.category, problem.source, view.state].join(" · "))];
  const part = (title, ...content) => nodes.push(el("h3", {}, title), ...content);
  const none = () => el("p", { class: "faint" }, "none");
  const text = (pieces) => said(pieces, problem.lang);

  part("Question");
  if (problem.instruction) nodes.push(el("p", { class: "faint said", lang: problem.lang }, problem.instruction));
  nodes.push(text(problem.question));
  if (problem.choices.length) nodes.push(el("ul", { class: "choices" }, problem.choices.map((one) =>
    el("li", { class: one.gold && "gold" }, el("b", {}, one.letter), text(one.text)))));
  if (problem.pictures) part("Pictures", el("div", { class: "pictures" },
    Array.from({ length: problem.pictures }, (_, n) => picture(view, index, n + 1))));
  if (says(problem.description)) part("Diagram description", text(problem.description));
  part("Gold answer", problem.gold === null ? none() : el("div", { class: "gold-answer" }, text(problem.gold)));
  part("Official solution", says(problem.solution) ? text(problem.solution) : none());
  return nodes;
}

function picture(view, index, number) {
  const place = el("div", { class: "faint" }, "…");
  const show = async () => {
    const src = await loadPicture(index, number);
    pictureAddresses.push(src);
    const alt = `Picture ${number} of problem ${view.id}`;
    const image = el("img", { src, alt });
    await image.decode(); // shown once it is there: nothing jumps, and its size is known
    const tall = image.naturalHeight > 2 * image.naturalWidth;
    const enlarge = () => { $("zoom").replaceChildren(el("img", { src, alt })); $("zoom").showModal(); };
    place.replaceChildren(el("button", { type: "button", title: "Enlarge", class: tall && "tall", onclick: enlarge }, image));
  };
  show().catch((error) => {
    const message = typeof error === "string" ? error : `Picture ${number} could not be shown.`;
    place.replaceChildren(el("p", { class: "error" }, message));
  });
  return place;
}

// ---- the trace --------------------------------------------------------------------------------------------------

export function traceNodes(view) {
  const { trace } = view;
  const nodes = [];
  if (view.reason) nodes.push(el("p", { class: "banner" }, view.reason));
  if (!trace) nodes.push(el("p", { class: "banner wrong" }, "No candidate could be read as a trace. Write one with e, or reject the problem with r."));
  else {
    const general = [...view.issues, ...view.verdict.issues].filter((issue) =>
      (!issue.step || issue.step > trace.steps.length) && !(view.kind === "cot" && issue.fault === "false_claim" && issue.by === "machine"));
    nodes.push(...general.map((issue) => issueCard(issue, view.verdict)), el("h3", {}, "Trace ", el("span", { class: "by" }, `by ${trace.teacher}`)));
    if (view.kind === "cot") nodes.push(said(trace.pieces, view.problem.lang), ...refutedClaims(view.verdict.prose));
    else nodes.push(el("ol", { class: `steps ${view.kind}` }, trace.steps.map((one, n) => stepCard(view, one, n + 1))));
    nodes.push(answerCard(view));
  }
  if (view.rounds.length) nodes.push(el("h3", {}, "History"), ...view.rounds.map((round) => roundCard(view, round)));
  if (view.history.length) nodes.push(el("h3", {}, "Decisions"), el("ol", { class: "log" }, view.history.map((one) =>
    el("li", {}, `${DONE[one.action] ?? "undone"} by ${one.who}, ${local(one.when)}`, one.fault && ` (${words(one.fault)})`, one.note && `: ${one.note}`))));
  return nodes;
}

function stepCard(view, one, number) {
  const check = view.verdict.steps[number - 1];
  const issues = [...view.verdict.issues, ...view.issues].filter((issue) => issue.step === number && !repeats(issue, check));
  return el("li", { class: `step is-${issues.length && check.support !== "refuted" ? "objected" : check.support}`, id: `step-${number}` },
    el("div", { class: "line" }, el("span", { class: "number" }, `#${number}`), el("span", { class: "op" }, one.op),
      one.premises.map((word) => el("span", { class: "premise" }, word)), verdictTag(check)),
    said(one.pieces, view.problem.lang),
    reasons(check, view.kind),
    issues.map((issue) => issueCard(issue, view.verdict)));
}

function answerCard(view) {
  const check = view.verdict.answer;
  const colour = GOLD[view.verdict.gold][0] === "refuted" ? "refuted" : check.support;
  return el("div", { class: `step is-${colour}`, id: "step-answer" },
    el("div", { class: "line" }, el("span", { class: "op" }, "ANSWER"), el("span", { class: "space" }), goldTag(view.verdict), answerTag(view.verdict, view.trace.answer)),
    said(view.trace.answer_pieces, view.problem.lang), reasons(check, view.kind));
}

// ---- the rounds of the loop ------------------------------------------------------------------------------------------

function roundCard(view, round) {
  const who = { teacher: "Teacher", checker: "Checker", person: "A person" }[round.made_by];
  const person = round.made_by === "person";
  const issues = round.issues.length;
  const what = round.outcome !== "ok" ? words(round.outcome) : person ? "edited" : issues ? count(issues, "issue") : "no issues";
  const unreviewed = !round.reviewed && !person && round.outcome === "ok";
  const head = [el("b", {}, `${round.number}. ${who}`), ` · ${what}`, unreviewed && el("span", { class: "faint" }, " · not reviewed")];
  if (!issues && !round.overruled.length && !round.diff) return el("div", { class: "round" }, head);
  return el("details", { class: "round", open: round.diff !== null }, el("summary", {}, head),
    round.issues.map((issue) => issueCard(issue)),
    round.overruled.map((issue) => el("div", {}, issueCard(issue), el("p", { class: "why" }, "Overruled: the machine has proved or computed the step."))),
    round.diff && diffList(round.diff, view.problem.lang));
}

function diffList(lines, lang) {
  const rows = [];
  let same = 0;
  const flush = () => { if (same) rows.push(el("li", { class: "faint" }, `${count(same, "line")} unchanged`)); same = 0; };
  for (const line of lines) {
    if (line.change === "same") { same += 1; continue; }
    flush();
    const number = line.words[0][1].startsWith("ANSWER:") ? "" : `#${line.new ?? line.old}`;
    rows.push(el("li", {}, el("span", { class: "number" }, number), el("div", { class: "said", lang },
      line.words.map(([mark, text]) => (mark === "same" ? text : el(mark === "added" ? "ins" : "del", {}, text))))));
  }
  flush();
  return el("ol", { class: "diff" }, rows);
}

// ---- pieces that the editor shows too ---------------------------------------------------------------------------

const says = (pieces) => pieces.some((piece) => piece.text);

// Text in pieces: formulas drawn (their source is there too, for the key s), claims underlined by their verdict.
const inline = (pieces) => pieces.map(({ text, math, display, support, why }) => {
  const title = [math && text, support && support + (why ? `: ${why}` : "")].filter(Boolean).join("\n");
  if (math) return el("span", { class: `formula ${display ? "display" : text.length > 44 ? "long" : ""} ${support ?? ""}`, title }, drawFormula(math), el("code", {}, text));
  return support ? el("span", { class: `claim ${support}`, title }, text) : text;
});
const said = (pieces, lang) => el("div", { class: "said", lang }, inline(pieces));
const plain = (pieces) => pieces.map((piece) => piece.text).join("");

export const verdictTag = (check) => el("span", { class: `verdict ${check.support}`, title: check.reason }, MARK[check.support]);

// "Proved" is for a trace that is proved as a whole, "computed" for prose that calculates its answer in the step that
// states it: a step that only states the answer need not be right.
export function answerTag({ answer, proved, computed, steps }, text) {
  const upheld = proved || (computed && steps.at(-1)?.support === "computed");
  if (!UPHELD.includes(answer.support) || upheld) return verdictTag(answer);
  const where = !steps.length ? "by the last line" : /[;；]/.test(text) ? "by the steps" : `by step ${steps.length}`;
  return el("span", { class: "verdict unchecked", title: "A step states the answer. Whether that step is right is another question." }, `stated ${where}`);
}

export function goldTag(verdict) {
  const [colour, text] = GOLD[verdict.gold];
  return el("span", { class: `verdict ${colour}` }, text);
}

// The reasons for a verdict: reason, counterexample or witness, and the refuted claims.
export function reasons(check, kind) {
  const lines = [];
  const silent = check.support === "unchecked" && kind === "free"; // prose without a claim is common and not a fault
  if (!UPHELD.includes(check.support) && check.reason && !silent) lines.push(el("p", { class: "why" }, check.reason));
  if (check.witness) lines.push(el("p", { class: "why" }, "Also consistent with the premises: " + check.witness));
  if (check.counterexample) lines.push(el("p", { class: "against" }, "Counterexample: " + check.counterexample));
  lines.push(...refutedClaims(check.claims.filter((one) => !check.counterexample || (one.counterexample ?? one.reason) !== check.counterexample)));
  if (check.truth === "false") lines.push(el("p", { class: "against" }, "The solver of this world finds it false."));
  return lines;
}

export const refutedClaims = (claims) => claims.filter((claim) => claim.support === "refuted").map((claim) =>
  el("p", { class: "against" }, el("code", {}, claim.claim), ` is refuted: ${claim.counterexample ?? claim.reason}`));

// An issue; red if it keeps the trace that `verdict` is about from being saved. Without a verdict, it is of an earlier round.
export function issueCard(issue, verdict) {
  const fix = issue.suggested_fix.length > 0 && el("div", {}, "Suggested fix: ", inline(issue.suggested_fix));
  const where = !verdict && issue.step ? ` at step ${issue.step}` : "";
  const who = issue.by === "machine" ? "Machine" : "Reviewer";
  const blocks = issue.by === "machine" && verdict?.blocking.some((one) => one.step === issue.step && one.fault === issue.fault);
  return el("div", { class: `issue ${verdict ? (blocks ? "blocks" : "") : "gone"}`, title: issue.meaning },
    el("b", {}, `${who}${where}: ${words(issue.fault)}`), " — ", inline(issue.explanation), fix);
}

// Whether an issue of the machine only repeats the verdict on its step.
export const repeats = (issue, check) => issue.by === "machine" &&
  (check?.support === "refuted" ? issue.fault === "false_claim" : check?.reason && plain(issue.explanation).startsWith(check.reason));
