import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseCapabilities } from '../capabilities/parse-capabilities.ts';
import {
  type Asked,
  asked,
  capabilitiesWith,
  HOST,
  SECRET,
  startUpstream,
  type Upstream,
} from './tool-http.test-support.ts';

let upstream: Upstream;

beforeEach(async () => {
  upstream = await startUpstream();
});

afterEach(() => {
  upstream.close();
});

const named = (name: string, words = '') => expect.objectContaining({ name, message: expect.stringContaining(words) });

describe('a credential', () => {
  const arrivedWith = async (location: object, request: Asked, more: object = {}) => {
    const http = await upstream.open({ capabilities: capabilitiesWith(location, more) });
    await http.httpRequest(asked(request));
    return upstream.arrived.at(-1);
  };

  test('as a bearer token takes the place of what the tool wrote there', async () => {
    const request = await arrivedWith({ type: 'bearer' }, { headers: { AUTHORIZATION: 'Basic evil' } });
    expect(request?.rawHeaders.filter((name) => name.toLowerCase() === 'authorization')).toHaveLength(1);
    expect(request?.headers.authorization).toBe(`Bearer ${SECRET}`);
  });

  test('as a password is sent with its user name', async () => {
    const request = await arrivedWith({ type: 'basic', username: 'me' }, { headers: { authorization: 'Bearer evil' } });
    expect(request?.headers.authorization).toBe(`Basic ${Buffer.from(`me:${SECRET}`).toString('base64')}`);
  });

  test('in a header has its prefix, and the header has no twin', async () => {
    const location = { type: 'header', name: 'X-Api-Key', prefix: 'Key ' };
    const request = await arrivedWith(location, {
      headers: { 'x-api-key': 'evil', X_API_KEY: 'evil', 'x-other': 'kept' },
    });
    expect(request?.headers).toMatchObject({ 'x-api-key': `Key ${SECRET}`, 'x-other': 'kept' });
    expect(JSON.stringify(request)).not.toContain('evil');
  });

  test.each(['key=evil', 'KEY=evil', '%6Bey=evil', 'a=1;key=evil', 'key', 'key=evil&key=evil'])(
    'in a query parameter takes the place of %s',
    async (given) => {
      const url = `${HOST}/v1/x?q=a%20b+c&${given}&keys=2`;
      const request = await arrivedWith({ type: 'query_param', name: 'key' }, { url });
      expect(request?.path).toBe('/v1/x?q=a%20b+c&keys=2&key=s3cr3t%2Fvalue%2Bone');
    },
  );

  test('in a query parameter is added to an address without a query', async () => {
    const request = await arrivedWith({ type: 'query_param', name: 'key' }, {});
    expect(request?.path).toBe('/v1/x?key=s3cr3t%2Fvalue%2Bone');
  });

  test('in the path stays in its segment', async () => {
    const location = { type: 'url_path', placeholder: '{token}' };
    const request = await arrivedWith(location, { url: `${HOST}/v1/bot{token}/send?to={token}` });
    expect(request?.path).toBe('/v1/bots3cr3t%2Fvalue%2Bone/send?to={token}');
  });

  test.each(['..', '.'])('in the path does not climb when it is %s', async (secret) => {
    const http = await upstream.open({
      capabilities: capabilitiesWith({ type: 'url_path', placeholder: 'token' }),
      secretFor: async () => secret,
    });
    await expect(http.httpRequest(asked({ url: `${HOST}/v1/{token}/x` }))).rejects.toThrow(
      named('RequestRefused', 'api_key'),
    );
    expect(upstream.sent).toEqual([]);
  });

  test('goes to no other host', async () => {
    const headers = { authorization: 'Bearer own' };
    const request = await arrivedWith({ type: 'bearer' }, { url: 'https://open.example.com/v1/x', headers });
    expect(request?.headers.authorization).toBe('Bearer own');
  });

  test.each(['line\nbreak', 'line\r\nX-Evil: 1', 'bullet•'])(
    'that does not fit into a header is not sent: %j',
    async (secret) => {
      const http = await upstream.open({ secretFor: async () => secret });
      const failed = http.httpRequest(asked());
      await expect(failed).rejects.toThrow(named('RequestRefused', 'The secret api_key does not fit'));
      await expect(failed).rejects.not.toThrow(named('RequestRefused', secret));
      expect(upstream.sent).toEqual([]);
    },
  );

  test('is never asked for in pieces', async () => {
    const http = await upstream.open();
    await expect(http.httpRequest(asked({ headers: { Range: 'bytes=0-3' } }))).rejects.toThrow(
      named('RequestRefused', 'range'),
    );
    await http.httpRequest(asked({ url: 'https://open.example.com/v1/x', headers: { Range: 'bytes=0-3' } }));
    expect(upstream.sent).toHaveLength(1);
  });

  test('that is missing is named, once and for the whole call', async () => {
    const capabilities = parseCapabilities({
      http: {
        allowlist: [{ host: '*.example.com', path_prefix: '/', methods: ['GET'] }],
        credentials: {
          one: { secret_name: 'first_key', location: { type: 'bearer' }, host_patterns: ['one.example.com'] },
          two: { secret_name: 'second_key', location: { type: 'bearer' }, host_patterns: ['two.example.com'] },
        },
      },
    });
    const http = await upstream.open({
      capabilities,
      secretFor: async (name) => (name === 'first_key' ? '' : undefined),
    });

    await expect(http.httpRequest(asked({ url: 'https://one.example.com/' }))).rejects.toThrow(
      named('CredentialMissing', 'first_key'),
    );
    await expect(http.httpRequest(asked({ url: 'https://two.example.com/' }))).rejects.toThrow(
      named('CredentialMissing', 'second_key'),
    );
    await http.httpRequest(asked({ url: 'https://three.example.com/' }));

    expect(http.missing()).toBe('first_key');
    expect(upstream.sent).toHaveLength(1);
  });

  test('that is missing and optional leaves its place empty', async () => {
    const setup = { required_secrets: [{ name: 'api_key', prompt: 'Key', optional: true }] };
    const http = await upstream.open({
      capabilities: capabilitiesWith({ type: 'bearer' }, { setup }),
      secretFor: async () => undefined,
    });

    await http.httpRequest(asked({ headers: { authorization: 'Bearer evil' } }));

    expect(upstream.arrived[0]?.headers.authorization).toBeUndefined();
    expect(http.missing()).toBeUndefined();
  });

  test('in the path is not needed without its placeholder', async () => {
    const capabilities = capabilitiesWith({ type: 'url_path', placeholder: 'token' });
    const http = await upstream.open({ capabilities, secretFor: async () => undefined });
    await http.httpRequest(asked());
    await expect(http.httpRequest(asked({ url: `${HOST}/v1/{token}` }))).rejects.toThrow(named('CredentialMissing'));
  });
});
