import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticate, Refusal, Verdict } from '#auth/authenticate.ts';
import { pairOf } from '#auth/sessions.ts';
import { digitsOf } from '#domain/cell/cell.ts';
import { type Principal, requireOperator } from '#domain/principal.ts';
import { sendText, UNAVAILABLE } from '../plain-text.ts';
import { admitConnection } from '../server/connections.ts';
import { readCookie } from './cookies.ts';
import type { OpenAnswers } from './open-answers.ts';
import { requireSameOrigin } from './same-origin.ts';
import { readSessionKey } from './session-key.ts';
import type { Site } from './site.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; set before any handler of a protected route. */
    principal: Principal;
  }
}

export type Authenticators = {
  /** Authenticates a bearer token. */
  readonly bearer: Authenticate;
  /** Authenticates a browser's session. */
  readonly session: Authenticate;
  readonly site: Site;
  /** Where open answers are kept, to cut them when their user moves to another cell. */
  readonly streams?: OpenAnswers;
};

/** Protects every route of `app`: an unauthenticated caller gets a plain-text refusal before the body is read. */
export function requireBearer(app: FastifyInstance, authenticators: Authenticators): void {
  app.decorateRequest('principal');
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    const verdict = await judge(request, authenticators);
    if (verdict.outcome !== 'known') return refuse(reply, verdict);
    request.principal = verdict.principal;
    admitConnection(request);
    authenticators.streams?.follow(verdict.principal.userId, reply);
  });
}

/** A hook for operator routes: other callers are refused before their bodies are read. */
export async function operatorOnly({ principal }: FastifyRequest): Promise<void> {
  requireOperator(principal);
}

export function readBearer({ headers }: FastifyRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

/** A token takes precedence over a cookie, which the browser sends by itself. */
export async function judge(request: FastifyRequest, { bearer, session, site }: Authenticators): Promise<Verdict> {
  if (request.headers.authorization !== undefined) {
    const token = readBearer(request);
    return token === undefined ? UNKNOWN : bearer(token, isRepeated(request));
  }
  const cookie = readCookie(request, site, SESSION_COOKIE);
  const key = readSessionKey(request);
  if (!cookie || !key) return UNKNOWN;
  const verdict = await session(pairOf(cookie, key));
  if (verdict.outcome === 'known') requireSameOrigin(request, site);
  return verdict;
}

export const SESSION_COOKIE = 'reborn_session';

const UNKNOWN: Verdict = { outcome: 'unknown' };

const REFUSALS = {
  unknown: [401, 'Invalid or missing auth token'],
  'domain-not-allowed': [403, 'Email domain not allowed'],
  'database-away': [503, UNAVAILABLE],
  moving: [503, 'This user moves to another cell. Try again in a moment.'],
  'provider-away': [503, 'Identity provider unavailable'],
} as const satisfies Record<Exclude<Verdict['outcome'], 'known' | 'elsewhere'>, readonly [number, string]>;

export function refuse(reply: FastifyReply, verdict: Refusal): FastifyReply {
  if (verdict.outcome === 'elsewhere') return sendElsewhere(reply, verdict);
  if (verdict.outcome === 'moving') reply.header('retry-after', MOVING_SECONDS);
  const [status, text] = REFUSALS[verdict.outcome];
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  return sendText(reply, status, text);
}

/**
 * The router repeats the request in the cell that the header names. A request that was already repeated goes no further on a
 * guess: the cells could send a revoked token back and forth.
 */
function sendElsewhere(reply: FastifyReply, { cell, isGuess }: Elsewhere): FastifyReply {
  if (isGuess && isRepeated(reply.request)) return refuse(reply, { outcome: 'unknown' });
  return sendText(reply.header(CELL_HEADER, digitsOf(cell)), 421, `This belongs to cell ${cell}. Send it there.`);
}

/** The router reads the one from an answer, and sets the other on a request that it repeats. */
const CELL_HEADER = 'reborn-cell';
const REPEATED = 'reborn-repeated';

/** Whether the router has sent the request here for another cell. */
export const isRepeated = ({ headers }: FastifyRequest): boolean => headers[REPEATED] !== undefined;

/** A move takes seconds. */
const MOVING_SECONDS = 2;

type Elsewhere = Extract<Verdict, { outcome: 'elsewhere' }>;
