import { expect, test } from 'vitest';
import { canSee, OPERATOR, type Principal, scopeOf } from './principal.ts';

const ann: Principal = { userId: 'ann', role: 'member' };
const admin: Principal = { userId: 'admin', role: 'operator' };

test("an operator sees everyone's data, a member only their own", () => {
  expect(scopeOf(OPERATOR)).toBe('everyone');
  expect(scopeOf(admin)).toBe('everyone');
  expect(scopeOf(ann)).toEqual(ann);

  expect(canSee(admin, 'ann')).toBe(true);
  expect(canSee(ann, 'ann')).toBe(true);
  expect(canSee(ann, 'bob')).toBe(false);
});
