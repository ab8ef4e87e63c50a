import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';

const mailServer = (name: string, port: number) =>
  z
    .strictObject({
      host: z
        .string(`${name}.host must be a string.`)
        .trim()
        .min(1, `${name}.host must be the name of a host.`)
        .max(253),
      port: z.int(`${name}.port must be a port.`).min(1).max(65_535).default(port),
      security: z
        .enum(['tls', 'starttls', 'none'], `${name}.security must be tls, starttls or none.`)
        .default('tls')
        .describe('none: without encryption, for hosts on a private network alone.'),
    })
    .meta({ id: name === 'imap' ? 'ImapServer' : 'SmtpServer' });

const line = (name: string, most: number) =>
  z
    .string(`${name} must be a string.`)
    .min(1, `${name} must not be empty.`)
    .max(most, `${name} can have ${most} characters.`)
    .regex(/^[^\p{Cc}]*$/u, `${name} must be one line.`);

const mailAddress = (name: string) =>
  z
    .string(`${name} must be a string.`)
    .trim()
    .toLowerCase()
    .max(254)
    .regex(
      /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[a-z\d-]{1,63}\.)+[a-z\d-]{2,63}$/,
      `${name} must be a plain mail address.`,
    );

export const newMailChannel = z.strictObject({
  channel: z.literal('mail'),
  address: mailAddress('address').describe('The mailbox of the agent. No person may use it.'),
  aliases: z
    .array(mailAddress('aliases'), 'aliases must be a list of mail addresses.')
    .max(20)
    .default([])
    .describe(
      'Other addresses whose mail arrives in the mailbox. Mail must be addressed to the mailbox or to an alias.',
    ),
  imap: mailServer('imap', 993),
  smtp: mailServer('smtp', 465),
  user: line('user', 320),
  password: line('password', 1000),
  authserv_id: line('authserv_id', 253).describe(
    'The name in the Authentication-Results headers of your mail server. Only its verdicts about senders count.',
  ),
  private_network: z.boolean().default(false).describe('Whether the hosts may have private addresses.'),
});

/** As the port of mail expects them. */
export function mailCredentials({ channel: _, ...settings }: z.infer<typeof newMailChannel>): string {
  for (const name of ['imap', 'smtp'] as const)
    if (settings[name].security === 'none' && !settings.private_network)
      throw new InvalidRequest(
        'invalid_request',
        'private_network',
        `Passwords are sent without encryption on a private network alone. Use tls for ${name}, or set private_network.`,
      );
  return JSON.stringify(settings);
}
