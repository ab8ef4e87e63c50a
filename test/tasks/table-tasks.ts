import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { makePdf } from '../support/document-files.ts';
import { cellsOf, rowsOf, workbookOf } from './office-files.ts';
import { file, present, python, type Task } from './task.ts';

/** The amount is on the last page, and the later ones have more of them. */
const INVOICES = Array.from({ length: 12 }, (_, month) => {
  const total = `${(month + 1) * 10}.25`;
  const pages = [...Array.from({ length: month % 3 }, () => ['Rope', 'Hooks']), [`Total amount: ${total} EUR`]];
  return { path: `invoices/2026-${String(month + 1).padStart(2, '0')}.pdf`, total, pages };
});

const linesOf = (csv: Buffer) => csv.toString().trim().split(/\r?\n/);

export const TABLE_TASKS: readonly Task[] = [
  {
    title: 'clean a spreadsheet: dates, duplicates, decimal commas',
    files: {
      'orders.csv':
        'date;customer;amount\n03.01.2026;Ann ;1.234,50\n2026-01-04;Bob;7,25\n03.01.2026;Ann;1.234,50\n5/1/2026;Cy;12\n',
    },
    calls: [
      [
        python(`
import csv, re
from datetime import datetime
def date_of(text):
    for form in ('%d.%m.%Y', '%Y-%m-%d', '%d/%m/%Y'):
        try: return datetime.strptime(text, form).date().isoformat()
        except ValueError: pass
    raise ValueError(text)
rows = list(csv.DictReader(open('orders.csv'), delimiter=';'))
clean = {(date_of(r['date']), r['customer'].strip(), float(r['amount'].replace('.', '').replace(',', '.'))) for r in rows}
with open('clean.csv', 'w', newline='') as out:
    writer = csv.writer(out)
    writer.writerow(['date', 'customer', 'amount'])
    writer.writerows(sorted(clean))
len(rows) - len(clean)`),
        present('clean.csv'),
      ],
    ],
    async check({ presented, outputs }) {
      expect(linesOf((await presented()).get('clean.csv') ?? Buffer.of())).toEqual([
        'date,customer,amount',
        '2026-01-03,Ann,1234.5',
        '2026-01-04,Bob,7.25',
        '2026-01-05,Cy,12.0',
      ]);
      expect((await outputs())[0]).toMatch(/^1\nfiles: \+clean\.csv/m);
    },
  },
  {
    title: 'a pivot table whose totals are formulas',
    files: { 'sales.csv': 'region,month,sales\nNorth,Jan,10\nSouth,Jan,20\nNorth,Feb,5\nSouth,Feb,7\nNorth,Jan,1\n' },
    calls: [
      [
        python(`
import pandas, openpyxl
table = pandas.read_csv('sales.csv').pivot_table(index='region', columns='month', values='sales', aggfunc='sum')[['Jan', 'Feb']]
book = openpyxl.Workbook()
sheet = book.active
sheet.append(['region', *table.columns, 'total'])
for row, (region, values) in enumerate(table.iterrows(), start=2):
    sheet.append([region, *map(int, values), f'=SUM(B{row}:C{row})'])
sheet.append(['total', '=SUM(B2:B3)', '=SUM(C2:C3)', '=SUM(D2:D3)'])
book.save('pivot.xlsx')`),
        present('pivot.xlsx'),
      ],
    ],
    async check({ presented }) {
      expect(rowsOf((await presented()).get('pivot.xlsx') ?? Buffer.of())).toEqual([
        ['region', 'Jan', 'Feb', 'total'],
        ['North', 11, 5, '=SUM(B2:C2)'],
        ['South', 20, 7, '=SUM(B3:C3)'],
        ['total', '=SUM(B2:B3)', '=SUM(C2:C3)', '=SUM(D2:D3)'],
      ]);
    },
  },
  {
    title: 'join two Excel files',
    files: {
      'people.xlsx': workbookOf([
        ['id', 'name'],
        [1, 'Ann'],
        [2, 'Bob & Co'],
        [3, 'Cy'],
      ]),
      'invoices.xlsx': workbookOf([
        ['customer', 'sum'],
        [2, 40.5],
        [1, 10],
        [2, 2],
      ]),
    },
    calls: [
      [
        python(`
import pandas
people, invoices = pandas.read_excel('people.xlsx'), pandas.read_excel('invoices.xlsx')
sums = invoices.groupby('customer')['sum'].sum()
joined = people.assign(sum=people['id'].map(sums).fillna(0))
joined.to_excel('joined.xlsx', index=False)
joined`),
        present('joined.xlsx'),
      ],
    ],
    async check({ read }) {
      expect(rowsOf(await read('joined.xlsx'))).toEqual([
        ['id', 'name', 'sum'],
        [1, 'Ann', 10],
        [2, 'Bob & Co', 42.5],
        [3, 'Cy', 0],
      ]);
    },
  },
  {
    title: 'take a table from a PDF to Excel',
    files: {
      'prices.pdf': makePdf([
        ['Prices', 'As of May.'],
        ['Item Price', 'Rope & hook 12.50', 'Sail 300'],
      ]),
    },
    calls: [
      [file('read', { path: 'prices.pdf', pages: '2' })],
      [
        python(`
import openpyxl
book = openpyxl.Workbook()
for row in (['Item', 'Price'], ['Rope & hook', 12.5], ['Sail', 300]): book.active.append(row)
book.save('prices.xlsx')`),
      ],
    ],
    async check({ read, outputs }) {
      expect((await outputs())[0]).toMatch(/Item Price\s+Rope & hook 12\.50\s+Sail 300/);
      expect(cellsOf(await read('prices.xlsx'))).toEqual({
        A1: 'Item',
        B1: 'Price',
        A2: 'Rope & hook',
        B2: 12.5,
        A3: 'Sail',
        B3: 300,
      });
    },
  },
  {
    title: 'sum twelve invoices in PDF, with the page of each amount',
    files: Object.fromEntries(INVOICES.map(({ path, pages }) => [path, makePdf(pages)])),
    calls: [
      INVOICES.map(({ path }) => ({ name: 'reborn_document_search', given: { query: 'total amount', file: path } })),
      [python(`sum([${INVOICES.map(({ total }) => total).join(', ')}])`)],
    ],
    async check({ outputs }) {
      const found = await outputs();
      for (const [index, { path, total, pages }] of INVOICES.entries()) {
        expect(found[index]).toContain(`## ${path}, p. ${pages.length}`);
        expect(found[index]).toContain(`Total amount: ${total} EUR`);
      }
      expect(found[12]).toContain('783.0');
    },
  },
  {
    title: 'query a SQLite database',
    files: { 'shop.db': shopDatabase() },
    calls: [
      [
        python(`
import sqlite3, csv
rows = sqlite3.connect('shop.db').execute('select city, count(*), sum(price) from sales group by city order by 3 desc').fetchall()
with open('cities.csv', 'w', newline='') as out:
    csv.writer(out).writerows(rows)
rows[0]`),
      ],
    ],
    async check({ read, outputs }) {
      expect(linesOf(await read('cities.csv'))).toEqual(['Bonn,50,2450', 'Rome,25,1275', 'Oslo,25,1225']);
      expect((await outputs())[0]).toContain("('Bonn', 50, 2450)");
    },
  },
];

/** A hundred sales: half of them in Bonn. */
function shopDatabase(): Buffer {
  const db = new DatabaseSync(':memory:');
  db.exec(`create table sales (city text, price integer);
    with recursive n(i) as (select 0 union all select i + 1 from n where i < 99)
    insert into sales select case i % 4 when 1 then 'Oslo' when 3 then 'Rome' else 'Bonn' end, i from n`);
  const bytes = Buffer.from(db.serialize());
  db.close();
  return bytes;
}
