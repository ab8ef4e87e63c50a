import { expect } from 'vitest';
import { barsOf, type Colour, decodePng, pngOf, sizeOfJpeg } from './pictures.ts';
import { readQrCode } from './qr-code.ts';
import { file, present, python, shell, type Task } from './task.ts';

/** The first two colours of matplotlib. */
const BLUE: Colour = [31, 119, 180];
const ORANGE: Colour = [255, 127, 14];

/** Whether bars have the heights of these values, to a pixel or two. */
function expectBars(picture: Buffer, colour: Colour, values: readonly number[]): void {
  const bars = barsOf(decodePng(picture), colour);
  expect(bars).toHaveLength(values.length);
  const scale = Math.max(...bars) / Math.max(...values);
  for (const [index, value] of values.entries()) expect(Math.abs((bars[index] ?? 0) - value * scale)).toBeLessThan(2.5);
}

const QR_CODE = `
from PIL import Image
text, size = b'https://boats.eu', 21
bits = '0100' + format(len(text), '08b') + ''.join(format(byte, '08b') for byte in text) + '0000'
words = [int(bits[i:i + 8], 2) for i in range(0, len(bits), 8)]
words += [0xEC if i % 2 == 0 else 0x11 for i in range(19 - len(words))]

exp, log = [1] * 512, [0] * 256
for i in range(1, 512):
    exp[i] = exp[i - 1] << 1 ^ (0x11D if exp[i - 1] & 0x80 else 0)
for i in range(255): log[exp[i]] = i
times = lambda a, b: exp[log[a] + log[b]] if a and b else 0
generator = [1]
for i in range(7):
    generator = [a ^ times(b, exp[i]) for a, b in zip(generator + [0], [0] + generator)]
rest = words + [0] * 7
for i in range(19):
    factor = rest[i]
    for j, g in enumerate(generator): rest[i + j] ^= times(g, factor)
stream = iter(''.join(format(word, '08b') for word in words + rest[19:]))

grid = [[None] * size for _ in range(size)]
for top, left in ((0, 0), (0, 14), (14, 0)):
    for y in range(-1, 8):
        for x in range(-1, 8):
            if 0 <= top + y < size and 0 <= left + x < size:
                grid[top + y][left + x] = max(abs(y - 3), abs(x - 3)) not in (2, 4)
for n in range(8, 13): grid[6][n] = grid[n][6] = n % 2 == 0
code = 0b01000 << 10
for i in range(4, -1, -1):
    if code >> (i + 10) & 1: code ^= 0b10100110111 << i
marks = format((0b01000 << 10 | code) ^ 0b101010000010010, '015b')
one = [(8, c) for c in (0, 1, 2, 3, 4, 5, 7, 8)] + [(r, 8) for r in (7, 5, 4, 3, 2, 1, 0)]
two = [(20 - i, 8) for i in range(7)] + [(8, 13 + i) for i in range(8)]
for places in (one, two):
    for (row, column), mark in zip(places, marks): grid[row][column] = mark == '1'
grid[13][8] = True
up = True
for right in (20, 18, 16, 14, 12, 10, 8, 5, 3, 1):
    for row in (range(size - 1, -1, -1) if up else range(size)):
        for column in (right, right - 1):
            if grid[row][column] is None:
                grid[row][column] = (next(stream) == '1') != ((row + column) % 2 == 0)
    up = not up
picture = Image.new('RGB', (29, 29), 'white')
for row in range(size):
    for column in range(size):
        if grid[row][column]: picture.putpixel((column + 4, row + 4), (0, 0, 0))
picture.resize((232, 232), Image.NEAREST).save('code.png')`;

export const PICTURE_TASKS: readonly Task[] = [
  {
    title: 'a chart from a CSV',
    files: { 'costs.csv': 'who,cost\nAnn,30\nBob,50\nCy,12\n' },
    calls: [
      [
        python(`
import csv
import matplotlib.pyplot as plt
rows = list(csv.DictReader(open('costs.csv')))
plt.bar([r['who'] for r in rows], [float(r['cost']) for r in rows])
plt.title('Costs'); plt.ylabel('EUR'); plt.savefig('costs.png')`),
        present('costs.png'),
      ],
    ],
    async check({ pictures }) {
      const [drawn, handedOver] = await pictures();
      expect(drawn).toEqual(handedOver);
      expectBars(drawn ?? Buffer.of(), BLUE, [30, 50, 12]);
    },
  },
  {
    title: 'two charts and a caption',
    files: { 'year.csv': 'quarter,in,out\nQ1,100,80\nQ2,120,90\nQ3,90,95\nQ4,150,110\n' },
    calls: [
      [
        python(`
import csv
import matplotlib.pyplot as plt
rows = list(csv.DictReader(open('year.csv')))
for column, colour in (('in', 'C0'), ('out', 'C1')):
    plt.figure()
    plt.bar([r['quarter'] for r in rows], [int(r[column]) for r in rows], color=colour)
    plt.title(column); plt.savefig(f'{column}.png'); plt.close()
best = max(rows, key=lambda r: int(r['in']) - int(r['out']))
open('caption.md', 'w').write(f"Best quarter: {best['quarter']}, {int(best['in']) - int(best['out'])} more in than out.\\n")`),
        present('in.png', 'out.png', 'caption.md'),
      ],
    ],
    async check({ presented, pictures }) {
      const [income, expenses] = (await pictures()).slice(-2);
      expectBars(income ?? Buffer.of(), BLUE, [100, 120, 90, 150]);
      expectBars(expenses ?? Buffer.of(), ORANGE, [80, 90, 95, 110]);
      expect((await presented()).get('caption.md')?.toString()).toBe('Best quarter: Q4, 40 more in than out.\n');
    },
  },
  {
    title: 'parse a log and plot the errors of each hour',
    files: { 'service.log': serviceLog([3, 0, 7, 4]) },
    calls: [
      [
        shell(
          `awk '/ ERROR / { errors[substr($2, 1, 2)]++ } END { for (hour in errors) print hour "," errors[hour] }' service.log | sort > errors.csv; cat errors.csv`,
        ),
        python(`
import csv
import matplotlib.pyplot as plt
counts = {int(hour): int(count) for hour, count in csv.reader(open('errors.csv'))}
plt.bar(range(8, 12), [counts.get(hour, 0) for hour in range(8, 12)])
plt.xlabel('hour'); plt.savefig('errors.png')`),
      ],
    ],
    async check({ read }) {
      expect((await read('errors.csv')).toString()).toBe('08,3\n10,7\n11,4\n');
      expectBars(await read('errors.png'), BLUE, [3, 7, 4]);
    },
  },
  {
    title: 'convert a picture to a small JPEG (PNG, not HEIC)',
    files: { 'photo.png': pngOf(600, 400, (x, y) => [x % 256, y % 256, (x * y) % 256]) },
    calls: [
      [
        python(`
from PIL import Image
picture = Image.open('photo.png').convert('RGB')
picture.thumbnail((300, 300))
picture.save('photo.jpg', quality=70)
picture.size`),
        present('photo.jpg'),
      ],
    ],
    async check({ pictures }) {
      const photo = (await pictures()).at(-1) ?? Buffer.of();
      expect(sizeOfJpeg(photo)).toEqual({ width: 300, height: 200 });
      expect(photo.length).toBeLessThan(60_000);
    },
  },
  {
    title: 'a QR code, without a library for it',
    files: {},
    calls: [[python(QR_CODE), present('code.png')]],
    check: async ({ pictures }) =>
      expect(readQrCode((await pictures()).at(-1) ?? Buffer.of())).toBe('https://boats.eu'),
  },
  {
    title: 'rename and sort 200 files',
    files: { 'list.txt': Array.from({ length: 200 }, (_, index) => `IMG ${index} (copy).txt`).join('\n') },
    calls: [
      [
        shell(
          `i=0; while IFS= read -r name || [ -n "$name" ]; do echo "picture $i" > "$name"; i=$((i+1)); done < list.txt`,
        ),
        shell(
          `for name in IMG*.txt; do n=\${name#IMG }; n=\${n% (copy).txt}; d=album-$((n / 50)); mkdir -p $d; mv "$name" "$d/$(printf 'img-%03d.txt' $n)"; done; ls -d album-*`,
        ),
        file('list', { pattern: 'album-3/*' }),
      ],
    ],
    async check({ list, read, outputs }) {
      const expected = Array.from(
        { length: 200 },
        (_, index) => `album-${Math.floor(index / 50)}/img-${String(index).padStart(3, '0')}.txt`,
      );
      expect((await list()).toSorted()).toEqual([...expected, 'list.txt'].toSorted());
      expect((await read('album-3/img-199.txt')).toString()).toBe('picture 199\n');
      expect((await outputs())[2]).toContain('album-3/img-150.txt');
    },
  },
];

/** Lines of four hours from eight on, with that many errors in each. */
function serviceLog(errors: readonly number[]): string {
  const line = (hour: number, minute: number, words: string) =>
    `2026-05-04 ${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}:00 ${words}\n`;
  return errors
    .map((count, index) =>
      Array.from({ length: 20 }, (_, minute) =>
        line(8 + index, minute, minute < count ? 'ERROR lost' : 'INFO fine'),
      ).join(''),
    )
    .join('');
}
