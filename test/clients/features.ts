const CHAT_FEATURES = [
  'answers by chat completions',
  'streams by chat completions',
  'runs two parallel tools by chat completions',
  'runs four tools by chat completions and leaves no thread',
  'returns structured output by chat completions',
  'forces a call with `tool_choice` by chat completions',
  'reports a failed turn by chat completions, and does not repeat it',
] as const;

/** The features tested for every client, as the rows of the table. */
export const FEATURES = [
  'answers a message',
  'answers under the alias `/v1`',
  'streams an answer',
  'continues from `previous_response_id`',
  'runs tools by `previous_response_id`',
  'runs tools and replays the history',
  'runs tools while streaming',
  'replays four tool results in one thread',
  'hands a thread to another agent',
  'returns structured output',
  'streams structured output',
  'shows a summary of the reasoning',
  'runs tools with `store: false`',
  'runs tools over a WebSocket',
  'retrieves a response',
  'deletes a response',
  'cancels a background response',
  'resumes a background stream',
  'reports a failed turn',
  'reports a failed stream',
  "sees the agent's tool activity, or passes over it",
  'continues a conversation',
  'runs tools in a conversation',
  'manages conversations and their items',
  'keeps its session in a conversation',
  'lists input items',
  'uploads a file and names it by its id',
  'searches files with `file_search`, and reads which one is cited',
  'lists models',
  'counts input tokens',
  'compacts a conversation',
  'knows 400',
  'knows 401',
  'knows 404',
  'knows 429',
  ...CHAT_FEATURES,
] as const;

export type Feature = (typeof FEATURES)[number];

/** A service as a client's settings name it. */
export type Target = { readonly baseURL: string; readonly apiKey: string };

export type Targets = {
  /** Under `/api/v1`. */
  readonly service: Target;
  /** The same service under `/v1`. */
  readonly alias: Target;
  /** The same service with an invalid token. */
  readonly stranger: Target;
  /** An address without routes. */
  readonly nowhere: Target;
  /** Another service, which accepts two messages a minute. */
  readonly limited: Target;
};

/** Resolves when the client can do it, and throws when it can't. */
type Check = (targets: Targets) => Promise<void>;

/** Why the client can't do it with any service. */
export type Limit = string;

export type Client = {
  /** The packages that make it up; their versions name it in the table. */
  readonly packages: readonly string[];
  readonly features: Readonly<Record<Feature, Check | Limit>>;
};

/** The threads and open gates of the service. */
export async function countLeft({ baseURL, apiKey }: Target): Promise<{ threads: number; gates: number }> {
  const get = async (route: string): Promise<unknown> => {
    const answer = await fetch(new URL(route, baseURL), { headers: { authorization: `Bearer ${apiKey}` } });
    return answer.json();
  };
  const { threads } = (await get('/api/status')) as { threads: number };
  const { gates } = (await get('/api/gates?limit=100')) as { gates: unknown[] };
  return { threads, gates: gates.length };
}

/** Makes the model call four tools, one after the other. */
export const FOUR_TOOLS = ['Oslo', 'Rome', 'Bonn', 'Kyiv'].map((city) => `use lookup {"city":"${city}"}`).join('\n');

/** Makes the model answer with this object. */
export const THINK = 'think it snows there\nsay take a coat';

export const SAY_OSLO = 'say {"city":"Oslo","degrees":-3}';
export const OSLO = { city: 'Oslo', degrees: -3 };

/** Whether the service still has a response. */
export async function isKept({ baseURL, apiKey }: Target, id: string | undefined): Promise<boolean> {
  const { status } = await fetch(`${baseURL}/responses/${id}`, { headers: { authorization: `Bearer ${apiKey}` } });
  return status !== 404;
}

/** The checks of a client's model for chat completions. */
export type ChatChecks = Readonly<Record<(typeof CHAT_FEATURES)[number], Check | Limit>>;

export const NO_CALL: Limit = 'The client has no call for this.';
