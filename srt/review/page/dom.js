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
