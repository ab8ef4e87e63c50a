import { z } from 'zod';
import shipped from './catalogue.json' with { type: 'json' };

/** A well-known server, as the file and the API describe it. */
export const catalogueServer = z.strictObject({
  id: z.string().describe('Also the name that the server usually gets.'),
  name: z.string().describe('As its vendor writes it.'),
  url: z.url(),
  auth: z
    .enum(['oauth', 'token', 'open'])
    .describe('How one signs in: in a browser, with a secret in a header, or not at all.'),
  own_client: z.boolean().describe('Whether the vendor wants a client that you register there by hand.'),
  header: z
    .strictObject({ name: z.string(), value: z.string() })
    .nullable()
    .describe('The header of `token`. `{secret}` in its value stands for the secret.'),
  page: z.url().describe('Where the vendor describes the server.'),
  checked_on: z.iso.date().nullable().describe('The day the entry was last checked; null if it never was.'),
});

export type CatalogueServer = z.infer<typeof catalogueServer>;

export const parseCatalogue = (list: unknown): CatalogueServer[] => z.array(catalogueServer).parse(list);

/** The servers that can be added by their ID alone. */
export const listCatalogue = (): CatalogueServer[] => parseCatalogue(shipped);
