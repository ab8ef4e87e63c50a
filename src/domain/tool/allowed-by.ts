/**
 * What lets a call run: the operator's level, an "always" of the person, their approval of this call, of the links of a site or of research, the
 * tool's own rule, or that nothing by others was read.
 */
export type AllowedBy = (typeof ALLOWED_BY)[number];

export const ALLOWED_BY = ['policy', 'always', 'approval', 'site', 'research', 'tool', 'clean'] as const;
