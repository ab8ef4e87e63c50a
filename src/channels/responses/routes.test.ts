import { expect, test } from 'vitest';
import { describeApi } from '#http/routes/openapi.ts';
import { responsesRoutes } from './routes.ts';

const document = describeApi({ title: 'The service', version: '1.0.0' }, responsesRoutes);

test('the document has every route of the Responses API', () => {
  const routes = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method} ${path}`),
  );
  expect(routes).toEqual([
    'post /api/v1/responses',
    'get /api/v1/responses/{id}',
    'delete /api/v1/responses/{id}',
    'post /api/v1/responses/{id}/cancel',
    'get /api/v1/responses/{id}/input_items',
    'post /api/v1/responses/input_tokens',
    'post /api/v1/responses/compact',
    'post /api/v1/embeddings',
    'get /api/v1/models',
    'get /api/v1/models/{id}',
    'post /api/v1/conversations',
    'get /api/v1/conversations/{id}',
    'post /api/v1/conversations/{id}',
    'delete /api/v1/conversations/{id}',
    'get /api/v1/conversations/{id}/items',
    'post /api/v1/conversations/{id}/items',
    'get /api/v1/conversations/{id}/items/{item}',
    'delete /api/v1/conversations/{id}/items/{item}',
  ]);
  expect(document.paths['/api/v1/responses']?.['post']).toMatchObject({
    responses: { 200: {}, 400: {}, 401: {}, 409: {}, 413: {}, 429: {}, 500: {} },
  });
});

test('every reference in the document leads somewhere', () => {
  const known = Object.entries(document.components).flatMap(([kind, parts]) =>
    Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
  );
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target);

  expect(references.length).toBeGreaterThan(20);
  expect(references.filter((target) => !known.includes(target ?? ''))).toEqual([]);
});

test('an event and an object are described down to their last field', () => {
  const { StreamEvent, Response } = document.components.schemas as Record<string, Record<string, unknown[]>>;

  expect(StreamEvent?.['oneOf']).toHaveLength(33);
  expect(Response).toMatchObject({ additionalProperties: false });
  // Only an answered gate or a message that steers, and the create that begins, add fields to the reference format.
  expect([...(Response?.['required'] ?? []), 'x_continued_by', 'placed']).toEqual(
    Object.keys(Response?.['properties'] ?? {}),
  );
});
