import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { turnIdOf } from '../../faults/cluster.ts';
import { addUser, type TestUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import { type Service, TOKEN } from '../../support/service.ts';

/** The ids of a user's resources. */
type Belongings = {
  responseId: string;
  threadId: string;
  conversationId: string;
  itemId: string;
  turnId: string;
  userId: string;
  tokenId: string;
  missionId: string;
  assistantId: string;
  endpointId: string;
  fileId: string;
  containerId: string;
  /** A vector store with the file, which came in a batch. */
  storeId: string;
  batchId: string;
};
type Asking = { route: string; body?: object };

/**
 * The expected status when a member asks for their own resource, or for another member's; then when the operator asks for
 * their own, or for a member's. `failed` is a 200 whose turn failed without leaking anything. Without a valid token the
 * answer is always 401.
 */
type Expected = readonly (number | 'failed')[];
type Row = { expected: Expected; ask: (of: Belongings) => Asking } | { everybody: number };

const row = (expected: Expected, ask: (of: Belongings) => Asking): Row => ({ expected, ask });
const open = (everybody: number): Row => ({ everybody });
const anyThread = (body: object) => ({ model: 'm', input: 'say hello', ...body });

const responsesRows = (prefix: string): Record<string, Row> => ({
  [`POST ${prefix}/responses`]: row([200, 'failed', 200, 'failed'], ({ responseId }) => ({
    route: `${prefix}/responses`,
    body: anyThread({ previous_response_id: responseId }),
  })),
  // no WebSocket; test/journeys/api/responses-socket.test.ts
  [`GET ${prefix}/responses`]: row([404, 404, 404, 404], () => ({ route: `${prefix}/responses` })),
  [`GET ${prefix}/responses/:id`]: row([200, 404, 200, 404], ({ responseId }) => ({
    route: `${prefix}/responses/${responseId}`,
  })),
  [`POST ${prefix}/responses/:id/cancel`]: row([200, 404, 200, 404], ({ responseId }) => ({
    route: `${prefix}/responses/${responseId}/cancel`,
  })),
  [`GET ${prefix}/responses/:id/input_items`]: row([200, 404, 200, 404], ({ responseId }) => ({
    route: `${prefix}/responses/${responseId}/input_items`,
  })),
  [`DELETE ${prefix}/responses/:id`]: row([200, 404, 200, 404], ({ responseId }) => ({
    route: `${prefix}/responses/${responseId}`,
  })),
  [`POST ${prefix}/responses/input_tokens`]: row([200, 404, 200, 404], ({ responseId }) => ({
    route: `${prefix}/responses/input_tokens`,
    body: anyThread({ previous_response_id: responseId }),
  })),
  [`GET ${prefix}/models/:id`]: row([200, 200, 200, 200], () => ({ route: `${prefix}/models/reborn` })),
  // without an embedding model; test/journeys/data/memory.test.ts
  [`POST ${prefix}/embeddings`]: row([404, 404, 404, 404], () => ({
    route: `${prefix}/embeddings`,
    body: { model: 'any', input: 'bees' },
  })),
  [`POST ${prefix}/responses/compact`]: row([200, 404, 200, 404], ({ responseId }) => ({
    route: `${prefix}/responses/compact`,
    body: anyThread({ previous_response_id: responseId }),
  })),
  [`POST ${prefix}/chat/completions`]: row([200, 200, 200, 200], () => ({
    route: `${prefix}/chat/completions`,
    body: { model: 'm', messages: [{ role: 'user', content: 'say hello' }] },
  })),
  [`POST ${prefix}/conversations`]: row([200, 200, 200, 200], () => ({ route: `${prefix}/conversations`, body: {} })),
  [`GET ${prefix}/conversations/:id`]: row([200, 404, 200, 404], ({ conversationId }) => ({
    route: `${prefix}/conversations/${conversationId}`,
  })),
  [`POST ${prefix}/conversations/:id`]: row([200, 404, 200, 404], ({ conversationId }) => ({
    route: `${prefix}/conversations/${conversationId}`,
    body: { metadata: {} },
  })),
  [`DELETE ${prefix}/conversations/:id`]: row([200, 404, 200, 404], ({ conversationId }) => ({
    route: `${prefix}/conversations/${conversationId}`,
  })),
  [`GET ${prefix}/conversations/:id/items`]: row([200, 404, 200, 404], ({ conversationId }) => ({
    route: `${prefix}/conversations/${conversationId}/items`,
  })),
  [`POST ${prefix}/conversations/:id/items`]: row([200, 404, 200, 404], ({ conversationId }) => ({
    route: `${prefix}/conversations/${conversationId}/items`,
    body: { items: [{ role: 'user', content: 'hello' }] },
  })),
  [`GET ${prefix}/conversations/:id/items/:item`]: row([200, 404, 200, 404], ({ conversationId, itemId }) => ({
    route: `${prefix}/conversations/${conversationId}/items/${itemId}`,
  })),
  [`DELETE ${prefix}/conversations/:id/items/:item`]: row([200, 404, 200, 404], ({ conversationId, itemId }) => ({
    route: `${prefix}/conversations/${conversationId}/items/${itemId}`,
  })),
  [`POST ${prefix}/files`]: row([400, 400, 400, 400], () => ({ route: `${prefix}/files`, body: {} })), // uploads.test.ts
  [`GET ${prefix}/files`]: row([200, 200, 200, 200], () => ({ route: `${prefix}/files` })),
  [`GET ${prefix}/files/:id`]: row([200, 404, 200, 404], ({ fileId }) => ({ route: `${prefix}/files/${fileId}` })),
  [`GET ${prefix}/files/:id/content`]: row([200, 404, 200, 404], ({ fileId }) => ({
    route: `${prefix}/files/${fileId}/content`,
  })),
  [`POST ${prefix}/containers`]: row([200, 200, 200, 200], () => ({
    route: `${prefix}/containers`,
    body: { name: 'walls' },
  })),
  [`GET ${prefix}/containers`]: row([200, 200, 200, 200], () => ({ route: `${prefix}/containers` })),
  [`GET ${prefix}/containers/:id`]: row([200, 404, 200, 404], ({ containerId }) => ({
    route: `${prefix}/containers/${containerId}`,
  })),
  [`DELETE ${prefix}/containers/:id`]: row([200, 404, 200, 404], ({ containerId }) => ({
    route: `${prefix}/containers/${containerId}`,
  })),
  [`POST ${prefix}/containers/:id/files`]: row([200, 404, 200, 404], ({ containerId, fileId }) => ({
    route: `${prefix}/containers/${containerId}/files`,
    body: { file_id: fileId },
  })),
  [`GET ${prefix}/containers/:id/files`]: row([200, 404, 200, 404], ({ containerId }) => ({
    route: `${prefix}/containers/${containerId}/files`,
  })),
  ...Object.fromEntries(
    ['GET :file', 'GET :file/content', 'DELETE :file'].map((each) => {
      const [method, rest = ''] = each.split(' ');
      // with files of others: containers.test.ts
      const ask = ({ containerId }: Belongings) => ({
        route: `${prefix}/containers/${containerId}/files/${rest.replace(':file', `cfile_${'0'.repeat(32)}`)}`,
      });
      return [`${method} ${prefix}/containers/:id/files/${rest}`, row([404, 404, 404, 404], ask)];
    }),
  ),
  [`POST ${prefix}/vector_stores`]: row([200, 200, 200, 200], () => ({
    route: `${prefix}/vector_stores`,
    body: { name: 'walls' },
  })),
  [`GET ${prefix}/vector_stores`]: row([200, 200, 200, 200], () => ({ route: `${prefix}/vector_stores` })),
  ...Object.fromEntries(
    Object.entries(STORE_ROUTES).map(([route, body]) => {
      const [method = '', path = ''] = route.split(' ');
      const ask = ({ storeId, fileId, batchId }: Belongings) => ({
        route: `${prefix}/vector_stores/${path.replace(':id', storeId).replace(':file', fileId).replace(':batch', batchId)}`,
        ...(body && { body: body(fileId) }),
      });
      return [`${method} ${prefix}/vector_stores/${path}`, row([200, 404, 200, 404], ask)];
    }),
  ),
  // a file may not be read yet: vector-stores.test.ts has other users' files
  [`GET ${prefix}/vector_stores/:id/files/:file/content`]: row([404, 404, 404, 404], ({ storeId }) => ({
    route: `${prefix}/vector_stores/${storeId}/files/file-${'0'.repeat(32)}/content`,
  })),
  [`DELETE ${prefix}/files/:id`]: row([200, 404, 200, 404], ({ fileId }) => ({ route: `${prefix}/files/${fileId}` })),
  [`GET ${prefix}/models`]: row([200, 200, 200, 200], () => ({ route: `${prefix}/models` })),
});

/** The routes of one vector store, with their bodies. */
const STORE_ROUTES: Record<string, ((fileId: string) => object) | null> = {
  'GET :id': null,
  'POST :id': () => ({ name: 'renamed' }),
  'DELETE :id': null,
  'POST :id/search': () => ({ query: 'secret' }),
  'POST :id/files': (fileId) => ({ file_id: fileId }),
  'GET :id/files': null,
  'GET :id/files/:file': null,
  'POST :id/files/:file': () => ({ attributes: { a: 1 } }),
  'DELETE :id/files/:file': null,
  'POST :id/file_batches': (fileId) => ({ file_ids: [fileId] }),
  'GET :id/file_batches/:batch': null,
  'POST :id/file_batches/:batch/cancel': () => ({}),
  'GET :id/file_batches/:batch/files': null,
};

const NO_GATE = '00000000-0000-7000-8000-000000000000';

/** Every route of the gateway. A new route needs a row that says who may use it. */
const MATRIX: Record<string, Row> = {
  ...responsesRows('/api/v1'),
  ...responsesRows('/v1'),
  'POST /api/chat': row([200, 404, 200, 404], ({ threadId }) => ({
    route: '/api/chat',
    body: { message: 'say hello', thread_id: threadId },
  })),
  'POST /api/chat/send': row([202, 404, 202, 404], ({ threadId }) => ({
    route: '/api/chat/send',
    body: { message: 'say hello', thread_id: threadId },
  })),
  'GET /api/jobs': row([200, 200, 200, 200], () => ({ route: '/api/jobs' })),
  'GET /api/gates': row([200, 200, 200, 200], () => ({ route: '/api/gates' })),
  'GET /api/approvals': row([200, 200, 200, 200], () => ({ route: '/api/approvals' })),
  'DELETE /api/approvals/:id': row([404, 404, 404, 404], () => ({ route: `/api/approvals/${NO_GATE}` })),
  'GET /api/pairings': row([200, 200, 200, 200], () => ({ route: '/api/pairings' })),
  'DELETE /api/pairings/:user_id': row([404, 404, 404, 404], () => ({ route: '/api/pairings/webhook:nobody' })),
  'GET /api/gates/:id': row([404, 404, 404, 404], () => ({ route: `/api/gates/${NO_GATE}` })),
  'POST /api/gates/:id': row([404, 404, 404, 404], () => ({
    route: `/api/gates/${NO_GATE}`,
    body: { answer: 'approve' },
  })),
  'GET /api/memory': row([200, 200, 200, 200], () => ({ route: '/api/memory?q=anything' })),
  'GET /api/memory/*': row([404, 404, 404, 404], () => ({ route: '/api/memory/nothing' })),
  'PUT /api/memory/*': row([200, 200, 200, 200], () => ({ route: '/api/memory/mine', body: { text: 'mine' } })),
  'POST /api/memory/keep': row([200, 200, 200, 200], () => ({ route: '/api/memory/keep', body: { all: true } })),
  'POST /api/memory/forget': row([200, 200, 200, 200], ({ threadId }) => ({
    route: '/api/memory/forget',
    body: { from: { thread_id: threadId } },
  })),
  'DELETE /api/memory/*': row([404, 404, 404, 404], () => ({ route: '/api/memory/nothing' })),
  'GET /api/note-versions/*': row([404, 404, 404, 404], () => ({ route: '/api/note-versions/nothing' })),
  'POST /api/note-versions/*': row([404, 404, 404, 404], () => ({
    route: '/api/note-versions/nothing',
    body: { version: 1 },
  })),
  'GET /api/deleted-notes': row([200, 200, 200, 200], () => ({ route: '/api/deleted-notes' })),
  'GET /api/usage': row([200, 200, 200, 200], () => ({ route: '/api/usage' })),
  'GET /api/status': row([200, 200, 200, 200], () => ({ route: '/api/status' })),
  'POST /api/users': row([403, 403, 201, 201], () => ({
    route: '/api/users',
    body: { name: `New ${randomUUID()}`, role: 'member' },
  })),
  'GET /api/users': row([403, 403, 200, 200], () => ({ route: '/api/users' })),
  'PATCH /api/users/:id': row([403, 403, 404, 200], ({ userId }) => ({
    route: `/api/users/${userId}`,
    body: { name: `Renamed ${randomUUID()}` },
  })),
  'POST /api/invitations': row([403, 403, 201, 201], () => ({ route: '/api/invitations', body: { role: 'member' } })),
  'GET /api/invitations': row([403, 403, 200, 200], () => ({ route: '/api/invitations' })),
  'DELETE /api/invitations/:id': row([403, 403, 404, 404], () => ({ route: `/api/invitations/${NOBODYS}` })),
  'DELETE /api/users/:id': row([403, 403, 404, 204], ({ userId }) => ({ route: `/api/users/${userId}` })),
  'POST /api/users/:id/erase': row([403, 403, 404, 200], ({ userId }) => ({ route: `/api/users/${userId}/erase` })),
  // her second request, after she is gone, is counted first
  'POST /api/me/erase': row([401, 200, 404, 404], () => ({ route: '/api/me/erase' })),
  'GET /api/erasures': row([403, 403, 200, 200], () => ({ route: '/api/erasures' })),
  'GET /api/erasures/:id': row([403, 403, 404, 404], () => ({ route: `/api/erasures/${NOBODYS}` })),
  'GET /api/users/:id/limits': row([403, 403, 200, 200], ({ userId }) => ({ route: `/api/users/${userId}/limits` })),
  'POST /api/limits/requests': row([204, 204, 400, 400], () => ({ route: '/api/limits/requests' })),
  'GET /api/limits/requests': row([403, 403, 200, 200], () => ({ route: '/api/limits/requests' })),
  'DELETE /api/limits/requests/:user_id': row([403, 403, 404, 404], () => ({ route: '/api/limits/requests/nobody' })),
  'PUT /api/users/:id/limits': row([403, 403, 200, 200], ({ userId }) => ({
    route: `/api/users/${userId}/limits`,
    body: { tokens_per_day: 1e9, usd_per_day: null },
  })),
  'GET /api/retention': row([403, 403, 200, 200], () => ({ route: '/api/retention' })),
  'PUT /api/retention': row([403, 403, 200, 200], () => ({ route: '/api/retention', body: {} })),
  'GET /api/users/:id/retention': row([200, 404, 200, 200], ({ userId }) => ({
    route: `/api/users/${userId}/retention`,
  })),
  'PUT /api/users/:id/retention': row([403, 403, 200, 200], ({ userId }) => ({
    route: `/api/users/${userId}/retention`,
    body: {},
  })),
  'POST /api/users/:id/tokens': row([201, 404, 404, 201], ({ userId }) => ({
    route: `/api/users/${userId}/tokens`,
    body: { name: 'new' },
  })),
  'GET /api/users/:id/tokens': row([200, 404, 404, 200], ({ userId }) => ({ route: `/api/users/${userId}/tokens` })),
  'DELETE /api/tokens/:id': row([204, 404, 404, 204], ({ tokenId }) => ({ route: `/api/tokens/${tokenId}` })),
  'GET /api/users/:id/sessions': row([200, 404, 200, 200], ({ userId }) => ({
    route: `/api/users/${userId}/sessions`,
  })),
  'DELETE /api/sessions/:id': row([404, 404, 404, 404], () => ({ route: `/api/sessions/${NOBODYS}` })),
  'POST /api/sign-in-links': row([201, 201, 201, 201], () => ({ route: '/api/sign-in-links', body: {} })),
  'GET /api/audit': row([403, 403, 200, 200], () => ({ route: '/api/audit' })),
  'GET /api/threads': row([200, 200, 200, 200], () => ({ route: '/api/threads' })),
  'GET /api/threads/:id': row([200, 404, 200, 404], ({ threadId }) => ({ route: `/api/threads/${threadId}` })),
  'GET /api/threads/:id/items': row([200, 404, 200, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}/items`,
  })),
  'GET /api/threads/:id/items/:item/parts/:index': row([404, 404, 404, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}/items/${NO_GATE}/parts/0`,
  })),
  'GET /api/search/files': row([200, 200, 200, 200], () => ({ route: '/api/search/files?q=report' })),
  'GET /api/search': row([200, 200, 200, 200], () => ({ route: '/api/search?q=hello' })),
  'GET /api/threads/:id/items/:item/image': row([404, 404, 404, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}/items/${NO_GATE}/image?url=https://pictures.example/a.png`,
  })),
  'GET /api/threads/:id/queue': row([200, 404, 200, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}/queue`,
  })),
  'DELETE /api/threads/:id/queue/:turn': row([409, 404, 409, 404], ({ threadId, turnId }) => ({
    route: `/api/threads/${threadId}/queue/${turnId}`,
  })),
  'PATCH /api/threads/:id/queue/:turn': row([409, 404, 409, 404], ({ threadId, turnId }) => ({
    route: `/api/threads/${threadId}/queue/${turnId}`,
    body: { when_busy: 'steer' },
  })),
  'POST /api/threads/:id/items/:item/versions': row([404, 404, 404, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}/items/${NO_GATE}/versions`,
    body: {},
  })),
  'POST /api/threads/:id/items/:item/vouch': row([404, 404, 404, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}/items/${NO_GATE}/vouch`,
    body: {},
  })),
  'POST /api/threads/:id/versions/:turn/show': row([204, 404, 204, 404], ({ threadId, turnId }) => ({
    route: `/api/threads/${threadId}/versions/${turnId}/show`,
    body: {},
  })),
  'PATCH /api/threads/:id': row([200, 404, 200, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}`,
    body: { pinned: true },
  })),
  'DELETE /api/threads/:id': row([204, 404, 204, 404], ({ threadId }) => ({ route: `/api/threads/${threadId}` })),
  'POST /api/threads/:id/compact': row([409, 404, 409, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}/compact`,
  })),
  'DELETE /api/threads/:id/compact': row([200, 404, 200, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}/compact`,
  })),
  'POST /api/threads/:id/fork': row([201, 404, 201, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}/fork`,
    body: {},
  })),
  'GET /api/threads/:id/export': row([200, 404, 200, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}/export`,
  })),
  'GET /api/shares': row([200, 200, 200, 200], () => ({ route: '/api/shares' })),
  'GET /api/threads/:id/files': row([200, 404, 200, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}/files`,
  })),
  'GET /api/threads/:id/files.zip': row([200, 404, 200, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}/files.zip`,
  })),
  'GET /api/threads/:id/files/*': row([404, 404, 404, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}/files/nothing`, // files.test.ts
  })),
  'PUT /api/threads/:id/files/*': row([200, 404, 200, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}/files/mine.json`,
    body: {},
  })),
  'DELETE /api/threads/:id/files/*': row([404, 404, 404, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}/files/nothing`,
  })),
  'GET /api/threads/:id/file-pages': row([404, 404, 404, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}/file-pages?path=none.pdf&page=1`,
  })),
  'GET /api/threads/:id/file-versions': row([200, 404, 200, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}/file-versions`,
  })),
  'POST /api/threads/:id/file-versions/:version/restore': row([200, 404, 200, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}/file-versions/0/restore`,
    body: {},
  })),
  'GET /api/threads/:id/share': row([200, 404, 200, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}/share`,
  })),
  'PUT /api/threads/:id/share': row([200, 404, 200, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}/share`,
    body: {},
  })),
  'DELETE /api/threads/:id/share': row([404, 404, 404, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}/share`,
  })),
  'GET /api/shared/:link': open(404), // everyday.test.ts
  'GET /api/shared/:link/items/:item/parts/:index': open(404),
  'GET /shared/:link': open(200),
  'GET /api/turns/:id': row([200, 404, 200, 404], ({ turnId }) => ({ route: `/api/turns/${turnId}` })),
  'PUT /api/turns/:id/rating': row([200, 404, 200, 404], ({ turnId }) => ({
    route: `/api/turns/${turnId}/rating`,
    body: { rating: 'good' },
  })),
  'DELETE /api/turns/:id/rating': row([404, 404, 404, 404], ({ turnId }) => ({ route: `/api/turns/${turnId}/rating` })),
  'GET /api/threads/:id/ratings': row([200, 404, 200, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}/ratings`,
  })),
  'POST /api/subagents/:call/stop': row([404, 404, 404, 404], () => ({
    method: 'POST',
    route: `/api/subagents/${NO_GATE}/stop`,
  })),
  'GET /api/threads/:id/tree': row([200, 404, 200, 404], ({ threadId }) => ({
    route: `/api/threads/${threadId}/tree`,
  })),
  'GET /api/ratings': row([403, 403, 200, 200], () => ({ route: '/api/ratings' })),
  'GET /api/ws': row([404, 404, 404, 404], () => ({ route: '/api/ws' })), // no WebSocket; test/journeys/api/websocket.test.ts
  'GET /api/me': row([200, 200, 200, 200], () => ({ route: '/api/me' })),
  'PATCH /api/me': row([200, 200, 200, 200], () => ({ route: '/api/me', body: { generate_titles: true } })),
  'GET /api/models': row([200, 200, 200, 200], () => ({ route: '/api/models' })),
  'GET /api/settings/providers': row([403, 403, 200, 200], () => ({ route: '/api/settings/providers' })),
  'PUT /api/settings/providers/:name': row([403, 403, 400, 400], () => ({
    route: '/api/settings/providers/lab',
    body: { base_url: 'https://lab.example.com/v1' }, // nothing answers there
  })),
  'DELETE /api/settings/providers/:name': row([403, 403, 404, 404], () => ({ route: '/api/settings/providers/none' })),
  'GET /api/settings/models': row([403, 403, 200, 200], () => ({ route: '/api/settings/models' })),
  'PATCH /api/settings/models': row([403, 403, 404, 404], () => ({
    route: '/api/settings/models',
    body: { provider: 'none', name: 'm', on: true },
  })),
  'POST /api/settings/providers/:name/check': row([403, 403, 404, 404], () => ({
    route: '/api/settings/providers/none/check',
  })),
  'GET /api/settings/search': row([403, 403, 200, 200], () => ({ route: '/api/settings/search' })),
  'PUT /api/settings/search': row([403, 403, 200, 200], () => ({
    route: '/api/settings/search',
    body: { engine: 'searxng', base_url: 'https://search.example.com' },
  })),
  'DELETE /api/settings/search': row([403, 403, 204, 404], () => ({ route: '/api/settings/search' })),
  'POST /api/settings/search/test': row([403, 403, 200, 200], () => ({ route: '/api/settings/search/test', body: {} })),
  'GET /api/projects': row([200, 200, 200, 200], () => ({ route: '/api/projects' })),
  'POST /api/projects': row([201, 201, 201, 201], () => ({
    route: '/api/projects',
    body: { name: `P ${randomUUID()}` },
  })),
  'GET /api/projects/:id': row([404, 404, 404, 404], () => ({ route: `/api/projects/${NOBODYS}` })),
  'PATCH /api/projects/:id': row([404, 404, 404, 404], () => ({
    route: `/api/projects/${NOBODYS}`,
    body: { name: 'P' },
  })),
  'DELETE /api/projects/:id': row([404, 404, 404, 404], () => ({ route: `/api/projects/${NOBODYS}` })),
  'GET /api/projects/:id/members': row([404, 404, 404, 404], () => ({ route: `/api/projects/${NOBODYS}/members` })),
  // its person is looked up first: test/journeys/threads/shared-projects.test.ts
  'POST /api/projects/:id/members': row([400, 400, 400, 400], () => ({
    route: `/api/projects/${NOBODYS}/members`,
    body: { person: 'nobody', role: 'read' },
  })),
  'DELETE /api/projects/:id/members/:member': row([404, 404, 404, 404], () => ({
    route: `/api/projects/${NOBODYS}/members/nobody`,
  })),
  'POST /api/users/:id/give-projects': row([403, 403, 400, 400], () => ({
    route: '/api/users/nobody/give-projects',
    body: { person: 'nobody' },
  })),
  'GET /api/projects/:id/notes': row([404, 404, 404, 404], () => ({ route: `/api/projects/${NOBODYS}/notes` })),
  'GET /api/projects/:id/notes/*': row([404, 404, 404, 404], () => ({ route: `/api/projects/${NOBODYS}/notes/a` })),
  'PUT /api/projects/:id/notes/*': row([404, 404, 404, 404], () => ({
    route: `/api/projects/${NOBODYS}/notes/a`,
    body: { text: 'x' },
  })),
  'DELETE /api/projects/:id/notes/*': row([404, 404, 404, 404], () => ({ route: `/api/projects/${NOBODYS}/notes/a` })),
  'GET /api/projects/:id/files': row([404, 404, 404, 404], () => ({ route: `/api/projects/${NOBODYS}/files` })),
  'GET /api/projects/:id/files/*': row([404, 404, 404, 404], () => ({ route: `/api/projects/${NOBODYS}/files/a` })),
  'PUT /api/projects/:id/files/*': row([404, 404, 404, 404], () => ({
    route: `/api/projects/${NOBODYS}/files/a`,
    body: {},
  })),
  'DELETE /api/projects/:id/files/*': row([404, 404, 404, 404], () => ({ route: `/api/projects/${NOBODYS}/files/a` })),
  'GET /api/templates': row([200, 200, 200, 200], () => ({ route: '/api/templates' })),
  'POST /api/imports/chatgpt': row([200, 200, 200, 200], () => ({
    route: '/api/imports/chatgpt',
    body: { conversations: [{ id: 'none', mapping: {} }] },
  })),
  'PUT /api/templates/:name': row([200, 200, 200, 200], () => ({
    route: '/api/templates/review',
    body: { text: 'Review {{file}}' },
  })),
  'DELETE /api/templates/:name': row([404, 404, 404, 404], () => ({ route: '/api/templates/none' })),
  'GET /api/me/export': row([200, 200, 200, 200], () => ({ route: '/api/me/export' })),
  'GET /api/tools': row([200, 200, 200, 200], () => ({ route: '/api/tools' })),
  'POST /api/tools': row([403, 403, 400, 400], () => ({ route: '/api/tools', body: { name: 'x', wasm: 'AAAA' } })),
  'DELETE /api/tools/:name': row([403, 403, 404, 404], () => ({ route: '/api/tools/none' })),
  'POST /api/tools/:name/secret': row([404, 404, 404, 404], () => ({
    route: '/api/tools/none/secret',
    body: { name: 'key', value: 'x' },
  })),
  'POST /api/tools/:name/sign-in': row([404, 404, 404, 404], () => ({ route: '/api/tools/none/sign-in' })),
  'POST /api/tools/:name/sign-in/finish': row([404, 404, 404, 404], () => ({
    route: '/api/tools/none/sign-in/finish',
    body: { state: 'none.x', code: 'x' },
  })),
  'GET /api/tool-policies': row([403, 403, 200, 200], () => ({ route: '/api/tool-policies' })),
  'PUT /api/tool-policies/:tool': row([403, 403, 200, 200], () => ({
    route: '/api/tool-policies/walls',
    body: { level: 'ask', not_yet: true },
  })),
  'DELETE /api/tool-policies/:tool': row([403, 403, 404, 404], () => ({ route: '/api/tool-policies/none' })),
  'POST /mcp': row([400, 400, 400, 400], () => ({ route: '/mcp', body: {} })),
  'GET /mcp': row([405, 405, 405, 405], () => ({ route: '/mcp' })),
  'DELETE /mcp': row([405, 405, 405, 405], () => ({ route: '/mcp' })),
  'GET /api/mcp': row([200, 200, 200, 200], () => ({ route: '/api/mcp' })),
  'GET /api/mcp-catalogue': row([200, 200, 200, 200], () => ({ route: '/api/mcp-catalogue' })),
  'GET /api/mcp/:name': row([404, 404, 404, 404], () => ({ route: '/api/mcp/none' })),
  'POST /api/mcp': row([403, 403, 400, 400], () => ({
    route: '/api/mcp',
    body: { name: 'walls', url: 'https://127.0.0.1/mcp', for: 'everyone' },
  })),
  'GET /api/mcp/:name/resources': row([404, 404, 404, 404], () => ({ route: '/api/mcp/none/resources' })),
  'GET /api/mcp/:name/resource': row([404, 404, 404, 404], () => ({ route: '/api/mcp/none/resource?uri=a:b' })),
  'POST /api/mcp/:name/prompt': row([404, 404, 404, 404], () => ({
    route: '/api/mcp/none/prompt',
    body: { prompt: 'p' },
  })),
  'POST /api/mcp/:name/sign-in': row([404, 404, 404, 404], () => ({ route: '/api/mcp/none/sign-in' })),
  'POST /api/mcp/sign-in/finish': row([400, 400, 400, 400], () => ({
    route: '/api/mcp/sign-in/finish',
    body: { state: 'mcp:none:me.x', code: 'c' },
  })),
  'POST /api/mcp/:name/refresh': row([404, 404, 404, 404], () => ({ route: '/api/mcp/none/refresh' })),
  'POST /api/mcp/:name/accept': row([403, 403, 404, 404], () => ({
    route: '/api/mcp/none/accept?for=everyone',
    body: { listed_at: '2026-01-01T00:00:00.000Z' },
  })),
  'DELETE /api/mcp/:name': row([403, 403, 404, 404], () => ({ route: '/api/mcp/none?for=everyone' })),
  'GET /api/webhook-routes': row([403, 403, 200, 200], () => ({ route: '/api/webhook-routes' })),
  'POST /api/webhook-routes': row([403, 403, 400, 400], () => ({ route: '/api/webhook-routes', body: {} })),
  'DELETE /api/webhook-routes/:name': row([403, 403, 404, 404], () => ({ route: '/api/webhook-routes/none' })),
  'GET /api/mission-drain': row([403, 403, 200, 200], () => ({ route: '/api/mission-drain' })),
  'PUT /api/mission-drain': row([403, 403, 200, 200], () => ({
    route: '/api/mission-drain',
    body: { drained: false },
  })),
  'GET /api/missions': row([200, 200, 200, 200], () => ({ route: '/api/missions' })),
  'POST /api/missions': row([201, 201, 201, 201], () => ({
    route: '/api/missions',
    body: { name: 'm', instruction: 'say hello', schedule: { at: '2999-01-01T00:00', time_zone: 'UTC' } },
  })),
  'GET /api/assistants': row([200, 200, 200, 200], () => ({ route: '/api/assistants' })),
  'POST /api/assistants': row([201, 201, 201, 201], () => ({
    route: '/api/assistants',
    body: { name: `a-${randomUUID()}` },
  })),
  'GET /api/assistants/:id': row([200, 404, 200, 404], ({ assistantId }) => ({
    route: `/api/assistants/${assistantId}`,
  })),
  'PATCH /api/assistants/:id': row([200, 404, 200, 404], ({ assistantId }) => ({
    route: `/api/assistants/${assistantId}`,
    body: { description: 'another' },
  })),
  'DELETE /api/assistants/:id': row([204, 404, 204, 404], ({ assistantId }) => ({
    route: `/api/assistants/${assistantId}`,
  })),
  'GET /api/assistants/:id/versions': row([200, 404, 200, 404], ({ assistantId }) => ({
    route: `/api/assistants/${assistantId}/versions`,
  })),
  'POST /api/missions/preview': row([200, 200, 200, 200], () => ({
    route: '/api/missions/preview',
    body: { schedule: { cron: '0 8 * * *', time_zone: 'Europe/Oslo' } },
  })),
  'GET /api/mission-results': row([200, 200, 200, 200], () => ({ route: '/api/mission-results' })),
  'POST /api/mission-results/read': row([204, 204, 204, 204], ({ missionId }) => ({
    route: '/api/mission-results/read',
    body: { mission_id: missionId },
  })),
  'GET /api/starters': row([200, 200, 200, 200], () => ({ route: '/api/starters' })),
  'GET /api/missions/:id': row([200, 404, 200, 404], ({ missionId }) => ({ route: `/api/missions/${missionId}` })),
  'PATCH /api/missions/:id': row([200, 404, 200, 404], ({ missionId }) => ({
    route: `/api/missions/${missionId}`,
    body: { name: 'another name' },
  })),
  'DELETE /api/missions/:id': row([204, 404, 204, 404], ({ missionId }) => ({ route: `/api/missions/${missionId}` })),
  'POST /api/missions/:id/pause': row([200, 404, 200, 404], ({ missionId }) => ({
    route: `/api/missions/${missionId}/pause`,
  })),
  'POST /api/missions/:id/resume': row([200, 404, 200, 404], ({ missionId }) => ({
    route: `/api/missions/${missionId}/resume`,
  })),
  'POST /api/missions/:id/run': row([202, 404, 202, 404], ({ missionId }) => ({
    route: `/api/missions/${missionId}/run`,
  })),
  'GET /api/missions/:id/occurrences': row([200, 404, 200, 404], ({ missionId }) => ({
    route: `/api/missions/${missionId}/occurrences`,
  })),
  'GET /api/deliveries': row([200, 200, 200, 200], () => ({ route: '/api/deliveries' })),
  'GET /api/deliveries/:id': row([404, 404, 404, 404], () => ({ route: `/api/deliveries/${NOBODYS}` })), // notifications.test.ts
  'POST /api/deliveries/:id/retry': row([404, 404, 404, 404], () => ({ route: `/api/deliveries/${NOBODYS}/retry` })),
  'GET /api/channels': row([200, 200, 200, 200], () => ({ route: '/api/channels' })),
  'POST /api/channels': row([403, 403, 400, 400], () => ({ route: '/api/channels', body: {} })),
  'PATCH /api/channels/:id': row([403, 403, 404, 404], () => ({
    route: `/api/channels/${NOBODYS}`,
    body: { assistant: null },
  })),
  'DELETE /api/channels/:id': row([403, 403, 404, 404], () => ({ route: `/api/channels/${NOBODYS}` })), // telegram.test.ts
  'POST /api/channels/:id/test': row([403, 403, 404, 404], () => ({ route: `/api/channels/${NOBODYS}/test` })),
  'POST /api/channels/codes': row([201, 201, 201, 201], () => ({ route: '/api/channels/codes' })),
  'DELETE /api/channels/:id/links/:sender': row([404, 404, 404, 404], () => ({
    route: `/api/channels/${NOBODYS}/links/1`,
  })),
  'GET /api/notifications': row([200, 200, 200, 200], () => ({ route: '/api/notifications' })),
  'PUT /api/notifications/preferences': row([200, 200, 200, 200], () => ({
    route: '/api/notifications/preferences',
    body: { quiet_hours: null },
  })),
  'POST /api/notifications/endpoints': row([201, 201, 201, 201], () => ({
    route: '/api/notifications/endpoints',
    body: { name: 'mine', url: 'https://hooks.example/', events: ['gate.opened'] },
  })),
  'DELETE /api/notifications/endpoints/:id': row([204, 404, 204, 404], ({ endpointId }) => ({
    route: `/api/notifications/endpoints/${endpointId}`,
  })),
  'POST /api/notifications/endpoints/:id/test': row([204, 404, 204, 404], ({ endpointId }) => ({
    route: `/api/notifications/endpoints/${endpointId}/test`,
  })),
  'GET /api/notifications/devices': row([200, 200, 200, 200], () => ({ route: '/api/notifications/devices' })),
  'POST /api/notifications/devices': row([201, 201, 201, 201], () => ({
    route: '/api/notifications/devices',
    body: {
      name: 'mine',
      endpoint: 'https://push.example/',
      keys: {
        p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        auth: 'BTBZMqHH6r4Tts7J_aSIgg',
      },
    },
  })),
  // push.test.ts has other users' devices
  'DELETE /api/notifications/devices/:id': row([404, 404, 404, 404], () => ({
    route: `/api/notifications/devices/${NOBODYS}`,
  })),
  'POST /api/notifications/devices/:id/test': row([404, 404, 404, 404], () => ({
    route: `/api/notifications/devices/${NOBODYS}/test`,
  })),
  'GET /api/skills': row([200, 200, 200, 200], () => ({ route: '/api/skills' })),
  'GET /api/skills/:name': row([404, 404, 404, 404], () => ({ route: '/api/skills/none' })),
  'POST /api/skills': row([403, 403, 201, 201], () => ({
    route: '/api/skills',
    body: { text: '---\nname: shared\ndescription: For all\n---\n', for: 'everyone', replace: true },
  })),
  'DELETE /api/skills/:name': row([403, 403, 404, 404], () => ({ route: '/api/skills/none?for=everyone' })),
  'GET /api/settings': row([403, 403, 200, 200], () => ({ route: '/api/settings' })),
  'PATCH /api/settings': row([403, 403, 200, 200], () => ({ route: '/api/settings', body: { model_routes: {} } })),
  'POST /api/settings/test-model': row([403, 403, 200, 200], () => ({ route: '/api/settings/test-model', body: {} })),
  'GET /api/activity': row([403, 403, 200, 200], () => ({ route: '/api/activity' })),
  'GET /api/replicas': row([403, 403, 200, 200], () => ({ route: '/api/replicas' })),
  'GET /metrics': row([403, 403, 200, 200], () => ({ route: '/metrics' })),
  'GET /': open(200),
  'GET /*': open(404),
  'GET /assets/*': open(404),
  'GET /frames/preview': open(200),
  'GET /frames/preview-with-scripts': open(200),
  'GET /frames/diagram': open(200),
  'GET /docs': open(200),
  'GET /login': open(200),
  'GET /login/oidc': open(404),
  'GET /login/oidc/callback': open(400),
  'POST /login': open(403),
  'POST /logout': open(403),
  'POST /channels/telegram/:id': open(404),
  'POST /channels/slack/:id': open(404),
  'GET /healthz': open(200),
  'GET /readyz': open(200),
  'GET /openapi.json': open(200),
};

const OPERATOR = { authorization: `Bearer ${TOKEN}` };
const NOBODYS = '00000000-0000-4000-8000-000000000000';

const secretOf = (user?: TestUser) => `say a secret of ${user?.id ?? 'operator'}`;

type Name = keyof Belongings;
const THREAD_NAMES: readonly Name[] = ['responseId', 'threadId', 'conversationId', 'itemId', 'turnId'];
const STORE_NAMES: readonly Name[] = ['storeId', 'batchId'];
const ALL_NAMES: readonly Name[] = [
  ...THREAD_NAMES,
  'missionId',
  'assistantId',
  'endpointId',
  'fileId',
  'containerId',
  ...STORE_NAMES,
];

/** What a user owns: everything, or only what is `wanted`. An id of what was not made is one that no one has. */
async function belongingsOf(
  service: Service,
  headers: { authorization: string },
  user?: TestUser,
  wanted: readonly Name[] = ALL_NAMES,
): Promise<Belongings> {
  const make = async (name: Name, maker: typeof missionOf) =>
    wanted.includes(name) ? maker(service, headers, user) : NOBODYS;
  const wantsOf = (names: readonly Name[]) => names.some((name) => wanted.includes(name));
  const fileId = wantsOf(['fileId', ...STORE_NAMES]) ? await fileOf(service, headers, user) : NOBODYS;
  return {
    ...(wantsOf(THREAD_NAMES) ? await threadOf(service, headers, user) : NO_THREAD),
    userId: user?.id ?? 'operator',
    tokenId: user?.tokenId ?? NOBODYS,
    missionId: await make('missionId', missionOf),
    assistantId: await make('assistantId', assistantOf),
    endpointId: await make('endpointId', endpointOf),
    fileId,
    containerId: await make('containerId', containerOf),
    ...(wantsOf(STORE_NAMES) ? await storeOf(service, headers, fileId) : { storeId: NOBODYS, batchId: NOBODYS }),
  };
}

/** The ids that a request names. */
function namesIn(ask: (of: Belongings) => Asking): Name[] {
  const names = new Set<Name>();
  ask(new Proxy({} as Belongings, { get: (_, name) => (names.add(name as Name), NOBODYS) }));
  return [...names];
}

const NO_THREAD = { responseId: NOBODYS, threadId: NOBODYS, conversationId: NOBODYS, itemId: NOBODYS, turnId: NOBODYS };

async function threadOf(service: Service, headers: { authorization: string }, user?: TestUser) {
  const made = await service.request('/api/chat', {
    method: 'POST',
    body: JSON.stringify({ message: secretOf(user) }),
    headers,
  });
  const { response_id: responseId, thread_id: threadId } = (await made.json()) as Record<string, string>;
  if (!responseId || !threadId) throw new Error(`No thread was made: ${made.status}`);
  const conversationId = `conv_${threadId.replaceAll('-', '')}`;
  const listed = await service.request(`/v1/conversations/${conversationId}/items`, { headers });
  const { first_id: itemId } = (await listed.json()) as { first_id: string };
  return { responseId, threadId, conversationId, itemId, turnId: turnIdOf(responseId) };
}

/** Users can't have many missions, so one that exists is used again. */
async function missionOf(service: Service, headers: { authorization: string }, user?: TestUser): Promise<string> {
  const listed = await (await service.request('/api/missions', { headers })).json();
  const [known] = (listed as { missions: { id: string }[] }).missions;
  if (known) return known.id;
  const schedule = { at: '2999-01-01T00:00', time_zone: 'UTC' };
  const body = JSON.stringify({ name: 'a mission', instruction: secretOf(user), schedule });
  const made = await service.request('/api/missions', { method: 'POST', body, headers });
  return ((await made.json()) as { id: string }).id;
}

async function assistantOf(service: Service, headers: { authorization: string }, user?: TestUser): Promise<string> {
  const listed = await (await service.request('/api/assistants', { headers })).json();
  const known = (listed as { assistants: { id: string; for: string }[] }).assistants.find((each) => each.for === 'me');
  if (known) return known.id;
  const body = JSON.stringify({ name: 'mine', instructions: secretOf(user) });
  const made = await service.request('/api/assistants', { method: 'POST', body, headers });
  return ((await made.json()) as { id: string }).id;
}

async function containerOf(service: Service, headers: { authorization: string }, user?: TestUser): Promise<string> {
  const body = JSON.stringify({ name: secretOf(user) });
  const made = await service.request('/v1/containers', { method: 'POST', body, headers });
  return ((await made.json()) as { id: string }).id;
}

async function storeOf(service: Service, headers: { authorization: string }, fileId: string) {
  const post = async (route: string, body: object) => {
    const made = await service.request(route, { method: 'POST', body: JSON.stringify(body), headers });
    return ((await made.json()) as { id: string }).id;
  };
  const storeId = await post('/v1/vector_stores', { name: 'secret' });
  return { storeId, batchId: await post(`/v1/vector_stores/${storeId}/file_batches`, { file_ids: [fileId] }) };
}

async function fileOf(service: Service, headers: { authorization: string }, user?: TestUser): Promise<string> {
  const body = new FormData();
  body.set('file', new Blob([secretOf(user)]), 'secret.txt');
  body.set('purpose', 'user_data');
  const made = await fetch(`${service.url}/v1/files`, { method: 'POST', body, headers });
  return ((await made.json()) as { id: string }).id;
}

async function endpointOf(service: Service, headers: { authorization: string }, user?: TestUser): Promise<string> {
  const listed = await (await service.request('/api/notifications', { headers })).json();
  const [known] = (listed as { endpoints: { id: string }[] }).endpoints;
  if (known) return known.id;
  const body = JSON.stringify({ name: secretOf(user), url: 'https://hooks.example/', events: ['mission.failed'] });
  const made = await service.request('/api/notifications/endpoints', { method: 'POST', body, headers });
  return ((await made.json()) as { id: string }).id;
}

async function answerTo(service: Service, name: string, { route, body }: Asking, headers: Record<string, string>) {
  const method = name.split(' ')[0] ?? '';
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const type: Record<string, string> = body ? { 'content-type': 'application/json' } : {};
  const response = await fetch(service.url + route, { ...init, headers: { ...type, ...headers }, redirect: 'manual' });
  return { status: response.status, text: await response.text() };
}

type Owners = { ann: TestUser; bob: TestUser; hers: Belongings; his: Belongings; operators: Belongings };

/** Two members and the operator who are only looked at, with what belongs to them. */
const test = journey().extend('lasting', { scope: 'file' }, async ({ service }): Promise<Owners> => {
  const [ann, bob] = [await addUser(service, 'Lasting Ann'), await addUser(service, 'Lasting Bob')];
  return {
    ann,
    bob,
    hers: await belongingsOf(service, ann.headers, ann),
    his: await belongingsOf(service, bob.headers, bob),
    operators: await belongingsOf(service, OPERATOR),
  };
});

describe('access to the routes', () => {
  test('every route of the gateway has a row, and every row a route', ({ service }) => {
    expect(Object.keys(MATRIX).toSorted()).toEqual([...new Set(service.routes)].toSorted());
  });

  test.for(Object.entries(MATRIX).flatMap(([name, cells]) => ('ask' in cells ? [[name, cells] as const] : [])))(
    '%s',
    async ([name, { expected, ask }], { service, lasting }) => {
      const isRead = name.startsWith('GET '); // so nothing is used up
      const { ann, bob, hers, his, operators } = isRead ? lasting : await newOwners(service, lasting, ask);

      for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: `Bearer ${ann.token}x` }])
        expect(await answerTo(service, name, ask(hers), headers)).toEqual({
          status: 401,
          text: 'Invalid or missing auth token',
        });
      const answers = [
        await answerTo(service, name, ask(his), ann.headers),
        await answerTo(service, name, ask(operators), OPERATOR),
        await answerTo(service, name, ask(his), OPERATOR),
      ];
      const own = await answerTo(service, name, ask(hers), ann.headers); // last, because she may revoke the token that she uses

      expect([own, ...answers].map(outcomeOf)).toEqual(expected);
      expect(answers[0]?.text).not.toContain(secretOf(bob));
    },
  );

  /** Others for a request that may change something. Only Bob's are searched for in an answer, so only he needs all of them. */
  async function newOwners(service: Service, lasting: Owners, ask: (of: Belongings) => Asking): Promise<Owners> {
    const ann = await addUser(service, 'Ann');
    const names = namesIn(ask);
    if (names.length === 0) return { ...lasting, ann }; // it names no user's data
    const bob = await addUser(service, 'Bob');
    return {
      ann,
      bob,
      hers: await belongingsOf(service, ann.headers, ann, names),
      his: await belongingsOf(service, bob.headers, bob),
      operators: await belongingsOf(service, OPERATOR, undefined, names),
    };
  }

  /** The request for a skill or an MCP server says for whom it is, so it is read first. */
  const forbidden = Object.entries(MATRIX).flatMap(([name, cells]) =>
    'ask' in cells && cells.expected[0] === 403 && !/\/(skills|mcp)/.test(name)
      ? [[name, 403, cells.ask] as const]
      : [],
  );
  const foreignTokens = { route: `/api/users/${NOBODYS}/tokens` };

  test.for([...forbidden, ['POST /api/users/:id/tokens', 404, () => foreignTokens] as const])(
    '%s is %d for a member whose body or query is wrong as well',
    async ([name, status, ask], { service, lasting }) => {
      const { route } = ask(lasting.his);
      const method = name.split(' ')[0] ?? '';
      const headers = { ...lasting.bob.headers, 'content-type': 'application/json' };
      const bodies = method === 'GET' ? [undefined] : ['{', '{"unknown":1}', '[]', '"\\u0000"'];
      for (const body of bodies) {
        const init = { method, headers, ...(body !== undefined && { body }) };
        expect((await fetch(`${service.url}${route}?limit=none`, init)).status).toBe(status);
      }
    },
  );

  test.for(
    Object.entries(MATRIX).flatMap(([name, cells]) => ('ask' in cells ? [] : [[name, cells.everybody] as const])),
  )('%s is %d for every caller', async ([name, status], { service }) => {
    const route = name.split(' ')[1] ?? '';
    for (const headers of [{}, { authorization: 'Bearer wrong' }, OPERATOR])
      expect((await answerTo(service, name, { route }, headers)).status).toBe(status);
  });
});

function outcomeOf({ status, text }: { status: number; text: string }): number | string {
  const isLines = text.includes('\n{'); // an export, which may contain such a turn
  const isUnfound = !isLines && text.includes('"code":"previous_response_not_found"');
  return status === 200 && isUnfound ? 'failed' : status;
}
