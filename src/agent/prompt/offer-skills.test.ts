import { expect, test } from 'vitest';
import { skillsBlock } from './prompt.ts';

const skill = (name: string, description = 'What it is for') => ({ name, description });

test('without skills nothing is said of them', () => {
  expect(skillsBlock([])).toBe('');
});

test('each skill is offered by its name and what it is for, with how to read it', () => {
  const [introduction, ...lines] = skillsBlock([skill('brew'), skill('sail', 'How to tack')]).split('\n');
  expect(introduction).toContain('skill_read');
  expect(lines).toEqual(['- brew: What it is for', '- sail: How to tack']);
});

test('fifty skills are offered at most, with a hint where the others are', () => {
  const many = Array.from({ length: 53 }, (_, index) => skill(`s${index}`));
  const lines = skillsBlock(many).split('\n');
  expect(lines.filter((line) => line.startsWith('- '))).toHaveLength(50);
  expect(lines.at(-1)).toMatch(/^3 more .*skill_list/);
  expect(skillsBlock(many.slice(0, 50))).not.toContain('skill_list');
});

test('a long description is cut, and never through a character', () => {
  const block = skillsBlock([skill('long', `${'x'.repeat(299)}🦀 and more`)]);
  expect(block.length).toBeLessThan(450);
  expect(block).toContain('x'.repeat(299));
  expect(block.isWellFormed()).toBe(true);
  expect(block).not.toContain('and more');
});
