import { describeResult, findTool, isDenied, type Language, type Script, wordsOfResult } from './scene.ts';

/** Draws a chart of a small table with Python, and hands it over. */
export const chartScript: Script = {
  asks: [
    { language: 'en', words: /^make a chart\b/i },
    { language: 'de', words: /^zeichne ein diagramm\b/i },
    { language: 'nb', words: /^lag et diagram\b/i },
  ],
  next(scene, { language }) {
    const python = findTool(scene, 'reborn_python');
    if (!python || !findTool(scene, 'reborn_file_present')) return NO_CODE[language];
    const result = scene.results.at(-1);
    if (result && isDenied(result)) return DENIED[language];
    if (result?.name === 'reborn_file_present') return SHOWN[language];
    if (result && !wordsOfResult(result).includes(DRAWN)) return describeResult(result);
    if (result) return { name: 'reborn_file_present', given: { paths: [FILE] } };
    // The description of the tool lists the libraries.
    const code = /\bmatplotlib\b/.test(python.description ?? '') ? withMatplotlib(language) : byHand();
    return { name: 'reborn_python', given: { title: TITLE[language], code } };
  },
};

const SALES = [12, 14, 13, 17, 22, 26];
const MONTHS: Readonly<Record<Language, readonly string[]>> = {
  en: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun'],
  de: ['Jan', 'Feb', 'Mär', 'Apr', 'Mai', 'Jun'],
  nb: ['jan', 'feb', 'mars', 'april', 'mai', 'juni'],
};
const TITLE = {
  en: 'Draw the chart of sales',
  de: 'Diagramm der Verkäufe zeichnen',
  nb: 'Tegn diagrammet over salget',
};
const HEADING = { en: 'Sales by month', de: 'Verkäufe pro Monat', nb: 'Salg per måned' };
const FILE = 'sales.png';
const DRAWN = `${FILE} is written`;

const withMatplotlib = (language: Language) => `import matplotlib.pyplot as plt

months = ${JSON.stringify(MONTHS[language])}
sales = ${JSON.stringify(SALES)}

figure, axes = plt.subplots(figsize=(7, 3.5))
bars = axes.bar(months, sales, color="#3f72af", width=0.6)
axes.bar_label(bars, padding=3)
axes.set_title(${JSON.stringify(HEADING[language])}, loc="left")
axes.spines[["top", "right", "left"]].set_visible(False)
axes.set_yticks([])
figure.tight_layout()
figure.savefig("${FILE}", dpi=160)
print("${DRAWN}")
`;

/** Without a library: rectangles, and digits of three by five dots. */
const byHand = () => `import struct, zlib

sales = ${JSON.stringify(SALES)}
digits = "75557 26227 71747 71717 55711 74717 74757 71111 75757 75717".split()  # five rows of three dots
width, height, dot = 720, 360, 4
pixels = [bytearray(b"\\xff" * width * 3) for _ in range(height)]

def fill(left, top, right, bottom, colour):
    for row in pixels[top:bottom]:
        row[left * 3:right * 3] = bytes(colour) * (right - left)

def write(number, left, top):
    for place, digit in enumerate(str(number)):
        for y, row in enumerate(digits[int(digit)]):
            for x in range(3):
                if int(row) & (4 >> x):
                    at = left + (place * 4 + x) * dot
                    fill(at, top + y * dot, at + dot, top + (y + 1) * dot, (40, 40, 40))

fill(40, 320, 680, 322, (120, 120, 120))
for month, value in enumerate(sales):
    left, top = 60 + month * 104, 320 - value * 10
    fill(left, top, left + 70, 320, (63, 114, 175))
    write(value, left + 21, top - 32)

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

raw = b"".join(b"\\0" + bytes(row) for row in pixels)
with open("${FILE}", "wb") as file:
    file.write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
               + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))
print("${DRAWN}")
`;

const SHOWN = {
  en: 'Here is the chart of six months: sales grew from 12 in January to 26 in June. Python drew it in a sandbox, and the picture is a file of this thread.',
  de: 'Hier ist das Diagramm von sechs Monaten: Die Verkäufe stiegen von 12 im Januar auf 26 im Juni. Python hat es in einer Sandbox gezeichnet, und das Bild ist eine Datei dieser Unterhaltung.',
  nb: 'Her er diagrammet over seks måneder: Salget økte fra 12 i januar til 26 i juni. Python tegnet det i en sandkasse, og bildet er en fil i denne samtalen.',
};

const DENIED = {
  en: 'You denied it, so there is no chart.',
  de: 'Du hast abgelehnt, also gibt es kein Diagramm.',
  nb: 'Du avslo det, så det er ikke noe diagram.',
};

const NO_CODE = {
  en: "Code can't run on this machine, so I can't draw a chart.",
  de: 'Auf diesem Rechner kann kein Code laufen, also kann ich kein Diagramm zeichnen.',
  nb: 'Kode kan ikke kjøre på denne maskinen, så jeg kan ikke tegne et diagram.',
};
