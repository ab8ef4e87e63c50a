const LONGEST = 1000;
const BEFORE = 200;

/** The part of a long text with the first word of the question, or its start. */
export function excerptOf(text: string, question: string): string {
  if (text.length <= LONGEST) return text;

  const hit = firstHit(text, question);
  const start = hit <= BEFORE ? 0 : afterSpace(text, hit - BEFORE);
  const end = Math.min(text.length, start + LONGEST);
  const part = text.slice(start, end).toWellFormed().trim();
  return `${start > 0 ? '… ' : ''}${part}${end < text.length ? ' …' : ''}`;
}

function firstHit(text: string, question: string): number {
  const lowered = text.toLowerCase();
  const words = question.toLowerCase().match(/[\p{Letter}\p{Number}]{4,}/gu) ?? [];
  const hits = words.map((word) => lowered.indexOf(word)).filter((hit) => hit >= 0);
  return Math.min(...hits, text.length) % text.length;
}

function afterSpace(text: string, from: number): number {
  const space = text.indexOf(' ', from);
  return space >= 0 && space < from + BEFORE ? space + 1 : from;
}
