// Building nodes. All data is inserted as text, here and nowhere else, never as HTML.

export const $ = (id) => document.getElementById(id);

export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

// A formula as the server describes it: [element, {attribute: value}, child, ...]; a child is such a list, or text.
const MATHML = "http://www.w3.org/1998/Math/MathML";
export function drawFormula([tag, attributes, ...children]) {
  const node = document.createElementNS(MATHML, tag);
  for (const [name, value] of Object.entries(attributes)) if (name !== "xmlns") node.setAttribute(name, value);
  node.append(...children.map((child) => (typeof child === "string" ? child : drawFormula(child))));
  return node;
}

let toastTimer;
export function toast(text, wrong = false) {
  clearTimeout(toastTimer);
  $("toast").textContent = text;
  $("toast").classList.toggle("wrong", wrong);
  toastTimer = setTimeout(() => ($("toast").textContent = ""), wrong ? 9000 : 3500);
}

export const words = (name) => name.replaceAll("_", " ");
export const count = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
export const local = (when) => new Date(when).toLocaleString([], { day: "numeric", month: "short", hour: "numeric", minute: "2-digit" });
