"use strict";
// The examples of the report: filtered here, built when they are opened, from text alone (textContent, never markup).
(() => {
  const STEP = 40;
  const data = JSON.parse(document.getElementById("island").textContent);
  const form = document.getElementById("filters");
  const list = document.getElementById("list");
  const count = document.getElementById("count");
  const more = document.getElementById("more");
  let found = [];
  let shown = 0;

  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined && text !== null) element.textContent = text;
    return element;
  };
  const kindOf = (output) => (output.all === 1 ? "right" : output.all === 0 ? "wrong" : "partly");
  const MARKS = { right: "✓", wrong: "✗", partly: "◐" };

  for (const example of data.examples) {
    const parts = [example.id, example.question, example.category, example.gold, ...example.choices.map((c) => c[1])];
    for (const output of example.outputs) parts.push(output.read, output.failed || "", ...output.lines.map((l) => l[0]));
    example.text = parts.join("\n").toLowerCase();
  }

  const fill = (name, values) => {
    const select = form.elements.namedItem(name);
    for (const [value, text] of values) {
      const option = make("option", "", text);
      option.value = value;
      select.append(option);
    }
    if (!values.length) select.closest("label").hidden = true;
  };
  const among = (take) => [...new Set(data.examples.flatMap(take))].filter(Boolean).sort();
  const same = (values) => values.map((value) => [value, value.replaceAll("_", " ")]);
  fill("arm", data.arms.map((arm, index) => [String(index), arm.name]));
  fill("status", same(among((example) => example.outputs.map((output) => output.status))));
  fill("category", same(among((example) => [example.category])));
  fill("fault", same(among((example) => example.outputs.map((output) => output.fault))));

  const verdictFits = (output, wanted) => {
    if (!wanted) return true;
    if (wanted === "proved-whole") return output.proved;
    if (wanted === "computed-whole") return output.computed;
    if (wanted === "none") return output.verdicts.length === 0;
    return output.verdicts.includes(wanted);
  };

  const filter = () => {
    const value = (name) => form.elements.namedItem(name).value;
    const [arm, outcome, status, verdict] = ["arm", "outcome", "status", "verdict"].map(value);
    const [category, fault, text] = [value("category"), value("fault"), value("text").trim().toLowerCase()];
    const fits = (output) =>
      (arm === "" || output.arm === Number(arm)) &&
      (outcome === "" || outcome === "differ" || kindOf(output) === outcome) &&
      (status === "" || output.status === status) &&
      (fault === "" || output.fault === fault) &&
      verdictFits(output, verdict);
    found = data.examples.filter(
      (example) =>
        (category === "" || example.category === category) &&
        (outcome !== "differ" || new Set(example.outputs.map((output) => output.all)).size > 1) &&
        example.outputs.some(fits) &&
        (text === "" || example.text.includes(text)),
    );
    list.replaceChildren();
    shown = 0;
    show();
  };

  const show = () => {
    const part = document.createDocumentFragment();
    for (const example of found.slice(shown, shown + STEP)) part.append(row(example));
    shown = Math.min(found.length, shown + STEP);
    list.append(part);
    const all = data.examples.length.toLocaleString("en");
    count.textContent = `${found.length.toLocaleString("en")} of ${all} examples${found.length ? `, ${shown} listed` : ""}`;
    more.hidden = shown >= found.length;
    more.textContent = `List ${Math.min(STEP, found.length - shown)} more`;
  };

  const row = (example) => {
    const details = make("details", "card example");
    const summary = make("summary");
    const head = make("span", "head");
    head.append(make("strong", "", example.id));
    if (example.category) head.append(make("span", "tag", example.category));
    head.append(make("span", "glance", example.question));
    const who = make("span", "who");
    for (const output of example.outputs) {
      const kind = kindOf(output);
      who.append(make("span", kind, `${MARKS[kind]} ${data.arms[output.arm].name}`));
    }
    summary.append(head, who);
    details.append(summary);
    details.addEventListener("toggle", () => {
      if (details.open && details.childElementCount === 1) details.append(problem(example), outputs(example));
    });
    return details;
  };

  const problem = (example) => {
    const box = make("div", "problem");
    const text = make("div", "text");
    text.append(make("div", "question", example.question));
    if (example.choices.length) {
      const options = make("div", "options");
      for (const [letter, said, gold] of example.choices)
        options.append(make("span", gold ? "gold" : "", `${gold ? "✓ " : ""}${letter}. ${said}`));
      text.append(options);
    }
    const gold = make("p", "faint", "gold: ");
    gold.append(make("strong", "", example.gold));
    text.append(gold);
    box.append(text);
    for (const [place, index] of example.pictures.entries()) {
      const image = make("img");
      image.src = data.pictures[index];
      image.alt = example.description || `picture ${place + 1} of this problem`;
      box.append(image);
    }
    return box;
  };

  const outputs = (example) => {
    const box = make("div", "outputs");
    for (const output of example.outputs) box.append(card(output));
    return box;
  };

  const card = (output) => {
    const arm = data.arms[output.arm];
    const box = make("article", "output");
    box.style.borderTopColor = arm.colour;
    const head = make("header");
    head.append(make("strong", "", arm.name));
    const said = make("span");
    const kind = output.value === 1 ? "right" : output.value === 0 ? "wrong" : "partly";
    const credit = kind === "partly" ? ` (credit ${output.value.toFixed(2)})` : "";
    said.append(make("span", `mark ${kind}`, `${MARKS[kind]} ${output.read}${credit}`));
    if (output.tokens !== null) said.append(make("span", "faint", ` ${output.tokens.toLocaleString("en")} tokens`));
    head.append(said);
    box.append(head);
    if (output.variant !== "plain") box.append(make("p", "note", `variant: ${output.variant}`));
    if (output.cut) box.append(make("p", "note", `… ${output.cut.toLocaleString("en")} characters before this are not shown`));
    const lines = make("ol", "lines");
    for (const entry of output.lines) lines.append(line(entry));
    box.append(lines);
    if (output.failed) box.append(make("p", "note", `failed first: ${output.failed}`));
    if (output.note) box.append(make("p", "note", output.note));
    if (output.others.length) box.append(others(output.others));
    return box;
  };

  const line = ([text, verdict, truth, why]) => {
    const item = make("li");
    const words = make("span", "t", text);
    item.append(words);
    if (!verdict) return item;
    if (verdict !== "proved" && verdict !== "computed" && (why || truth)) {
      const reasons = [why, truth ? `in the solved scene: ${truth}` : null].filter(Boolean);
      words.append(make("span", "why", reasons.join("; ")));
      item.className = "more";
    }
    const mark = make("span", `v ${verdict}`, verdict);
    if (why) mark.title = why;
    item.append(mark);
    return item;
  };

  const others = (rows) => {
    const box = make("p", "others");
    for (const [name, value, read] of rows) {
      const kind = value === 1 ? "right" : value === 0 ? "wrong" : "partly";
      box.append(make("span", kind, `${name}: ${MARKS[kind]} ${read}`));
    }
    return box;
  };

  let waiting = 0;
  form.addEventListener("input", (event) => {
    window.clearTimeout(waiting);
    waiting = window.setTimeout(filter, event.target.type === "search" ? 150 : 0);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => window.setTimeout(filter, 0));
  more.addEventListener("click", () => {
    const first = shown;
    show();
    list.children[first].querySelector("summary").focus();
  });
  form.hidden = false;
  filter();
  for (const details of [...list.children].slice(0, 2)) details.open = true;
})();
