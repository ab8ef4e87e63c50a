import os from 'node:os';
import path from 'node:path';

/** What a service manager is to start, and for whom. */
export type ServiceProgram = {
  readonly node: string;
  readonly main: string;
  /** Not set: the default home folder of the user who runs it. */
  readonly home: string | undefined;
  /** Set for a service of the whole machine: who runs it. */
  readonly user: string | undefined;
};

/** This very program. What `npx` fetched is refused, since it may be gone tomorrow. */
export function thisProgram(home: string, user: string | undefined): ServiceProgram {
  const main = process.argv[1] ?? '';
  if (/[\\/]_npx[\\/]/.test(main))
    throw new Error('npx keeps programs only for a while. Install it first: `npm install --global reborn-agent`.');
  const isOwn = home === path.join(os.homedir(), '.reborn');
  return { node: process.execPath, main, home: user !== undefined && isOwn ? undefined : home, user };
}

/** For root it is a service of the machine, which must not run as root by accident. */
export function chooseUser(as: string | undefined): string | undefined {
  const { uid } = os.userInfo();
  if (uid === 0 && !as)
    throw new Error('Choose the user to run it as: `reborn service install --as <user>`. It needs no special rights.');
  if (uid !== 0 && as) throw new Error('Only root can let others run it. Leave out --as, or run this with sudo.');
  return as;
}
