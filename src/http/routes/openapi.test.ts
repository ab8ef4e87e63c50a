import { expect, test } from 'vitest';
import { z } from 'zod';
import { describeApi } from './openapi.ts';

const cat = z.strictObject({ name: z.string() }).meta({ id: 'Cat' });

const document = describeApi({ title: 'Cats', version: '1.2.3' }, [
  {
    path: '/cats/{id}',
    method: 'get',
    summary: 'Find a cat.',
    params: z.object({ id: z.string() }),
    query: z.object({ colour: z.string(), limit: z.int().default(20) }),
    responses: { 200: { description: 'The cat.', json: cat, events: z.array(cat) } },
    errors: [404, 429],
  },
  { path: '/cats/{id}', method: 'put', summary: 'Keep a cat.', body: cat, responses: { 204: { description: '' } } },
  { path: '/', method: 'get', summary: 'Say hello.', access: 'public', responses: { 200: { description: 'Hello.' } } },
]);

test('a document describes each route, and groups the routes of one path', () => {
  expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Cats', version: '1.2.3' } });
  expect(document.paths).toMatchObject({
    '/cats/{id}': {
      get: {
        summary: 'Find a cat.',
        parameters: [
          { name: 'id', in: 'path', required: true },
          { name: 'colour', in: 'query', required: true, schema: { type: 'string' } },
          { name: 'limit', in: 'query', required: false, schema: { type: 'integer', default: 20 } },
        ],
        responses: {
          200: {
            content: {
              'application/json': { schema: { $ref: '#/components/schemas/Cat' } },
              'text/event-stream': { schema: { type: 'array', items: { $ref: '#/components/schemas/Cat' } } },
            },
          },
          429: { headers: { 'Retry-After': {} } },
        },
      },
      put: { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Cat' } } } } },
    },
  });
  expect(document.components.schemas['Cat']).toMatchObject({ required: ['name'], additionalProperties: false });
});

test('a protected route requires a token and documents the refusal', () => {
  const text = { content: { 'text/plain': {} } };
  const answers = { 401: text, 403: text, 503: text, 500: { content: { 'application/json': {} } } };

  expect(document.paths['/cats/{id}']?.['get']).toMatchObject({ security: [{ bearer: [] }], responses: answers });
  expect(document.paths['/']?.['get']).toMatchObject({ security: [] });
  expect(document.paths['/']?.['get']).not.toHaveProperty('responses.401');
  expect(document.paths['/']?.['get']).not.toHaveProperty('responses.503');
});
