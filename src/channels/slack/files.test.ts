import type { WebClient } from '@slack/web-api';
import { expect, test } from 'vitest';
import { createSlackFiles } from './files.ts';

const FILE = { name: 'a.csv', mediaType: 'text/csv', bytes: new Uint8Array([1, 2, 3]) };

const filesWith = (address: string) => {
  const sent: { readonly url: string; readonly headers: object }[] = [];
  const slack = { files: { getUploadURLExternal: async () => ({ upload_url: address, file_id: 'F1' }) } };
  const files = createSlackFiles(
    (act) => act(slack as unknown as WebClient),
    async ({ url, headers }) => {
      sent.push({ url, headers });
      return { status: 200, headers: {}, body: new Uint8Array() };
    },
  );
  return { files, sent };
};

test('a file is sent to the address that Slack gives, without the token', async () => {
  const { files, sent } = filesWith('https://files.slack.com/upload/v1/F1');
  expect(await files.upload(FILE)).toBe('F1');
  expect(sent).toEqual([
    { url: 'https://files.slack.com/upload/v1/F1', headers: { 'content-type': 'application/octet-stream' } },
  ]);
});

test.each([
  'https://evil.example/upload',
  'https://files.slack.com@evil.example/upload',
  'https://files.slack.com.evil.example/',
  'http://files.slack.com/upload',
  '',
])('a file is not sent to %j', async (address) => {
  const { files, sent } = filesWith(address);
  await expect(files.upload(FILE)).rejects.toThrow('no address');
  expect(sent).toEqual([]);
});
