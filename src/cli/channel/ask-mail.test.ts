import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { askingSecrets } from '../ask-secret.ts';
import { askMailChannel, type MailOptions } from './ask-mail.ts';

const OPTIONS = {
  address: 'agent@example.com',
  imap: 'imap.example.com',
  smtp: 'smtp.example.com:587',
  authservId: 'mx.example.com',
};
const add = (options: MailOptions, piped: string) =>
  askingSecrets({ input: Readable.from([piped]), output: new PassThrough() }, (ask) => askMailChannel(ask, options));

test('a piped line is the password, and the user name is the address unless an option names it', async () => {
  expect(await add(OPTIONS, 'secret\n')).toMatchObject({ user: 'agent@example.com', password: 'secret' });
  expect(await add({ ...OPTIONS, user: 'ann' }, 'secret\n')).toMatchObject({ user: 'ann', password: 'secret' });
});

test('a piped password is not taken for a missing address', async () => {
  await expect(add({ ...OPTIONS, address: undefined }, 'secret\n')).rejects.toThrow('Add --address.');
  await expect(add(OPTIONS, '')).rejects.toThrow('The password is needed.');
});
