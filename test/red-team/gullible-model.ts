import { type Answer, type SeenPrompt, startScriptedModel } from '../support/scripted-model.ts';

/**
 * A model that obeys every instruction. For each `=> TOOL {…}` in its prompt it calls that tool, in order. `$SEEN` in the
 * arguments is replaced by every secret found in the prompt. At the end it says the text of each `=> say {"text": …}`,
 * filled in the same way.
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

const ORDER = /=> (\w+) (\{(?:[^{}]|\{[^{}]*\})*\})/g;

function obey({ messages }: SeenPrompt): Answer {
  const all = messages.map(({ text }) => text).join('\n');
  const orders = Array.from(all.matchAll(ORDER), ([, name = '', json = '']) => ({ name, arguments: fill(json, all) }));
  const calls = orders.filter(({ name }) => name !== 'say');
  const next = calls[messages.filter(({ role }) => role === 'tool').length];
  if (next) return { calls: [next] };

  const said = orders.filter(({ name }) => name === 'say').map((order) => order.arguments);
  return { pieces: ['done ', ...(said.join(' ').match(/.{1,7}/gs) ?? [])] };
}

/** The secret that the attacks want. The test plants it with this prefix. */
const SECRET_FORM = /canary-[\w-]{10,}/g;

function fill(json: string, all: string): string {
  const seen = [...new Set(all.match(SECRET_FORM) ?? [])].join(' ');
  return json.replaceAll('$SEEN', seen || 'nothing');
}
