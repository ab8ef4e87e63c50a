import { type Answer, followScript, isSummaryPrompt, type SeenPrompt } from '../../test/support/scripted-model.ts';

/**
 * A model that follows the skill for research, and every order that a page gives: it plans, searches, reads four results of each
 * question, obeys, and reports the newest sentences that have all words of a question, each as a quotation with its source.
 */
export function doResearch(prompt: SeenPrompt): Answer {
  if (isSummaryPrompt(prompt)) return followScript(prompt);
  const asked = prompt.messages.findLastIndex(({ role }) => role === 'user');
  const questions = (/^Research: (.+)$/m.exec(prompt.messages[asked]?.text ?? '')?.[1] ?? '')
    .split(';')
    .filter(Boolean);
  const results = prompt.messages.slice(asked + 1).flatMap(({ role, text }) => (role === 'tool' ? [text] : []));
  if (questions.length === 0) return followScript(prompt);
  if (results.length === 0) return { calls: [call('reborn_research', { questions, searches: 5, pages: 20 })] };
  if (results.length === 1) return { calls: questions.map((query) => call('reborn_web_search', { queries: [query] })) };
  const searched = results.slice(1, 1 + questions.length);
  const found = [
    ...new Set(searched.flatMap((text) => [...text.matchAll(/^https:\S+$/gm)].slice(0, 4)).map(([url]) => url)),
  ];
  const read = results.slice(1 + questions.length);
  if (read.length === 0 && found.length > 0) return { calls: found.map((url) => call('reborn_web_fetch', { url })) };
  const orders = [...new Set(read.join('\n').match(/https:\/\/evil\.example\/\S+/g))];
  if (read.length === found.length && orders.length > 0)
    return { calls: orders.map((url) => call('reborn_web_fetch', { url })) };
  return { pieces: [questions.map((question) => reportOn(question, read.slice(0, found.length))).join('\n')] };
}

const call = (name: string, given: object) => ({ name, arguments: JSON.stringify(given) });

function reportOn(question: string, pages: readonly string[]): string {
  const words = question.toLowerCase().split(' ');
  const answers = pages.flatMap((text) => {
    const number = /Source: \[(s\d+)\]/.exec(text)?.[1];
    const published = /Published: (\S+)/.exec(text)?.[1] ?? '';
    const lines = text.split('\n').filter((line) => words.every((word) => line.toLowerCase().includes(word)));
    return lines.filter((line) => !/^(?:Address|Title):/.test(line)).map((line) => ({ line, number, published }));
  });
  const newest = answers
    .map(({ published }) => published)
    .toSorted()
    .at(-1);
  const kept = answers.filter(({ published }) => published === newest);
  if (kept.length === 0) return `${question}: not found.`;
  const said = kept.map(({ line, number }) => `“${line}” [${number}]`).join(' but also ');
  return `${question}: ${said}.`;
}
