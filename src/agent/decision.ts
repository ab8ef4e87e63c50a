import type { UserId } from '#domain/principal.ts';

/** Something that a person has allowed, refused or taken back, for the record. */
export type Decision = {
  readonly actor: UserId;
  readonly action: 'gate.approve' | 'gate.always' | 'gate.deny' | 'gate.overdue' | 'approval.revoke' | 'pairing.remove';
  /** The gate, approval or webhook user it is about. */
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
};

/** Told after it was committed. */
export type OnDecision = (decision: Decision) => void;
