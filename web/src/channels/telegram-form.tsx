import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { ChannelForm, type FormProps } from './channel-form.tsx';
import { GroupsField, type Mode, ModeField } from './delivery-fields.tsx';
import { SecretField } from './secret-field.tsx';

export function TelegramForm({ onDone }: FormProps) {
  const [token, setToken] = useState('');
  const [mode, setMode] = useState<Mode>('polling');
  const [groups, setGroups] = useState(false);
  return (
    <ChannelForm channel={{ channel: 'telegram', token, mode, groups }} fields={['token', 'mode']} onDone={onDone}>
      {(errorAt) => (
        <>
          <SecretField
            label={t`Bot token`}
            hint={t`@BotFather on Telegram gives one to each bot.`}
            value={token}
            onChange={setToken}
            error={errorAt('token')}
          />
          <ModeField platform="telegram" mode={mode} onChoose={setMode} error={errorAt('mode')} />
          <GroupsField groups={groups} onChange={setGroups} />
        </>
      )}
    </ChannelForm>
  );
}
