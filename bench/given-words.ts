/** What stands on the command line besides options such as `--save`. */
export const givenWords: readonly string[] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
