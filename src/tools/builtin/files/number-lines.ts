/** The model gets at most so much of a file at once. */
const MOST_CHARACTERS = 60_000;
const MOST_OF_A_LINE = 2000;

/** Lines of a text with their numbers, and how to read on. */
export function numberLines(text: string, from: number, most: number): string {
  const lines = text.replace(/\n$/, '').split('\n');
  if (from > lines.length) return `The file has ${lines.length} lines.`;
  const shown: string[] = [];
  let characters = 0;
  for (let number = from; number <= lines.length && number < from + most; number++) {
    const line = shorten(lines[number - 1] ?? '');
    characters += line.length;
    if (characters > MOST_CHARACTERS && shown.length > 0) break;
    shown.push(`${number}\t${line}`);
  }
  const next = from + shown.length;
  if (next <= lines.length) shown.push(`(${lines.length} lines in all; go on with from_line ${next})`);
  return shown.join('\n');
}

const shorten = (line: string): string =>
  line.length <= MOST_OF_A_LINE ? line : `${line.slice(0, MOST_OF_A_LINE)} (line of ${line.length} characters, cut)`;
