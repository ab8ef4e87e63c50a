/** Every problem of the settings, so that all can be fixed at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: string[];

  constructor(problems: string[]) {
    super(['The configuration is invalid:', ...problems.map((problem) => `- ${problem}`)].join('\n'));
    this.problems = problems;
  }
}
