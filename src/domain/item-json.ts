import type { Item, ItemBody } from './item.ts';

/** An item as the database gives it inside a JSON: its body apart from its place, and times as texts. */
export type ItemJson = Omit<Item, keyof ItemBody | 'startedAt'> & { body: ItemBody; startedAt: string | null };

export function itemFromJson({ body, startedAt, ...place }: ItemJson): Item {
  return { ...place, ...body, startedAt: startedAt === null ? null : new Date(startedAt) };
}
