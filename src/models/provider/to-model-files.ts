import type {
  LanguageModelV4FilePart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
  SharedV4FileData,
} from '@ai-sdk/provider';
import { isTextType, pictureTypeOf } from '#domain/text/media-type.ts';
import { wrapUntrusted } from '#domain/text/untrusted.ts';
import { type InlinePart, type LoadedPart, text } from '#domain/thread/item.ts';
import type { Model, PromptMessage } from '../model.ts';
import type { ModelProvider } from '../model-route.ts';

/** A file in a user's message. Because it stays in the thread, one that the provider would refuse is replaced by its name. */
export function toFilePart(
  part: InlinePart,
  provider: ModelProvider,
): LanguageModelV4FilePart | LanguageModelV4TextPart {
  if (isTextType(part.mediaType)) return { type: 'text', text: part.origin === 'own' ? readOut(part) : wrapText(part) };
  if (!canSee(part, provider)) return { type: 'text', text: describeUnseen(part) };
  const filename = part.type === 'file' && part.filename !== null ? { filename: part.filename } : {};
  return { ...toFile(part), ...filename };
}

/** The text of an output comes first, as one part: Google counts each part as a result, and a call has exactly one. */
export function toToolOutput(output: readonly LoadedPart[], reader: Reader): LanguageModelV4ToolResultOutput {
  const files = output.filter((part) => part.type !== 'text').filter((part) => canSeeInOutput(part, reader));
  const words = output.flatMap((part) => wordsOf(part, reader)).join('\n');
  if (files.length === 0) return { type: 'text', value: words };
  return {
    type: 'content',
    value: [{ type: 'text', text: words || 'The output is attached.' }, ...files.map(toFile)],
  };
}

/** What decides which parts a model gets. */
export type Reader = Pick<Model, 'reads'> & { readonly provider: ModelProvider };

/**
 * Chat completions accept only text as a tool's output. There, a picture that a tool has read for the model follows the results of the
 * answer's calls, as a message.
 */
export function picturesAfterResults(messages: readonly PromptMessage[], reader: Reader): readonly PromptMessage[] {
  if (reader.provider !== 'openai-compatible' || !seesPictures(reader)) return messages;
  const moved: PromptMessage[] = [];
  let pictures: LoadedPart[] = [];
  const flush = (): void => {
    if (pictures.length > 0)
      moved.push({ role: 'user', content: [text('[pictures of the outputs above]'), ...pictures] });
    pictures = [];
  };
  for (const message of messages) {
    if (message.role !== 'tool') flush();
    const found = message.role === 'tool' ? message.output.filter(isForModel) : [];
    pictures.push(...found);
    moved.push(
      message.role === 'tool' && found.length > 0
        ? { ...message, output: message.output.map((part) => (isForModel(part) ? text('[picture below]') : part)) }
        : message,
    );
  }
  flush();
  return moved;
}

const isForModel = (part: LoadedPart): boolean => part.type === 'image' && part.forModel === true;

function wordsOf(part: LoadedPart, reader: Reader): string[] {
  if (part.type === 'text') return part.text ? [part.text] : [];
  if (isTextType(part.mediaType)) return [readOut(part)];
  return canSeeInOutput(part, reader) ? [] : [describeUnseen(part)];
}

function canSee(part: InlinePart, provider: ModelProvider): boolean {
  if (isPicture(part)) return true;
  if (provider === 'google') return /^(?:audio|video)\//.test(part.mediaType);
  return provider === 'openai-compatible' && /^audio\/(?:wav|mp3|mpeg)$/.test(part.mediaType);
}

function canSeeInOutput(part: InlinePart, reader: Reader): boolean {
  return isPicture(part) && seesPictures(reader) && reader.provider !== 'openai-compatible';
}

/** Of a model of an unknown kind we must not assume it: its server would refuse the whole prompt. */
const seesPictures = ({ reads }: Reader): boolean => reads?.includes('image') ?? false;

const isPicture = (part: InlinePart): boolean =>
  part.mediaType === 'application/pdf' || /^image\/(?!svg)/.test(part.mediaType);

/**
 * Bytes, never the base64 text: text that starts like a URL may be taken for one, and OpenAI's adapter takes text that
 * starts with `file-` for a stored file.
 */
function toFile(part: InlinePart): { type: 'file'; mediaType: string; data: SharedV4FileData } {
  const data = new Uint8Array(Buffer.from(part.base64, 'base64'));
  // Providers refuse an image with a wrong type, and clients often send one.
  return { type: 'file', mediaType: pictureTypeOf(data) ?? part.mediaType, data: { type: 'data', data } };
}

/** Text files are included as text, because most providers accept only images and PDFs as files. */
const readOut = (part: InlinePart): string => `[${nameOf(part)}]\n${decode(part)}`;

/** Who sends a file has rarely written it. */
function wrapText(part: InlinePart): string {
  const source = part.type === 'file' && part.filename !== null ? part.filename : part.mediaType;
  return wrapUntrusted(decode(part), source, Number.POSITIVE_INFINITY);
}

const decode = ({ base64 }: InlinePart): string => Buffer.from(base64, 'base64').toString('utf8');

const describeUnseen = (part: InlinePart): string => `[${nameOf(part)}: this model can't look at it]`;

function nameOf(part: InlinePart): string {
  return part.type === 'file' && part.filename !== null ? `${part.filename}, ${part.mediaType}` : part.mediaType;
}
