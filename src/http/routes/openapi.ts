import { z } from 'zod';
import { errorEnvelope } from './error-envelope.ts';

/** What a channel tells about one of its routes. A `{name}` in the path is a parameter. */
export type RouteDescription = {
  readonly path: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly summary: string;
  /** Without a token, and so without a 401. */
  readonly isPublic?: boolean;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  /** The JSON body. */
  readonly request?: z.ZodType;
  /** By status. 401, 403, 500 and 503 need not be told: what every route may answer is added. */
  readonly responses: Answers;
};

export type Answers = Readonly<Record<number, Answer>>;

/** What is sent: JSON, server-sent events, either of them, or a plain text. */
export type Answer = {
  readonly description: string;
  readonly json?: z.ZodType;
  readonly events?: z.ZodType;
  readonly text?: z.ZodType;
};

/** An OpenAPI 3.1 document of `routes`. A schema whose metadata have an id becomes a component of that name. */
export function describeApi(info: { title: string; version: string }, routes: readonly RouteDescription[]) {
  const { schemaOf, components } = toSchemas(routes.flatMap(schemasOf));
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) paths[route.path] = { ...paths[route.path], [route.method]: operation(route, schemaOf) };
  return {
    openapi: '3.1.0',
    info,
    paths,
    components: {
      schemas: components,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      headers: {
        RequestId: { description: 'To be quoted when a problem is reported.', schema: { type: 'string' } },
        RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } },
      },
    },
  };
}

/** The answers to a caller's mistakes, for `responses`. */
export function errorAnswers(...statuses: readonly (keyof typeof ERRORS)[]): Answers {
  return Object.fromEntries(statuses.map((status) => [status, { description: ERRORS[status], json: errorEnvelope }]));
}

const ERRORS = {
  400: 'The request breaks a rule; the message says which, and `param` where.',
  401: 'The secret is missing or wrong.',
  404: 'It does not exist, or belongs to somebody else.',
  409: 'The request is fine, but something is in its way.',
  413: 'The body is too large.',
  429: 'Too many requests. Wait as long as Retry-After says.',
  500: 'A fault of the service; the message has the request id.',
};

const UNAUTHORIZED: Answer = {
  description: 'The token is missing or unknown.',
  text: z.literal('Invalid or missing auth token'),
};

const FORBIDDEN: Answer = {
  description: 'The caller may not do this. As a text: single sign-on knows them, and their domain is not allowed.',
  json: errorEnvelope,
  text: z.literal('Email domain not allowed'),
};

const UNAVAILABLE: Answer = {
  description: 'The caller cannot be recognised now. Try again in a moment.',
  text: z.enum(['Database unavailable', 'Identity provider unavailable']),
};

/** What every protected route may answer. */
const GUARDED: Answers = { 401: UNAUTHORIZED, 403: FORBIDDEN, 503: UNAVAILABLE };

type JsonSchema = Readonly<Record<string, unknown>>;
type SchemaOf = (schema: z.ZodType) => JsonSchema;

function schemasOf(route: RouteDescription): z.ZodType[] {
  const answers = Object.values(answersOf(route)).flatMap(({ json, events, text }) => [json, events, text]);
  const fields = [route.query, route.headers].flatMap((object) => Object.values(object?.shape ?? {}) as z.ZodType[]);
  return [route.request, ...fields, ...answers].filter((schema) => schema !== undefined);
}

/** All in one go, so that every component is made once. */
function toSchemas(schemas: readonly z.ZodType[]): { schemaOf: SchemaOf; components: JsonSchema } {
  const names = new Map([...new Set(schemas)].map((schema, index) => [schema, String(index)]));
  const all = z.object(Object.fromEntries([...names].map(([schema, name]) => [name, schema])));
  const text = JSON.stringify(z.toJSONSchema(all, { io: 'input' })).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { properties, $defs } = JSON.parse(text) as { properties: Record<string, JsonSchema>; $defs?: JsonSchema };
  return { schemaOf: (schema) => properties[names.get(schema) ?? ''] ?? {}, components: $defs ?? {} };
}

function answersOf({ isPublic, responses }: RouteDescription): Answers {
  return { ...(!isPublic && GUARDED), ...errorAnswers(500), ...responses };
}

function operation(route: RouteDescription, schemaOf: SchemaOf) {
  const { query, headers, request } = route;
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const parameters = [
    ...inPath,
    ...toParameters('query', query, schemaOf),
    ...toParameters('header', headers, schemaOf),
  ];
  const responses = Object.entries(answersOf(route)).map(([status, answer]) => [
    status,
    toResponse(Number(status), answer, schemaOf),
  ]);
  return {
    summary: route.summary,
    security: route.isPublic ? [] : [{ bearer: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(request && {
      requestBody: { required: true, content: { 'application/json': { schema: schemaOf(request) } } },
    }),
    responses: Object.fromEntries(responses) as Record<string, unknown>,
  };
}

function toParameters(place: 'query' | 'header', fields: z.ZodObject | undefined, schemaOf: SchemaOf) {
  return Object.entries((fields?.shape ?? {}) as Record<string, z.ZodType>).map(([name, field]) => ({
    name,
    in: place,
    required: !field.safeParse(undefined).success,
    schema: schemaOf(field),
  }));
}

function toResponse(status: number, { description, json, events, text }: Answer, schemaOf: SchemaOf) {
  const content = {
    ...(json && { 'application/json': { schema: schemaOf(json) } }),
    ...(events && { 'text/event-stream': { schema: schemaOf(events) } }),
    ...(text && { 'text/plain': { schema: schemaOf(text) } }),
  };
  return {
    description,
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/RequestId' },
      ...(status === 429 && { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }),
    },
    ...(Object.keys(content).length > 0 && { content }),
  };
}
