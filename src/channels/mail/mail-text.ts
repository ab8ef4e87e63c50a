/**
 * `own`: what the sender wrote. `quoted`: text by others below it. `mixed`: if the sender wrote between quoted lines, all of these
 * lines, because the answers alone don't say what they answer.
 */
export type MailText = { readonly own: string; readonly quoted: string; readonly mixed: string };

/** Lines after which a mail only repeats other mail. */
const BEGINNINGS = [
  /^-{2,}\s*(?:original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht|message transféré|mensaje reenviado)\s*-{2,}$/i,
  /^begin forwarded message:$/i,
  /^_{20,}$/,
];
/** The line above a quote, such as "On Monday, Ann wrote:". Mail programs break it in two. */
const ATTRIBUTION = /(?:wrote|schrieb|a écrit|escribió|ha scritto|skrev|schreef)\s?.{0,120}:$/iu;
const HEADER = /^\*?(?:from|von|de|da|från)\*?:\*?\s.{1,300}$/i;
const NEXT_HEADER = /^\*?(?:sent|date|to|subject|gesendet|datum|an|betreff|envoyé|enviado)\*?:/i;
const SIGNED_BY_PROGRAM =
  /^(?:sent from (?:my|outlook|mail)|get outlook for|von meinem .{1,40} gesendet|envoyé de mon)\b.{0,80}$/i;
const LONGEST_SIGNATURE = 12;

/** Separates what the sender wrote from mail that it repeats, and cuts the signature. */
export function splitMailText(text: string): MailText {
  const lines = text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.trimEnd());
  const cut = findQuote(lines);
  const quoted = lines.slice(cut).join('\n').trim();
  const above = lines.slice(0, cut);
  const own = above.filter((line) => !isQuoted(line));
  const mixed = own.length < above.length ? above.join('\n').trim() : '';
  return { own: withoutSignature(own), quoted, mixed };
}

/** The first line that is not the sender's; the number of lines when there is none. */
function findQuote(lines: readonly string[]): number {
  const found = lines.findIndex(
    (line, index) =>
      BEGINNINGS.some((beginning) => beginning.test(line.trim())) ||
      isAttribution(lines, index) ||
      (HEADER.test(line) && lines.slice(index + 1, index + 4).some((next) => NEXT_HEADER.test(next))),
  );
  const cut = found === -1 ? lines.length : found;
  // A quote at the end, without a line that introduces it.
  let last = cut;
  while (last > 0 && (lines[last - 1] === '' || isQuoted(lines[last - 1]))) last--;
  return lines.slice(last, cut).some(isQuoted) ? last : cut;
}

const isQuoted = (line: string | undefined) => line?.startsWith('>') ?? false;

function isAttribution(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? '';
  if (line.length > 300 || line === '' || isQuoted(line)) return false;
  const after = (from: number) => lines.slice(from, from + 3).find((next) => next !== '');
  if (ATTRIBUTION.test(line)) return isQuoted(after(index + 1));
  const both = `${line} ${lines[index + 1] ?? ''}`;
  return /^(?:on|am|le|el|il)\s/i.test(line) && ATTRIBUTION.test(both.slice(0, 400)) && isQuoted(after(index + 2));
}

function withoutSignature(lines: readonly string[]): string {
  const mark = lines.lastIndexOf('--');
  const isSigned = mark >= 0 && lines.length - mark <= LONGEST_SIGNATURE + 1;
  const kept = (isSigned ? lines.slice(0, mark) : lines).join('\n').trimEnd().split('\n');
  if (SIGNED_BY_PROGRAM.test(kept.at(-1) ?? '')) kept.pop();
  return kept.join('\n').trim();
}

/** Whether the sender forwards a mail. */
export const isForward = (subject: string): boolean =>
  /^(?:fwd?|wg|tr|rv|enc|i)(?:\[\d{1,3}\])?\s?:/i.test(subject.trim());

/** A subject without the marks of replies and forwards, to recognise a conversation by it. */
export function plainSubject(subject: string): string {
  let plain = subject.replaceAll(/\s+/g, ' ').trim();
  for (let marks = 0; marks < 10; marks++) {
    const shorter = plain.replace(/^(?:re|aw|sv|vs|antw|rif|ref|fwd?|wg|tr|rv|enc)(?:\[\d{1,3}\])?\s?:\s?/i, '');
    if (shorter === plain) break;
    plain = shorter;
  }
  return plain;
}
