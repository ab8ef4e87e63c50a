/** A page, and the text of it that its readers came for, one paragraph a line. */
export type SamplePage = { readonly name: string; readonly html: string; readonly main: readonly string[] };

/**
 * Forty pages of invented text: ten kinds of pages, each in four templates that differ in their elements, class names and in how
 * much stands around the text. They are made from a seed, so that they are the same everywhere.
 */
export function makePages(): SamplePage[] {
  return Object.entries(KINDS).flatMap(([kind, make], index) =>
    TEMPLATES.map((wrap, template) => {
      const random = createRandom(1000 * index + template + 1);
      const body = make(random, template);
      return { name: `${kind}-${template + 1}`, html: wrap(body, random), main: body.main };
    }),
  );
}

type Random = (below: number) => number;
/** `html` holds what is marked up, `main` its words. `words`: the language of what stands around. */
type Body = { readonly html: string; readonly main: readonly string[]; readonly words: Words };
type Words = {
  readonly dir: 'ltr' | 'rtl';
  readonly pool: readonly string[];
  readonly join: string;
  readonly end: string;
};

/** A small generator whose numbers depend on nothing but the seed. */
function createRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const split = (text: string) => text.split(' ');
const ENGLISH: Words = {
  dir: 'ltr',
  pool: split(
    'the harbour council of Lundvik has decided that ferries will leave every hour because more people travel between islands in spring and a new pier was built by engineers who measured depth with sonar while fishermen repaired nets near old warehouses where merchants once traded salt amber wool copper for grain from distant plains',
  ),
  join: ' ',
  end: '.',
};
const ARABIC: Words = {
  dir: 'rtl',
  pool: split(
    'قرر مجلس الميناء أن تغادر العبارات كل ساعة لأن عدد المسافرين بين الجزر يزداد في الربيع وقد بنى المهندسون رصيفا جديدا قرب المستودعات القديمة حيث كان التجار يبيعون الملح والصوف',
  ),
  join: ' ',
  end: '.',
};
const HEBREW: Words = {
  dir: 'rtl',
  pool: split(
    'מועצת הנמל החליטה כי המעבורות יצאו בכל שעה משום שיותר אנשים נוסעים בין האיים באביב ומהנדסים בנו רציף חדש ליד המחסנים הישנים שבהם סחרו פעם במלח ובצמר',
  ),
  join: ' ',
  end: '.',
};
const CHINESE: Words = {
  dir: 'ltr',
  pool: split(
    '港口 委员会 决定 渡轮 每 小时 出发 因为 春天 往来 岛屿 之间 的 旅客 增加 工程师 在 旧 仓库 附近 修建 了 新 码头 商人 曾经 交易 盐 和 羊毛',
  ),
  join: '',
  end: '。',
};
const JAPANESE: Words = {
  dir: 'ltr',
  pool: split(
    '港 の 評議会 は フェリー を 毎時 出す こと に 決めた 春 に なる と 島々 を 行き来 する 人 が 増える から で 技師 たち 古い 倉庫 近く 新しい 桟橋',
  ),
  join: '',
  end: '。',
};

const pick = <T>(random: Random, from: readonly T[]): T => from[random(from.length)] as T;
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

function sentence(random: Random, words: Words, length = 8 + random(14)): string {
  const said = times(length, () => pick(random, words.pool)).join(words.join);
  return said.charAt(0).toUpperCase() + said.slice(1) + words.end;
}

const paragraph = (random: Random, words: Words, sentences = 3 + random(4)): string =>
  times(sentences, () => sentence(random, words)).join(words.join);
const title = (random: Random, words: Words): string => sentence(random, words, 4 + random(3)).slice(0, -1);

/** A paragraph whose words are partly a link, as in real texts. */
function linked(random: Random, words: Words): { readonly html: string; readonly text: string } {
  const [before, inside, after] = [paragraph(random, words, 2), title(random, words), paragraph(random, words, 1)];
  return {
    html: `${before} <a href="/topic/${random(99)}">${inside}</a>, ${after}`,
    text: `${before} ${inside}, ${after}`,
  };
}

/** Headings and paragraphs, of which some have links. */
function article(random: Random, words: Words, paragraphs: number): Body {
  const html: string[] = [];
  const main: string[] = [];
  for (const index of times(paragraphs, (n) => n)) {
    if (index % 3 === 0) {
      const heading = title(random, words);
      html.push(`<h2>${heading}</h2>`);
      main.push(heading);
    }
    const said = linked(random, words);
    html.push(`<p>${said.html}</p>`);
    main.push(said.text);
  }
  return { html: html.join('\n'), main, words };
}

/** Bodies one after the other. */
const join = (...parts: readonly Body[]): Body => ({
  html: parts.map(({ html }) => html).join('\n'),
  main: parts.flatMap(({ main }) => main),
  words: parts[0]?.words ?? ENGLISH,
});

const KINDS: Record<string, (random: Random, template: number) => Body> = {
  news: (random) => article(random, ENGLISH, 12),
  blog: (random) => join(article(random, ENGLISH, 5), quotation(random), article(random, ENGLISH, 5)),
  wiki: (random) =>
    join(article(random, ENGLISH, 3), table(random, 8), article(random, ENGLISH, 4), references(random)),
  docs: (random) =>
    join(article(random, ENGLISH, 2), code(random), list(random, 6), article(random, ENGLISH, 2), code(random)),
  shop: (random) => join(article(random, ENGLISH, 1), table(random, 7), list(random, 5), article(random, ENGLISH, 2)),
  forum: (random) => join(...times(6, () => post(random))),
  list: (random) => join(article(random, ENGLISH, 1), list(random, 24), article(random, ENGLISH, 1)),
  table: (random) => join(article(random, ENGLISH, 1), table(random, 30), article(random, ENGLISH, 1)),
  rtl: (random, template) => article(random, template % 2 ? HEBREW : ARABIC, 6),
  cjk: (random, template) => article(random, template % 2 ? JAPANESE : CHINESE, 7),
};

function quotation(random: Random): Body {
  const said = paragraph(random, ENGLISH, 2);
  return { html: `<blockquote><p>${said}</p></blockquote>`, main: [said], words: ENGLISH };
}

function table(random: Random, count: number): Body {
  const rows = times(count, () => [title(random, ENGLISH), String(random(9000)), `${random(99)}.${random(9)} %`]);
  const html = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n');
  return { html: `<table>${html}</table>`, main: rows.map((row) => row.join(' | ')), words: ENGLISH };
}

function list(random: Random, count: number): Body {
  const entries = times(count, () => sentence(random, ENGLISH, 5 + random(5)));
  return { html: `<ul>${entries.map((entry) => `<li>${entry}</li>`).join('')}</ul>`, main: entries, words: ENGLISH };
}

function code(random: Random): Body {
  const lines = times(4, () => `${pick(random, ENGLISH.pool)}(${random(100)}, "${pick(random, ENGLISH.pool)}");`);
  return { html: `<pre><code>${lines.join('\n')}</code></pre>`, main: lines, words: ENGLISH };
}

function post(random: Random): Body {
  const said = times(2, () => paragraph(random, ENGLISH, 2));
  const html = `<div class="post"><div class="post-meta"><a href="/u/${random(99)}">member${random(99)}</a></div><div class="post-text">${said.map((text) => `<p>${text}</p>`).join('')}</div></div>`;
  return { html, main: said, words: ENGLISH };
}

/** What is below a wiki page, which no reader needs. */
function references(random: Random): Body {
  const entries = times(6, () => `<li><a href="/ref/${random(99)}">${title(random, ENGLISH)}</a></li>`).join('');
  return { html: `<ol class="references">${entries}</ol>`, main: [], words: ENGLISH };
}

const links = (random: Random, words: Words, count: number): string =>
  `<ul>${times(count, () => `<li><a href="/${random(999)}">${title(random, words)}</a></li>`).join('')}</ul>`;
const teaser = (random: Random, words: Words): string =>
  `<div class="card"><h3><a href="/${random(999)}">${title(random, words)}</a></h3><p>${sentence(random, words)}</p></div>`;
const page = (words: Words, head: string, inside: string): string =>
  `<!doctype html><html dir="${words.dir}"><head><meta charset="utf-8"><title>${head}</title><script>var x = "<p>no</p>";</script></head><body>${inside}</body></html>`;

type Template = (body: Body, random: Random) => string;

const TEMPLATES: readonly Template[] = [
  // Elements that say what they are.
  ({ html, words }, random) =>
    page(
      words,
      'Semantic',
      `<header><nav>${links(random, words, 40)}</nav></header><main><article>${html}</article></main>
<aside><h2>Read next</h2>${times(4, () => teaser(random, words)).join('')}</aside>
<footer>${links(random, words, 15)}<p>${sentence(random, words)}</p></footer>`,
    ),
  // Only class names say it.
  ({ html, words }, random) =>
    page(
      words,
      'Classes',
      `<div class="cookie-banner"><p>${paragraph(random, words, 3)}</p></div><div id="top-nav" class="nav">${links(random, words, 35)}</div>
<div class="columns"><div class="article-body">${html}</div><div class="sidebar">${links(random, words, 10)}${times(3, () => teaser(random, words)).join('')}</div></div>
<div class="newsletter"><form><p>${sentence(random, words)}</p><input name="mail"></form></div><div class="site-footer footer">${links(random, words, 35)}</div>`,
    ),
  // A table as the layout, as old pages have it, and no names at all.
  ({ html, words }, random) =>
    page(
      words,
      'Table',
      `<table><tr><td>${links(random, words, 30)}</td><td><h1>${title(random, words)}</h1>${html}</td></tr></table><center>${times(12, () => `<a href="/${random(99)}">${title(random, words)}</a>`).join(' | ')}</center>`,
    ),
  // Everything is inside a form, and the comments are long.
  ({ html, words }, random) =>
    page(
      words,
      'Form',
      `<form id="page"><div role="navigation">${links(random, words, 30)}</div><div role="main">${html}</div>
<div class="related">${times(5, () => teaser(random, words)).join('')}</div><div class="comments">${times(3, () => `<p>${paragraph(random, words, 2)}</p>`).join('')}</div>
<div role="contentinfo">${links(random, words, 30)}</div></form>`,
    ),
];
