import { z } from 'zod';
import { pageLimit } from '../page.ts';

export const memoryQuery = z.object({
  q: z.string('q must be given once.').max(2000, 'q may have 2,000 characters.').optional(),
  limit: pageLimit(20),
});

export const noteText = z.object({ text: z.string('text is required and must be a string.') }).meta({ id: 'NoteText' });

export const wireNote = z
  .strictObject({
    path: z.string(),
    text: z.string(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Note' });

const foundNote = z.strictObject({
  path: z.string(),
  /** Of a long note the part that fits the question. */
  text: z.string(),
  /** Higher is better; 0 in a list that is not the result of a search. */
  score: z.number(),
  updated_at: z.iso.datetime(),
});

export const memoryResults = z.strictObject({ results: z.array(foundNote) }).meta({ id: 'MemoryResults' });
