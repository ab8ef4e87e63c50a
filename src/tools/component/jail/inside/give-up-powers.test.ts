import { execFile } from 'node:child_process';
import { stripTypeScriptTypes } from 'node:module';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readModule } from '../read-inside.ts';
import { jailFlags } from '../start-child.ts';

/** Tried by a thread that has all of Node at hand, as one would that broke out of its realm. */
const TRIES = {
  'read a file': "fs.readFileSync('/etc/hostname')",
  'list a folder': "fs.readdirSync('/')",
  'write a file': "fs.writeFileSync('/tmp/broken-out', '')",
  'start a process': "childProcess.spawnSync('true')",
  'start a thread': "new threads.Worker('0', { eval: true })",
  'start a thread without --permission': "new threads.Worker('0', { eval: true, execArgv: [] })",
  'connect to a server': "await new Promise((_, no) => net.connect(9, '127.0.0.1').on('error', no))",
  'listen on a port': "await new Promise((yes, no) => net.createServer().on('error', no).listen(0, yes))",
  'send a datagram': "await new Promise((yes, no) => dgram.createSocket('udp4').on('error', no).bind(0, yes))",
  'look up a name': "await dns.promises.lookup('localhost')",
  'load an addon': "process.dlopen({ exports: {} }, '/tmp/x.node')",
  'run code from a string': "Function('return 1')()",
  'signal the parent': 'process.kill(process.ppid, 0)',
  'slow the parent down': 'os.setPriority(process.ppid, os.getPriority(process.ppid))',
  'read the environment': "if (Object.keys(process.env).length === 0) throw new Error('empty')",
  fetch: "await fetch('http://127.0.0.1:2/')",
};

const MODULES = ['fs', 'os', 'net', 'dgram', 'dns', 'child_process:childProcess', 'worker_threads:threads'];

test('a thread that broke out of its realm reaches no file, process, thread, socket or signal', async () => {
  const reached = await runThread(`
    import { giveUpPowers } from '${dataUrl(readModule('give-up-powers.ts'))}';
    giveUpPowers();
    ${probe()}`);
  expect(reached).toEqual(Object.fromEntries(Object.keys(TRIES).map((name) => [name, false])));
});

test('without giving up, --permission alone would not have held it', async () => {
  const reached = await runThread(probe());
  const held = { 'start a thread without --permission': true, 'signal the parent': true, 'read a file': false };
  expect(reached).toMatchObject(held);
});

const probe = () => `
  ${MODULES.map((module) => module.split(':'))
    .map(([module, name = module]) => `import ${name} from 'node:${module}';`)
    .join('')}
  const reached = {};
  ${Object.entries(TRIES)
    .map(([name, code]) => `try { ${code}; reached['${name}'] = true; } catch { reached['${name}'] = false; }`)
    .join('\n')}
  threads.parentPort.postMessage(reached);`;

async function runThread(source: string): Promise<unknown> {
  const main = `
    import { Worker } from 'node:worker_threads';
    const worker = new Worker(new URL('${dataUrl(source)}'), { env: {} });
    worker.on('message', (reached) => { console.log(JSON.stringify(reached)); process.exit(); });`;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [...jailFlags(2 ** 26), '--input-type=module', '--eval', main], {
    env: {},
  });
  return JSON.parse(stdout);
}

const dataUrl = (source: string) =>
  `data:text/javascript;base64,${Buffer.from(stripTypeScriptTypes(source)).toString('base64')}`;
