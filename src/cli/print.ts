import { escapeInvisible } from '@reborn-agent/client/exact-json';
import { printable } from '#terminal/screen/printable.ts';

/**
 * Every command writes through these functions, on stdout or stderr. Names, descriptions and messages come from others: what
 * would steer the terminal, or not be seen, is shown as an escape.
 */
export function printLine(text: string): void {
  process.stdout.write(`${toLines(text)}\n`);
}

/** What is not the command's result: it goes to stderr. */
export function printNotice(text: string): void {
  process.stderr.write(`${toLines(text)}\n`);
}

/** A list for people, in columns. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const cells = rows.map((row) => row.map(oneLine));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  for (const row of cells) printLine(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}

/** The same for programs. Escapes are part of JSON, so it says the same as before. */
export const printJson = (value: unknown): void => printLine(JSON.stringify(value, null, 2));

/** One value per line, for programs that read them as they come. */
export const printJsonLine = (value: unknown): void => printLine(JSON.stringify(value));

/** A line that begins with a mark of ours, which may be coloured. */
export function printMarked(mark: string, text: string): void {
  process.stdout.write(`${mark}${toLines(text)}\n`);
}

/** A piece of an answer, as it comes. A program that reads a pipe gets it unchanged. */
export function printPiece(text: string): void {
  process.stdout.write(process.stdout.isTTY ? printable(text) : text);
}

/** A whole text, such as a note, which may lack its last line break. */
export const printText = (text: string): void => printPiece(text.endsWith('\n') ? text : `${text}\n`);

/** Bytes as they are, such as a file; a terminal gets them as text that it can't interpret. */
export function printBytes(bytes: Buffer): void {
  if (process.stdout.isTTY) printPiece(bytes.toString());
  else process.stdout.write(bytes);
}

/** For those who write to the terminal by other means: prompts, above all. */
export function toLines(text: string): string {
  return escapeInvisible(text.replaceAll('\r\n', '\n').replaceAll('\t', '    ')).trimEnd();
}

const oneLine = (text: string) => toLines(text).replace(/\s+/g, ' ');
