// Small comforts; every page works without them. Nothing of a table is kept here.
"use strict";

// A slider and the number beside it say the same.
document.addEventListener("input", (event) => {
  const element = event.target;
  if (!(element instanceof HTMLInputElement)) return;
  if (element.type === "range" && element.dataset.for) {
    document.getElementById(element.dataset.for).value = element.value;
  } else if (element.type === "number") {
    const slider = document.querySelector(`input[type="range"][data-for="${CSS.escape(element.id)}"]`);
    if (slider && element.value) slider.value = element.value;
  }
}, true);

// Whoever fills in a box means the choice that it belongs to.
document.addEventListener("input", (event) => {
  const choice = event.target.type === "radio" ? null : event.target.closest(".details .choice");
  const radio = choice && choice.querySelector('input[type="radio"]');
  if (radio && event.target.value) radio.checked = true;
});

// The promise of the setting before must not stand beside a setting that is being typed.
const setting = document.getElementById("setting");
if (setting) {
  const promise = document.getElementById("promise");
  const publish = document.getElementById("publish-now");
  const checked = (stale) => {
    promise.classList.toggle("stale", stale);
    promise.setAttribute("aria-busy", String(stale));
    publish.setAttribute("aria-disabled", String(!stale && document.getElementById("promise-wrong") !== null));
  };
  setting.addEventListener("input", () => checked(true));
  setting.addEventListener("submit", (event) => {
    const wrong = document.getElementById("promise-wrong");
    if (publish.getAttribute("aria-disabled") !== "true" || !wrong || event.submitter?.name === "way") return;
    event.preventDefault();
    wrong.tabIndex = -1;
    wrong.focus();
  });
  // Back from the result leads to the setting that was used, not to the one that an address filled in.
  setting.addEventListener("submit", (event) => { if (location.search && !event.defaultPrevented) history.replaceState(null, "", "/method"); });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target === promise) checked(false);
  });
}

// A file that is too large is refused before it is sent; dropping a file anywhere on its form chooses it.
for (const form of document.querySelectorAll("form.drop")) {
  const input = form.querySelector('input[type="file"]');
  const error = form.querySelector("#file-error");
  const check = () => {
    const limit = Number(form.dataset.limit);
    const large = input.files.length > 0 && input.files[0].size > limit;
    error.hidden = !large;
    error.textContent = large
      ? form.dataset.large
      : "";
    return !large;
  };
  input.addEventListener("change", check);
  form.addEventListener("submit", (event) => { if (!check()) event.preventDefault(); });
  form.addEventListener("dragover", (event) => { event.preventDefault(); form.classList.add("over"); });
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("over");
    if (event.dataTransfer.files.length) { input.files = event.dataTransfer.files; check(); }
  });
}

// A page that was loaded again is as it was: what was folded or unfolded, and where the focus was. What is kept for that
// until then is ids of parts of the page. After work that was asked for here, the focus is where its page begins.
const AGAIN = "again";
const title = document.querySelector("h1");
const inOf = new Map();
const folds = Array.from(document.querySelectorAll("main details"), (fold) => {
  const within = fold.parentElement.closest("[id]").id;
  inOf.set(within, (inOf.get(within) || 0) + 1);
  return { fold, key: fold.id || `${within} ${inOf.get(within)}`, open: fold.open };
});
const remember = (focus, changed = []) => {
  sessionStorage.setItem(AGAIN, JSON.stringify({ path: location.pathname, changed, focus }));
};
const before = JSON.parse(sessionStorage.getItem(AGAIN) || "null");
sessionStorage.removeItem(AGAIN);
if (before) {
  const here = before.path === location.pathname;
  for (const [key, open] of here ? before.changed : []) {
    const found = folds.find((one) => one.key === key);
    if (found) found.fold.open = open;
  }
  const element = (here && before.focus && document.getElementById(before.focus)) || (before.focus !== null && title);
  if (element && !location.hash) {
    if (element === title) title.tabIndex = -1;
    element.focus({ preventScroll: true });
  }
}

// What went wrong is read first.
const wrong = document.querySelector("main > .alert");
if (wrong) { wrong.tabIndex = -1; wrong.focus({ preventScroll: false }); }

// Work that ends loads the page again: not while a form is on its way, for that would take the click back, and not while
// somebody is typing or has chosen something, for that would be gone. The page then says that there is something new.
const WRITTEN = 'textarea, select, input:not([type="button"], [type="checkbox"], [type="radio"], [type="range"])';
const FIELDS = "input:not([type=hidden], [type=range], #many input), textarea, select:not(#many select)";
const touched = (field) => {
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (field.type === "file") return field.files.length > 0;
  if (!(field instanceof HTMLSelectElement)) return field.value !== field.defaultValue;
  return field.selectedIndex !== Math.max(0, Array.from(field.options).findIndex((one) => one.defaultSelected));
};
const busy = () => document.activeElement.matches(WRITTEN)
  || Array.from(document.getElementById("main").querySelectorAll(FIELDS)).some(touched);
let leaving = false;
window.addEventListener("submit", (event) => {
  if (event.defaultPrevented) return;
  leaving = true;
  if (event.target.method === "post") remember("");
});
window.addEventListener("pageshow", () => { leaving = false; });
document.addEventListener("htmx:beforeOnLoad", (event) => {
  const { elt, xhr } = event.detail;
  if (elt.id !== "job-status" || !xhr.getResponseHeader("HX-Refresh")) return;
  const over = xhr.status === 286;
  if (!leaving && !busy()) {
    const changed = folds.filter(({ fold, open }) => fold.open !== open).map(({ fold, key }) => [key, fold.open]);
    remember(document.activeElement.id || (over ? "" : null), changed);
    return;
  }
  event.preventDefault();
  if (leaving) return;
  if (over) elt.closest(".job").remove();
  document.getElementById(over ? "job-over" : "job-status").innerHTML = xhr.responseText;
});

// Of a privacy model only the numbers of the chosen one are shown; without this script all are.
for (const select of document.querySelectorAll("select[data-model]")) {
  const show = () => {
    for (const part of select.parentElement.querySelectorAll(".model")) part.hidden = part.dataset.of !== select.value;
  };
  select.addEventListener("change", show);
  show();
}

// Of a column, what is only for values of some kind is shown while they are of that kind, or while it is used.
const ofKind = document.getElementById("kind");
if (ofKind) {
  ofKind.addEventListener("change", () => {
    for (const part of document.querySelectorAll("[data-kinds]")) {
      const field = part.querySelector("input");
      const used = field.type === "radio" ? field.checked : field.value;
      part.hidden = !used && !part.dataset.kinds.split(" ").includes(ofKind.value || ofKind.dataset.guessed);
    }
  });
}

// What is told beside each column comes in one piece, and each part takes the place of the one before. As parts that htmx
// swaps, three hundred columns took seconds: after each of them it tells of all that it swapped so far.
document.addEventListener("htmx:afterSwap", () => {
  const come = document.getElementById("in-columns");
  if (!come) return;
  come.remove();
  for (const part of Array.from(come.content.children)) {
    const shown = document.getElementById(part.id);
    if (shown && !shown.isEqualNode(part)) shown.replaceWith(part);
  }
});

// Many columns: find some, sort them, give many of them a role at once, and show fifty at a time. All are sent.
const many = document.getElementById("many");
if (many) {
  const SHOWN = 50;
  const body = document.querySelector("table.roles tbody");
  const rows = Array.from(body.rows);
  const find = document.getElementById("find-column");
  const order = document.getElementById("order-columns");
  const pages = document.getElementById("pages");
  const none = document.getElementById("many-none");
  const told = document.getElementById("many-told");
  const ticks = document.getElementById("many-ticked");
  const undo = document.getElementById("many-undo");
  const role = document.getElementById("many-role");
  let at = 0;
  let given = [];
  const ticked = () => rows.filter((row) => row.querySelector(".pick").checked);
  const count = () => {
    const number = ticked().length;  // on all pages of the list
    ticks.textContent = number ? ticks.dataset.ticked.replace("{n}", number) : "";
  };
  const changed = () => document.getElementById("roles").dispatchEvent(new Event("change", { bubbles: true }));
  const found = () => rows.filter((row) => row.dataset.name.includes(find.value.trim().toLowerCase()));
  const show = () => {
    const key = order.value === "risk" ? (row) => -Number(row.dataset.distinct) : (row) => Number(row.dataset.at);
    rows.sort((a, b) => key(a) - key(b) || Number(a.dataset.at) - Number(b.dataset.at));
    body.append(...rows);
    const hits = found();
    at = Math.max(0, Math.min(at, Math.ceil(hits.length / SHOWN) - 1));
    const now = new Set(hits.slice(at * SHOWN, (at + 1) * SHOWN));
    for (const row of rows) row.hidden = !now.has(row);
    pages.hidden = hits.length <= SHOWN;
    if (!hits.length) told.textContent = none.dataset.missing.replace("{name}", find.value.trim());
    document.getElementById("page-now").textContent = `${at * SHOWN + 1}–${Math.min((at + 1) * SHOWN, hits.length)} / ${hits.length}`;
  };
  many.hidden = rows.length < 8;
  for (const row of rows) row.querySelector(".pick").hidden = many.hidden;
  find.addEventListener("input", () => {
    at = 0;
    told.textContent = "";
    undo.hidden = true;
    show();
  });
  find.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
  order.addEventListener("change", () => { at = 0; show(); });
  many.addEventListener("change", (event) => event.stopPropagation());
  pages.addEventListener("click", (event) => {
    if (event.target.dataset.step) { at += Number(event.target.dataset.step); show(); }
  });
  body.addEventListener("change", (event) => { if (event.target.matches(".pick")) { event.stopPropagation(); count(); } });
  document.getElementById("many-all").addEventListener("click", () => {
    for (const row of rows) if (!row.hidden) row.querySelector(".pick").checked = true;
    count();
  });
  document.getElementById("many-apply").addEventListener("click", () => {
    const chosen = ticked().length || !find.value.trim() ? ticked() : found();  // nobody means every column of the table
    undo.hidden = !chosen.length;
    told.textContent = chosen.length
      ? none.dataset.given.replace("{n}", chosen.length).replace("{role}", role.selectedOptions[0].text)
      : none.dataset.none;
    if (!chosen.length) return;
    given = chosen.map((row) => [row.querySelector("select"), row.querySelector("select").value]);
    for (const row of chosen) {
      row.querySelector("select").value = role.value;
      row.querySelector(".pick").checked = false;
    }
    count();
    changed();
  });
  undo.addEventListener("click", () => {
    for (const [select, value] of given) select.value = value;
    undo.hidden = true;
    told.textContent = none.dataset.undone;
    document.getElementById("many-apply").focus();
    changed();
  });
  if (!many.hidden) show();
}
