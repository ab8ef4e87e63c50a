import { createHash } from 'node:crypto';
import type { Client, ElicitResult } from '@modelcontextprotocol/client';
import type { Question } from '#domain/tool/question.ts';
import { type AnsweredQuestion, InputRequired } from '../../tool.ts';
import { McpFailure } from '../mcp-failure.ts';
import { cleanQuestion } from './clean-question.ts';

/** What is stored while a call waits for a person. */
type CallState = {
  readonly rounds: number;
  /** The question that is open: a digest, or its name in `requests`. */
  readonly current: string;
  /** Answers by question. */
  readonly responses: Readonly<Record<string, Response>>;
  /** Of a server of 2026-07-28, which asks by its result: all its questions, and what it wants back. */
  readonly asked?: Asked;
};

/** The parameters of the questions, by name. */
type Asked = {
  readonly requests: Readonly<Record<string, unknown>>;
  readonly requestState?: string | undefined;
};

type Response = ElicitResult | { readonly roots: readonly never[] };

/** A result that asks for input, as the protocol of 2026-07-28 has it. */
export type InputRequest = {
  readonly inputRequests?: Readonly<Record<string, { readonly method: string; readonly params?: unknown }>>;
  readonly requestState?: string | undefined;
};

const MAX_ROUNDS = 10;
const MAX_REQUESTS = 8;
const MAX_STATE_BYTES = 64 * 1024;

/**
 * The questions of a server during one call, and the answers of a person. A question ends the call: it is made again with the answer, which may come a week later and on another replica.
 */
export function createCallQuestions(answered: AnsweredQuestion | undefined) {
  const before = answered && (answered.state as CallState); // written by `ask` below
  const responses: Record<string, Response> = { ...before?.responses };
  if (before && answered) responses[before.current] = { action: 'accept', content: toContent(answered.input) };
  const rounds = before?.rounds ?? 0;
  let pending: InputRequired | undefined;

  function ask(question: Question, current: string, asked?: Asked): InputRequired {
    const state: CallState = { rounds: rounds + 1, current, responses, ...(asked && { asked }) };
    if (rounds + 1 > MAX_ROUNDS) throw new McpFailure('refused', `The server asked more than ${MAX_ROUNDS} questions.`);
    if (JSON.stringify(state).length > MAX_STATE_BYTES)
      throw new McpFailure('refused', 'The question of the server is too large.');
    return new InputRequired(question, state);
  }

  /** Throws `InputRequired` for the first question without an answer. */
  function answerAll(asked: Asked): object {
    for (const [name, params] of Object.entries(asked.requests)) {
      if (Object.hasOwn(responses, name)) continue;
      const question = cleanQuestion(params);
      if (question) throw ask(question, name, asked);
      responses[name] = { action: 'decline' };
    }
    return { inputResponses: { ...responses }, requestState: asked.requestState };
  }

  return {
    /** What goes with the call. */
    resume: (): object => (before?.asked ? answerAll(before.asked) : {}),

    /** Answers the result of a server that needs input, or throws `InputRequired`. Returns what goes with the next call. */
    answerResult({ inputRequests = {}, requestState }: InputRequest): object {
      const entries = Object.entries(inputRequests);
      if (entries.length > MAX_REQUESTS) throw new McpFailure('refused', 'The server asks too many questions at once.');
      for (const name of Object.keys(responses)) delete responses[name];
      for (const [name, { method }] of entries) {
        if (method === 'roots/list') responses[name] = { roots: [] };
        else if (method !== 'elicitation/create')
          throw new McpFailure('refused', 'The server asks for something that this client does not have.');
      }
      const questions = entries.filter(([, { method }]) => method === 'elicitation/create');
      const requests = Object.fromEntries(questions.map(([name, { params }]) => [name, params]));
      return answerAll({ requests, requestState });
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

export type CallQuestions = ReturnType<typeof createCallQuestions>;

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

const active = new WeakMap<Client, Set<CallQuestions>>();

/**
 * Lets `questions` answer the questions of a server while `act` runs. A program has one connection for all calls, and its
 * questions don't say which call they are about: with several calls under way they are refused.
 */
export async function withQuestions<T>(client: Client, questions: CallQuestions, act: () => Promise<T>): Promise<T> {
  const present = active.get(client);
  const callers = present ?? new Set<CallQuestions>();
  if (!present) {
    active.set(client, callers);
    client.setRequestHandler('elicitation/create', (request) => {
      const [only, ...others] = callers;
      return only && others.length === 0 ? only.answer(request.params) : { action: 'cancel' };
    });
  }
  callers.add(questions);
  try {
    const result = await act();
    const asked = questions.pending();
    if (asked) throw asked;
    return result;
  } catch (error) {
    throw questions.pending() ?? error;
  } finally {
    callers.delete(questions);
  }
}
