// What the page's scripts share. Names from the data reach the page as text only (textContent), never as HTML.
"use strict";
const tsrp = (() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  // Rows of the target, the most probable label first, and the place of each in this list by its number in the target.
  const rows = data.rows;
  const n = rows.row.length;
  const place = [];
  rows.row.forEach((row, i) => { place[row] = i; });

  function make(tag, words, properties = {}) {
    const element = Object.assign(document.createElement(tag), properties);
    element.textContent = words;
    return element;
  }

  function cell(value) {
    if (typeof value === "number") return String(value);
    // What starts like this, or does so behind what separates cells, runs as a formula in spreadsheets, unless the whole
    // is a number.
    let text = value.replace(/([,;\t\r\n]"*)(?=[=+\-@])/g, "$1'");
    if (/^[=+\-@\t\r\n]/.test(value) && !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value)) text = `'${text}`;
    return /[",\r\n;\t']|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  // The mark at the start tells spreadsheets that this is UTF-8.
  const csv = (lines) => `\ufeff${lines.map((line) => `${line.map(cell).join(",")}\r\n`).join("")}`;

  function download(called, text) {
    const address = URL.createObjectURL(new Blob([text], {type: "text/csv;charset=utf-8"}));
    const link = make("a", "", {href: address, download: called});
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  return {
    $, data, make, rows, n, place, csv, download,
    count: (k) => k.toLocaleString("en"),
    percent: (share) => `${(100 * share).toFixed(1)} %`,
    name: (code) => data.classes[code],
    id: (row) => (data.ids === null ? String(row) : data.ids[row]),
  };
})();
