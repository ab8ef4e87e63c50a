import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { InvalidRequest, NotFound } from '#domain/errors.ts';
import type { Principal } from '#domain/principal.ts';
import { operatorOnly } from '../caller/bearer.ts';
import type { Answer, RouteDescription } from './openapi.ts';
import { parseBody } from './parse-body.ts';
import { takeJson } from './take-json.ts';

/** A route: its description for the OpenAPI document, and its handler, which gets its services when it is mounted. */
export type Route<Services> = RouteDescription & {
  /** The fields of the body that are stored as JSON and may therefore contain U+0000. */
  readonly freeFields?: readonly string[];
  /** The largest body, if it is not the usual one. */
  readonly bodyBytes?: number;
  /** A form that can be sent as JSON, too. */
  readonly alsoJson?: boolean;
  /** Runs before the body is read. */
  readonly before?: (request: FastifyRequest, services: Services) => Promise<void>;
  // oxlint-disable-next-line typescript/no-explicit-any -- the schemas of `defineRoute` type the call
  readonly handle: (call: Call<any, any, any>, services: Services) => Promise<unknown>;
};

/** A request whose parts all match their schemas. */
export type Call<Params, Query, Body> = {
  readonly principal: Principal;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The body of a route that takes any bytes. */
  readonly bytes: Buffer;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
};

type Definition<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R, Services> = Omit<
  Route<Services>,
  'params' | 'query' | 'body' | 'responses' | 'handle'
> & {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly responses: R;
  /** Returns the body of the first 2xx response. For another status call `reply.code`; for anything but JSON, `reply.send`. */
  handle(
    call: Call<z.output<P>, z.output<Q>, z.output<B>>,
    services: Services,
  ): Promise<Success<NoInfer<R>> | FastifyReply>;
};

type Success<R> = {
  [S in keyof R]: S extends 200 | 201 | 202 ? BodyOf<R[S]> : S extends 204 ? undefined | void : never;
}[keyof R];

type BodyOf<A> = A extends { readonly json: infer J extends z.ZodType } ? z.input<J> : never;

/**
 * Path, schemas, summary, access and handler of a route in one definition: validation, the OpenAPI document, the API
 * reference and the typed client are derived from it.
 */
export function defineRoute<
  R extends Readonly<Record<number, Answer>>,
  Services = unknown,
  P extends z.ZodObject = z.ZodObject<{}>,
  Q extends z.ZodObject = z.ZodObject<{}>,
  B extends z.ZodType = z.ZodUndefined,
>(definition: Definition<P, Q, B, R, Services>): Route<Services> & { readonly responses: R } {
  return definition;
}

/** The services that all of the routes need. */
export type ServicesOf<R> = (R extends Route<infer Services> ? (services: Services) => void : never) extends (
  services: infer All,
) => void
  ? All
  : never;

/** Serves `routes`. `rename` changes their paths, for routes that are served under several. */
export function mountRoutes<R extends Route<never>>(
  app: FastifyInstance,
  routes: readonly R[],
  services: ServicesOf<R>,
  rename: (path: string) => string = (path) => path,
): void {
  for (const route of routes) {
    if (route.bytes === undefined && !route.form) mount(app, route, services, rename);
    else
      void app.register(async (scope) => {
        scope.removeAllContentTypeParsers();
        if (route.form) takeForms(scope, route.alsoJson);
        else scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: FastifyRequest, body: Buffer) => body);
        mount(scope, route, services, rename);
      });
  }
}

/** The handler gets the unread body, and reads it with `readForm`. */
function takeForms(scope: FastifyInstance, alsoJson = false): void {
  if (alsoJson) takeJson(scope);
  scope.addContentTypeParser('multipart/form-data', async (_: FastifyRequest, body: unknown) => body);
  scope.addContentTypeParser('*', async () => {
    throw new InvalidRequest('invalid_request', null, 'Send the body as multipart/form-data.');
  });
}

function mount<R extends Route<never>>(
  app: FastifyInstance,
  route: R,
  services: ServicesOf<R>,
  rename: (path: string) => string,
): void {
  const { before } = route;
  const status = successStatus(route);
  app.route({
    method: route.method.toUpperCase(),
    url: rename(route.path).replace(WILDCARD, '*').replace(PARAMETER, ':$1'),
    ...(route.bodyBytes !== undefined && { bodyLimit: route.bodyBytes }),
    onRequest: [
      ...(route.access === 'operator' ? [operatorOnly] : []),
      ...(before ? [(request: FastifyRequest) => before(request, services as never)] : []),
    ],
    handler: (request, reply) => answer(route, services as never, request, reply.code(status)),
  });
}

const PARAMETER = /\{(\w+)\}/g;
const WILDCARD = /\{(\w+)\*\}$/;

async function answer(
  route: Route<never>,
  services: never,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const call = {
    principal: request.principal,
    params: route.params && parseParams(route.params, pathParameters(route, request)),
    query: route.query && parseBody(route.query, request.query),
    body: route.body ? parseBody(route.body, request.body, route.freeFields) : undefined,
    bytes: Buffer.isBuffer(request.body) ? request.body : Buffer.of(),
    request,
    reply,
  };
  const body = await route.handle(call, services);
  return body === undefined && !reply.sent ? reply.send() : body; // a handler may have sent the whole answer itself
}

function pathParameters({ path }: RouteDescription, { params }: FastifyRequest): unknown {
  const [, wildcard] = WILDCARD.exec(path) ?? [];
  const values = params as Record<string, string>;
  return wildcard === undefined ? values : { ...values, [wildcard]: values['*'] };
}

/** Invalid path parameters are answered with 404 and the message of the first issue. */
function parseParams(schema: z.ZodType, params: unknown): unknown {
  const { success, data, error } = schema.safeParse(params);
  if (!success) throw new NotFound(error.issues[0]?.message ?? 'This resource does not exist.');
  return data;
}

const successStatus = ({ responses }: RouteDescription) =>
  Number(Object.keys(responses).find((status) => status.startsWith('2')) ?? 200);
