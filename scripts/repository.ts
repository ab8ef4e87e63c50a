/** PLACEHOLDER until the repository has a public home: the address is written here and nowhere else. */
export const REPOSITORY = 'https://github.com/reborn-agent/reborn';
