import OpenAI, { toFile } from 'openai';
import type { Target } from './features.ts';

/** A vector store with one file, whose text is read. */
export async function newStore(target: Target): Promise<string> {
  const { vectorStores } = new OpenAI({ ...target, maxRetries: 0 });
  const { id } = await vectorStores.create({});
  const file = await toFile(Buffer.from('# Lease\n\nThe deposit is 2700 euros.\n'), 'lease.md');
  await vectorStores.files.uploadAndPoll(id, file, { pollIntervalMs: 100 });
  return id;
}

/** Makes the model search the store, and cite the file. */
export const SEARCH_FILES = 'use reborn_store_search {"queries":["deposit"]}';
export const CITE_FILE = 'say “The deposit is 2700 euros” [lease.md, p. 1].';
