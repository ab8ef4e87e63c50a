import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { chromium } from 'playwright-core';

/** `npm run icons`: draws the icons of the installed app from `web/public/favicon.svg`, into `web/public`. */
const FOLDER = path.resolve('web/public');
const drawing = await readFile(path.join(FOLDER, 'favicon.svg'), 'utf8');
/** Systems cut these to their own shape, so the ground reaches the edges. */
const uncut = drawing.replace('rx="8"', '');
/** Systems show only the outline of a badge. */
const outline = drawing.replace(/<rect[^>]*>/, '').replaceAll(/fill="#\w+"/g, 'fill="#fff"');

const ICONS = [
  { name: 'icon-192', size: 192, svg: drawing },
  { name: 'icon-512', size: 512, svg: drawing },
  { name: 'icon-maskable-512', size: 512, svg: uncut },
  { name: 'apple-touch-icon', size: 180, svg: uncut },
  { name: 'badge-96', size: 96, svg: outline },
];

const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const page = await browser.newPage();
  for (const { name, size, svg } of ICONS) {
    const source = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
    await page.setViewportSize({ width: size, height: size });
    await page.setContent(`<body style="margin:0"><img width="${size}" height="${size}" src="${source}">`);
    await writeFile(path.join(FOLDER, `${name}.png`), await page.screenshot({ omitBackground: true }));
  }
} finally {
  await browser.close();
}
