/**
 * Cuts Markdown into messages of at most about `most` UTF-16 units: between paragraphs if possible, then between lines, then between
 * words. A code block that is cut is closed, and opened again.
 */
export function splitMarkdown(markdown: string, most: number): string[] {
  const pieces: string[] = [];
  let rest = markdown.trim();
  while (rest.length > most) {
    const cut = findCut(rest, most);
    const open = openFence(rest.slice(0, cut));
    const head = rest.slice(0, cut).trimEnd();
    pieces.push(open ? `${head}\n${open.marks}` : head);
    const tail = rest.slice(cut).replace(open ? /^\n/ : /^\s+/, '');
    rest = open ? `${open.line}\n${tail}` : tail;
  }
  if (rest !== '' || pieces.length === 0) pieces.push(rest);
  return pieces;
}

/** The last good place to cut. Each piece is at least half full, so that the end is reached. */
function findCut(text: string, most: number): number {
  for (const mark of ['\n\n', '\n', ' ']) {
    const found = text.lastIndexOf(mark, most);
    if (found > most / 2) return found;
  }
  const isPair = /[\ud800-\udbff]/.test(text[most - 1] ?? '');
  return isPair ? most - 1 : most;
}

/** The code block that is open at the end of a text. A long opening line is not repeated. */
function openFence(text: string): { readonly line: string; readonly marks: string } | undefined {
  let open: { line: string; marks: string } | undefined;
  for (const line of text.split('\n')) {
    const [, marks = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (marks === '') continue;
    if (!open) open = { line: marks.slice(0, 100) + info.slice(0, 30), marks: marks.slice(0, 100) };
    else if (marks.startsWith(open.marks) && info.trim() === '') open = undefined;
  }
  return open;
}
