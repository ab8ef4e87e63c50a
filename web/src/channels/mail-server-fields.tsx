import { t } from '@lingui/core/macro';
import { ChoiceField, TextField } from '../parts/field.tsx';
import type { ErrorAt } from './channel-form.tsx';

type Name = 'imap' | 'smtp';
type Security = 'tls' | 'starttls' | 'none';
type ServerDraft = { readonly host: string; readonly port: string; readonly security: Security };

const USUAL_PORTS: Readonly<Record<Name, Readonly<Record<Security, string>>>> = {
  imap: { tls: '993', starttls: '143', none: '143' },
  smtp: { tls: '465', starttls: '587', none: '25' },
};

export const newServer = (name: Name): ServerDraft => ({ host: '', port: USUAL_PORTS[name].tls, security: 'tls' });

export const toServer = ({ host, port, security }: ServerDraft) => ({ host, port: Number(port), security });

const securities = () =>
  [
    { value: 'tls', words: t`TLS` },
    { value: 'starttls', words: t`STARTTLS` },
    { value: 'none', words: t`None, on a private network alone` },
  ] as const;

type Props = {
  readonly name: Name;
  readonly server: ServerDraft;
  readonly onChange: (server: ServerDraft) => void;
  readonly errorAt: ErrorAt;
};

/** The port follows the security until it is changed to an unusual one. */
export function MailServerFields({ name, server, onChange, errorAt }: Props) {
  const usual = USUAL_PORTS[name];
  const choose = (security: Security) =>
    onChange({ ...server, security, port: server.port === usual[server.security] ? usual[security] : server.port });
  return (
    <fieldset className="grid grid-cols-[minmax(0,1fr)_6rem] items-start gap-3 rounded-lg border border-line p-3">
      <legend className="px-1 text-meta font-medium">{name === 'imap' ? t`IMAP server` : t`SMTP server`}</legend>
      <TextField
        label={t`Host`}
        required
        autoComplete="off"
        value={server.host}
        onChange={(event) => onChange({ ...server, host: event.target.value })}
        error={errorAt(`${name}.host`) ?? errorAt(name)}
      />
      <TextField
        label={t`Port`}
        required
        type="number"
        min={1}
        max={65_535}
        value={server.port}
        onChange={(event) => onChange({ ...server, port: event.target.value })}
        error={errorAt(`${name}.port`)}
      />
      <div className="col-span-2">
        <ChoiceField
          label={t`Encryption`}
          choices={securities()}
          value={server.security}
          onChoose={choose}
          error={errorAt(`${name}.security`)}
        />
      </div>
    </fieldset>
  );
}
