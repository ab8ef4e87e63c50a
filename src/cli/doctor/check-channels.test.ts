import { expect, test } from 'vitest';
import { describeFailure } from './check-channels.ts';

test('a mail server that is down is not blamed on the credentials', () => {
  expect(describeFailure('mail', 'agent@example.com', 'IMAP: connect ECONNREFUSED 127.0.0.1:993')).toMatchObject({
    level: 'problem',
    message: 'mail could not be reached for agent@example.com. IMAP: connect ECONNREFUSED 127.0.0.1:993',
  });
  expect(describeFailure('mail', 'agent@example.com', 'The server refused the password.').message).toContain(
    'did not accept the credentials',
  );
});
