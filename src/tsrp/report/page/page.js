// The page's switches, tables and tips.
(async () => {
  const {$, data, make, count, percent, rows, n, place, name, id, csv, download} = tsrp;
  const plots = JSON.parse($("plots").textContent);

  // ---- tables that are in the page already ----

  for (const table of document.querySelectorAll("table.sortable")) {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => heading.querySelector(".sort").addEventListener("click", () => {
      const direction = turn(headings, heading);
      const value = (row) => row.cells[column].dataset.value;
      const rows = [...table.tBodies[0].rows];
      const numbers = heading.classList.contains("number");
      rows.sort((a, b) => direction * (numbers ? value(a) - value(b) : compareNames(value(a), value(b))));
      table.tBodies[0].append(...rows);
    }));
  }

  function turn(headings, heading) {
    const ascending = heading.ariaSort !== "ascending";
    for (const other of headings) other.ariaSort = "none";
    heading.ariaSort = ascending ? "ascending" : "descending";
    return ascending ? 1 : -1;
  }

  function compareNames(a, b) {
    return a.localeCompare(b, undefined, {numeric: true});
  }

  // ---- the choice of rows: those at the front of a list that the most probable label begins ----

  // Of the first k rows: the sum of the probabilities, how many truths are known, and how many labels are right.
  const sums = {expected: [0], known: [0], right: [0]};
  for (let i = 0; i < n; i++) {
    const right = rows.right === null ? -1 : rows.right[i];
    sums.expected.push(sums.expected[i] + rows.probability[i]);
    sums.known.push(sums.known[i] + (right >= 0));
    sums.right.push(sums.right[i] + (right === 1));
  }
  let accepted = 0;
  // What else follows the choice, once it is drawn.
  const followers = [];

  function accept(k) {
    accepted = k;
    const expected = k === 0 ? null : sums.expected[k] / k;
    const words = k === 0 ? ["No row is accepted."] : [
      make("strong", count(k)), ` of ${count(n)} rows, of which `, make("strong", percent(expected)),
      ` are expected to be right: about ${count(Math.round(k - sums.expected[k]))} wrong.`,
    ];
    if (sums.known[k] > 0) {
      words.push(" By the true labels ", make("strong", percent(sums.right[k] / sums.known[k])),
        ` of ${count(sums.known[k])} are right.`);
    }
    $("choice").replaceChildren(...words);
    $("download-accepted").textContent = `Download these ${count(k)} rows`;
    $("download-accepted").disabled = k === 0;
    $("download-rest").textContent = `Download the other ${count(n - k)}`;
    $("download-rest").disabled = k === n;
    fill();
    for (const follow of followers) follow(expected);
  }

  function acceptShare() {
    const k = Math.round((n * $("share").valueAsNumber) / 100);
    // Rounded down: the last of them is accepted, too.
    $("least").value = k === 0 ? 1 : Math.floor(1000 * rows.probability[k - 1]) / 1000;
    accept(k);
  }

  function acceptProbable() {
    const least = $("least").valueAsNumber;
    if (Number.isNaN(least)) return;
    const first = rows.probability.findIndex((probability) => probability < least);
    const k = first < 0 ? n : first;
    $("share").value = (100 * k) / n;
    accept(k);
  }

  // ---- the other rows ----

  const PAGE = 25;
  const shown = (value) => value.toFixed(3);
  // What a column is called here and in the CSV files, its values by place, and how they are shown.
  const columns = [
    {title: "row", csv: "row", value: (i) => rows.row[i], number: true, both: true},
    {title: "id", csv: "id", value: (i) => id(rows.row[i]), hidden: data.ids === null, both: true},
    {title: "label", csv: "label", value: (i) => name(rows.label[i]), both: true},
    {title: data.before, csv: data.before?.replace("'s", "").replaceAll(" ", "_"), value: (i) => name(rows.crude[i]), hidden: data.before === null},
    {title: "probability", csv: "probability", value: (i) => rows.probability[i], show: shown, number: true, both: true},
    {title: "runner-up", csv: "runner_up", value: (i) => name(rows.runner_up[i])},
    {title: "its probability", csv: "runner_up_probability", value: (i) => rows.runner_up_probability[i], show: shown, number: true},
  ].filter((column) => !column.hidden);
  const heads = columns.map((column) => {
    const heading = make("th", "", {scope: "col", ariaSort: "none", className: column.number ? "number" : "text"});
    const button = make("button", column.title, {type: "button", className: "sort"});
    button.addEventListener("click", () => sortBy(column, turn(heads, heading)));
    heading.append(button);
    return heading;
  });
  let order = [];
  let found = [];
  let page = 0;

  function fill() {
    for (const heading of heads) heading.ariaSort = "none";
    order = Array.from({length: n - accepted}, (_, i) => n - 1 - i);
    $("none").hidden = order.length > 0;
    search();
  }

  function search() {
    const words = $("search").value.trim().toLowerCase();
    const matches = (i) => columns.some((column) => {
      const value = column.value(i);
      return column.show === undefined && String(value).toLowerCase().includes(words);
    });
    found = words === "" ? order : order.filter(matches);
    page = 0;
    $("found").textContent = words === "" ? "" : `${count(found.length)} of ${count(order.length)} rows`;
    showPage();
  }

  function showPage() {
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    page = Math.min(Math.max(page, 0), pages - 1);
    const body = $("rows").tBodies[0];
    body.replaceChildren(...found.slice(page * PAGE, (page + 1) * PAGE).map((i) => {
      const row = document.createElement("tr");
      for (const column of columns) {
        const value = column.value(i);
        const cell = make("td", "", {className: column.number ? "number" : "text"});
        if (column.csv === "row") {
          const button = make("button", String(value), {type: "button", className: "mark"});
          button.addEventListener("click", () => mark(value));
          cell.append(button);
        } else cell.textContent = column.show === undefined ? value : column.show(value);
        row.append(cell);
      }
      return row;
    }));
    $("page").textContent = `Page ${page + 1} of ${pages}`;
    $("back").disabled = page === 0;
    $("next").disabled = page === pages - 1;
    $("pages").hidden = pages === 1;
  }

  function sortBy(column, direction) {
    const value = column.value;
    order = [...order].sort((a, b) => direction * (column.number ? value(a) - value(b) : compareNames(value(a), value(b))));
    search();
  }

  // ---- CSV files ----

  function table(places, written, more = []) {
    const lines = places.map((i) => [...written.map((column) => column.value(i)), ...more.map(() => "")]);
    return csv([[...written.map((column) => column.csv), ...more], ...lines]);
  }

  const line = document.createElement("tr");
  line.append(...heads);
  $("rows").tHead.append(line);
  $("search").addEventListener("input", search);
  $("back").addEventListener("click", () => { page -= 1; showPage(); });
  $("next").addEventListener("click", () => { page += 1; showPage(); });
  $("share").addEventListener("input", acceptShare);
  $("least").addEventListener("input", acceptProbable);
  $("download-accepted").addEventListener("click", () => {
    const front = Array.from({length: accepted}, (_, i) => i);
    download("accepted.csv", table(front, columns.filter((column) => column.both)));
  });
  $("download-rest").addEventListener("click", () => download("rest.csv", table(order, columns, ["true_label"])));
  // A browser may remember what was chosen before the page was loaded again.
  $("least").value = data.confident_at;
  acceptProbable();

  // ---- drawings ----

  const item = {docid: "report", roots: plots.roots, root_ids: Object.keys(plots.roots)};
  await Bokeh.embed.embed_items({report: plots.document}, [item]);
  const model = (called) => Bokeh.documents[0].get_model_by_name(called);
  const SIDES = ["before", "after"];
  const DOMAINS = ["source", "target"];
  const points = Object.fromEntries(DOMAINS.map((domain) => [domain, model(`points-${domain}`)]));
  const form = document.querySelector("#planes form");
  const choice = (field) => form.elements[field].value;
  let onlyClass = null;

  const KEYS = {
    domain: {source: "#0072b2", target: "#d55e00"},
    probability: Object.fromEntries(data.probability_colours.flatMap((colour, k) => (k % 2 ? [] : [[`${10 * k} %`, colour]]))),
  };
  const PALE = "#d0d0d0";

  function paint() {
    const colour = choice("colour");
    for (const side of SIDES) for (const domain of DOMAINS) {
      const glyph = model(`${side}-${domain}`).glyph;
      const by = {
        class: {field: "label", transform: model("by-class")},
        domain: {value: KEYS.domain[domain]},
        probability: domain === "source" ? {value: PALE} : {field: "probability", transform: model("by-probability")},
      }[colour];
      if (domain === "source") glyph.fill_color = by;
      else glyph.line_color = by;
    }
    // Without its legend a class could not be given up again.
    if (colour !== "class" && onlyClass !== null) {
      onlyClass = null;
      filter();
    }
    showLegend(colour);
  }

  function showLegend(colour) {
    const dot = (value) => {
      const element = make("span", "", {className: "dot"});
      element.style.background = value;
      return element;
    };
    if (colour === "class") {
      $("legend").replaceChildren(...data.classes.map((called, code) => {
        const button = make("button", "", {type: "button", title: called, ariaPressed: String(code === onlyClass)});
        button.append(dot(data.colours[code]), make("span", called));
        button.addEventListener("click", () => {
          onlyClass = code === onlyClass ? null : code;
          [...$("legend").children].forEach((other, k) => { other.ariaPressed = String(k === onlyClass); });
          filter();
        });
        return button;
      }));
    } else {
      $("legend").replaceChildren(...Object.entries(KEYS[colour]).map(([called, value]) => {
        const key = make("span", "", {className: "key"});
        key.append(dot(value), make("span", called));
        return key;
      }));
    }
  }

  function filter() {
    const label = Object.fromEntries(DOMAINS.map((domain) => [domain, points[domain].data.label]));
    const wanted = (code) => onlyClass === null || code === onlyClass;
    const box = (field) => form.elements[field].checked;
    const row = points.target.data.row;
    model("shown-source").booleans = Array.from(label.source, (code) => box("source") && wanted(code));
    model("shown-target").booleans = Array.from(label.target, (code, i) => box(place[row[i]] < accepted ? "accepted" : "others") && wanted(code));
  }

  function view() {
    const kind = choice("view");
    for (const side of SIDES) {
      const low = [Infinity, Infinity];
      const high = [-Infinity, -Infinity];
      for (const domain of DOMAINS) {
        ["x", "y"].forEach((axis, k) => {
          const field = `${kind}_${side}_${axis}`;
          model(`${side}-${domain}`).glyph[axis] = {field};
          for (const value of points[domain].data[field]) {
            if (value < low[k]) low[k] = value;
            if (value > high[k]) high[k] = value;
          }
        });
      }
      const longest = Math.max(high[0] - low[0], high[1] - low[1], 1e-9);
      [model(side).x_range, model(side).y_range].forEach((range, k) => {
        const middle = (low[k] + high[k]) / 2;
        // As in plots.py.
        const half = 0.53 * Math.max(high[k] - low[k], longest / 4);
        range.setv({start: middle - half, end: middle + half, reset_start: middle - half, reset_end: middle + half});
      });
    }
    ring(null);
  }

  // ---- marks and tips ----

  function ring(domain, i) {
    const kind = choice("view");
    const at = (side, axis) => (domain === null ? [] : [points[domain].data[`${kind}_${side}_${axis}`][i]]);
    const marked = {};
    for (const side of SIDES) for (const axis of ["x", "y"]) marked[`${side}_${axis}`] = at(side, axis);
    model("marked").data = marked;
  }

  function mark(row) {
    const i = points.target.data.row.indexOf(row);
    if (i < 0) return;
    if (Number.isNaN(points.target.data[`${choice("view")}_before_x`][i])) {
      form.elements.view.value = "principal";
      view();
    }
    ring("target", i);
    $("planes").scrollIntoView();
  }

  let pointer = {pageX: 0, pageY: 0};
  document.addEventListener("pointermove", (event) => { pointer = event; }, {capture: true});

  function tip(words) {
    const box = $("tip");
    box.hidden = words === "";
    if (box.hidden) return;
    box.textContent = words;
    const left = Math.min(pointer.pageX + 14, window.scrollX + document.documentElement.clientWidth - box.offsetWidth - 8);
    box.style.left = `${Math.max(left, 4)}px`;
    box.style.top = `${pointer.pageY + 16}px`;
  }

  function describe(domain, i) {
    const row = points[domain].data;
    const label = data.classes[row.label[i]];
    if (domain === "source") return `source, row ${row.row[i]}\nlabel: ${label}`;
    const called = data.ids === null ? "" : ` (${id(row.row[i])})`;
    const sure = `right with a probability of ${row.probability[i].toFixed(2)}`;
    const before = data.before === null ? "" : `\n${data.before}: ${data.classes[row.crude[i]]}`;
    return `target, row ${row.row[i]}${called}\nlabel: ${label}, ${sure}${before}`;
  }

  // Bokeh tells each domain of each plane what lies under the pointer; the tip and the ring are about the topmost.
  const under = {};
  for (const domain of DOMAINS) {
    points[domain].inspect.connect(([renderer]) => {
      under[renderer.name] = [...points[domain].inspected.indices];
      const side = renderer.name.split("-")[0];
      const hits = [...DOMAINS].reverse().flatMap((d) => (under[`${side}-${d}`] ?? []).map((i) => [d, i]));
      const before = $("tip").hidden;
      if (hits.length === 0) {
        if (!before) { tip(""); ring(null); }
        return;
      }
      const more = hits.length > 1 ? `\nand ${hits.length - 1} more here` : "";
      tip(describe(...hits[0]) + more);
      ring(...hits[0]);
    });
  }

  for (const matrix of ["flows", "confusion-before", "confusion-after"]) {
    const cells = model(`cells-${matrix}`);
    if (cells === null) continue;
    cells.inspect.connect(() => {
      const [k] = cells.inspected.indices;
      if (k === undefined) return tip("");
      const row = cells.data;
      const many = `${count(row.count[k])} row${row.count[k] === 1 ? "" : "s"}`;
      const share = `${(100 * row.share[k]).toFixed(1)} % of it`;
      const [from, to] = [data.true_classes[row.i[k]], data.classes[row.j[k]]];
      if (matrix === "flows") tip(`${many}\ncrude label: ${from}\nlabel: ${to}`);
      else tip(`${many}, ${share}\ntrue class: ${from}\nlabel: ${to}`);
    });
  }
  for (const plot of document.querySelectorAll(".plot")) plot.addEventListener("pointerleave", () => tip(""));

  for (const field of form.elements.colour) field.addEventListener("change", paint);
  for (const field of ["source", "accepted", "others"]) form.elements[field].addEventListener("change", filter);
  for (const field of form.querySelectorAll("[name=view]")) field.addEventListener("change", view);
  followers.push(filter, (expected) => {
    model("chosen").data = expected === null ? {x: [], y: []} : {x: [(100 * accepted) / n], y: [100 * expected]};
  });
  paint();
  accept(accepted);
  document.documentElement.dataset.ready = "true";
})();
