import { expect, test } from 'vitest';
import { z } from 'zod';
import { gatewayRoutes } from '#channels/gateway/gateway-routes.ts';
import { webhookRoutes } from '#channels/webhook/routes.ts';
import { InvalidRequest } from '#domain/errors.ts';
import { parseBody } from '#http/routes/parse-body.ts';

function refusalOf(schema: z.ZodType, body: unknown): InvalidRequest | undefined {
  try {
    parseBody(schema, body);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidRequest) return error;
    throw error;
  }
}

/** Typical messages of the schema library. */
const RAW = /^Invalid |^Too |^Unrecognized |expected .*, received/;

const bodies = [...gatewayRoutes, ...webhookRoutes].flatMap(({ method, path, body }) =>
  body ? [[`${method} ${path}`, body] as const] : [],
);

test.each(bodies)('%s never answers with a raw message of the schema library', (_route, schema) => {
  const wrong: unknown[] = [undefined, null, 1, 'x', [], {}, ...fieldsOf(schema).flatMap(spoil)];
  const messages = wrong.flatMap((body) => refusalOf(schema, body)?.message ?? []);

  expect(messages.length).toBeGreaterThan(0);
  expect(messages.filter((message) => RAW.test(message))).toEqual([]);
});

const fieldsOf = (schema: z.ZodType) => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []);

const spoil = (field: string) =>
  [null, 1, -1, 'x', '', true, [], [1], {}, { a: 1 }].map((value) => ({ [field]: value }));
