import { z } from 'zod';

const server = z.object({
  host: z.string(),
  port: z.int(),
  security: z.enum(['tls', 'starttls', 'none']),
});

const settings = z.object({
  address: z.string(),
  aliases: z.array(z.string()).optional(),
  imap: server,
  smtp: server,
  user: z.string(),
  password: z.string(),
  authserv_id: z.string(),
  private_network: z.boolean(),
});

/** `address`: the mailbox of the agent. `aliases`: other addresses whose mail arrives there. `authserv_id`: the name that its server signs verdicts about senders with. */
export type MailSettings = z.infer<typeof settings>;

/** The credentials of a mail account are its settings, as they were checked when it was added. */
export const parseMailSettings = (credentials: string): MailSettings => settings.parse(JSON.parse(credentials));

/** The addresses of a host; the operator may allow hosts on a private network. */
export type LookUp = (host: string, options: { readonly isPrivate: boolean }) => Promise<readonly string[]>;

/** Set explicitly, because the environment can disable the check of certificates. */
export const tlsFor = (host: string) =>
  ({ servername: host, rejectUnauthorized: true, minVersion: 'TLSv1.2' }) as const;

export const domainOf = (address: string) => address.slice(address.lastIndexOf('@') + 1).toLowerCase();
