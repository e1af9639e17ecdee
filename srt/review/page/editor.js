// The editor: a row for each step of a trace (one text for cot), checked by the server while you type.

import { count, el, toast } from "./dom.js";
import { answerTag, goldTag, issueCard, reasons, refutedClaims, repeats, verdictTag } from "./case.js";

const CHECK_AFTER_MS = 450;

export class Editor {
  // `check` sends a draft and returns {faults, verdict}, or null if the server did not answer.
  constructor(view, operations, check) {
    this.view = view;
    this.operations = operations;
    this.check = check;
    this.lang = view.problem.lang;
    this.dirty = false;
    this.asked = 0;
    this.rows = [];
    this.text = null;
    this.note = el("div", { class: "line note" });
    this.status = el("span", { class: "status", id: "checked" });
    const changed = () => this.changed();
    this.answer = el("input", { id: "answer", "aria-label": "Answer", lang: this.lang, oninput: changed });
    this.answer.value = view.trace?.answer ?? "";

    const steps = view.trace?.steps ?? [];
    this.nodes = [el("h3", {}, "Edit the trace"), ...view.issues.filter((issue) => !steps[issue.step - 1]).map((issue) => issueCard(issue, view.verdict))];
    if (view.kind === "cot") {
      this.text = el("textarea", { class: "prose", "aria-label": "Text", lang: this.lang, oninput: changed });
      this.text.value = view.trace?.text ?? "";
      this.nodes.push(this.text);
    } else {
      this.list = el("ol", { class: `steps ${view.kind}` });
      this.rows = (steps.length ? steps : [{}]).map((one, n) => this.makeRow(one, view.issues.filter((issue) => issue.step === n + 1)));
      this.nodes.push(this.list);
      this.drawRows();
    }
    this.nodes.push(el("div", { class: "answer-row" }, el("span", { class: "op" }, "ANSWER"), this.answer), this.note);
  }

  // Called once the nodes are in the page: focuses the first step that blocks saving.
  start() {
    (this.rows[(this.view.verdict?.blocking[0]?.step ?? 1) - 1]?.text ?? this.rows[0]?.text ?? this.text).focus();
    this.checkNow();
  }

  draft() {
    return {
      steps: this.rows.map((row) => ({ op: row.op.value, premises: row.premises.value, text: row.text.value })),
      text: this.text && this.text.value,
      answer: this.answer.value,
    };
  }

  changed() {
    this.dirty = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.checkNow(), CHECK_AFTER_MS);
  }

  // Only the newest answer counts.
  async checkNow() {
    const number = ++this.asked;
    const result = await this.check(this.draft());
    if (result && number === this.asked) this.mark(result);
  }

  // Show the server's verdict on the draft, each fault at its step. `scroll`: bring the first one into view.
  mark({ faults = [], verdict }, scroll = false) {
    this.asked += 1;
    this.rows.forEach((row, n) => this.markRow(row, n + 1, faults.filter((fault) => fault.step === n + 1), verdict));
    const general = faults.filter((fault) => !fault.step).map(faultLine);
    if (verdict) {
      const issues = verdict.issues.filter((issue) => !issue.step && !(this.text && issue.fault === "false_claim"));
      general.push(goldTag(verdict), answerTag(verdict, this.answer.value), ...reasons(verdict.answer, this.view.kind),
        ...refutedClaims(verdict.prose), ...issues.map((issue) => issueCard(issue, verdict)));
    }
    this.note.replaceChildren(...general);
    const blocking = (verdict?.blocking.length ?? 0) + faults.length;
    this.status.textContent = blocking ? `${count(blocking, "fault")} to fix before it can be saved` : "ready to save";
    if (scroll) (this.list ?? this.note).parentNode.querySelector(".against, .issue")?.scrollIntoView({ block: "center" });
  }

  markRow(row, number, faults, verdict) {
    const check = verdict?.steps[number - 1];
    const issues = (verdict?.issues ?? []).filter((issue) => issue.step === number && !repeats(issue, check));
    row.node.className = `step row is-${check?.support ?? "unchecked"}`;
    row.verdict.replaceChildren(...(check ? [verdictTag(check)] : []));
    row.premises.toggleAttribute("aria-invalid", faults.some((fault) => fault.field === "premises"));
    row.text.toggleAttribute("aria-invalid", faults.some((fault) => fault.field === "text"));
    row.said.replaceChildren(...faults.map(faultLine), ...(check ? reasons(check, this.view.kind) : []), ...issues.map((issue) => issueCard(issue, verdict)));
  }

  // One step. The Reviewer's issues stay with it when it is moved.
  makeRow(from = {}, issues = []) {
    const changed = () => this.changed();
    const row = { said: el("div"), number: el("span", { class: "number" }), verdict: el("span", {}) };
    row.op = el("select", { "aria-label": "Operation", onchange: changed }, this.operations.map((op) => el("option", {}, op)));
    row.op.value = from.op ?? "INFER";
    row.premises = el("input", { "aria-label": "Premises", placeholder: "premises: #1 (2) scene", spellcheck: "false", lang: this.lang, oninput: changed });
    row.premises.value = (from.premises ?? []).join(" ");
    row.text = el("textarea", { "aria-label": "Text", rows: 1, placeholder: this.view.kind === "world" ? "claim" : "what the step says", lang: this.lang, oninput: changed });
    row.text.value = from.text ?? "";
    const small = (sign, title, action) => el("button", { type: "button", title, "aria-label": title, tabindex: -1, onclick: action }, sign);
    row.node = el("li", { class: "step row" },
      el("div", { class: "line" }, row.number, row.op, row.premises, row.verdict, el("span", { class: "small" },
        small("↑", "Move up (Alt ↑)", () => this.move(row, -1)), small("↓", "Move down (Alt ↓)", () => this.move(row, 1)),
        small("+", "New step below (Alt Enter)", () => this.insert(row)), small("×", "Remove (Alt Backspace)", () => this.remove(row)))),
      row.text, row.said, issues.map((issue) => issueCard(issue, this.view.verdict)));
    return row;
  }

  drawRows() {
    this.rows.forEach((row, n) => { row.number.textContent = `#${n + 1}`; });
    this.list.replaceChildren(...this.rows.map((row) => row.node));
  }

  // Reorder the rows; #k in the premises follows its step. References to a removed step are removed too.
  reorder(rows) {
    const place = new Map(this.rows.map((row, n) => [n + 1, rows.indexOf(row) + 1]));
    let lost = 0;
    for (const row of rows) {
      row.premises.value = row.premises.value.replace(/#([0-9]+)(?![0-9])\s*/g, (whole, k) => {
        const now = place.get(Number(k));
        if (now === 0) lost += 1;
        return now === 0 ? "" : whole.replace(k, now ?? k);
      }).trimEnd();
    }
    this.rows = rows;
    this.drawRows();
    this.changed();
    if (lost) toast(`${count(lost, "reference")} to this step removed.`);
  }

  move(row, by) {
    const rows = [...this.rows];
    const from = rows.indexOf(row);
    if (!rows[from + by]) return;
    rows.splice(from + by, 0, ...rows.splice(from, 1));
    const focused = document.activeElement;
    this.reorder(rows);
    focused.focus();
  }

  insert(after) {
    const row = this.makeRow();
    const rows = [...this.rows];
    rows.splice(rows.indexOf(after) + 1, 0, row);
    this.reorder(rows);
    row.premises.focus();
  }

  remove(row) {
    if (this.rows.length === 1) return toast("A trace needs at least one step.");
    const from = this.rows.indexOf(row);
    this.reorder(this.rows.filter((one) => one !== row));
    this.rows[Math.min(from, this.rows.length - 1)].text.focus();
  }

  // The command of Alt with `key` for the focused step; null if there is none.
  command(key) {
    const row = this.rows.find((one) => one.node.contains(document.activeElement));
    const commands = { ArrowUp: () => this.move(row, -1), ArrowDown: () => this.move(row, 1), Enter: () => this.insert(row), Backspace: () => this.remove(row) };
    return row ? (commands[key] ?? null) : null;
  }
}

const faultLine = (fault) => el("p", { class: "against" }, `${fault.field}: ${fault.message}`);
