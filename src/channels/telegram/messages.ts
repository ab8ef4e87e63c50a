import { ChatFailed, type ChatMessage, type SentFile } from '#agent/chats/chat-port.ts';
import { type Call, UPLOAD } from './bot-api.ts';
import { renderHtml } from './render-html.ts';

const MOST_CHARACTERS = 4096;
const MOST_PHOTO_BYTES = 10 * 1024 * 1024;

/** Returns the id of the message. */
export function sendMessage(call: Call, chat: string, message: ChatMessage): Promise<string> {
  const { id, topic } = parseChat(chat);
  return withMarkup(message, (text, mode) =>
    call(async (bot) => {
      const sent = await bot.sendMessage(id, text, {
        ...optionsFor(message, mode),
        ...(topic !== undefined && { message_thread_id: topic }),
        ...(message.replyTo && {
          reply_parameters: { message_id: Number(message.replyTo), allow_sending_without_reply: true },
        }),
      });
      return String(sent.message_id);
    }),
  );
}

/** Returns false when the message is not there any more. */
export async function editMessage(call: Call, chat: string, remoteId: string, message: ChatMessage): Promise<boolean> {
  const [file] = message.files ?? [];
  const { id } = parseChat(chat);
  try {
    if (file) await showFile(call, { chat_id: id, message_id: Number(remoteId) }, file);
    else
      await withMarkup(message, (text, mode) =>
        call((bot) => bot.editMessageText(id, Number(remoteId), text, optionsFor(message, mode))),
      );
    return true;
  } catch (error) {
    if (!(error instanceof ChatFailed)) throw error;
    if (/message is not modified/.test(error.message)) return true;
    if (isAboutMessage(error)) return false;
    throw error;
  }
}

export async function showTyping(call: Call, chat: string): Promise<void> {
  const { id, topic } = parseChat(chat);
  await call((bot) => bot.sendChatAction(id, 'typing', topic === undefined ? {} : { message_thread_id: topic }));
}

/** Telegram refuses a message whose markup it can't parse; then the text is sent without any. */
async function withMarkup<T>(message: ChatMessage, act: (text: string, mode?: 'HTML') => Promise<T>): Promise<T> {
  try {
    return await act(renderHtml(message.markdown), 'HTML');
  } catch (error) {
    if (!(error instanceof ChatFailed) || !/can't parse entities|is too long/.test(error.message)) throw error;
    return act(message.markdown.slice(0, MOST_CHARACTERS));
  }
}

/** A picture that Telegram can't show, for example because it is very wide, becomes a document. */
async function showFile(
  call: Call,
  place: { readonly chat_id: number; readonly message_id: number },
  file: SentFile,
): Promise<void> {
  const show = (type: 'photo' | 'document') => {
    const asked = { ...place, media: { type, media: `attach://${UPLOAD}` }, [UPLOAD]: file };
    return call((bot) => bot.raw.editMessageMedia(asked));
  };
  if (!isPhoto(file)) return void (await show('document'));
  try {
    await show('photo');
  } catch (error) {
    if (!(error instanceof ChatFailed && error.result.outcome === 'refused') || isAboutMessage(error)) throw error;
    await show('document');
  }
}

const isPhoto = ({ mediaType, bytes }: SentFile) =>
  /^image\/(?:png|jpeg|webp)$/.test(mediaType) && bytes.length <= MOST_PHOTO_BYTES;

/** The message that was to be edited is not there, or can't be edited. */
const isAboutMessage = (error: ChatFailed) =>
  /message to edit not found|message can't be edited|MESSAGE_ID_INVALID/.test(error.message);

function optionsFor({ buttons }: ChatMessage, mode: 'HTML' | undefined) {
  const row = (buttons ?? []).map(({ label, data }) => ({ text: label, callback_data: data }));
  return {
    ...(mode && { parse_mode: mode }),
    // A preview would fetch an address that a model wrote.
    link_preview_options: { is_disabled: true },
    reply_markup: { inline_keyboard: row.length > 0 ? [row] : [] },
  };
}

/** A chat is `ID`, or `ID/TOPIC` in a group with topics. */
function parseChat(chat: string): { readonly id: number; readonly topic: number | undefined } {
  const [id, topic] = chat.split('/');
  return { id: Number(id), topic: topic === undefined ? undefined : Number(topic) };
}
