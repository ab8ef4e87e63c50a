import { createHash } from 'node:crypto';
import type { Client, ElicitResult } from '@modelcontextprotocol/client';
import type { Question } from '#domain/tool/question.ts';
import { type AnsweredQuestion, InputRequired } from '../../tool.ts';
import { McpFailure } from '../mcp-failure.ts';
import { cleanQuestion } from './clean-question.ts';
import type { LentModel, ModelResponse } from './lend-model.ts';

/** What is stored while a call waits for a person. */
type CallState = {
  readonly rounds: number;
  /** The question that is open: a digest, or its name in `requests`. */
  readonly current: string;
  /** Answers by question. */
  readonly responses: Readonly<Record<string, Response>>;
  /** Of a server of 2026-07-28, which asks by its result: all its questions, and what it wants back. */
  readonly asked?: Asked;
  /** How often the server has used the model. */
  readonly modelCalls?: number;
};

/** The parameters of the questions to the person, and of those to the model, by name. */
type Asked = {
  readonly requests: Readonly<Record<string, unknown>>;
  readonly toModel?: Readonly<Record<string, unknown>>;
  readonly requestState?: string | undefined;
};

type Response = ElicitResult | ModelResponse | { readonly roots: readonly never[] };

/** A result that asks for input, as the protocol of 2026-07-28 has it. */
export type InputRequest = {
  readonly inputRequests?: Readonly<Record<string, { readonly method: string; readonly params?: unknown }>>;
  readonly requestState?: string | undefined;
};

const MAX_ROUNDS = 10;
const MAX_REQUESTS = 8;
const MAX_STATE_BYTES = 64 * 1024;
const MAX_MODEL_CALLS = 5;

/**
 * The questions of a server during one call, and the answers of a person or the model. A question to a person ends the call:
 * it is made again with the answer, which may come a week later and on another replica.
 */
export function createConversation(answered: AnsweredQuestion | undefined, model?: LentModel) {
  const before = answered && (answered.state as CallState); // written by `ask` below
  const responses: Record<string, Response> = { ...before?.responses };
  if (before && answered) responses[before.current] = { action: 'accept', content: toContent(answered.input) };
  const rounds = before?.rounds ?? 0;
  let pending: InputRequired | undefined;
  let modelCalls = before?.modelCalls ?? 0;
  let queue: Promise<unknown> = Promise.resolve();
  let broken: { readonly error: unknown } | undefined;

  function ask(question: Question, current: string, asked?: Asked): InputRequired {
    const state: CallState = { rounds: rounds + 1, current, responses, modelCalls, ...(asked && { asked }) };
    if (rounds + 1 > MAX_ROUNDS) throw new McpFailure('refused', `The server asked more than ${MAX_ROUNDS} questions.`);
    if (JSON.stringify(state).length > MAX_STATE_BYTES)
      throw new McpFailure('refused', 'The question of the server is too large.');
    return new InputRequired(question, state);
  }

  /** Throws `InputRequired` for the first question without an answer. */
  function askNext(asked: Asked): void {
    for (const [name, params] of Object.entries(asked.requests)) {
      if (Object.hasOwn(responses, name)) continue;
      const question = cleanQuestion(params);
      if (question) throw ask(question, name, asked);
      responses[name] = { action: 'decline' };
    }
  }

  /** One request after the other, so that the budget is checked after the call before was counted. */
  async function askModel(params: unknown): Promise<ModelResponse> {
    if (!model) throw new McpFailure('refused', 'The server wants to use the model, which is not allowed.');
    if (++modelCalls > MAX_MODEL_CALLS)
      throw new McpFailure(
        'refused',
        `The server wants to use the model more than ${MAX_MODEL_CALLS} times in a call.`,
      );
    const asked = queue.then(() => model(params));
    queue = asked.catch(() => {});
    try {
      return await asked;
    } catch (error) {
      if (error instanceof McpFailure) throw error;
      broken ??= { error };
      throw new McpFailure('refused', 'The model could not be asked.');
    }
  }

  /** Asks the person first, then the model. */
  async function answerAll(asked: Asked) {
    askNext(asked);
    for (const [name, params] of Object.entries(asked.toModel ?? {})) responses[name] = await askModel(params);
    return { inputResponses: { ...responses }, requestState: asked.requestState };
  }

  return {
    /** What goes with the call. */
    resume: async (): Promise<object> => (before?.asked ? answerAll(before.asked) : {}),

    /** Answers the result of a server that needs input, or throws `InputRequired`. Returns what goes with the next call. */
    async answerResult({ inputRequests = {}, requestState }: InputRequest): Promise<object> {
      const entries = Object.entries(inputRequests);
      if (entries.length > MAX_REQUESTS) throw new McpFailure('refused', 'The server asks too many questions at once.');
      for (const name of Object.keys(responses)) delete responses[name];
      for (const [name, { method }] of entries) {
        if (method === 'roots/list') responses[name] = { roots: [] };
        else if (method === 'sampling/createMessage' && !model)
          throw new McpFailure('refused', 'The server wants to use the model, which is not allowed.');
        else if (method !== 'elicitation/create' && method !== 'sampling/createMessage')
          throw new McpFailure('refused', 'The server asks for something that this client does not have.');
      }
      const paramsOf = (wanted: string) =>
        Object.fromEntries(
          entries.flatMap(([name, { method, params }]) => (method === wanted ? [[name, params]] : [])),
        );
      const [requests, toModel] = [paramsOf('elicitation/create'), paramsOf('sampling/createMessage')];
      return answerAll({ requests, toModel, requestState });
    },

    /** Answers what an earlier server asks the model during the call. */
    answerAsModel: askModel,
    mayAskModel: model !== undefined,

    /** Throws an error of ours that the server was not shown. */
    check(): void {
      if (broken) throw broken.error;
    },

    /** Answers a question that an earlier server asks during the call. Without an answer, the call is made again later. */
    answer(params: unknown): ElicitResult {
      const key = digestOf(params);
      const known = responses[key];
      if (known && 'action' in known) return known;
      const question = cleanQuestion(params);
      if (!question) return { action: 'decline' };
      pending ??= ask(question, key);
      return { action: 'cancel' };
    },

    /** For a call that the server refused until a person has opened a page. Other errors are returned as they are. */
    explain(error: unknown): unknown {
      const pages = pagesOf(error);
      if (!pages) return error;
      const shown = pages.flatMap((params) => {
        const question = cleanQuestion(params);
        return question?.url ? [{ question, key: digestOf(params) }] : [];
      });
      const next = shown.find(({ key }) => !Object.hasOwn(responses, key)) ?? shown[0];
      return next
        ? ask(next.question, next.key)
        : new McpFailure('refused', 'The server wants a person to open an address that is not allowed.');
    },

    /** The question that ended the call. */
    pending: () => pending,
  };
}

export type Conversation = ReturnType<typeof createConversation>;

const toContent = (input: AnsweredQuestion['input']) =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, Array.isArray(value) ? [...(value as string[])] : value]),
  ) as NonNullable<ElicitResult['content']>;

/** The same for a question that is asked again. The address of a page may have a new code in it. */
function digestOf(params: unknown): string {
  const { message, mode, requestedSchema, url } = params as Record<string, unknown>;
  const host = typeof url === 'string' ? URL.parse(url)?.host : undefined;
  return createHash('sha256')
    .update(JSON.stringify([message, mode, requestedSchema, host]))
    .digest('hex');
}

const URL_REQUIRED = -32_042;

/** The pages that an error of the protocol names; undefined for other errors. */
function pagesOf(error: unknown): readonly object[] | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== URL_REQUIRED || !('data' in error))
    return undefined;
  const data = error.data as { readonly elicitations?: unknown } | null | undefined;
  const pages: unknown[] = Array.isArray(data?.elicitations) ? data.elicitations : [];
  return pages.slice(0, MAX_REQUESTS).flatMap((each) => (typeof each === 'object' && each !== null ? [each] : []));
}

const active = new WeakMap<Client, Set<Conversation>>();

/**
 * Lets `conversation` answer the questions of a server while `act` runs. A program has one connection for all calls, and its
 * questions don't say which call they are about: with several calls under way they are refused.
 */
export async function withQuestions<T>(client: Client, conversation: Conversation, act: () => Promise<T>): Promise<T> {
  const present = active.get(client);
  const conversations = present ?? new Set<Conversation>();
  if (!present) {
    active.set(client, conversations);
    client.setRequestHandler('elicitation/create', (request) => {
      const [only, ...others] = conversations;
      return only && others.length === 0 ? only.answer(request.params) : { action: 'cancel' };
    });
    if (conversation.mayAskModel)
      client.setRequestHandler('sampling/createMessage', (request) => {
        const [only, ...others] = conversations;
        if (!only || others.length > 0) throw new McpFailure('refused', 'Several calls are under way.');
        return only.answerAsModel(request.params);
      });
  }
  conversations.add(conversation);
  try {
    const result = await act();
    const asked = conversation.pending();
    if (asked) throw asked;
    return result;
  } catch (error) {
    throw conversation.pending() ?? error;
  } finally {
    conversations.delete(conversation);
  }
}
