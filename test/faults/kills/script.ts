/** A call of the model. Each one works on the files that the ones before it left. */
export type ScriptedCall = { readonly name: string; readonly given: object };

const shell = (command: string): ScriptedCall => ({ name: 'reborn_shell', given: { command } });
/** A new interpreter each time: which variables are left depends on who was killed. */
const python = (code: string): ScriptedCall => ({ name: 'reborn_python', given: { code, reset: true } });
const write = (path: string, text: string): ScriptedCall => ({ name: 'reborn_file_write', given: { path, text } });

/** Its bytes differ in each run, so bytes that a killed call has stored are not used again. */
export const STAMP = 'stamp.txt';

/** What is done in the workspace with this number: always the same, and every output and file depends on all files before. */
export function callAt(workspace: number, step: number): ScriptedCall {
  const mark = `w${workspace}.${step}`;
  const look = `cat $(find . -type f ! -name ${STAMP} | sort) | sha256sum`;
  if (step === 0) return shell(`mkdir -p log parts; echo ${mark} > log/a.txt; seq 1 30000 > parts/all; ${look}`);
  switch ((workspace + step) % 6) {
    case 0:
      return shell(`echo "${mark} $(${look})" >> log/a.txt; date +%s%N > ${STAMP}; wc -l log/a.txt`);
    case 1:
      return python(APPEND(mark));
    case 2:
      return shell(
        `split -n 6 parts/all parts/${mark}- && (cat parts/${mark}-* | rev > parts/all); sleep 0.05; ${look}`,
      );
    case 3:
      return write(`notes/${mark}.md`, `Step ${mark}\n`);
    case 4:
      return shell(
        `mv log/a.txt log/b.txt; (cat log/b.txt; echo ${mark}) > log/a.txt; rm -f ${STAMP} parts/*-*; ${look}`,
      );
    default:
      return python(COUNT(mark));
  }
}

const APPEND = (mark: string) => `
import hashlib, pathlib, time
files = sorted(p for p in pathlib.Path('.').rglob('*') if p.is_file() and p.name != '${STAMP}')
digest = hashlib.sha256(b''.join(p.read_bytes() for p in files)).hexdigest()
with open('log/a.txt', 'a') as log:
    print('${mark}', digest, file=log, flush=True)
    time.sleep(0.05)
    print('${mark} again', file=log)
pathlib.Path('${STAMP}').write_text(str(time.time_ns()))
len(files), digest`;

const COUNT = (mark: string) => `
import json, pathlib
lines = pathlib.Path('log/a.txt').read_text().splitlines()
seen = pathlib.Path('count.json')
counts = json.loads(seen.read_text()) if seen.exists() else []
counts.append({'at': '${mark}', 'lines': len(lines), 'last': lines[-1]})
seen.write_text(json.dumps(counts))
counts[-1]`;
