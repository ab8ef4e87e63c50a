import { firstSentence } from '#domain/text/first-sentence.ts';
import type { Assistant } from '#domain/work/assistant.ts';
import { findByName, listAssistants } from '#store/assistants/assistants.ts';
import { findChat, putChatAssistant } from '#store/chats/messages.ts';
import { type OwnedTransaction, type Owner, withOwner } from '#store/connection.ts';
import { type HandledUpdate, type HandlerParts, placeOf } from './handled-update.ts';

/** What a chat has chosen when it wants no assistant, although its account has one. */
const NONE = '';
const OFF = ['off', 'none'];
const MOST_SHOWN = 20;

/** Who answers in a chat: what it has chosen, or else the account's. Undefined for the usual agent. */
export const assistantFor = (
  chosen: string | null | undefined,
  account: { readonly assistant: string | null },
): string | undefined => (chosen ?? account.assistant) || undefined;

/** `/agent`: says who answers in this chat, or chooses who answers from the next message on. */
export function chooseAssistant({ db }: Pick<HandlerParts, 'db'>, command: HandledUpdate<'command'>): Promise<string> {
  const { owner, account, incoming } = command;
  const place = placeOf(command);
  const given = incoming.argument.trim().toLowerCase().replace(/^@/, '');
  return withOwner(db, owner, async (trx) => {
    if (given === '') {
      const current = assistantFor((await findChat(trx, owner, place))?.assistant, account);
      return `${current ? `The assistant ${current} answers here.` : 'The usual agent answers here.'} ${await listFor(trx, owner)}`;
    }
    if (OFF.includes(given)) {
      await putChatAssistant(trx, owner, place, NONE);
      return 'From the next message on, the usual agent answers here.';
    }
    const found = await findByName(trx, owner, given);
    if (!found) return `There is no assistant of this name. ${await listFor(trx, owner)}`;
    await putChatAssistant(trx, owner, place, found.name);
    return `From the next message on, the assistant ${found.name} answers here.`;
  });
}

async function listFor(trx: OwnedTransaction, owner: Owner): Promise<string> {
  const all = await listAssistants(trx, owner);
  if (all.length === 0) return 'There are no assistants yet. Make one in the web app, under Assistants.';
  const lines = all.slice(0, MOST_SHOWN).map(lineOf);
  return ['/agent with a name chooses one, and /agent off none:', ...lines].join('\n');
}

const lineOf = ({ name, description }: Assistant) => (description ? `${name}: ${firstSentence(description)}` : name);
