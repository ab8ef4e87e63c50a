import { z } from 'zod';
import type { FoundSkill, SkillAdmin } from '#agent/administration/skill-admin.ts';
import { defineRoute } from '#http/routes/define-route.ts';

type Services = { readonly skills: SkillAdmin };

/** Who provides a skill: the caller, an operator for everyone, or a folder on the disk of the service. */
const skillSource = z.enum(['me', 'everyone', 'folder']);

const holderField = z
  .string()
  .min(1)
  .max(200)
  .default('me')
  .describe('Whose skill it is: `me`, `everyone` or, by an operator, the id of a user.');

const listedSkill = z.strictObject({
  name: z.string(),
  description: z.string(),
  source: skillSource,
  hidden: z.boolean().describe('Whether another skill of the same name takes precedence.'),
});

const file = z.strictObject({
  path: z.string('path is required and must be a string.'),
  text: z.string('text is required and must be a string.'),
});

const skill = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    source: skillSource,
    files: z.array(file).describe('`SKILL.md` comes first.'),
  })
  .meta({ id: 'Skill' });

const skillParams = z.object({ name: z.string() });

export const listSkills = defineRoute({
  method: 'get',
  path: '/api/skills',
  summary: 'List the skills that the agent can read.',
  query: z.object({
    for: z.string().max(200, 'for is too long.').optional().describe('A user, for whom an operator lists them.'),
  }),
  responses: {
    200: {
      description: "The caller's skills, everyone's, and those on the disk.",
      json: z.strictObject({ skills: z.array(listedSkill) }).meta({ id: 'SkillList' }),
    },
  },
  errors: [400],
  async handle({ principal, query }, { skills }: Services) {
    const { for: user = 'me' } = query;
    return { skills: await skills.list(principal, user === 'me' ? principal : { userId: user }) };
  },
});

const addSkill = defineRoute({
  method: 'post',
  path: '/api/skills',
  summary: 'Add a skill for the caller or, as an operator, for everyone. Send `files`, or only the `text` of SKILL.md.',
  body: z
    .object({
      text: z.string('text must be the text of a SKILL.md.').nullish(),
      files: z.array(file, 'files must be a list of path and text.').max(100, 'A skill may have 100 files.').nullish(),
      for: holderField,
      replace: z.boolean().default(false).describe('Needed when the name exists already.'),
    })
    .refine(({ text, files }) => (text ?? null) === null || (files ?? null) === null, {
      error: 'Give text or files, not both.',
    })
    .refine(({ text, files }) => (text ?? files ?? null) !== null, { error: 'text or files is required.' })
    .refine(({ files }) => new Set(files?.map(({ path }) => path)).size === (files?.length ?? 0), {
      error: 'files has a path twice.',
      path: ['files'],
    })
    .meta({ id: 'SkillAdd' }),
  responses: { 201: { description: 'The stored skill.', json: skill } },
  errors: [400, 409, 413],
  async handle({ principal, body: { text, files, for: whom, replace } }, { skills }: Services) {
    const given = files ?? [{ path: MAIN, text: text ?? '' }];
    const byPath = Object.fromEntries(given.map(({ path, text: content }) => [path, content]));
    const added = await skills.add(principal, byPath, { holder: holderOf(whom), replace });
    return renderSkill({ ...added, source: whom === 'everyone' ? whom : 'me' });
  },
});

export const getSkill = defineRoute({
  method: 'get',
  path: '/api/skills/{name}',
  summary: 'Get a skill: from the given source, or the one that takes precedence.',
  params: skillParams,
  query: z.object({ source: skillSource.optional() }),
  responses: { 200: { description: 'The skill with its files.', json: skill } },
  errors: [400, 404],
  async handle({ principal, params, query }, { skills }: Services) {
    return renderSkill(await skills.get(principal, params.name, query.source));
  },
});

const removeSkill = defineRoute({
  method: 'delete',
  path: '/api/skills/{name}',
  summary: 'Remove a skill of the caller or, as an operator, of everyone.',
  params: skillParams,
  query: z.object({ for: holderField }),
  responses: { 204: { description: 'The skill is removed.' } },
  errors: [400, 404],
  async handle({ principal, params, query }, { skills }: Services) {
    await skills.remove(principal, params.name, holderOf(query.for));
  },
});

export const skillRoutes = [listSkills, addSkill, getSkill, removeSkill];

const MAIN = 'SKILL.md';

const holderOf = (whom: string) => (whom === 'me' || whom === 'everyone' ? whom : { userId: whom });

function renderSkill({ name, description, source, files }: FoundSkill): z.infer<typeof skill> {
  const others = Object.keys(files).filter((path) => path !== MAIN);
  const ordered = [MAIN, ...others.toSorted()].map((path) => ({ path, text: files[path] ?? '' }));
  return { name, description, source, files: ordered };
}
