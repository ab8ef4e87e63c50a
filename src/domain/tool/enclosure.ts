/** Starts a program behind what the operating system denies it: as this command, and as this user if another one. */
export type Enclosure = {
  readonly enclose: (
    program: string,
    args: readonly string[],
  ) => { readonly file: string; readonly args: readonly string[]; readonly uid?: number; readonly gid?: number };
};
