import { z } from 'zod';

/** What was said in a conversation elsewhere, without its tools, thoughts and instructions. */
export type ForeignChat = {
  /** As the other service calls it. */
  readonly id: string;
  readonly title: string;
  readonly isArchived: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly messages: readonly ForeignMessage[];
};

export type ForeignMessage = { readonly role: 'user' | 'assistant'; readonly text: string; readonly at: Date };

/** A conversation in `conversations.json` of ChatGPT's export: a tree of messages, of which one line is shown. */
export function readChatGpt(given: unknown, now: Date): ForeignChat | undefined {
  const { data } = conversation.safeParse(given);
  const id = data?.conversation_id ?? data?.id;
  if (!data || !id) return undefined;
  const createdAt = toDate(data.create_time, now) ?? now;
  return {
    id,
    title: data.title ?? '',
    isArchived: data.is_archived ?? false,
    createdAt,
    updatedAt: toDate(data.update_time, now) ?? createdAt,
    messages: joinAnswers(shownLine(data).flatMap((each) => readMessage(each, createdAt, now) ?? [])),
  };
}

const seconds = z.number().nullish().catch(null);
const message = z.object({
  author: z.object({ role: z.string() }),
  content: z.object({ content_type: z.string(), parts: z.array(z.unknown()).nullish() }),
  create_time: seconds,
  recipient: z.string().nullish(),
  metadata: z.object({ is_visually_hidden_from_conversation: z.boolean().nullish() }).nullish().catch(null),
});
const node = z.object({ parent: z.string().nullish(), message: message.nullish().catch(null) });
const conversation = z.object({
  conversation_id: z.string().nullish(),
  id: z.string().nullish(),
  title: z.string().nullish(),
  create_time: seconds,
  update_time: seconds,
  is_archived: z.boolean().nullish().catch(null),
  current_node: z.string().nullish(),
  mapping: z.record(z.string(), node),
});

type Message = z.infer<typeof message>;

/** From the node that was open last up to the root. Older exports don't name it: there it is the last one. */
function shownLine({ mapping, current_node: current }: z.infer<typeof conversation>): Message[] {
  const line: Message[] = [];
  const seen = new Set<string>();
  let at = current ?? Object.keys(mapping).at(-1);
  while (at !== undefined && !seen.has(at)) {
    seen.add(at);
    const here: z.infer<typeof node> | undefined = mapping[at];
    if (here?.message) line.push(here.message);
    at = here?.parent ?? undefined;
  }
  return line.toReversed();
}

function readMessage(
  { author: { role }, content, create_time: time, recipient, metadata }: Message,
  start: Date,
  now: Date,
): ForeignMessage | undefined {
  if (role !== 'user' && role !== 'assistant') return undefined;
  const isForTool = role === 'assistant' && (recipient ?? 'all') !== 'all';
  if (isForTool || metadata?.is_visually_hidden_from_conversation || !SAID.includes(content.content_type))
    return undefined;
  const text = (content.parts ?? []).map(wordsOf).filter(Boolean).join('\n\n').replaceAll(MARKERS, '').trim();
  return text === '' ? undefined : { role, text, at: toDate(time, now) ?? start };
}

/** Thoughts, code for tools and what they returned have other types. */
const SAID = ['text', 'multimodal_text'];

/** The places of citations and pictures, which only mean something to ChatGPT: they stand between private characters. */
const MARKERS = /\uE200[^\uE200\uE201]*\uE201/g;

const spoken = z.object({ content_type: z.literal('audio_transcription'), text: z.string() });

/** Pictures and files are not in `conversations.json`. */
function wordsOf(part: unknown): string {
  if (typeof part === 'string') return part;
  const { data } = spoken.safeParse(part);
  return data?.text ?? '[A picture or a file, which the export of the conversations does not have.]';
}

/** An answer that used tools comes in pieces. */
function joinAnswers(messages: readonly ForeignMessage[]): ForeignMessage[] {
  const joined: ForeignMessage[] = [];
  for (const each of messages) {
    const before = joined.at(-1);
    if (before?.role === 'assistant' && each.role === 'assistant')
      joined[joined.length - 1] = { ...before, text: `${before.text}\n\n${each.text}` };
    else joined.push(each);
  }
  return joined;
}

/** Undefined for a time that can't be: it would put the thread ahead of all others forever. */
function toDate(time: number | null | undefined, now: Date): Date | undefined {
  const milliseconds = Math.round((time ?? 0) * 1000);
  return milliseconds > 0 && milliseconds <= now.getTime() ? new Date(milliseconds) : undefined;
}
