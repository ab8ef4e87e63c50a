import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import PostalMime from 'postal-mime';
import { findFreePort } from '../free-port.ts';
import { waitFor } from '../wait-for.ts';

/** The password of every mailbox. */
export const PASSWORD = 'mailbox-password';
/** The name that the server signs its verdicts about senders with. */
export const AUTHSERV = 'mx.test';

const DOVECOT = '/usr/sbin/dovecot';
const EXIM = '/usr/sbin/exim4';
export const hasMailServers = [DOVECOT, EXIM].every((program) => existsSync(program));

export type MailServers = Awaited<ReturnType<typeof startMailServers>>;

/** A mail as it is in a mailbox. */
export type Mail = {
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly messageId: string;
  readonly header: (name: string) => string;
  readonly files: readonly { readonly name: string; readonly mediaType: string; readonly bytes: Buffer }[];
};

/**
 * Dovecot (IMAP) and Exim (SMTP) on free ports, with their files in a temporary folder. Exim proves senders that greet with a name
 * below `auth.`, as a server does that checks SPF, DKIM and DMARC. It leaves forged verdicts in place, below its own.
 */
export async function startMailServers(addresses: readonly string[]) {
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-mail-'));
  const [imapPort, smtpPort] = [await findFreePort(), await findFreePort()];
  const [imapsPort, smtpsPort] = [await findFreePort(), await findFreePort()];
  const certificate = await certify(folder);
  const owner = await prepare(folder);
  const known = path.join(folder, 'users');
  const add = (address: string) => appendFile(known, `${address}: ${address}\n`);
  for (const address of addresses) await add(address);

  await writeFile(path.join(folder, 'dovecot.conf'), dovecotConfig(folder, [imapPort, imapsPort], owner.name));
  await writeFile(path.join(folder, 'exim.conf'), eximConfig(folder, [smtpPort, smtpsPort], owner.name));
  let dovecot = await startDovecot();
  let exim = await startExim();

  async function startDovecot() {
    return start(DOVECOT, ['-F', '-c', path.join(folder, 'dovecot.conf')], imapPort);
  }
  async function startExim() {
    return start(EXIM, ['-C', path.join(folder, 'exim.conf'), '-bdf', '-q10s'], smtpPort);
  }
  const maildir = (address: string) => path.join(folder, 'mail', address, 'Maildir');

  return {
    imapPort,
    smtpPort,
    imapsPort,
    smtpsPort,
    /** For the name mail.test, signed by itself. */
    certificate,
    add,
    folder,
    /** How an operator adds the mailbox of `address`. */
    channel: (address: string) => ({
      channel: 'mail' as const,
      address,
      imap: { host: '127.0.0.1', port: imapPort, security: 'none' as const },
      smtp: { host: '127.0.0.1', port: smtpPort, security: 'none' as const },
      user: address,
      password: PASSWORD,
      authserv_id: AUTHSERV,
      private_network: true,
    }),
    /** Everything in the inbox of a person, or in another folder, in the order of delivery. */
    async in(address: string, box = ''): Promise<Mail[]> {
      const files = await Promise.all(['new', 'cur'].map((part) => listFiles(path.join(maildir(address), box, part))));
      return Promise.all(
        files
          .flat()
          .toSorted((a, b) => deliveredAt(a) - deliveredAt(b))
          .map(parseOnce),
      );
    },
    /** From now on, the server refuses mail to this address. */
    async remove(address: string): Promise<void> {
      const lines = (await readFile(known, 'utf8')).split('\n');
      await writeFile(known, lines.filter((line) => line !== `${address}: ${address}`).join('\n'));
    },
    async restartImap(): Promise<void> {
      await stop(dovecot);
      dovecot = await startDovecot();
    },
    /** Gives the mailbox a new UIDVALIDITY, and all its mail new UIDs. */
    async renumber(address: string): Promise<void> {
      await stop(dovecot);
      for (const name of await readdir(maildir(address)))
        if (name.startsWith('dovecot')) await rm(path.join(maildir(address), name), { recursive: true });
      dovecot = await startDovecot();
    },
    async stopSmtp(): Promise<void> {
      await stop(exim);
    },
    async startSmtp(): Promise<void> {
      exim = await startExim();
    },
    async close(): Promise<void> {
      await Promise.all([stop(dovecot), stop(exim)]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function listFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.map((name) => path.join(folder, name));
}

/** From the name, which begins with the seconds and, after a letter, the microseconds. A folder lists its files in any order. */
function deliveredAt(file: string): number {
  const [, seconds, microseconds] = /^(\d+)\.[A-Z](\d+)/.exec(path.basename(file)) ?? [];
  return Number(seconds) * 1e6 + Number(microseconds);
}

const parsed = new Map<string, Promise<Mail>>();

/** A mail never changes in a mailbox; only the marks after the colon of its name do. Large ones take long, and tests look often. */
function parseOnce(file: string): Promise<Mail> {
  const name = path.basename(file).replace(/:.*$/, '');
  const known = parsed.get(name) ?? readFile(file).then(parse);
  parsed.set(name, known);
  void known.catch(() => parsed.delete(name)); // it was moved just now
  return known;
}

async function parse(source: Buffer): Promise<Mail> {
  const mail = await PostalMime.parse(source);
  return {
    from: mail.from?.address ?? '',
    subject: mail.subject ?? '',
    text: (mail.text ?? '').trim(),
    html: mail.html ?? '',
    messageId: mail.messageId ?? '',
    header: (name) => mail.headers.find(({ key }) => key === name)?.value ?? '',
    files: mail.attachments.map(({ filename, mimeType, content }) => ({
      name: filename ?? '',
      mediaType: mimeType,
      bytes: typeof content === 'string' ? Buffer.from(content) : Buffer.from(new Uint8Array(content)),
    })),
  };
}

async function certify(folder: string): Promise<string> {
  const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const name = ['-subj', '/CN=mail.test', '-addext', 'subjectAltName=DNS:mail.test'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...name, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  await chmod(key, 0o644); // the servers read it with few rights
  return readFile(cert, 'utf8');
}

/** Neither server may run as root when it touches mail. */
async function prepare(folder: string): Promise<{ readonly name: string }> {
  const me = userInfo();
  const isRoot = me.uid === 0;
  const uid = isRoot ? Number(execFileSync('id', ['-u', 'mail'])) : me.uid;
  const gid = isRoot ? Number(execFileSync('id', ['-g', 'mail'])) : me.gid;
  await chmod(folder, 0o755);
  for (const name of ['mail', 'spool', 'log', 'run']) {
    await mkdir(path.join(folder, name));
    if (name !== 'run') await chown(path.join(folder, name), uid, gid);
  }
  return { name: isRoot ? 'mail' : me.username };
}

async function start(program: string, args: readonly string[], port: number): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
  await waitFor(`${program} to listen`, async () => {
    if (child.exitCode !== null) throw new Error(`${program} exited:\n${output}`);
    return isListening(port);
  });
  return child;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'exit');
}

const dovecotConfig = (folder: string, [port, tlsPort]: readonly number[], owner: string) => `
protocols = imap
listen = 127.0.0.1
base_dir = ${folder}/run
state_dir = ${folder}/run
log_path = ${folder}/dovecot.log
ssl = yes
ssl_cert = <${folder}/cert.pem
ssl_key = <${folder}/key.pem
disable_plaintext_auth = no
mail_location = maildir:${folder}/mail/%u/Maildir
first_valid_uid = 1
first_valid_gid = 1
mail_max_userip_connections = 100
${userInfo().uid === 0 ? '' : `default_internal_user = ${owner}\ndefault_login_user = ${owner}\ndefault_internal_group = ${owner}\nservice anvil { chroot = }\nservice imap-login { chroot = }`}
service imap-login {
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = ${tlsPort}
    ssl = yes
  }
}
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=${owner} gid=${owner} home=${folder}/mail/%u
}
namespace inbox {
  inbox = yes
  mailbox Sent {
    special_use = \\Sent
    auto = create
  }
}
`;

const eximConfig = (folder: string, [port, tlsPort]: readonly number[], owner: string) => `
primary_hostname = ${AUTHSERV}
spool_directory = ${folder}/spool
log_file_path = ${folder}/log/exim-%s.log
pid_file_path = ${folder}/spool/exim.pid
exim_user = ${owner}
exim_group = ${owner}
never_users =
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${port} : ${tlsPort}
tls_on_connect_ports = ${tlsPort}
tls_advertise_hosts = *
tls_certificate = ${folder}/cert.pem
tls_privatekey = ${folder}/key.pem
host_lookup =
rfc1413_hosts =
message_size_limit = 25M
smtp_accept_max = 0
smtp_accept_queue_per_connection = 0
smtp_enforce_sync = false
acl_smtp_rcpt = check_rcpt
acl_smtp_data = check_data
ignore_bounce_errors_after = 0s
begin acl
check_rcpt:
  deny !condition = \${lookup{$local_part@$domain}lsearch{${folder}/users}{yes}{no}}
       message = no such mailbox
  accept
check_data:
  warn condition = \${if match{$sender_helo_name}{^auth\\\\.}}
       add_header = :at_start:Authentication-Results: ${AUTHSERV}; dmarc=pass header.from=\${domain:$h_from:}
  warn condition = \${if !match{$sender_helo_name}{^auth\\\\.}}
       add_header = :at_start:Authentication-Results: ${AUTHSERV}; spf=fail smtp.mailfrom=$sender_address; dkim=none; dmarc=fail header.from=\${domain:$h_from:}
  accept
begin routers
mailbox:
  driver = accept
  address_data = \${lookup{$local_part@$domain}lsearch{${folder}/users}}
  transport = maildir
begin transports
maildir:
  driver = appendfile
  directory = ${folder}/mail/$address_data/Maildir
  create_directory
  directory_mode = 0700
  maildir_format
  return_path_add
  user = ${owner}
  group = ${owner}
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if eq{$auth3}{${PASSWORD}}}
  server_set_id = $auth2
  server_advertise_condition = true
`;
