/** Line icons on a grid of 16. */
const PATHS = {
  add: 'M8 3v10M3 8h10',
  archive: 'M2.5 3.5h11v3h-11zM3.5 6.5v6h9v-6M6.5 9h3',
  attach: 'M10.5 5.5 6 10a1.5 1.5 0 0 0 2 2l5-5a3 3 0 0 0-4.2-4.2L3.5 8.1a4.4 4.4 0 0 0 6.2 6.2L13.5 10.5',
  back: 'M10 3 5 8l5 5',
  bad: 'M5 9.5V2.5M5 9.5H2.5v-7H5M5 9.5l2.8 4.5c1 0 1.7-.7 1.5-1.9L9 9.5h3.2a1.3 1.3 0 0 0 1.3-1.6l-1-4.2a1.5 1.5 0 0 0-1.5-1.2H5',
  bell: 'M8 2.5a3.5 3.5 0 0 1 3.5 3.5c0 3.5 1.5 4.5 1.5 5H3c0-.5 1.5-1.5 1.5-5A3.5 3.5 0 0 1 8 2.5zM6.8 13.2a1.3 1.3 0 0 0 2.4 0',
  chart: 'M2.5 13.5h11M4.5 11V8M8 11V4M11.5 11V6.5',
  chat: 'M2.5 3.5h11v7.5h-6l-3 2.5v-2.5h-2z',
  check: 'm3 8.5 3.5 3.5L13 4.5',
  clock: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zM8 5v3.2l2.2 1.6',
  close: 'm4 4 8 8M12 4l-8 8',
  code: 'm5.5 4.5-3.5 3.5 3.5 3.5M10.5 4.5 14 8l-3.5 3.5',
  copy: 'M5.5 5.5h8v8h-8zM3 10.5h-.5v-8h8V3',
  down: 'm3.5 6 4.5 4.5L12.5 6',
  download: 'M8 2.5v7.5M5 7l3 3 3-3M3 10.5v3h10v-3',
  edit: 'm3 13 .7-3L10.5 3.2l2.3 2.3L6 12.3zM9 4.7 11.3 7',
  export: 'M8 10V2.5M5 5.5l3-3 3 3M3 9.5v4h10v-4',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  expand: 'M9.5 2.5h4v4M13.5 2.5 9 7M6.5 13.5h-4v-4M2.5 13.5 7 9',
  eye: 'M1.5 8C3 5 5.3 3.5 8 3.5S13 5 14.5 8C13 11 10.7 12.5 8 12.5S3 11 1.5 8zM8 6a2 2 0 1 1 0 4 2 2 0 0 1 0-4z',
  file: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
  folder: 'M2.5 3.5h4L8 5h5.5v7.5h-11z',
  globe:
    'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zM2.5 8h11M8 2.5c2.9 3.2 2.9 7.8 0 11M8 2.5c-2.9 3.2-2.9 7.8 0 11',
  'globe-off': 'M4.1 4.1a5.5 5.5 0 0 0 7.8 7.8M5.6 3.1a5.5 5.5 0 0 1 7.3 7.3M2.5 8H8M11 8h2.5M2.5 2.5l11 11',
  good: 'M5 6.5v7M5 6.5H2.5v7H5M5 6.5 7.8 2c1 0 1.7.7 1.5 1.9L9 6.5h3.2a1.3 1.3 0 0 1 1.3 1.6l-1 4.2a1.5 1.5 0 0 1-1.5 1.2H5',
  heart: 'M1.5 8h3l1.5-4 3 8 1.5-4h4',
  image: 'M2.5 3.5h11v9h-11zM2.5 10.5 6 7.5l4 4 2-1.5 1.5 1.2M10.2 6h.01',
  inspect: 'M2.5 4h6M4.5 8h7M8.5 12h5',
  jobs: 'M3 4h2v2H3zM7.5 5h6M3 10h2v2H3zM7.5 11h6',
  key: 'M10.5 2.5a3 3 0 1 1-2.6 4.5L3 12v1.5h2V12h1.5v-1.5L8 9',
  link: 'M6.5 9.5l3-3M7 4.5l1.8-1.8a3 3 0 0 1 4.3 4.3L11.5 8.8M9 11.5l-1.8 1.8A3 3 0 0 1 2.9 9L4.5 7.2',
  log: 'M4 2.5h8v11H4zM6 5.5h4M6 8h4M6 10.5h2.5',
  memory: 'M4 2.5h8.5v11H4a1.5 1.5 0 0 1 0-3h8.5M4 2.5A1.5 1.5 0 0 0 2.5 4v8',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  microphone: 'M8 2a2 2 0 0 1 2 2v4a2 2 0 0 1-4 0V4a2 2 0 0 1 2-2zM3.5 7.5a4.5 4.5 0 0 0 9 0M8 12v2.5M5.5 14.5h5',
  model: 'M8 2.5 13 5.2v5.6L8 13.5l-5-2.7V5.2zM3 5.2 8 8l5-2.8M8 8v5.5',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z',
  panel: 'M2.5 3.5h11v9h-11zM9.5 3.5v9',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  pin: 'M6 2.5h4l-.5 4 2.5 2.5H4l2.5-2.5zM8 9v4.5',
  play: 'M5 3v10l8-5z',
  quote: 'M3 4.5h3.5V8L4.5 11.5M9 4.5h3.5V8l-2 3.5M3 4.5V8h3.5M9 4.5V8h3.5',
  retry: 'M12.5 6A5 5 0 1 0 13 8.5M13 2.5V6H9.5',
  right: 'm6 3.5 4.5 4.5L6 12.5',
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.3 10.3l3.2 3.2',
  send: 'M8 13V3M4 7l4-4 4 4',
  shield: 'M8 2 13 3.8v4c0 3-2 5.2-5 6.2-3-1-5-3.2-5-6.2v-4z',
  skill: 'M8 2.5 9.5 6.5l4 1.5-4 1.5L8 13.5 6.5 9.5l-4-1.5 4-1.5z',
  speaker: 'M2.5 6v4h2.5l3.5 3V3L5 6zM11 5.5a3.5 3.5 0 0 1 0 5M12.8 3.5a6.5 6.5 0 0 1 0 9',
  star: 'm8 2.2 1.8 3.7 4 .6-2.9 2.8.7 4L8 11.4l-3.6 1.9.7-4L2.2 6.5l4-.6z',
  stitch: 'M8 2.5v11M5 6h6M5 10h6',
  stop: 'M3.5 3.5h9v9h-9z',
  sun: 'M8 5.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.5 3.5l1 1M11.5 11.5l1 1M12.5 3.5l-1 1M4.5 11.5l-1 1',
  table: 'M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M6.5 6.5v6',
  tool: 'M9.5 3.5a3.2 3.2 0 0 1 3.6-.6L11 5l.3 1.7L13 7l2-2a3.2 3.2 0 0 1-4.3 3.6L6 13.3a1.5 1.5 0 0 1-2.2-2.1l4.8-4.7a3.2 3.2 0 0 1 .9-3z',
  trash: 'M3 4.5h10M6 4.5V2.5h4v2M4.5 4.5l.5 9h6l.5-9',
  users:
    'M6 2.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M10.5 3a2.3 2.3 0 0 1 0 4.3M12 9.8c1.5.6 2.5 1.9 2.5 3.7',
  wrap: 'M2.5 4h11M2.5 8h8.5a2.2 2.2 0 0 1 0 4.4H8M9.8 10.4l-2 2 2 2M2.5 12h2.5',
  warning: 'M8 2.5 14 13H2zM8 6.5V9.5M8 11.3v.01',
} as const;

export type IconName = keyof typeof PATHS;

/** They point along the line of text. */
const MIRRORED: ReadonlySet<IconName> = new Set(['back', 'right']);

export function Icon({ name, className = '' }: { readonly name: IconName; readonly className?: string }) {
  return (
    <svg
      viewBox="0 0 16 16"
      aria-hidden="true"
      className={`size-4 shrink-0 fill-none stroke-current ${name === 'more' ? 'stroke-[2.2]' : 'stroke-[1.4]'} ${MIRRORED.has(name) ? 'rtl:-scale-x-100' : ''} ${className}`}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
