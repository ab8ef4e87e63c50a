import { cut } from '#domain/text/cut.ts';
import { describeResult, fieldsOf, findTool, isDenied, type Language, type Script } from './scene.ts';

/** Creates a mission for a reminder tomorrow: reads the clock, checks the schedule, and asks for the mission with what that gave. */
export const missionScript: Script = {
  asks: [
    { language: 'en', words: /^remind me tomorrow at (\d\d:\d\d) \(([\w/+-]+)\) to (.+?)\.?$/is },
    { language: 'de', words: /^erinnere mich morgen um (\d\d:\d\d) \(([\w/+-]+)\) daran, (.+?)\.?$/is },
    { language: 'nb', words: /^minn meg i morgen klokken (\d\d:\d\d) \(([\w/+-]+)\) på å (.+?)\.?$/is },
  ],
  next(scene, { language, groups: [time = '', zone = '', task = ''] }) {
    if (NEEDED.some((name) => !findTool(scene, name))) return NO_MISSIONS[language];
    const result = scene.results.at(-1);
    if (!result) return { name: 'reborn_time', given: { time_zone: zone } };
    if (isDenied(result)) return DENIED[language];
    const fields = fieldsOf(result);
    if (!fields) return describeResult(result);

    if (result.name === 'reborn_time') {
      const schedule = { at: `${dayAfter(String(fields['utc']), zone)}T${time}`, time_zone: zone };
      return { name: 'mission_preview', given: { schedule } };
    }
    if (result.name === 'mission_preview') {
      const checked = scene.results.findLast(({ name }) => name === 'reborn_time');
      const now = checked && fieldsOf(checked)?.['utc'];
      const schedule = { at: `${dayAfter(String(now), zone)}T${time}`, time_zone: zone };
      const { name, instruction } = WORDS[language];
      return {
        name: 'mission_create',
        given: { name: cut(name(task), 100), instruction: instruction(task), schedule, ...fields },
      };
    }
    return CREATED[language](`${time} (${zone})`);
  },
};

const NEEDED = ['reborn_time', 'mission_preview', 'mission_create'];

/** Of tomorrow, for someone in this time zone. */
function dayAfter(utc: string, timeZone: string): string {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(new Date(utc));
  const day = new Date(`${today}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + 1);
  return day.toISOString().slice(0, 10);
}

/** What the mission asks when it runs. */
export const reminderScript: Script = {
  asks: [
    { language: 'en', words: /^remind me to (.+?)\.?$/is },
    { language: 'de', words: /^erinnere mich daran, (.+?)\.?$/is },
    { language: 'nb', words: /^minn meg på å (.+?)\.?$/is },
  ],
  next: (_, { language, groups: [task = ''] }) => WORDS[language].reminder(task),
};

type ReminderWords = Readonly<Record<'name' | 'instruction' | 'reminder', (task: string) => string>>;

const WORDS: Readonly<Record<Language, ReminderWords>> = {
  en: {
    name: (task) => `Reminder: ${task}`,
    instruction: (task) => `Remind me to ${task}.`,
    reminder: (task) => `It is time to ${task}.`,
  },
  de: {
    name: (task) => `Erinnerung: ${task}`,
    instruction: (task) => `Erinnere mich daran, ${task}.`,
    reminder: (task) => `Es ist Zeit, ${task}.`,
  },
  nb: {
    name: (task) => `Påminnelse: ${task}`,
    instruction: (task) => `Minn meg på å ${task}.`,
    reminder: (task) => `Det er på tide å ${task}.`,
  },
};

const CREATED = {
  en: (when: string) => `The mission is there. It runs tomorrow at ${when}, and its result appears under Missions.`,
  de: (when: string) =>
    `Der Auftrag ist angelegt. Er läuft morgen um ${when}, und sein Ergebnis erscheint unter Aufträge.`,
  nb: (when: string) =>
    `Oppdraget er opprettet. Det kjører i morgen klokken ${when}, og resultatet vises under Oppdrag.`,
};

const DENIED = {
  en: 'You denied it, so there is no mission.',
  de: 'Du hast abgelehnt, also gibt es keinen Auftrag.',
  nb: 'Du avslo det, så det er ikke noe oppdrag.',
};

const NO_MISSIONS = {
  en: "I was offered no tools for missions, so I can't create one.",
  de: 'Mir stehen hier keine Werkzeuge für Aufträge zur Verfügung, ich kann also keinen anlegen.',
  nb: 'Jeg har ingen verktøy for oppdrag her, så jeg kan ikke opprette et.',
};
