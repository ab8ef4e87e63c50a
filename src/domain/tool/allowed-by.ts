/**
 * What lets a call run: the operator's level, an "always" of the person, their approval of this call or of the links of a site, the
 * tool's own rule, or that nothing by others was read.
 */
export type AllowedBy = (typeof ALLOWED_BY)[number];

export const ALLOWED_BY = ['policy', 'always', 'approval', 'site', 'tool', 'clean'] as const;
