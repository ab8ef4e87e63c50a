import type { SecretHolder } from '#tools/secrets/holder.ts';

export function describeHolder(holder: SecretHolder): string {
  return holder === 'everyone' ? 'everyone on this installation' : `the user ${holder.userId}`;
}
