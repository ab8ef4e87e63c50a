import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { FoundSkill, SkillDesk } from '#agent/administration/skill-admin.ts';
import { parseBody } from '#http/routes/parse-body.ts';
import { skillAdd, type skillList, skillQuery, skillRemoval, type wireSkill } from './wire-skills.ts';

type ByName = { Params: { name: string } };

/** `/api/skills`: what the agent can read up on. Everybody has their own; the operator also changes those for everyone. */
export function skillRoutes(skills: SkillDesk) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get(
      '/skills',
      async ({ principal }): Promise<z.infer<typeof skillList>> => ({ skills: await skills.list(principal) }),
    );

    app.get<ByName>('/skills/:name', async ({ principal, params, query }): Promise<z.infer<typeof wireSkill>> => {
      const { source } = parseBody(skillQuery, query);
      return renderSkill(await skills.get(principal, params.name, source));
    });

    app.post('/skills', async ({ principal, body }, reply) => {
      const { text, files, for: holder, replace } = parseBody(skillAdd, body);
      const given = files ?? [{ path: MAIN, text: text ?? '' }];
      const byPath = Object.fromEntries(given.map((file) => [file.path, file.text]));
      const skill = await skills.add(principal, byPath, { holder, replace });
      return reply.code(201).send(renderSkill({ ...skill, source: holder }));
    });

    app.delete<ByName>('/skills/:name', async ({ principal, params, query }, reply) => {
      await skills.remove(principal, params.name, parseBody(skillRemoval, query).for);
      return reply.code(204).send();
    });
  };
}

const MAIN = 'SKILL.md';

function renderSkill({ name, description, source, files }: FoundSkill): z.infer<typeof wireSkill> {
  const others = Object.keys(files).filter((path) => path !== MAIN);
  const ordered = [MAIN, ...others.toSorted()].map((path) => ({ path, text: files[path] ?? '' }));
  return { name, description, source, files: ordered };
}
