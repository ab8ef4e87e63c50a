import { z } from 'zod';
import { errorEnvelope } from './error-envelope.ts';

/** Everything about a route except its handler. In `path`, `{name}` is a parameter and a final `{name*}` may contain slashes. */
export type RouteDescription = {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  readonly summary: string;
  /** Who may call it; `user` by default. */
  readonly access?: Access;
  /** A parameter that does not match its schema is answered with 404. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  /** The JSON body, which is checked before the handler runs. */
  readonly body?: z.ZodType;
  /** The JSON body of a route whose handler validates it. */
  readonly uncheckedBody?: z.ZodType;
  /** The body is any bytes; what they are. */
  readonly bytes?: string;
  /** The fields of a body that is multipart/form-data, which the handler reads. */
  readonly form?: z.ZodObject;
  /** Successful responses by status. */
  readonly responses: Readonly<Record<number, Answer>>;
  /** The statuses of other refusals. 401, 403, 500 and 503 are added where every route may answer them. */
  readonly errors?: readonly ErrorStatus[];
};

/** Everyone; every user with a token or a session; operators; callers with the webhook secret. */
export type Access = 'public' | 'user' | 'operator' | 'webhook';

/** The response: JSON, server-sent events, either of them, lines of JSON, or plain text. */
export type Answer = {
  readonly description: string;
  readonly json?: z.ZodType;
  readonly events?: z.ZodType;
  /** One line. */
  readonly lines?: z.ZodType;
  readonly text?: z.ZodType;
};

/** An OpenAPI 3.1 document of `routes`. A schema with an ID in its metadata becomes a component of that name. */
export function describeApi(info: { title: string; version: string }, routes: readonly RouteDescription[]) {
  const { schemaOf, components } = toSchemas(routes.flatMap(schemasOf));
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = publishedPath(route);
    paths[path] = { ...paths[path], [route.method]: operation(route, schemaOf) };
  }
  return {
    openapi: '3.1.0',
    info,
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        webhookSecret: { type: 'apiKey', in: 'header', name: 'X-Webhook-Secret' },
      },
      headers: {
        RequestId: { description: 'Quote it when you report a problem.', schema: { type: 'string' } },
        RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } },
      },
    },
  };
}

/** The path in the form of OpenAPI, which has no wildcards. */
export const publishedPath = ({ path }: RouteDescription) => path.replace('*}', '}');

type Answers = Readonly<Record<number, Answer>>;

type ErrorStatus = keyof typeof ERRORS;

function errorAnswers(statuses: readonly ErrorStatus[]): Answers {
  return Object.fromEntries(statuses.map((status) => [status, { description: ERRORS[status], json: errorEnvelope }]));
}

const ERRORS = {
  400: 'The request is invalid. The message says why, and `param` names the field.',
  401: 'The secret is missing or wrong.',
  404: 'The resource does not exist, or belongs to another user.',
  409: 'The request conflicts with the current state of the resource.',
  413: 'The body is too large.',
  429: 'Too many requests. Wait as long as Retry-After says.',
  500: 'The service failed. The message has the request ID.',
};

const UNAUTHORIZED: Answer = {
  description: 'The token is missing or invalid.',
  text: z.literal('Invalid or missing auth token'),
};

const FORBIDDEN: Answer = {
  description:
    'The caller is not allowed to do this. The plain text is sent when single sign-on refuses the email domain.',
  json: errorEnvelope,
  text: z.literal('Email domain not allowed'),
};

const UNAVAILABLE: Answer = {
  description: 'The caller cannot be authenticated at the moment. Try again soon.',
  text: z.enum(['Database unavailable', 'Identity provider unavailable']),
};

/** The refusals of every route with authentication. */
const GUARDED: Answers = { 401: UNAUTHORIZED, 403: FORBIDDEN, 503: UNAVAILABLE };

type JsonSchema = Readonly<Record<string, unknown>>;
type SchemaOf = (schema: z.ZodType) => JsonSchema;

function schemasOf(route: RouteDescription): z.ZodType[] {
  const answers = Object.values(answersOf(route)).flatMap(({ json, events, lines, text }) => [
    json,
    events,
    lines,
    text,
  ]);
  const fields = [route.params, route.query, route.headers].flatMap(
    (object) => Object.values(object?.shape ?? {}) as z.ZodType[],
  );
  return [route.body, route.uncheckedBody, route.form, ...fields, ...answers].filter((schema) => schema !== undefined);
}

/** Converts all schemas at once, so that every component is created once. */
function toSchemas(schemas: readonly z.ZodType[]): { schemaOf: SchemaOf; components: JsonSchema } {
  const names = new Map([...new Set(schemas)].map((schema, index) => [schema, String(index)]));
  const all = z.object(Object.fromEntries([...names].map(([schema, name]) => [name, schema])));
  const text = JSON.stringify(z.toJSONSchema(all, { io: 'input' })).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { properties, $defs } = JSON.parse(text) as { properties: Record<string, JsonSchema>; $defs?: JsonSchema };
  return { schemaOf: (schema) => properties[names.get(schema) ?? ''] ?? {}, components: $defs ?? {} };
}

function answersOf({ access = 'user', responses, errors = [] }: RouteDescription): Answers {
  const isGuarded = access === 'user' || access === 'operator';
  return { ...(isGuarded && GUARDED), ...errorAnswers([...errors, 500]), ...responses };
}

const SECURITY = { public: [], user: [{ bearer: [] }], operator: [{ bearer: [] }], webhook: [{ webhookSecret: [] }] };

function operation(route: RouteDescription, schemaOf: SchemaOf) {
  const { access = 'user', body = route.uncheckedBody } = route;
  const parameters = [
    ...toParameters('path', route.params, schemaOf),
    ...toParameters('query', route.query, schemaOf),
    ...toParameters('header', route.headers, schemaOf),
  ];
  const responses = Object.entries(answersOf(route)).map(([status, answer]) => [
    status,
    toResponse(Number(status), answer, schemaOf),
  ]);
  return {
    summary: route.summary,
    ...(access === 'operator' && { description: 'Operators only.' }),
    security: SECURITY[access],
    ...(parameters.length > 0 && { parameters }),
    ...(route.bytes !== undefined && {
      requestBody: { description: route.bytes, required: true, content: { 'application/octet-stream': {} } },
    }),
    ...(route.form && {
      requestBody: { required: true, content: { 'multipart/form-data': { schema: schemaOf(route.form) } } },
    }),
    ...(body && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: { 'application/json': { schema: schemaOf(body) } },
      },
    }),
    responses: Object.fromEntries(responses) as Record<string, unknown>,
  };
}

function toParameters(location: 'path' | 'query' | 'header', fields: z.ZodObject | undefined, schemaOf: SchemaOf) {
  return Object.entries((fields?.shape ?? {}) as Record<string, z.ZodType>).map(([name, field]) => ({
    name,
    in: location,
    required: !field.safeParse(undefined).success,
    schema: schemaOf(field),
  }));
}

function toResponse(status: number, { description, json, events, lines, text }: Answer, schemaOf: SchemaOf) {
  const content = {
    ...(json && { 'application/json': { schema: schemaOf(json) } }),
    ...(events && { 'text/event-stream': { schema: schemaOf(events) } }),
    ...(lines && { 'application/x-ndjson': { schema: schemaOf(lines) } }),
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
