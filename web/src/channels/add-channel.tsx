import { t } from '@lingui/core/macro';
import type { NewChannel } from '@reborn-agent/client/api';
import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { ChoiceField } from '../parts/field.tsx';
import { PLATFORMS } from './channel-words.ts';
import { MailForm } from './mail-form.tsx';
import { SlackForm } from './slack-form.tsx';
import { TelegramForm } from './telegram-form.tsx';

const FORMS = { telegram: TelegramForm, slack: SlackForm, mail: MailForm };

const platforms = () => (['telegram', 'slack', 'mail'] as const).map((value) => ({ value, words: PLATFORMS[value]() }));

export function AddChannel({ onClose }: { readonly onClose: () => void }) {
  const [platform, setPlatform] = useState<NewChannel['channel']>('telegram');
  const Form = FORMS[platform];
  return (
    <Dialog title={t`Add a channel`} onClose={onClose}>
      <div className="flex flex-col gap-4">
        <ChoiceField label={t`Platform`} choices={platforms()} value={platform} onChoose={setPlatform} />
        <Form onDone={onClose} />
      </div>
    </Dialog>
  );
}
