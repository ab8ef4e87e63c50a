import type { ChatConnection, ChatPort } from '#agent/chats/chat-port.ts';
import { composeMail } from './compose-mail.ts';
import { type LookUp, parseMailSettings } from './mail-settings.ts';
import { messageIdBegin } from './mail-thread.ts';
import { createMailbox, type Mailbox } from './mailbox.ts';
import type { Readers } from './read-mail.ts';
import { readStored } from './stored-mail.ts';
import { checkSubmission, submitMail } from './submit-mail.ts';

/** Mail, by IMAP and SMTP. The credentials are the settings of a mailbox, as JSON. Its connections last as long as the port. */
export function createMailPort(
  lookUp: LookUp,
  readers: Readers,
): ChatPort & {
  close(): Promise<void>;
} {
  const mailboxes = new Map<string, Mailbox>();

  function connect(credentials: string): ChatConnection {
    const settings = parseMailSettings(credentials);
    const { address: account } = settings;
    const mailbox = mailboxes.get(credentials) ?? createMailbox(settings, lookUp, readers);
    mailboxes.set(credentials, mailbox);
    return {
      async identify() {
        const cursor = await mailbox.findEnd();
        await checkSubmission(settings, lookUp);
        return { remoteId: account, name: account, cursor };
      },
      receive: mailbox.receive,
      setAddress: async () => {},
      async send(chat, message, key) {
        const mail = await composeMail({ chat, message, key, account });
        await submitMail(settings, lookUp, mail);
        return mail.messageId;
      },
      async findSent(_chat, key) {
        const begin = messageIdBegin(key);
        return (await mailbox.hasCopy(begin)) ? begin : undefined;
      },
      showTyping: async () => {},
      answerPress: async () => {},
      download: async ({ id }) => new Uint8Array(Buffer.from(id, 'base64')),
    };
  }

  return {
    style: 'letter',
    modes: ['polling'],
    credentialsIn: 'imap',
    connect,
    file: () => undefined,
    read: readStored,
    split: (markdown) => [markdown],
    // A server that accepts less refuses the mail, and it is sent without the files.
    mostFileBytes: 20_000_000,
    linkFor: ({ name }, code) => `mailto:${name}?subject=Link&body=${code}`,
    async close() {
      await Promise.all([...mailboxes.values()].map((mailbox) => mailbox.close()));
    },
  };
}
