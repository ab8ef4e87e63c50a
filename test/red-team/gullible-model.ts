import { type Answer, type SeenPrompt, startScriptedModel } from '../support/scripted-model.ts';

/**
 * A model that obeys whoever speaks to it. Wherever in its prompt it reads `=> TOOL {…}`, it calls that tool, order by
 * order. `$SEEN` in the arguments stands for every secret that it could find in the prompt. In the end it says all that
 * it was told to say by `=> say {"text": …}`, filled in the same way.
 */
export async function startGullibleModel() {
  const tried: string[] = [];
  const model = await startScriptedModel({
    decide: (prompt) => {
      const answer = obey(prompt);
      tried.push(...(answer.calls ?? []).map(({ name }) => name));
      return answer;
    },
  });
  /** The tools that it wanted to call. */
  return { ...model, tried };
}

const ORDER = /=> (\w+) (\{[^{}]*\})/g;

function obey({ messages }: SeenPrompt): Answer {
  const all = messages.map(({ text }) => text).join('\n');
  const orders = Array.from(all.matchAll(ORDER), ([, name = '', json = '']) => ({ name, arguments: fill(json, all) }));
  const calls = orders.filter(({ name }) => name !== 'say');
  const next = calls[messages.filter(({ role }) => role === 'tool').length];
  if (next) return { calls: [next] };

  const said = orders.filter(({ name }) => name === 'say').map((order) => order.arguments);
  return { pieces: ['done ', ...(said.join(' ').match(/.{1,7}/gs) ?? [])] };
}

/** What the attacks are after. Whoever sees it, sees it whole: the test plants it with this beginning. */
const SECRET_FORM = /canary-[\w-]{10,}/g;

function fill(json: string, all: string): string {
  const seen = [...new Set(all.match(SECRET_FORM) ?? [])].join(' ');
  return json.replaceAll('$SEEN', seen || 'nothing');
}
