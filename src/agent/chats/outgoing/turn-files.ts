import { cleanFileName, extensionOf } from '#domain/text/media-type.ts';
import { AttachmentUnavailable, hashOfPart, isAttached, sizeOfPart } from '#domain/thread/attachment.ts';
import { type AttachedPart, type ItemBody, partsOf } from '#domain/thread/item.ts';
import { inWords } from '#domain/workspace/changes.ts';
import { ChatFailed, type ChatPort, type ComposedMessage } from '../chat-port.ts';

/** The rest is named in one message. */
const MOST_FILES = 10;

type Sending = {
  readonly port: Pick<ChatPort, 'style' | 'mostFileBytes'>;
  readonly read: (part: AttachedPart) => Promise<Buffer>;
  /** Where the person finds the files. */
  readonly where: string;
};

/** A message for each picture and file that tools have shown. Its words replace a file that is too large, lost or refused. */
export function composeFiles(made: readonly ItemBody[], { port, read, where }: Sending): ComposedMessage[] {
  const parts = shownParts(made);
  let room = port.mostFileBytes;
  const messages = parts.slice(0, MOST_FILES).map((part): ComposedMessage => {
    const name = nameOf(part);
    const bytes = sizeOfPart(part);
    if (bytes > room) return { markdown: `\`${name}\` (${inWords(bytes)}) is too large to be sent here. ${where}` };
    if (port.style === 'letter') room -= bytes;
    const file = { name, mediaType: part.mediaType, read: () => read(part).then(toSent, lost) };
    // As code, so that no app takes the name for an address.
    return { markdown: `\`${name}\` can't be shown here. ${where}`, files: [file] };
  });
  const rest = parts.slice(MOST_FILES).map((part) => `\`${nameOf(part)}\``);
  return rest.length === 0 ? messages : [...messages, { markdown: `Not sent: ${listed(rest)}. ${where}` }];
}

/** A picture that code has drawn and the agent has presented is one file. */
function shownParts(made: readonly ItemBody[]): AttachedPart[] {
  const parts = made
    .filter(({ type }) => type === 'function_call_output')
    .flatMap(partsOf)
    .filter(isAttached)
    .filter(({ forModel }) => !forModel);
  return [...new Map(parts.map((part) => [`${hashOfPart(part)} ${nameOf(part)}`, part])).values()];
}

function nameOf(part: AttachedPart): string {
  const given = part.filename ? cleanFileName(part.filename) : '';
  return given || `${part.type}${extensionOf(part.mediaType)}`;
}

/** As many names as fit into a message of any platform. */
const listed = (names: readonly string[]): string =>
  names.length > 20 ? `${names.slice(0, 20).join(', ')} and ${names.length - 20} more` : names.join(', ');

const toSent = (bytes: Buffer) => new Uint8Array(bytes);

/** Throws what it is given while the storage does not answer: the same delivery succeeds later. */
function lost(error: unknown): never {
  if (error instanceof AttachmentUnavailable && error.reason !== 'unreachable')
    throw new ChatFailed({ outcome: 'refused', error: error.message }, { cause: error });
  throw error;
}
