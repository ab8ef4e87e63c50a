import { Conflict, InvalidRequest, NotFound } from '#domain/errors.ts';
import { type Principal, requireOperator } from '#domain/principal.ts';
import type { Skill, SkillSummary } from '#domain/tool/skill.ts';
import { audited } from '#store/audit.ts';
import { type Database, type OwnedTransaction, type Owner, withOwner } from '#store/connection.ts';
import { deleteSkill, EVERYONE, findSkill, listSkills, putSkill } from '#store/tools/skills.ts';
import { checkSkillFiles } from '#tools/skills/check-skill-files.ts';
import { InvalidSkill, parseSkill } from '#tools/skills/parse-skill.ts';
import type { Skills } from '#tools/skills/skills.ts';

export type SkillAdmin = ReturnType<typeof createSkillAdmin>;

/** In order of precedence: the user's own, those for everyone, and those in the folder of this replica. */
const SOURCES = ['me', 'everyone', 'folder'] as const;

export type SkillSource = (typeof SOURCES)[number];

/** Whose skills are changed: the caller's, everyone's or, by an operator, another user's. */
export type SkillHolder = Exclude<SkillSource, 'folder'> | Owner;

/** `hidden`: a skill of the same name takes precedence. */
export type ListedSkill = SkillSummary & { readonly source: SkillSource; readonly hidden: boolean };

export type FoundSkill = Skill & { readonly source: SkillSource };

const MAX_SKILLS = 200;

/** Manages skills: users add their own, operators also add skills for everyone. */
export function createSkillAdmin({
  db,
  skills,
}: {
  readonly db: Database;
  readonly skills: Pick<Skills, 'layers' | 'onDisk'>;
}) {
  const inFolder = async (name: string) => (await skills.onDisk()).find((skill) => skill.name === name);

  function find(principal: Principal, source: SkillSource, name: string): Promise<Skill | undefined> {
    if (source === 'folder') return inFolder(name);
    const owner = ownerOf(principal, source);
    return withOwner(db, owner, (trx) => findSkill(trx, owner, name));
  }

  function change<T>(
    actor: Principal,
    holder: SkillHolder,
    act: (trx: OwnedTransaction, owner: Owner) => Promise<T>,
  ): Promise<T> {
    const owner = ownerOf(actor, holder);
    if (owner.userId !== actor.userId) requireOperator(actor);
    return withOwner(db, owner, (trx) => act(trx, owner));
  }

  return {
    /** The skills as the caller sees them or, for an operator, another user. */
    async list(principal: Principal, user: Owner = principal): Promise<ListedSkill[]> {
      if (user.userId !== principal.userId) requireOperator(principal);
      const layers = await skills.layers(user);
      const known = new Set<string>();
      const listed = SOURCES.flatMap((source) =>
        layers[source].map(({ name, description }) => {
          const hidden = known.has(name);
          known.add(name);
          return { name, description, source, hidden };
        }),
      );
      return listed.toSorted((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)));
    },

    /** The skill of that source, or without a source the one that the agent reads. */
    async get(principal: Principal, name: string, source?: SkillSource): Promise<FoundSkill> {
      for (const each of source ? [source] : SOURCES) {
        const found = await find(principal, each, name);
        if (found) return { ...found, source: each };
      }
      throw noSkill(name);
    },

    /** Replaces a skill of the same name only with `replace`. */
    add(
      actor: Principal,
      files: Readonly<Record<string, string>>,
      { holder, replace }: { readonly holder: SkillHolder; readonly replace: boolean },
    ): Promise<Skill> {
      return change(actor, holder, async (trx, owner) => {
        const skill = parseFiles(files);
        const there = await listSkills(trx, owner);
        const exists = there.some(({ name }) => name === skill.name);
        if (exists && !replace)
          throw new Conflict('already_exists', `There is a skill "${skill.name}" already. Replace it, or rename one.`);
        if (!exists && there.length >= MAX_SKILLS)
          throw new InvalidRequest('invalid_request', null, `There can be ${MAX_SKILLS} skills. Remove one first.`);
        const detail = { for: describe(holder), replaced: exists };
        const entry = { actor: actor.userId, action: 'skill.add', subject: skill.name, detail };
        await audited(trx, (writing) => putSkill(writing, owner, skill), entry);
        return skill;
      });
    },

    remove(actor: Principal, name: string, holder: SkillHolder): Promise<void> {
      return change(actor, holder, async (trx, owner) => {
        const entry = { actor: actor.userId, action: 'skill.remove', subject: name, detail: { for: describe(holder) } };
        const existed = await audited(trx, (writing) => deleteSkill(writing, owner, name), entry);
        if (!existed) throw noSkill(name);
      });
    },
  };
}

function ownerOf(principal: Principal, holder: SkillHolder): Owner {
  if (holder === 'me') return principal;
  return holder === 'everyone' ? EVERYONE : holder;
}

const describe = (holder: SkillHolder) => (typeof holder === 'string' ? holder : holder.userId);

const noSkill = (name: string) => new NotFound(`The skill "${name.slice(0, 64)}" does not exist here.`);

function parseFiles(files: Readonly<Record<string, string>>): Skill {
  try {
    checkSkillFiles(files);
    return parseSkill(files);
  } catch (error) {
    if (error instanceof InvalidSkill) throw new InvalidRequest('invalid_request', 'files', error.message);
    throw error;
  }
}
