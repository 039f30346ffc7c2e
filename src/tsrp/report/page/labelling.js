// Rows for somebody to label: by keyboard, kept in the browser, handed out as a file for --known.
(() => {
  const {$, data, make, count, percent, rows, place, name, id, csv, download} = tsrp;
  const {key, lists, likely, known} = data.labelling;
  // Stands for a row that is of none of the classes.
  const OTHER = -1;
  const label = (row) => rows.label[place[row]];
  const probability = (row) => rows.probability[place[row]];

  // ---- what a row looks like ----

  function sample(row) {
    const shown = data.samples.of[row];
    if (typeof shown === "string") {
      return shown === "" ? make("span", "no text", {className: "faint"}) : make("bdi", shown, {className: "snippet"});
    }
    if (Array.isArray(shown)) {
      const list = make("ul", "", {className: "features"});
      list.append(...shown.map(([feature, value, low, high, outside]) => {
        const item = make("li", "");
        item.append(make("bdi", feature), " ", make(outside ? "strong" : "span", value), " ");
        item.append(make("span", `source ${low} to ${high}`, {className: "faint"}));
        return item;
      }));
      return list;
    }
    if (shown.image === undefined) return make("span", shown.missing, {className: "missing faint"});
    return make("img", "", {src: shown.image, alt: `row ${row}`, className: "thumbnail"});
  }

  for (const [code, found] of data.misfits.entries()) {
    if (found.length === 0) continue;
    const line = make("tr", "");
    line.append(make("th", name(code), {scope: "row"}));
    const cell = make("td", "");
    const group = make("div", "", {className: "misfits"});
    group.append(...found.map((row) => {
      const figure = make("figure", "");
      const words = make("figcaption", "", {className: "faint"});
      words.append(make("bdi", id(row)), `, ${percent(probability(row))}`);
      figure.append(sample(row), words);
      return figure;
    }));
    cell.append(group);
    line.append(cell);
    $("misfits").tBodies[0].append(line);
  }

  if (lists.length === 0) return;

  // ---- the work so far ----

  const asked = lists.flatMap((list) => list.rows);
  const storage = `tsrp-labels-${key}`;
  let given = new Map();
  const valid = ([row, code]) => asked.includes(row) && Number.isInteger(code) && code >= OTHER && code < data.classes.length;

  // A browser may refuse to keep anything; another page may have written there.
  function remember() {
    try {
      localStorage.setItem(storage, JSON.stringify([...given]));
      $("kept").hidden = true;
    } catch {
      $("kept").hidden = false;
    }
  }

  try {
    given = new Map(JSON.parse(localStorage.getItem(storage) ?? "[]").filter(valid));
  } catch {
    given = new Map();
  }

  // ---- the keys ----

  // Classes that are digits have their own keys; otherwise they are counted, if they are many the row's most probable ones.
  const digits = data.classes.every((called) => /^\d$/.test(called));
  const everyone = data.classes.map((_, code) => code);
  function keysOf(row) {
    if (digits) return everyone.map((code) => [name(code), code]);
    const codes = data.classes.length <= 9 ? everyone : likely[row];
    return codes.map((code, k) => [String(k + 1), code]);
  }

  function pressed(event) {
    if (/^\d$/.test(event.key)) return event.key;
    // Some keyboards have other signs on the keys of digits.
    return event.key === "-" ? "-" : /^Digit(\d)$/.exec(event.code)?.[1];
  }

  // ---- the table ----

  const selects = new Map();
  let current = asked[0];

  function option(value, words) {
    return make("option", words, {value: String(value)});
  }

  function makeSelect(row) {
    const called = `true label of row ${row}`;
    const select = make("select", "", {autocomplete: "off", ariaLabel: called});
    const keys = keysOf(row);
    const first = new Set(keys.map(([, code]) => code));
    select.append(option("", "not labelled"));
    // The name first: letters then find it in the list.
    select.append(...keys.map(([digit, code]) => option(code, digits ? name(code) : `${name(code)} (${digit})`)));
    select.append(option(OTHER, "other (-)"));
    select.append(...everyone.filter((code) => !first.has(code)).map((code) => option(code, name(code))));
    select.addEventListener("change", () => give(row, select.value === "" ? null : Number(select.value)));
    selects.set(row, select);
    return select;
  }

  function makeRow(row) {
    const line = make("tr", "");
    const which = make("th", "", {scope: "row", className: "which"});
    which.append(make("bdi", id(row)));
    const seen = make("td", "", {className: "seen"});
    seen.append(sample(row));
    const label_ = make("td", "", {className: "given"});
    label_.append(make("bdi", name(label(row))), " ", make("span", percent(probability(row)), {className: "faint"}));
    const answer = make("td", "", {className: "answer"});
    answer.append(makeSelect(row));
    line.append(which, seen, label_, answer);
    line.addEventListener("click", (event) => { if (event.target.tagName !== "SELECT") go(row); });
    line.addEventListener("focusin", () => { current = row; showKeys(); });
    return line;
  }

  function go(row) {
    selects.get(row).focus({preventScroll: true});
    selects.get(row).closest("tr").scrollIntoView({block: "nearest"});
  }

  function step(by) {
    const to = asked[asked.indexOf(current) + by];
    if (to !== undefined) go(to);
  }

  function give(row, code) {
    if (code === null) given.delete(row);
    else given.set(row, code);
    remember();
    show(row);
    tell();
  }

  function show(row) {
    const code = given.get(row);
    const select = selects.get(row);
    select.value = code === undefined ? "" : String(code);
    select.closest("tr").classList.toggle("done", code !== undefined);
  }

  function showKeys() {
    const buttons = [...keysOf(current), ["-", OTHER]].map(([digit, code]) => {
      const button = make("button", "", {type: "button", tabIndex: -1});
      button.append(make("kbd", digit), " ");
      if (code === OTHER) button.append("other");
      else if (digit !== name(code)) button.append(make("bdi", name(code)));
      button.addEventListener("click", () => { give(current, code); step(1); });
      return button;
    });
    $("keys").replaceChildren(...buttons);
  }

  // The label of a row stays where it is if a button is pressed.
  $("keys").addEventListener("mousedown", (event) => event.preventDefault());

  function tell() {
    const labels = [...given.values()].filter((code) => code !== OTHER).length;
    const others = given.size - labels;
    $("labelled").textContent = `${count(given.size)} of ${count(asked.length)} rows done`;
    $("download-labelled").disabled = given.size === 0;
    $("clear").disabled = given.size === 0;
    const drawn = lists.filter((list) => list.random).flatMap((list) => list.rows).filter((row) => given.has(row));
    const right = drawn.filter((row) => given.get(row) === label(row)).length;
    const words = [];
    if (others > 0) words.push(`${count(others)} of them other, of no class of the source: in the file, but not as a label.`);
    if (drawn.length > 0) words.push(`Of ${count(drawn.length)} rows drawn at random, ${count(right)} have the right label.`);
    $("audited").textContent = words.join(" ");
  }

  $("sheet").addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const codes = new Map([...keysOf(current), ["-", OTHER]]);
    const code = codes.get(pressed(event));
    if (code !== undefined) { give(current, code); step(1); }
    else if (event.key === "ArrowDown") step(1);
    else if (event.key === "ArrowUp") step(-1);
    else if (event.key === "Delete" || event.key === "Backspace") give(current, null);
    else return;
    event.preventDefault();
  });

  // ---- the file ----

  // Ids that several rows share say less than the number of a row.
  const distinct = data.ids !== null && new Set(Object.values(data.ids).map((called) => called.trim())).size === tsrp.n;

  $("download-labelled").addEventListener("click", () => {
    const line = (row, truth, note) => [row, ...(distinct ? [id(row)] : []), name(label(row)), probability(row), truth, note];
    const before = known.map((row) => line(row, name(label(row)), "known before"));
    const done = asked.filter((row) => given.has(row)).map((row) => {
      const code = given.get(row);
      return code === OTHER ? line(row, "", "other") : line(row, name(code), "");
    });
    const header = ["row", ...(distinct ? ["id"] : []), "label", "probability", "true_label", "note"];
    download("labelled.csv", csv([header, ...before, ...done]));
  });

  $("clear").addEventListener("click", () => {
    if (!confirm(`Forget ${count(given.size)} labels?`)) return;
    given.clear();
    remember();
    for (const row of asked) show(row);
    tell();
  });

  for (const list of lists) {
    const body = document.createElement("tbody");
    const heading = make("tr", "", {className: "purpose"});
    heading.append(make("th", `${count(list.rows.length)} rows ${list.purpose}`, {colSpan: 4, scope: "rowgroup"}));
    body.append(heading, ...list.rows.map(makeRow));
    $("sheet").append(body);
  }
  for (const row of asked) show(row);
  showKeys();
  tell();
})();
