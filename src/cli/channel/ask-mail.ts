import type { AskSecret } from '../ask-secret.ts';

export type MailOptions = {
  readonly address?: string | undefined;
  readonly alias?: string[];
  readonly imap?: string | undefined;
  readonly smtp?: string | undefined;
  readonly user?: string | undefined;
  readonly authservId?: string | undefined;
  readonly privateNetwork?: true;
  readonly plain?: true;
};

/** The settings of a mailbox: from the options, and by questions for the others. */
export async function askMailChannel(ask: AskSecret, options: MailOptions) {
  const need = async (option: string, given: string | undefined, question: string) => {
    const answer = given ?? (await ask(question, { isShown: true }));
    if (answer === undefined) throw new Error(`${question} is needed. Add ${option}.`);
    return answer;
  };
  const address = await need('--address', options.address, 'The mail address of the agent');
  const imap = await need('--imap', options.imap, 'The IMAP server, as HOST or HOST:PORT,');
  const smtp = await need('--smtp', options.smtp, 'The SMTP server, as HOST or HOST:PORT,');
  const user = options.user ?? (await ask(`The user name (empty: ${address})`, { isShown: true })) ?? address;
  const authservId = await need('--authserv-id', options.authservId, 'The name in its Authentication-Results headers');
  const password = await ask('The password');
  if (password === undefined) throw new Error('The password is needed. Many providers give one to each app.');
  return {
    channel: 'mail' as const,
    address,
    aliases: options.alias ?? [],
    imap: toServer(imap, { port: 993, plain: options.plain }),
    smtp: toServer(smtp, { port: 465, plain: options.plain }),
    user,
    password,
    authserv_id: authservId,
    private_network: options.privateNetwork ?? options.plain ?? false,
  };
}

/** Ports that begin without encryption, and then switch to it. */
const STARTTLS_PORTS = [25, 143, 587];

function toServer(given: string, { port: usual, plain }: { port: number; plain: true | undefined }) {
  const [, host = given, digits] = /^(.+?)(?::(\d{1,5}))?$/.exec(given) ?? [];
  const port = digits === undefined ? usual : Number(digits);
  const security = plain ? ('none' as const) : STARTTLS_PORTS.includes(port) ? ('starttls' as const) : ('tls' as const);
  return { host, port, security };
}
