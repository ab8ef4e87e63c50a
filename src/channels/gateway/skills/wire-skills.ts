import { z } from 'zod';

/** Where a skill comes from: the caller, the operator for everyone, or a folder on the disk of the service. */
const skillSource = z.enum(['me', 'everyone', 'folder'], 'source must be me, everyone or folder.');

const holder = z.enum(['me', 'everyone'], 'for must be me or everyone.').default('me');

const listedSkill = z.strictObject({
  name: z.string(),
  description: z.string(),
  source: skillSource,
  hidden: z.boolean().describe('Whether a nearer one of the same name is read instead.'),
});

export const skillList = z.strictObject({ skills: z.array(listedSkill) }).meta({ id: 'SkillList' });

const file = z.strictObject({
  path: z.string('path is required and must be a string.'),
  text: z.string('text is required and must be a string.'),
});

export const wireSkill = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    source: skillSource,
    files: z.array(file).describe('`SKILL.md` is the first.'),
  })
  .meta({ id: 'Skill' });

export const skillQuery = z.object({ source: skillSource.optional() });

/** `files` of which one is `SKILL.md`, or only its `text`. `everyone` is for the operator. `replace` is needed for a name that exists. */
export const skillAdd = z
  .object({
    text: z.string('text must be the text of a SKILL.md.').nullish(),
    files: z.array(file, 'files must be a list of path and text.').max(100, 'A skill may have 100 files.').nullish(),
    for: holder,
    replace: z.boolean('replace must be true or false.').default(false),
  })
  .refine(({ text, files }) => (text ?? null) === null || (files ?? null) === null, {
    error: 'Give text or files, not both.',
  })
  .refine(({ text, files }) => (text ?? files ?? null) !== null, { error: 'text or files is required.' })
  .refine(({ files }) => new Set(files?.map(({ path }) => path)).size === (files?.length ?? 0), {
    error: 'files has a path twice.',
    path: ['files'],
  })
  .meta({ id: 'SkillAdd' });

export const skillRemoval = z.object({ for: holder });
