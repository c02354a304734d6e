// Lights up in a copied page what is marked in its text, where the matcher has found it.
const MOST = 1000;
const indexes = new WeakMap();

// The copy and the text differ in white space and in marks that nobody sees.
const bare = (text) => text.normalize("NFKD").replace(/[\s\p{Cf}]+/gu, "");

export function lightKeywords(frame, text) {
  const { CSS, Highlight } = frame.contentWindow;
  if (!CSS?.highlights) return;
  const ranges = text ? passages(frame.contentDocument, markedLines(text)) : [];
  CSS.highlights.set("keyword", new Highlight(...ranges));
}

function markedLines(text) {
  const lines = new Map();
  let line = { plain: "", spans: [] };
  const end = () => {
    if (line.spans.length) lines.set(line.plain, line.spans);
    line = { plain: "", spans: [] };
  };
  for (const node of text.childNodes) {
    node.textContent.split("\n").forEach((piece, at) => {
      if (at) end();
      const begin = line.plain.length;
      line.plain += bare(piece);
      if (node.nodeName === "MARK" && line.plain.length > begin) line.spans.push([begin, line.plain.length]);
    });
  }
  end();
  return lines;
}

function passages(page, lines) {
  const { plain, nodes, offsets, ends } = indexOf(page);
  const parts = [...page.querySelectorAll(".found")];
  const ranges = [];
  for (const [line, spans] of lines) {
    for (let at = plain.indexOf(line); at >= 0 && ranges.length < MOST; at = plain.indexOf(line, at + line.length)) {
      if (parts.length && !parts.some((each) => each.contains(nodes[at]))) continue;
      for (const [begin, end] of spans) {
        const range = page.createRange();
        range.setStart(nodes[at + begin], offsets[at + begin]);
        range.setEnd(nodes[at + end - 1], ends[at + end - 1]);
        ranges.push(range);
      }
    }
  }
  return ranges;
}

// The text of a copy without white space, and where each character of it stands.
function indexOf(page) {
  if (indexes.has(page)) return indexes.get(page);
  const found = { plain: "", nodes: [], offsets: [], ends: [] };
  const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  const plain = [];
  while (walker.nextNode()) {
    let at = 0;
    for (const character of walker.currentNode.data) {
      for (const unit of bare(character).split("")) {
        plain.push(unit);
        found.nodes.push(walker.currentNode);
        found.offsets.push(at);
        found.ends.push(at + character.length);
      }
      at += character.length;
    }
  }
  found.plain = plain.join("");
  indexes.set(page, found);
  return found;
}
