import { randomBytes } from 'node:crypto';
import { Entry } from '@napi-rs/keyring';

// Run by keyring.ts as a separate program: `make|get|forget ACCOUNT`. The key is written to standard output.
const [act, account = ''] = process.argv.slice(2);

// Without this the Linux kernel's keyring would stand in for a missing Secret Service, and forget the key at a reboot.
const entry = new Entry('reborn', account, { linux: { store: 'secret-service' } });

if (act === 'make') entry.setPassword(randomBytes(32).toString('hex'));
if (act === 'forget') entry.deletePassword();
else process.stdout.write(entry.getPassword() ?? '');
