"use strict";
(() => {
  const nav = document.getElementById("filter");
  const count = document.getElementById("count");
  const cards = [...document.querySelectorAll("article")];
  nav.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    for (const other of nav.querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button));
    const kind = button.dataset.kind;
    let shown = 0;
    for (const card of cards) {
      card.hidden = kind !== "" && card.dataset.kind !== kind;
      shown += card.hidden ? 0 : 1;
    }
    count.textContent = `${shown} of ${cards.length} shown`;
  });
  nav.hidden = false;
})();
