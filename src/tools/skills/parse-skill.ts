import type { Skill } from '#domain/tool/skill.ts';

export class InvalidSkill extends Error {
  override readonly name = 'InvalidSkill';
}

/** Parses a skill from its files. Its name and description are at the top of SKILL.md, between two lines of `---`. */
export function parseSkill(files: Readonly<Record<string, string>>): Skill {
  const main = files['SKILL.md'];
  if (main === undefined) throw new InvalidSkill('The folder has no SKILL.md.');
  const head = /^\ufeff?---[^\S\n]*\r?\n([^]*?)\r?\n---[^\S\n]*(?:\r?\n|$)/.exec(main)?.[1];
  if (head === undefined)
    throw new InvalidSkill(
      'SKILL.md must begin with a line of ---, then name and description, then another line of ---.',
    );

  const fields = parseFields(head);
  const name = fields.get('name') ?? '';
  const description = (fields.get('description') ?? '').replace(/\s+/g, ' ').trim();
  if (!/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/.test(name))
    throw new InvalidSkill('The name in SKILL.md must be 1 to 64 lower-case letters, digits and hyphens.');
  if (description === '' || description.length > 1024)
    throw new InvalidSkill('The description in SKILL.md must have 1 to 1024 characters.');
  return { name, description, files };
}

/** The part of YAML that such heads are made of: `key: value`, quoted or not, or a text in indented lines. */
function parseFields(head: string): Map<string, string> {
  const fields = new Map<string, string>();
  let key = '';
  for (const line of head.split(/\r?\n/)) {
    const [, name, value = ''] = /^([A-Za-z][\w-]*):(?:\s+(.*))?$/.exec(line) ?? [];
    if (name !== undefined) {
      key = name;
      fields.set(key, /^[>|][+-]?\s*$/.test(value) ? '' : unquote(value.trim()));
    } else if (/^\s+\S/.test(line) && key) {
      fields.set(key, `${fields.get(key) ?? ''} ${line.trim()}`.trim());
    }
  }
  return fields;
}

function unquote(value: string): string {
  const [, double, single] = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')\s*(?:#.*)?$/.exec(value) ?? [];
  if (double !== undefined) return double.replace(/\\(.)/g, '$1');
  return single?.replaceAll("''", "'") ?? value.replace(/\s+#.*$/, '');
}
