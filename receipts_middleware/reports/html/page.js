"use strict";
// Adds filters, the panel of evidence, keys and the switch of colours. Texts are only ever cloned or set as text.
(() => {
  const by = (id) => document.getElementById(id);
  const runs = [...document.querySelectorAll(".run")].map((node) => {
    const facts = JSON.parse(node.querySelector(":scope > script.facts").textContent);
    return { node, summary: node.querySelector(":scope > summary"), facts };
  });

  let source = null; // the mark that the panel is about
  let isPinned = false; // opened on purpose, so that moving the pointer leaves it alone
  let isClosing = false;

  // --- colours ---
  const theme = by("theme");
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme || (prefersDark.matches ? "dark" : "light")) === "dark";
  const labelTheme = () => {
    theme.textContent = isDark() ? "Light colours" : "Dark colours";
  };
  theme.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    labelTheme();
  });
  prefersDark.addEventListener("change", labelTheme);
  labelTheme();
  theme.hidden = false;

  // --- filters ---
  const fields = { verdict: by("filter-verdict"), rule: by("filter-rule"), tool: by("filter-tool"), text: by("filter-text") };
  const fill = (select, names) => {
    for (const name of [...new Set(names)].sort()) select.append(new Option(name, name));
  };
  fill(fields.rule, runs.flatMap((run) => run.facts.rules));
  fill(fields.tool, runs.flatMap((run) => run.facts.tools));

  const textOf = (run) => [...run.node.querySelectorAll(":scope > :not(script)")].map((part) => part.textContent).join("\n");
  const fits = (run, text) => {
    const { verdict, rule, tool } = fields;
    const { facts } = run;
    if (verdict.value === "stop_ship" ? !facts.stop_ship : verdict.value && facts.verdict !== verdict.value) return false;
    if (rule.value && !facts.rules.includes(rule.value)) return false;
    if (tool.value && !facts.tools.includes(tool.value)) return false;
    return !text || textOf(run).toLowerCase().includes(text);
  };
  const filter = () => {
    const text = fields.text.value.trim().toLowerCase();
    let count = 0;
    for (const run of runs) {
      run.node.hidden = !fits(run, text);
      count += run.node.hidden ? 0 : 1;
    }
    by("shown").textContent = `${count} of ${runs.length} ${runs.length === 1 ? "run" : "runs"} shown`;
    if (source && source.closest("[hidden]")) close();
  };
  let waiting = 0;
  fields.text.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 120);
  });
  for (const name of ["verdict", "rule", "tool"]) fields[name].addEventListener("change", filter);
  by("reset").addEventListener("click", () => {
    for (const field of Object.values(fields)) field.value = "";
    filter();
  });
  by("filters").addEventListener("submit", (event) => event.preventDefault());
  by("filters").hidden = false;

  // --- overview: before the runs, and its rows filter ---
  by("runs").before(by("overview"));
  for (const kind of ["rule", "tool"]) {
    for (const cell of document.querySelectorAll(`#by-${kind} [data-${kind}]`)) {
      const name = cell.textContent;
      if (![...fields[kind].options].some((option) => option.value === name)) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.addEventListener("click", () => {
        fields[kind].value = name;
        filter();
      });
      cell.replaceChildren(button);
    }
  }

  // --- the panel of evidence ---
  const panel = by("panel");
  const copy = (node, name) => {
    const clone = node.cloneNode(true);
    for (const part of [clone, ...clone.querySelectorAll("[id]")]) part.removeAttribute("id");
    if (clone.tagName !== "LI") return clone;
    const box = document.createElement("div");
    box.className = name;
    box.append(...clone.childNodes);
    return box;
  };
  const show = (mark, { pin }) => {
    const run = mark.closest(".run");
    const told = mark.dataset.marks.split(" ").map(by).filter(Boolean);
    const ids = new Set(told.flatMap((item) => item.dataset.receipts.split(" ")).filter(Boolean));
    const cards = [...ids].map((id) => run.querySelector(`.receipt[data-id="${CSS.escape(id.split(".")[0])}"]`));
    const parts = told.map((item) => copy(item, item.className));
    parts.push(...[...new Set(cards)].filter(Boolean).map((card) => copy(card)));
    if (!ids.size) parts.push("No receipt.");
    by("evidence").replaceChildren(...parts);
    if (source) source.classList.remove("current");
    source = mark;
    mark.classList.add("current");
    panel.hidden = false;
    document.body.classList.add("with-panel");
    isPinned = pin;
    if (pin) panel.focus();
  };
  const close = () => {
    if (!source) return;
    const from = source;
    source.classList.remove("current");
    source = null;
    isPinned = false;
    panel.hidden = true;
    document.body.classList.remove("with-panel");
    isClosing = true; // the focus that goes back to the mark must not open the panel again
    if (from.href) from.focus();
    isClosing = false;
  };
  const markAt = (event) => event.target.closest && event.target.closest(".mark");
  document.addEventListener("click", (event) => {
    const mark = markAt(event);
    if (!mark) return;
    event.preventDefault();
    show(mark, { pin: true });
  });
  document.addEventListener("mouseover", (event) => {
    const mark = markAt(event);
    if (mark && !isPinned) show(mark, { pin: false });
  });
  document.addEventListener("focusin", (event) => {
    const mark = markAt(event);
    if (mark && !isClosing && !isPinned) show(mark, { pin: false });
  });
  by("close").addEventListener("click", close);

  // --- keys: arrows go from mark to mark and from run to run, Escape closes ---
  const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !panel.hidden) {
      close();
      return;
    }
    const step = STEPS[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    const mark = markAt(event);
    const summary = event.target.matches && event.target.matches(".run > summary") ? event.target : null;
    let list = [];
    if (mark) list = [...mark.closest(".run").querySelectorAll("a.mark")];
    else if (summary) list = runs.filter((run) => !run.node.hidden).map((run) => run.summary);
    const next = list[list.indexOf(mark || summary) + step];
    if (!next) return;
    event.preventDefault();
    isPinned = false;
    next.focus();
  });

  // A link into a run that is closed opens it.
  const reveal = () => {
    const target = location.hash.length > 1 && by(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
    target.scrollIntoView();
  };
  window.addEventListener("hashchange", reveal);
  if (runs.length === 1) runs[0].node.open = true;
  filter();
  reveal();
})();
