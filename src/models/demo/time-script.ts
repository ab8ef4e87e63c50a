import { describeResult, fieldsOf, findTool, type Script } from './scene.ts';

const ASKED = String.raw`\bwhat(?: time is it|(?:'s|’s| is) the time)\b(?: right now| now)?`;

/** Tells the time: of the place that is asked for, if it is the name of a time zone. */
export const timeScript: Script = {
  asks: [{ language: 'en', words: new RegExp(`${ASKED}(?: in ([^?.!]+))?`, 'i') }],
  next(scene, { groups: [place = ''] }) {
    if (!findTool(scene, 'reborn_time')) return 'I was offered no clock, so I do not know the time.';
    const zone = place === '' ? 'UTC' : zoneOf(place);
    if (zone === undefined)
      return `I do not know the time zone of ${place}. Ask with the name of a zone, such as “What time is it in Europe/Oslo?”`;
    const result = scene.results.at(-1);
    if (!result) return { name: 'reborn_time', given: place === '' ? {} : { time_zone: zone } };
    const local = fieldsOf(result)?.['local'];
    if (typeof local !== 'string' || scene.results.length > 1) return scene.results.map(describeResult).join(' ');
    return place === ''
      ? `It is ${local}. I do not know where you are: ask for a place, such as “What time is it in Tokyo?”`
      : `In ${place} (${zone}) it is ${local}.`;
  },
};

/** A zone is named after its largest city. Names without an area, such as Japan, are older names of zones. */
function zoneOf(place: string): string | undefined {
  const name = place.replace(/^the\s+/i, '').replaceAll(/\s+/g, '_');
  return ['', ...AREAS].map((area) => area + name).find(isZone);
}

const AREAS = ['Europe', 'America', 'Asia', 'Africa', 'Australia', 'Pacific', 'Atlantic', 'Indian', 'Antarctica'].map(
  (area) => `${area}/`,
);

function isZone(timeZone: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone }));
  } catch {
    return false;
  }
}
