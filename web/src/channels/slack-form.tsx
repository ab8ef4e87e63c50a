import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { ChannelForm, type FormProps } from './channel-form.tsx';
import { GroupsField, type Mode, ModeField } from './delivery-fields.tsx';
import { SecretField } from './secret-field.tsx';

/** Socket Mode needs an app-level token; a webhook needs the secret that Slack signs its requests with. */
export function SlackForm({ onDone }: FormProps) {
  const [token, setToken] = useState('');
  const [appToken, setAppToken] = useState('');
  const [signingSecret, setSigningSecret] = useState('');
  const [mode, setMode] = useState<Mode>('polling');
  const [groups, setGroups] = useState(false);
  const proof = mode === 'polling' ? { app_token: appToken } : { signing_secret: signingSecret };
  return (
    <ChannelForm
      channel={{ channel: 'slack', token, ...proof, mode, groups }}
      fields={['token', 'app_token', 'signing_secret', 'mode']}
      onDone={onDone}
    >
      {(errorAt) => (
        <>
          <ModeField platform="slack" mode={mode} onChoose={setMode} error={errorAt('mode')} />
          <SecretField
            label={t`Bot token`}
            hint={t`It begins with xoxb- and is under “OAuth & Permissions” in the settings of the app.`}
            value={token}
            onChange={setToken}
            error={errorAt('token')}
          />
          {mode === 'polling' ? (
            <SecretField
              label={t`App-level token`}
              hint={t`It begins with xapp-. Create it under “Basic Information” with the scope connections:write.`}
              value={appToken}
              onChange={setAppToken}
              error={errorAt('app_token')}
            />
          ) : (
            <SecretField
              label={t`Signing secret`}
              hint={t`It is under “Basic Information” in the settings of the app.`}
              value={signingSecret}
              onChange={setSigningSecret}
              error={errorAt('signing_secret')}
            />
          )}
          <GroupsField groups={groups} onChange={setGroups} />
        </>
      )}
    </ChannelForm>
  );
}
