/** PLACEHOLDER until the repository has a public home. Only .github/ISSUE_TEMPLATE/config.yml repeats the address. */
export const REPOSITORY = 'https://github.com/reborn-agent/reborn';
