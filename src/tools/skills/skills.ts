import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Skill, SkillSummary } from '#domain/tool/skill.ts';
import { type Database, type Owner, withOwner } from '#store/connection.ts';
import { EVERYONE, findSkill, listSkills } from '#store/tools/skills.ts';
import { readSkillFolder } from './read-skill-folder.ts';

export type Skills = {
  /** What there is for the owner, by name. */
  list(owner: Owner): Promise<SkillSummary[]>;
  /** The same, from rows that were read already. */
  withFolder(rows: readonly (SkillSummary & { readonly userId: string })[]): Promise<SkillSummary[]>;
  find(owner: Owner, name: string): Promise<Skill | undefined>;
  /** All that the owner may read, the nearest first; one of a name hides those behind it. */
  layers(owner: Owner): Promise<SkillLayers>;
  /** Those in the folder of this replica, and those that come with the service. */
  onDisk(): Promise<readonly Skill[]>;
};

export type SkillLayers = Readonly<Record<'me' | 'everyone' | 'folder', readonly SkillSummary[]>>;

/** How long a change on the disk may go unnoticed. */
const REMEMBER_MS = 5_000;

/** A user's own skills, everyone's, those in a folder of this replica, and `shipped` ones; the first of a name counts. */
export function createSkills(
  db: Database,
  folder: string,
  onProblem: (message: string) => void,
  shipped: () => Promise<readonly Skill[]> = async () => [],
): Skills {
  let looked: { readonly at: number; readonly skills: Promise<Skill[]> } | undefined;

  async function onDisk(): Promise<Skill[]> {
    if (!looked || performance.now() - looked.at > REMEMBER_MS)
      looked = { at: performance.now(), skills: readSkills(folder, onProblem) };
    const [found, own] = await Promise.all([looked.skills, shipped()]);
    return [...own.filter(({ name }) => !found.some((skill) => skill.name === name)), ...found];
  }

  async function layers(owner: Owner): Promise<SkillLayers> {
    const own = await withOwner(db, owner, (trx) => listSkills(trx, owner));
    const shared = await withOwner(db, EVERYONE, (trx) => listSkills(trx, EVERYONE));
    return { me: own, everyone: shared, folder: await onDisk() };
  }

  return {
    onDisk,
    layers,
    async list(owner) {
      const { me, everyone, folder: disk } = await layers(owner);
      return merge([...disk, ...everyone, ...me]);
    },
    async withFolder(rows) {
      const isShared = ({ userId }: { readonly userId: string }) => userId === EVERYONE.userId;
      return merge([...(await onDisk()), ...rows.filter(isShared), ...rows.filter((row) => !isShared(row))]);
    },
    async find(owner, name) {
      return (
        (await withOwner(db, owner, (trx) => findSkill(trx, owner, name))) ??
        (await withOwner(db, EVERYONE, (trx) => findSkill(trx, EVERYONE, name))) ??
        (await onDisk()).find((skill) => skill.name === name)
      );
    },
  };
}

/** The last of a name counts. */
function merge(layers: readonly SkillSummary[]): SkillSummary[] {
  const all = layers.map(({ name, description }) => [name, description] as const);
  return [...new Map(all)].map(([name, description]) => ({ name, description })).toSorted(byName);
}

const byName = (one: SkillSummary, other: SkillSummary) => (one.name < other.name ? -1 : 1);

/** A skill that can't be read is reported, and the others are still listed. */
async function readSkills(folder: string, onProblem: (message: string) => void): Promise<Skill[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []); // most have no such folder
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => path.join(folder, name));
  const skills = await Promise.all(
    folders.map((each) =>
      readSkillFolder(each).catch((error: unknown) => {
        onProblem(`The skill in ${each} is left out. ${error instanceof Error ? error.message : String(error)}`);
        return [];
      }),
    ),
  );
  return skills.flat();
}
