import { InvalidRequest, NotFound } from '#domain/errors.ts';
import type { Principal } from '#domain/principal.ts';
import { MAX_TEMPLATES, type PromptTemplate } from '#domain/prompt-template.ts';
import { deleteTemplate, listTemplates, putTemplate } from '#store/accounts/prompt-templates.ts';
import { type Database, withOwner } from '#store/connection.ts';

export type PromptTemplates = ReturnType<typeof createPromptTemplates>;

/** The texts that a user sends often. */
export function createPromptTemplates(db: Database) {
  return {
    list: (owner: Principal): Promise<PromptTemplate[]> => withOwner(db, owner, (trx) => listTemplates(trx, owner)),

    put: (owner: Principal, template: Pick<PromptTemplate, 'name' | 'text'>): Promise<PromptTemplate> =>
      withOwner(db, owner, async (trx) => {
        const known = await listTemplates(trx, owner);
        if (known.length >= MAX_TEMPLATES && !known.some(({ name }) => name === template.name))
          throw new InvalidRequest('invalid_request', 'name', `You may have ${MAX_TEMPLATES} templates. Delete one.`);
        return putTemplate(trx, owner, template);
      }),

    remove: (owner: Principal, name: string): Promise<void> =>
      withOwner(db, owner, async (trx) => {
        if (!(await deleteTemplate(trx, owner, name))) throw new NotFound('This template does not exist.');
      }),
  };
}
