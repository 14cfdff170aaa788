// The editor of a tree: values are ticked, grouped, moved and renamed, by mouse or by keyboard alone; nothing is kept here.
"use strict";

const editor = document.getElementById("tree-editor");
if (editor) {
  const { TOP, isGroup } = treeModel;
  const SHOWN = 400; // rows that are drawn; more are found by searching
  const UNFOLDED = 150; // nodes up to which everything is open at first
  const given = JSON.parse(document.getElementById("tree-data").textContent);
  const part = (name) => editor.querySelector(`[data-part="${name}"]`);
  const list = part("tree"), find = part("find"), name = part("name"), target = part("target"), status = part("status");
  const form = document.getElementById("tree-form");
  const nameOf = (id) => (isGroup(id) ? state.names.get(id) : given.values[id][0]);
  const say = (key, words = {}) => (editor.dataset[key] || "").replace(/\{(\w+)\}/g, (_, word) => words[word] ?? "");
  const tell = (key, words) => { status.textContent = say(key, words); };
  const number = new Intl.NumberFormat(document.documentElement.lang).format;

  let state = treeModel.read(given.tree, given.top);
  const before = [], after = []; // for undo and redo
  const ticked = new Set();
  const folded = new Set();
  if (given.values.length > UNFOLDED) for (const id of state.names.keys()) if (id !== TOP) folded.add(id);
  let focused = TOP, anchor = null, rows = [];

  // What is drawn, from the top down: groups first, so that nobody looks for them between hundreds of values.
  const visible = () => {
    const wanted = find.value.trim().toLowerCase();
    const fits = (id) => nameOf(id).toLowerCase().includes(wanted);
    const shows = (id, within) => within || fits(id) || (isGroup(id) && state.below.get(id).some((one) => shows(one, false)));
    const found = [];
    const walk = (id, level, at, of, within) => {
      found.push({ id, level, at, of });
      if (!isGroup(id) || (folded.has(id) && !wanted)) return;
      const inside = within || (wanted !== "" && id !== TOP && fits(id));
      const below = state.below.get(id).filter((one) => !wanted || shows(one, inside));
      const sorted = [...below.filter(isGroup), ...below.filter((one) => !isGroup(one))];
      sorted.forEach((one, n) => walk(one, level + 1, n + 1, sorted.length, inside));
    };
    walk(TOP, 1, 1, 1, false);
    return found;
  };
  const element = (tag, kind, text) => {
    const made = document.createElement(tag);
    made.className = kind;
    made.textContent = text;
    return made;
  };
  const drawn = ({ id, level, at, of }) => {
    const item = element("li", isGroup(id) ? "node group" : "node", "");
    const attributes = { role: "treeitem", "aria-level": level, "aria-posinset": at, "aria-setsize": of, tabindex: -1 };
    for (const [key, value] of Object.entries(attributes)) item.setAttribute(key, value);
    item.style.setProperty("--level", level - 1);
    item.dataset.id = id;
    if (id !== TOP) {
      item.setAttribute("aria-selected", ticked.has(id));
      item.draggable = true;
    }
    if (isGroup(id)) item.setAttribute("aria-expanded", !folded.has(id) || find.value.trim() !== "");
    for (const [kind, text] of [["fold", ""], ["tick", ""]]) {
      const mark = element("span", kind, text);
      mark.setAttribute("aria-hidden", "true");
      item.append(mark);
    }
    item.append(element("span", "called", id === TOP ? say("top", { name: nameOf(id) }) : nameOf(id)));
    const about = isGroup(id) ? say("values", { n: number(treeModel.leaves(state, id)) })
      : say("rows", { n: number(given.values[id][1]) });
    item.append(" ", element("span", "muted", about));
    return item;
  };
  const show = (grab = false) => {
    const held = grab || list.contains(document.activeElement);
    const all = visible();
    rows = all.slice(0, SHOWN).map((one) => one.id);
    list.replaceChildren(...all.slice(0, SHOWN).map(drawn));
    if (!rows.includes(focused)) focused = rows[0];
    const item = itemOf(focused);
    item.tabIndex = 0;
    if (held) item.focus({ preventScroll: !grab });
    part("more").hidden = all.length <= SHOWN;
    part("more").textContent = say("more", { n: number(all.length - SHOWN) });
    part("ticked").textContent = say("ticked", { n: number(ticked.size) });
    part("undo").setAttribute("aria-disabled", !before.length);
    part("redo").setAttribute("aria-disabled", !after.length);
    const chosen = target.value, depth = treeModel.parents(state);
    target.replaceChildren(...[...state.names.keys()].map((id) => {
      const steps = treeModel.path(depth, id).reverse().slice(1).map(nameOf);
      const option = element("option", "", id === TOP ? say("top", { name: nameOf(TOP) }) : steps.join(" › "));
      option.value = id;
      return option;
    }));
    target.value = state.names.has(chosen) ? chosen : TOP;
    form.elements.tree.value = JSON.stringify(treeModel.written(state));
  };
  const itemOf = (id) => list.children[rows.indexOf(id)];
  const go = (id) => { if (id !== undefined) itemOf(id).focus(); };

  // A change is taken unless a name would stand twice.
  const take = ({ state: next, id }, key, words) => {
    const wrong = treeModel.twice(next, (one) => given.values[one][0]);
    if (wrong !== null) { tell("twice", { name: wrong }); return false; }
    const gone = [...state.names.keys()].filter((one) => !next.names.has(one));
    before.push(state);
    after.length = 0;
    state = next;
    settle(id);
    tell(key, words);
    const emptied = key === "ungrouped" ? [] : gone.map((one) => before[before.length - 1].names.get(one));
    if (emptied.length) status.textContent += ` ${say("emptied", { name: emptied.join(", ") })}`;
    return true;
  };
  const settle = (id) => {
    ticked.clear();
    anchor = null;
    for (const one of treeModel.path(treeModel.parents(state), id).slice(1)) folded.delete(one);
    if (id !== undefined) focused = id;
    show();
    const item = itemOf(focused);
    if (item) item.scrollIntoView({ block: "nearest" });
  };
  const back = (from, onto, key) => {
    if (!from.length) { tell("nothing"); return; }
    onto.push(state);
    state = from.pop();
    settle(undefined);
    tell(key);
  };
  const undo = () => back(before, after, "undone");
  const redo = () => back(after, before, "redone");
  const chosen = () => treeModel.uppermost(state, ticked);
  const called = () => {
    const text = name.value.trim();
    if (!text) { tell("unnamed"); name.focus(); }
    return text;
  };
  const grouping = () => {
    const ids = chosen();
    if (!ids.length) { tell("none"); return; }
    const text = called();
    if (text && take(treeModel.group(state, ids, text), "grouped", { n: number(ids.length), name: text })) name.value = "";
  };
  const moving = (ids, to) => {
    const above = treeModel.path(treeModel.parents(state), to);
    if (!ids.length) tell("none");
    else if (ids.some((one) => above.includes(one))) tell("inside");
    else take(treeModel.move(state, ids, to), "moved", { n: number(ids.length), name: nameOf(to) });
  };
  const groupsChosen = () => (ticked.size ? chosen() : [focused]).filter((id) => isGroup(id) && id !== TOP);
  const renaming = () => {
    const ids = groupsChosen();
    if (ids.length !== 1) { tell("one"); return; }
    const text = called(), old = nameOf(ids[0]);
    if (text && take(treeModel.rename(state, ids[0], text), "renamed", { old, name: text })) name.value = "";
  };
  const ungrouping = () => {
    const ids = groupsChosen();
    if (!ids.length) { tell("nogroup"); return; }
    take(treeModel.ungroup(state, ids), "ungrouped", { name: ids.map(nameOf).join(", ") });
  };
  const tick = (id, on = !ticked.has(id)) => {
    if (id === TOP) return;
    if (on) ticked.add(id); else ticked.delete(id);
  };
  const tickShown = () => {
    const wanted = find.value.trim().toLowerCase();
    for (const { id } of visible()) if (!isGroup(id) && (!wanted || nameOf(id).toLowerCase().includes(wanted))) tick(id, true);
    show();
  };
  const tickTo = (id) => {
    const ends = [rows.indexOf(anchor ?? id), rows.indexOf(id)].sort((a, b) => a - b);
    for (const one of rows.slice(ends[0], ends[1] + 1)) tick(one, true);
  };
  const fold = (id, closed) => { if (closed) folded.add(id); else folded.delete(id); show(); };

  const keys = {
    ArrowDown: (id, event) => {
      const next = rows[rows.indexOf(id) + 1];
      if (event.shiftKey && next !== undefined) { tick(id, true); tick(next, true); show(); }
      go(next);
    },
    ArrowUp: (id, event) => {
      const next = rows[rows.indexOf(id) - 1];
      if (event.shiftKey && next !== undefined) { tick(id, true); tick(next, true); show(); }
      go(next);
    },
    Home: () => go(rows[0]),
    End: () => go(rows[rows.length - 1]),
    ArrowRight: (id) => { if (isGroup(id)) { if (folded.has(id)) fold(id, false); else go(rows[rows.indexOf(id) + 1]); } },
    ArrowLeft: (id) => {
      if (isGroup(id) && id !== TOP && !folded.has(id)) fold(id, true);
      else go(treeModel.parents(state).get(id));
    },
    " ": (id) => { tick(id); anchor = id; show(); },
    Enter: (id) => keys.F2(id),
    F2: (id) => {
      if (!isGroup(id) || id === TOP) { tell("one"); return; }
      ticked.clear();
      tick(id, true);
      show();
      name.value = nameOf(id);
      name.select();
    },
    Delete: () => ungrouping(),
  };
  list.addEventListener("keydown", (event) => {
    const id = idOf(event);
    if (id === undefined) return;
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() === "a") { event.preventDefault(); tickShown(); }
      return;
    }
    if (keys[event.key] && !event.altKey) {
      event.preventDefault();
      keys[event.key](id, event);
    } else if (event.key.length === 1 && !event.altKey) { // the next one that begins so
      const from = rows.indexOf(id) + 1;
      go([...rows.slice(from), ...rows.slice(0, from)].find((one) => nameOf(one).toLowerCase().startsWith(event.key.toLowerCase())));
    }
  });
  editor.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement && event.target.value !== "";
    if (!(event.ctrlKey || event.metaKey) || typing) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) redo(); else undo();
  });
  const idOf = (event) => {
    const item = event.target.closest ? event.target.closest("li.node") : null;
    return item === null ? undefined : /^\d+$/.test(item.dataset.id) ? Number(item.dataset.id) : item.dataset.id;
  };
  list.addEventListener("focusin", (event) => {
    const id = idOf(event), old = itemOf(focused);
    if (id === undefined || id === focused) return;
    if (old) old.tabIndex = -1;
    focused = id;
    itemOf(id).tabIndex = 0;
  });
  list.addEventListener("click", (event) => {
    const id = idOf(event);
    if (id === undefined) return;
    focused = id;
    if (isGroup(id) && (event.target.closest(".fold") || id === TOP)) folded.has(id) ? folded.delete(id) : folded.add(id);
    else if (event.shiftKey) tickTo(id);
    else { tick(id); anchor = id; }
    show(true);
  });

  // Dragging: what is ticked goes along with it; onto a value means into the group where it stands.
  let dragged = [];
  const over = (item) => {
    for (const one of list.querySelectorAll(".over")) one.classList.remove("over");
    if (item) item.classList.add("over");
  };
  list.addEventListener("dragstart", (event) => {
    const id = idOf(event);
    dragged = ticked.has(id) ? chosen() : [id];
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", "");
  });
  const landing = (event) => {
    const id = idOf(event) ?? TOP;
    return isGroup(id) ? id : treeModel.parents(state).get(id);
  };
  list.addEventListener("dragover", (event) => {
    if (!dragged.length) return;
    event.preventDefault();
    over(itemOf(landing(event)));
  });
  list.addEventListener("drop", (event) => {
    if (!dragged.length) return;
    event.preventDefault();
    moving(dragged, landing(event));
    dragged = [];
    over(null);
  });
  list.addEventListener("dragend", () => { dragged = []; over(null); });

  const buttons = {
    group: grouping, rename: renaming, ungroup: ungrouping, undo, redo,
    move: () => moving(chosen(), target.value), all: tickShown, none: () => { ticked.clear(); show(); },
  };
  for (const [key, act] of Object.entries(buttons)) part(key).addEventListener("click", act);
  name.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const only = chosen();
    if (only.length === 1 && isGroup(only[0])) renaming(); else grouping();
  });
  find.addEventListener("input", () => { list.scrollTop = 0; show(); });
  let sent = false;
  form.addEventListener("submit", () => { sent = true; });
  window.addEventListener("pageshow", () => { sent = false; });
  window.addEventListener("beforeunload", (event) => { if (before.length && !sent) event.preventDefault(); });
  editor.hidden = form.hidden = false;
  show();
}
