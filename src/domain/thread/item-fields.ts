import { sourceFields } from '../search/source.ts';
import { versionFields } from '../workspace/version.ts';
import { storedHashesOf } from './attachment.ts';
import type { NewItem, WrittenItem } from './item.ts';
import { saidTextOf } from './said-text.ts';

/** The arguments of `write_items`. */
export type ItemFields = {
  readonly items?: object[];
  readonly texts?: object[];
  readonly uses?: object[];
  readonly versions?: object[];
  readonly sources?: object[];
};

/** Items from `position` on, as `write_items` takes them: with their texts, the attachments that they use, their versions and sources. */
export function itemFields(items: readonly (NewItem | WrittenItem)[], position: number): ItemFields {
  if (items.length === 0) return {};
  const texts = items.flatMap((item) => saidTextOf(item) ?? []);
  const uses = items.flatMap((item) => storedHashesOf(item).map((sha256) => ({ id: item.id, sha256 })));
  const versions = items.flatMap((item) => {
    const { version } = item as Partial<WrittenItem>;
    return version ? { item: item.id, ...versionFields(version) } : [];
  });
  const sources = items.flatMap((item) => sourceFields(item.id, (item as Partial<WrittenItem>).sources ?? []));
  return {
    items: items.map((item, offset) => ({ position: position + offset, ...toRow(item) })),
    ...(texts.length > 0 && { texts: texts.map(({ id, role, text }) => ({ id, role, text })) }),
    ...(uses.length > 0 && { uses }),
    ...(versions.length > 0 && { versions }),
    ...(sources.length > 0 && { sources }),
  };
}

function toRow(item: NewItem | WrittenItem): object {
  const { usage, started } = item as Partial<WrittenItem>;
  return {
    id: item.id,
    body: bodyOf(item),
    ...(usage && { usage: JSON.stringify(usage) }),
    ...(started && { started }),
  };
}

const bodies = new WeakMap<NewItem | WrittenItem, string>();

/**
 * An item's body as stored; serialized once, for writing and measuring. A text, not JSON inside JSON, because PostgreSQL
 * can't extract values from JSON that contains \u0000.
 */
export function bodyOf(item: NewItem | WrittenItem): string {
  const known = bodies.get(item);
  if (known !== undefined) return known;
  const body = JSON.stringify({
    ...item,
    id: undefined,
    usage: undefined,
    started: undefined,
    version: undefined,
    sources: undefined,
  });
  bodies.set(item, body);
  return body;
}
