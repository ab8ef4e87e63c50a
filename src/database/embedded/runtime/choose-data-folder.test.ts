// @module-tag slow
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../open-database.ts';
import {
  ask,
  earlierArea,
  makeHome,
  postmasterPid,
  removeHome,
  sharedAreas,
  startOwner,
} from '../owner-process.test-support.ts';
import { chooseDataFolder, findData } from './choose-data-folder.ts';
import { findServerUser } from './server-user.ts';

describe.runIf(process.getuid?.() === 0)('as root', () => {
  let home: string;
  let data: string;
  beforeEach(async () => {
    home = await makeHome();
    data = path.join(home, 'postgres-18');
  });
  afterEach(() => removeHome(home));

  test("if the server's user can't enter the home folder, the data is under /var/lib/reborn", async () => {
    await chmod(home, 0o700);
    const first = await openDatabase({ url: undefined, home });
    await ask(first.connection, 'create table kept as select 42 as answer');
    await first.close();

    const second = await openDatabase({ url: undefined, home });

    expect(await ask(second.connection, 'table kept')).toEqual([42]);
    await second.close();
    const [area = ''] = await sharedAreas(home);
    const { uid, mode } = await stat(path.join(area, 'postgres-18'));
    expect({ uid, mode: mode & 0o777 }).toEqual({ uid: (await findServerUser()).uid, mode: 0o700 });
    expect(existsSync(data)).toBe(false);
    expect(await findData(home)).toBe(path.join(area, 'postgres-18'));

    await chmod(home, 0o755);
    expect(await chooseDataFolder(home)).toMatchObject({ area });
  });

  test('a home that was deleted and made again gets a new database, and the earlier one is left alone', async () => {
    await chmod(home, 0o700);
    const { area } = await chooseDataFolder(home);
    await addData(area);
    expect(await chooseDataFolder(home)).toMatchObject({ area });

    await rm(home, { recursive: true });
    await mkdir(home, { mode: 0o700 });
    expect(await findData(home)).toBeUndefined();
    expect((await chooseDataFolder(home)).area).not.toBe(area);
    expect(existsSync(path.join(area, 'postgres-18/PG_VERSION'))).toBe(true);
  });

  test('data of an earlier version, which had no id, belongs to the first home that uses it', async () => {
    await chmod(home, 0o700);
    const earlier = earlierArea(home);
    await addData(earlier);
    expect(await chooseDataFolder(home)).toMatchObject({ area: earlier });
    expect(await chooseDataFolder(home)).toMatchObject({ area: earlier });

    await rm(home, { recursive: true });
    await mkdir(home, { mode: 0o700 });
    expect((await chooseDataFolder(home)).area).not.toBe(earlier);
  });

  async function addData(area: string): Promise<void> {
    const user = await findServerUser();
    const folder = path.join(area, 'postgres-18');
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'PG_VERSION'), '18');
    for (const each of [folder, path.join(folder, 'PG_VERSION')]) await chown(each, user.uid, user.gid);
  }

  test('a server can be started by an ordinary user, and root attaches to it', async () => {
    const user = await findServerUser();
    await chown(home, user.uid, user.gid);
    const owner = await startOwner(home, user);
    await ask(owner.connection, 'create table kept as select 42 as answer');

    const database = await openDatabase({ url: undefined, home });
    await owner.close();

    expect(await ask(database.connection, 'table kept')).toEqual([42]);
    await database.close();
    expect(await postmasterPid(data)).toBeUndefined();
  });

  test('unreachable data is reported, and never replaced by an empty database', async () => {
    const user = await findServerUser();
    await mkdir(data);
    await writeFile(path.join(data, 'PG_VERSION'), '18');
    await chown(path.join(data, 'PG_VERSION'), user.uid, user.gid);
    await chmod(home, 0o700);

    await expect(chooseDataFolder(home)).rejects.toThrow('chmod o+x');
  });
});
