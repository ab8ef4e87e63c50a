import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { chooseLetterKeys, useLetterKeys } from '../app/letter-keys.ts';
import { useServices } from '../app/services.ts';
import { chooseSendKey, type SendKey, useSendKey } from '../chat/composer/send-key.ts';
import { formatExact } from '../format/time.ts';
import { chooseLanguage, LANGUAGE_NAMES, type LanguageChoice, useLanguageChoice } from '../language/language.ts';
import { DEFAULT_MODEL, modelWith, nameOf, useChooseDefault, useModels } from '../models/use-models.ts';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { Section } from '../parts/section.tsx';
import { Segments } from '../parts/segments.tsx';
import { Select } from '../parts/select.tsx';
import { Setting, Settings } from '../parts/setting.tsx';
import { Switch } from '../parts/switch.tsx';
import { chooseTextSize, type TextSize, useTextSize } from '../theme/text-size.ts';
import { chooseTheme, type ThemeChoice, useThemeChoice } from '../theme/theme.ts';
import { Preference } from './preference.tsx';

/** How the app looks and answers for one person. */
export function GeneralPage() {
  const { me } = useServices();
  return (
    <Page title={t`General`} about={t`For you alone.`}>
      <Section title={t`Appearance`}>
        <Appearance />
      </Section>
      <Section title={t`Chat`}>
        <Chat />
      </Section>
      <Section title={t`Profile`}>
        <Settings label={t`Profile`}>
          <Setting
            name={me.name}
            about={[me.email, me.role === 'operator' ? t`operator` : t`member`].filter(Boolean).join(', ')}
          >
            <span className="break-all text-meta text-soft exact">{me.user_id}</span>
          </Setting>
        </Settings>
        {me.role === 'member' && (
          <p className="text-meta text-soft">
            <Trans>Operators change names and roles, under Users and roles.</Trans>
          </p>
        )}
      </Section>
    </Page>
  );
}

function Appearance() {
  const theme = useThemeChoice();
  const size = useTextSize();
  const language = useLanguageChoice();
  const letters = useLetterKeys();
  const now = formatExact(new Date().toISOString());
  return (
    <Settings label={t`Appearance`}>
      <Setting name={t`Theme`}>
        <Segments label={t`Theme`} choices={themes()} value={theme} onChoose={chooseTheme} />
      </Setting>
      <Setting name={t`Text size`} about={t`Of messages. The rest follows the browser.`}>
        <Segments label={t`Text size`} choices={sizes()} value={size} onChoose={chooseTextSize} />
      </Setting>
      <Setting name={t`Language and times`} about={`${now}, ${Intl.DateTimeFormat().resolvedOptions().timeZone}`}>
        <Select
          label={t`Language`}
          choices={languages()}
          value={language}
          onChoose={(chosen) => void chooseLanguage(chosen)}
        />
      </Setting>
      <Setting
        name={t`Keys of one letter`}
        about={t`Y, A and N answer what waits for you, J and K move in lists, and ? shows all keys. They never count in a field.`}
        inline
      >
        <Switch label={t`Keys of one letter`} checked={letters} onChange={chooseLetterKeys} />
      </Setting>
    </Settings>
  );
}

function Chat() {
  const { me } = useServices();
  const { data } = useModels();
  const choose = useChooseDefault();
  const sendKey = useSendKey();
  const models = data?.models ?? [];
  return (
    <>
      <Settings label={t`Chat`}>
        <Setting name={t`Model of new threads`} savedAt={choose.isSuccess ? choose.submittedAt : undefined}>
          <Select
            label={t`Model of new threads`}
            choices={models.map((model) => ({
              value: model.id,
              words: model.id === DEFAULT_MODEL ? t`Default (${nameOf(model)})` : nameOf(model),
            }))}
            value={modelWith(models, data?.chosen ?? DEFAULT_MODEL)?.id ?? DEFAULT_MODEL}
            onChoose={(id) => choose.mutate(id)}
          />
        </Setting>
        <Setting name={t`Send with`} about={t`The other one breaks the line. On a phone, the button sends.`}>
          <Segments label={t`Send with`} choices={sendKeys()} value={sendKey} onChoose={chooseSendKey} />
        </Setting>
        <Preference
          name={t`Name threads by itself`}
          about={t`A model reads the first message and its answer, and writes a short title.`}
          checked={me.preferences.generate_titles}
          change={(on) => ({ generate_titles: on })}
        />
        <Preference
          name={t`Read messages while it works`}
          about={t`A message that is sent while the agent works is read after its present step. Otherwise it is the next in line.`}
          checked={me.preferences.when_busy === 'steer'}
          change={(on) => ({ when_busy: on ? 'steer' : 'queue' })}
        />
      </Settings>
      {choose.error && <Problem error={choose.error} />}
    </>
  );
}

const languages = (): readonly { readonly value: LanguageChoice; readonly words: string }[] => [
  { value: 'browser', words: t`Language of the browser` },
  ...LANGUAGE_NAMES,
];

const sendKeys = (): readonly { readonly value: SendKey; readonly words: string }[] => [
  { value: 'enter', words: t`Enter` },
  { value: 'ctrl-enter', words: t`Ctrl Enter` },
];

const themes = () =>
  [
    { value: 'light', words: t`Light`, icon: 'sun' },
    { value: 'dark', words: t`Dark`, icon: 'moon' },
    { value: 'system', words: t`System` },
  ] as const satisfies readonly { readonly value: ThemeChoice; readonly words: string; readonly icon?: string }[];

const sizes = (): readonly { readonly value: TextSize; readonly words: string }[] => [
  { value: 'small', words: t`Small` },
  { value: 'normal', words: t`Normal` },
  { value: 'large', words: t`Large` },
];
