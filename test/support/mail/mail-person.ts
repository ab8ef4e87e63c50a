import { createTransport, type SendMailOptions } from 'nodemailer';
import { waitFor } from '../wait-for.ts';
import type { Mail, MailServers } from './mail-servers.ts';

export type MailPerson = ReturnType<typeof createMailPerson>;

/** Someone with a mailbox who writes to `agent`. Without `isProven`, the server says that the sender may be another. */
export function createMailPerson(servers: MailServers, address: string, agent: string, isProven = true) {
  const transport = createTransport({
    host: '127.0.0.1',
    port: servers.smtpPort,
    secure: false,
    ignoreTLS: true,
    name: isProven ? 'auth.example.test' : 'unknown.test',
  });
  const send = async (mail: SendMailOptions): Promise<string> => {
    const { messageId } = await transport.sendMail({ from: address, to: agent, ...mail });
    return messageId;
  };
  const inbox = () => servers.in(address);
  return {
    address,
    send,
    /** A new conversation. */
    say: (text: string, subject = 'Hello') => send({ subject, text }),
    answer: ({ messageId, subject, header }: Mail, text: string, more: SendMailOptions = {}) =>
      send({ subject, text, inReplyTo: messageId, references: `${header('references')} ${messageId}`.trim(), ...more }),
    inbox,
    /** The mail in the inbox whose text matches. */
    got: (words: RegExp | string): Promise<Mail> =>
      waitFor(`${words} in the mailbox of ${address}`, async () =>
        (await inbox()).find(({ text }) => (typeof words === 'string' ? text === words : words.test(text))),
      ),
    /** Sends bytes as they are. */
    sendRaw: (raw: string, from = address) => transport.sendMail({ envelope: { from, to: [agent] }, raw }),
  };
}
