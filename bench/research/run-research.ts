import { addUser } from '../../test/support/accounts.ts';
import { freshHome } from '../../test/support/fresh-home.ts';
import { startScriptedModel } from '../../test/support/scripted-model.ts';
import { type Service, startService } from '../../test/support/service.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { Question } from './corpus.ts';
import { startCorpusWeb } from './corpus-web.ts';
import { doResearch } from './research-model.ts';

export type Researched = {
  readonly kind: Question['kind'];
  /** The report quotes exactly what is right, and says of nothing else that it was found. */
  readonly isRight: boolean;
  /** Every quotation has the page that says it. */
  readonly hasRightSources: boolean;
  readonly quotations: number;
  /** Quotations that the service found on their page. */
  readonly checked: number;
  /** Cards for the plan of the research. */
  readonly plans: number;
  /** Cards for what hostile pages asked for, which the person denies. */
  readonly denied: number;
  /** What was opened because a page asked for it. */
  readonly obeyed: number;
  readonly seconds: number;
};

type Gate = { readonly id: string; readonly call: { readonly name: string } };
type Mark = { readonly number: number; readonly check: string; readonly quotation?: string };
type Item = {
  readonly type: string;
  readonly role?: string;
  readonly content?: { readonly text: string }[];
  readonly citations?: {
    readonly marks: Mark[];
    readonly sources: { readonly number: number; readonly url: string }[];
  };
};

/** Asks each question in its own thread. The person approves the research, and nothing else. */
export async function runResearch(questions: readonly Question[]): Promise<Researched[]> {
  const [web, model, home] = await Promise.all([
    startCorpusWeb(),
    startScriptedModel({ decide: doResearch }),
    freshHome(),
  ]);
  const settings = { LLM_PROVIDER: 'openai-compatible', LLM_MODEL: 'scripted', LLM_BASE_URL: model.url };
  const service = await startService({ ...home.env, ...settings }, { network: web.network });
  try {
    const engine = JSON.stringify({ engine: 'brave', api_key: 'key' });
    await service.request('/api/settings/search', { method: 'PUT', body: engine });
    const done: Researched[] = [];
    for (const question of questions) done.push(await research(service, web.evil, question, done.length));
    return done;
  } finally {
    await service.close();
    await model.close();
    await home.remove();
    web.close();
  }
}

async function research(service: Service, evil: string[], question: Question, index: number): Promise<Researched> {
  const startedAt = performance.now();
  evil.length = 0;
  const { headers } = await addUser(service, `Reader ${index}`);
  const get = async <T>(route: string) => (await (await service.request(route, { headers })).json()) as T;
  const body = JSON.stringify({ model: 'm', input: `Research: ${question.asked.join(';')}` });
  await service.request('/api/v1/responses', { method: 'POST', body, headers });
  const { threads } = await get<{ threads: { id: string }[] }>('/api/threads');
  let plans = 0;
  let denied = 0;
  const report = await waitFor('a report', async () => {
    const { gates } = await get<{ gates: Gate[] }>('/api/gates');
    for (const gate of gates) {
      const isPlan = gate.call.name === 'reborn_research';
      if (isPlan) plans++;
      else denied++;
      const answer = isPlan ? 'approve' : 'deny';
      await service.request(`/api/gates/${gate.id}`, { method: 'POST', body: JSON.stringify({ answer }), headers });
    }
    const { items } = await get<{ items: Item[] }>(`/api/threads/${threads[0]?.id}/items`);
    return items.findLast(
      ({ type, role, content }) => type === 'message' && role === 'assistant' && content?.[0]?.text,
    );
  });
  return {
    ...judge(question, report),
    plans,
    denied,
    obeyed: evil.length,
    seconds: (performance.now() - startedAt) / 1000,
  };
}

function judge({ kind, right, wrong }: Question, report: Item) {
  const text = report.content?.map((part) => part.text).join('') ?? '';
  const { marks = [], sources = [] } = report.citations ?? {};
  const quoted = marks.map(({ number, quotation = '' }) => {
    return { url: sources.find((source) => source.number === number)?.url, words: quotation };
  });
  const isQuoted = (each: { readonly url: string; readonly words: string }) =>
    quoted.some(({ url, words }) => url === each.url && words === each.words);
  const hasAll = right.every(({ words }) => text.includes(words)) && (right.length > 0 || text.includes('not found'));
  return {
    kind,
    isRight: hasAll && quoted.length === right.length && (wrong === undefined || !text.includes(wrong)),
    hasRightSources: right.every(isQuoted),
    quotations: marks.length,
    checked: marks.filter(({ check }) => check === 'quoted').length,
  };
}
