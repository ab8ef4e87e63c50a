import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { CheckField, TextField } from '../parts/field.tsx';
import { ChannelForm, type FormProps } from './channel-form.tsx';
import { MailServerFields, newServer, toServer } from './mail-server-fields.tsx';
import { SecretField } from './secret-field.tsx';

const FIELDS = [
  'address',
  ...['imap', 'smtp'].flatMap((name) => [name, `${name}.host`, `${name}.port`, `${name}.security`]),
  'user',
  'password',
  'authserv_id',
  'private_network',
];

export function MailForm({ onDone }: FormProps) {
  const [address, setAddress] = useState('');
  const [imap, setImap] = useState(() => newServer('imap'));
  const [smtp, setSmtp] = useState(() => newServer('smtp'));
  const [user, setUser] = useState('');
  const [password, setPassword] = useState('');
  const [authservId, setAuthservId] = useState('');
  const [privateNetwork, setPrivateNetwork] = useState(false);
  return (
    <ChannelForm
      channel={{
        channel: 'mail',
        address,
        imap: toServer(imap),
        smtp: toServer(smtp),
        user: user || address.trim(),
        password,
        authserv_id: authservId,
        private_network: privateNetwork,
      }}
      fields={FIELDS}
      onDone={onDone}
    >
      {(errorAt) => (
        <>
          <TextField
            label={t`Mail address of the agent`}
            type="email"
            autoComplete="off"
            required
            value={address}
            onChange={(event) => setAddress(event.target.value)}
            hint={t`A mailbox that no person uses.`}
            error={errorAt('address')}
          />
          <MailServerFields name="imap" server={imap} onChange={setImap} errorAt={errorAt} />
          <MailServerFields name="smtp" server={smtp} onChange={setSmtp} errorAt={errorAt} />
          <CheckField
            words={t`The servers are on a private network`}
            checked={privateNetwork}
            onChange={setPrivateNetwork}
            error={
              errorAt('private_network') &&
              t`Without encryption, passwords are sent on a private network alone. Choose TLS or STARTTLS, or check this.`
            }
          />
          <TextField
            label={t`User name (optional)`}
            autoComplete="off"
            value={user}
            onChange={(event) => setUser(event.target.value)}
            hint={t`For both servers. Without it, the mail address is used.`}
            error={errorAt('user')}
          />
          <SecretField
            label={t`Password`}
            hint={t`Many providers give one to each app.`}
            value={password}
            onChange={setPassword}
            error={errorAt('password')}
          />
          <TextField
            label={t`Name in Authentication-Results`}
            autoComplete="off"
            required
            value={authservId}
            onChange={(event) => setAuthservId(event.target.value)}
            hint={t`The name at the beginning of this header in mail that your server received. Only its verdicts about senders count.`}
            error={errorAt('authserv_id')}
          />
        </>
      )}
    </ChannelForm>
  );
}
