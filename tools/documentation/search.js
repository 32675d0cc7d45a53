// Looks names up as they are typed. INDEX holds [name, kind, place, words of the doc].
"use strict";

const box = document.getElementById("search");
const list = document.getElementById("found");
const MOST = 20;

// Smaller is better; -1 is no match.
function rank([name, , , text], wanted) {
  const lower = name.toLowerCase();
  if (lower === wanted) return 0;
  if (lower.startsWith(wanted)) return 1;
  if (lower.includes(wanted)) return 2;
  return text.toLowerCase().includes(wanted) ? 3 : -1;
}

function show() {
  const wanted = box.value.trim().toLowerCase();
  const hits = wanted ? INDEX.map((row) => [rank(row, wanted), row]).filter(([r]) => r >= 0) : [];
  hits.sort((a, b) => a[0] - b[0] || a[1][0].length - b[1][0].length);
  list.replaceChildren(
    ...hits.slice(0, MOST).map(([, [name, kind, place]]) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = place;
      link.textContent = name;
      const note = document.createElement("small");
      note.textContent = kind;
      item.append(link, " ", note);
      return item;
    }),
  );
  list.hidden = hits.length === 0;
}

box.addEventListener("input", show);
box.addEventListener("keydown", (event) => {
  if (event.key === "Enter") list.querySelector("a")?.click();
  if (event.key === "Escape") {
    box.value = "";
    show();
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== box) {
    event.preventDefault();
    box.focus();
  }
});
