import type { Chat } from './chat.ts';
import { oneLine } from './printable.ts';

type Route = { readonly provider: string; readonly name: string };

type Settings = { readonly default_model: Route; readonly model_routes: Readonly<Record<string, Route>> };

const DEFAULT = 'default';

/** `/model`: what is sent from here on is answered by another of the operator's models. */
export async function chooseModel(chat: Chat, name: string): Promise<void> {
  const { default_model: usual, model_routes: routes } = (await chat.client.get('/api/settings')) as Settings;
  const models = new Map([...Object.entries(routes), [DEFAULT, usual] as const]);
  if (name === '' && models.size === 1)
    return chat.thread.note(
      `The only model is ${describe(usual)}. \`reborn init\` sets another; more are added in the browser, under Models.`,
    );
  const picked = name || (await pick(chat, models));
  if (picked === undefined) return;
  const found = models.get(picked);
  if (!found)
    return chat.thread.note(`There is no model "${oneLine(picked)}". There are: ${[...models.keys()].join(', ')}.`);
  chat.model.set(picked === DEFAULT ? undefined : picked);
  chat.thread.note(`From here on ${describe(found)} answers.`);
}

function pick(chat: Chat, models: ReadonlyMap<string, Route>): Promise<string | undefined> {
  const current = chat.model.get() ?? DEFAULT;
  const choices = Array.from(models, ([name, route]) => ({
    value: name,
    label: oneLine(name),
    description: `${describe(route)}${name === current ? ', answers now' : ''}`,
  }));
  return chat.screen.pick('Answered by (Enter chooses, Esc goes back)', choices);
}

const describe = ({ provider, name }: Route) =>
  provider === 'demo' ? 'the offline demo model' : oneLine(`${name} by ${provider}`);
