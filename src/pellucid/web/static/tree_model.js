// A tree of groups and values that is being edited: plain data, every change a new state, so that undo is going back.
"use strict";

// A state: who stands below whom (`below`: id of a group -> ids), what groups are called (`names`). The top is "top".
// Values are numbers and keep their names; groups have ids such as "g3".
const treeModel = (() => {
  const TOP = "top";
  const isGroup = (id) => typeof id === "string";
  let last = 0;

  const read = (tree, top) => {
    const state = { below: new Map(), names: new Map([[TOP, top]]) };
    const add = (id, nodes) => state.below.set(id, nodes.map((node) => {
      if (!Array.isArray(node)) return node;
      const group = `g${last += 1}`;
      state.names.set(group, node[0]);
      add(group, node[1]);
      return group;
    }));
    add(TOP, tree);
    return state;
  };
  const written = (state, id = TOP) =>
    state.below.get(id).map((one) => (isGroup(one) ? [state.names.get(one), written(state, one)] : one));

  const copied = (state) => ({
    below: new Map([...state.below].map(([id, ids]) => [id, [...ids]])), names: new Map(state.names),
  });
  const parents = (state) => {
    const found = new Map();
    for (const [id, ids] of state.below) for (const one of ids) found.set(one, id);
    return found;
  };
  const path = (above, id) => {
    const found = [];
    for (let at = id; at !== undefined; at = above.get(at)) found.push(at);
    return found;
  };
  // Of some nodes those that stand below no other of them, in the order of the tree.
  const uppermost = (state, ids) => {
    const chosen = new Set(ids), found = [];
    const walk = (id) => {
      for (const one of state.below.get(id)) {
        if (chosen.has(one)) found.push(one);
        else if (isGroup(one)) walk(one);
      }
    };
    walk(TOP);
    return found;
  };
  const leaves = (state, id) =>
    state.below.get(id).reduce((n, one) => n + (isGroup(one) ? leaves(state, one) : 1), 0);
  // Groups that became empty go, with those that become empty by that.
  const pruned = (state) => {
    for (let again = true; again;) {
      again = false;
      for (const [id, ids] of state.below) {
        const kept = ids.filter((one) => !isGroup(one) || state.below.get(one).length);
        if (kept.length < ids.length) {
          again = true;
          for (const one of ids) if (!kept.includes(one)) { state.below.delete(one); state.names.delete(one); }
          state.below.set(id, kept);
        }
      }
    }
    return state;
  };
  const taken = (state, ids) => {
    const going = new Set(ids);
    for (const [id, all] of state.below) state.below.set(id, all.filter((one) => !going.has(one)));
  };

  // A name stands once; only a value may stand directly in a group of its own name.
  const twice = (state, nameOf) => {
    const groups = new Map(), above = parents(state);
    for (const [id, name] of state.names) {
      if (groups.has(name)) return name;
      groups.set(name, id);
    }
    for (const [id] of above) {
      const group = isGroup(id) ? undefined : groups.get(nameOf(id));
      if (group !== undefined && above.get(id) !== group) return nameOf(id);
    }
    return null;
  };

  const group = (state, ids, name) => {
    const next = copied(state), above = parents(state), members = uppermost(state, ids);
    const paths = members.map((one) => path(above, one).slice(1));
    const place = paths[0].find((one) => paths.every((all) => all.includes(one)));
    const around = path(above, members[0]).find((one) => above.get(one) === place);
    const id = `g${last += 1}`;
    next.below.get(place).splice(next.below.get(place).indexOf(around), 0, id);
    taken(next, members);
    next.below.set(id, members);
    next.names.set(id, name);
    return { state: pruned(next), id };
  };
  const move = (state, ids, target) => {
    const next = copied(state), members = uppermost(state, ids);
    taken(next, members);
    next.below.get(target).push(...members);
    return { state: pruned(next), id: members[0] };
  };
  const ungroup = (state, ids) => {
    const next = copied(state);
    for (const id of ids) {
      const around = next.below.get(parents(next).get(id));
      around.splice(around.indexOf(id), 1, ...next.below.get(id));
      next.below.delete(id);
      next.names.delete(id);
    }
    return { state: next, id: state.below.get(ids[0])[0] };
  };
  const rename = (state, id, name) => {
    const next = copied(state);
    next.names.set(id, name);
    return { state: next, id };
  };
  return { TOP, isGroup, read, written, parents, path, uppermost, leaves, twice, group, move, ungroup, rename };
})();
