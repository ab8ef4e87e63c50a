import { t } from '@lingui/core/macro';
import { CheckField, ChoiceField } from '../parts/field.tsx';

export type Mode = 'polling' | 'webhook';

type ModeProps = {
  readonly platform: 'telegram' | 'slack';
  readonly mode: Mode;
  readonly onChoose: (mode: Mode) => void;
  readonly error: string | undefined;
};

export function ModeField({ platform, mode, onChoose, error }: ModeProps) {
  return (
    <ChoiceField
      label={t`How messages arrive`}
      choices={[
        { value: 'polling', words: platform === 'slack' ? t`Socket Mode` : t`Polling` },
        { value: 'webhook', words: t`Webhook` },
      ]}
      value={mode}
      onChoose={onChoose}
      error={error}
      hint={HINTS[platform][mode]()}
    />
  );
}

const HINTS = {
  telegram: {
    polling: () => t`The service asks Telegram for messages. It needs no public address.`,
    webhook: () =>
      t`Telegram sends messages to PUBLIC_URL, an https address. The service registers the address itself.`,
  },
  slack: {
    polling: () => t`The service connects to Slack. It needs no public address.`,
    webhook: () =>
      t`Slack sends messages to PUBLIC_URL, an https address. The list then shows the request URL for the settings of the app.`,
  },
};

type GroupsProps = { readonly groups: boolean; readonly onChange: (groups: boolean) => void };

export function GroupsField({ groups, onChange }: GroupsProps) {
  return (
    <CheckField
      words={t`Answer in groups, too, when addressed`}
      hint={t`Everybody in the group reads the answers.`}
      checked={groups}
      onChange={onChange}
    />
  );
}
