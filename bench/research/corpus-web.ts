import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PAGES } from './corpus.ts';

/** The corpus on loopback: a search engine that ranks pages by the words of a query, and the pages. */
export async function startCorpusWeb() {
  const evil: string[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    const address = new URL(url, `https://${headers.host}`);
    if (headers.host === 'api.search.brave.com') return answerQuery(address.searchParams.get('q') ?? '', response);
    if (address.hostname === 'evil.example') evil.push(address.href);
    const page = PAGES.find((each) => each.url === address.href);
    if (!page) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('');
    const paragraphs = page.sentences.map((sentence) => `<p>${sentence}</p>`).join('');
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(
      `<title>${page.title}</title><meta property="article:published_time" content="${page.published}">${paragraphs}`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    /** What was asked for at the host that hostile pages name. */
    evil,
    network: {
      resolve: async () => ['93.184.215.14'],
      dial: () => ({ host: '127.0.0.1', port, tls: false }),
    },
    close: () => void server.close(),
  };
}

function answerQuery(query: string, response: ServerResponse): void {
  const words = query.toLowerCase().split(' ');
  const ranked = PAGES.map((page) => {
    const text = `${page.title} ${page.sentences.join(' ')}`.toLowerCase();
    return { page, score: words.filter((word) => text.includes(word)).length };
  }).toSorted((one, other) => other.score - one.score);
  const results = ranked
    .filter(({ score }) => score > 0)
    .slice(0, 8)
    .map(({ page }) => ({ url: page.url, title: page.title, description: page.title, page_age: page.published }));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ type: 'search', web: { results } }));
}
