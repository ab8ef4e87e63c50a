import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** `GET /docs`: a reference of the API, made from `/openapi.json` by the browser, with nothing from elsewhere. */
export function docsRoute() {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/docs', async (_request, reply) =>
      reply.header('content-security-policy', POLICY).type('text/html; charset=utf-8').send(PAGE),
    );
  };
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
body { max-width: 760px; margin: 0 auto; padding: 16px; }
h1 { font-size: 28px; } h2 { font-size: 16px; margin: 0; display: inline; }
code, pre { font-family: ui-monospace, monospace; font-size: 13px; }
pre { overflow: auto; padding: 8px; border: 1px solid #8886; border-radius: 8px; }
details { border-top: 1px solid #8886; padding: 8px 0; } summary { cursor: pointer; }
details details { margin-left: 16px; } .method { display: inline-block; min-width: 64px; font-weight: 600; }
`;

/** Everything is set as text: what the document says can not become markup. */
const SCRIPT = `
const make = (name, text, ...children) => {
  const element = document.createElement(name);
  if (text) element.textContent = text;
  element.append(...children);
  return element;
};
const fold = (title, content) => make('details', '', make('summary', title), content);
const schema = (title, value) => fold(title, make('pre', JSON.stringify(value, null, 2)));
const body = (content) => Object.entries(content ?? {}).map(([type, { schema: value }]) => schema(type, value));
const operation = (path, method, described) => {
  const heading = make('h2', '', make('code', method.toUpperCase() + ' ' + path));
  const parameters = (described.parameters ?? []).map(({ name, in: place, required, schema: value }) =>
    make('li', '', make('code', name), ' in ' + place + (required ? ', required' : '') + (value.description ? ': ' + value.description : '')));
  return make('details', '', make('summary', '', heading, ' ' + described.summary),
    ...(parameters.length ? [make('p', 'Parameters'), make('ul', '', ...parameters)] : []),
    ...body(described.requestBody?.content).map((part) => make('div', '', make('p', 'Body'), part)),
    ...Object.entries(described.responses).map(([status, answer]) =>
      make('div', '', make('p', status + ': ' + answer.description), ...body(answer.content))));
};
const main = document.querySelector('main');
fetch('/openapi.json').then((answer) => answer.json()).then((api) => {
  document.querySelector('h1').textContent = api.info.title + ' ' + api.info.version;
  for (const [path, methods] of Object.entries(api.paths))
    for (const [method, described] of Object.entries(methods)) main.append(operation(path, method, described));
  main.append(make('h2', 'Schemas'));
  for (const [name, value] of Object.entries(api.components.schemas)) main.append(schema(name, value));
}).catch(() => main.append(make('p', 'The description could not be loaded. Reload the page to try again.')));
`;

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const POLICY = [
  "default-src 'none'",
  "connect-src 'self'",
  `script-src ${hash(SCRIPT)}`,
  `style-src ${hash(STYLE)}`,
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reborn API</title><style>${STYLE}</style></head>
<body><h1>Reborn</h1><p><a href="/openapi.json">openapi.json</a></p><main></main><script>${SCRIPT}</script></body>
</html>
`;
