import type { CallField, CallTemplate, ValueKind, Words } from '#domain/tool/call-card.ts';

export function words(en: string, de: string, nb: string): Words {
  return { en, de, nb };
}

/** A question, and the same once it was done; `when`: only for calls where an argument has this value. */
export function says(ask: Words, did: Words, when?: CallTemplate['when']): CallTemplate {
  return { ask, did, ...(when && { when }) };
}

export function field(path: string, label: Words, kind?: ValueKind): CallField {
  return { path, label, ...(kind && { kind }) };
}
