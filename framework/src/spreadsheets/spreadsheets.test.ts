import { buffer, text } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ZipFile } from 'yazl'
import { ValidationError } from '../contracts/index.js'
import { readCsv } from './csv-reader.js'
import { writeCsv } from './csv-writer.js'
import { readSpreadsheet, spreadsheetFile } from './spreadsheet-file.js'
import { readXlsx } from './xlsx-reader.js'
import { writeXlsx } from './xlsx-writer.js'

const columns = {
  name: { header: 'Name', kind: 'text' },
  weight: { header: 'Weight', kind: 'number' },
  price: { header: 'Price', kind: 'decimal' },
  isOpen: { header: 'Open', kind: 'boolean' },
  day: { header: 'Day', kind: 'date' },
  at: { header: 'At', kind: 'instant' },
} as const

const row = {
  name: 'Müller & "Söhne", <Köln>\nSüd',
  weight: 12.5,
  price: '1234567.89',
  isOpen: true,
  day: '2026-11-22',
  at: new Date('2026-11-22T03:04:05.678Z'),
}
const nothing = { name: null, weight: null, price: null, isOpen: null, day: null, at: null }

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const one of rows) found.push(one)
  return found
}

async function fileOf(bytes: ReadableStream<Uint8Array>): Promise<File> {
  return new File([await buffer(bytes as never)], 'sheet')
}

function csv(content: string | Uint8Array<ArrayBuffer>): File {
  return new File([content], 'sheet.csv')
}

async function faultOf(reading: AsyncIterable<unknown>): Promise<string | undefined> {
  const error = await all(reading).catch((thrown) => thrown)
  return error instanceof ValidationError ? error.validationErrors[0]?.text?.key : String(error)
}

test('a CSV file has a byte order mark, CRLF, quotes where they are needed and ISO dates', async () => {
  expect((await buffer(writeCsv(columns, [row, {}]) as never)).toString()).toBe(
    '\ufeffName,Weight,Price,Open,Day,At\r\n' +
      '"Müller & ""Söhne"", <Köln>\nSüd",12.5,1234567.89,true,2026-11-22,2026-11-22T03:04:05.678Z\r\n' +
      ',,,,,\r\n',
  )
})

test.each(['=1+1', '+31', '-2', '@SUM(A1)', '\tx', "'=1", "''@", '\n=1', '＝1+1', '＋1', '－2', '＠SUM(A1)'])(
  'the text %j is no formula in a CSV file, and is read as it was',
  async (name) => {
    const written = await text(
      writeCsv({ name: columns.name }, [{ name }], { byteOrderMark: false }) as never,
    )
    expect(written.split('\r\n')[1]?.replace(/^"/, '')).toMatch(/^'/)
    const [read] = await all(readCsv({ name: columns.name }, csv(written)))
    expect(read?.values.name).toBe(name)
  },
)

test.each([
  [',', 'a;=1+1', "a;'=1+1"],
  [',', 'a;;@x|-2', "a;;'@x|'-2"],
  [',', 'a;"=1+1"', `a;"'=1+1"`],
  [',', "a;'=1", "a;''=1"],
  [',', 'Note\n=1+1', "Note\n'=1+1"],
  [',', '=1;=2', "'=1;'=2"],
  [',', 'a;＝1', "a;'＝1"],
  [',', '52.3,-4.5', '52.3,-4.5'],
  [';', 'a,=1+1', "a,'=1+1"],
  [';', 'a;=1+1', 'a;=1+1'],
  ['\t', 'a,=1;=2', "a,'=1;'=2"],
] as const)(
  'in a CSV file with %j no part of the text %j is a formula where a program expects another delimiter',
  async (delimiter, name, guarded) => {
    const options = { delimiter, byteOrderMark: false }
    const both = { name: columns.name, weight: columns.weight }
    const written = await text(writeCsv(both, [{ name, weight: 1 }], options) as never)
    const cell = written.slice(`Name${delimiter}Weight\r\n`.length, -`${delimiter}1\r\n`.length)
    expect(cell.replace(/^"|"$/g, '').replaceAll('""', '"')).toBe(guarded)
    const [read] = await all(readCsv(both, csv(written)))
    expect(read?.values.name).toBe(name)
  },
)

test.each(['1-2', 'a, b', 'a; b - c', 'https://example.com/?a=1', 'x;y', "it's"])(
  'the text %j is in a CSV file as it is',
  async (name) => {
    const written = await text(
      writeCsv({ name: columns.name }, [{ name }], { byteOrderMark: false }) as never,
    )
    expect(written).toContain(name)
  },
)

test.each([
  ['with semicolons', 'Name;Weight\nA;1\n"B;C";2', {}],
  ['with tabs and CR alone', 'Name\tWeight\rA\t1\rB;C\t2\r', {}],
  ['with CRLF and empty lines', '\r\nName,Weight\r\nA,1\r\n\r\nB;C,2\r\n\r\n', {}],
  ['with other columns and headers in any case', 'x,WEIGHT,name\n9,1,A\n9,2,B;C', {}],
])('a CSV file is read %s', async (_, content, options) => {
  const read = await all(readCsv({ name: columns.name, weight: columns.weight }, csv(content), options))
  expect(read.map(({ values }) => values)).toEqual([
    { name: 'A', weight: 1 },
    { name: 'B;C', weight: 2 },
  ])
})

test('a quote inside of a cell, or text behind a closing one, is read as it stands', async () => {
  const read = await all(readCsv({ name: columns.name }, csv('Name\n5" pipe\n"A"B\n"say ""hi"""')))
  expect(read.map(({ values }) => values.name)).toEqual(['5" pipe', '"A"B', 'say "hi"'])
})

test('rows tell the line that they begin on, and every cell that does not hold what it should', async () => {
  const content =
    'Name,Weight,Price,Open,Day,At\n"three\r\nlines\n",1,2,no,2026-02-28,2026-02-28T10:00:00+01:00\nB,"1,5",2.,maybe,2026-02-30,soon\n'
  const [good, bad] = await all(readCsv(columns, csv(content)))
  expect(good).toEqual({
    line: 2,
    values: {
      name: 'three\r\nlines\n',
      weight: 1,
      price: '2',
      isOpen: false,
      day: '2026-02-28',
      at: new Date('2026-02-28T09:00:00Z'),
    },
    faults: [],
  })
  expect([bad?.line, bad?.values, bad?.faults.map(({ members, text }) => [members[0], text?.key])]).toEqual([
    5,
    { ...nothing, name: 'B' },
    [
      ['weight', 'Validation:Number'],
      ['price', 'Validation:Decimal'],
      ['isOpen', 'Validation:Boolean'],
      ['day', 'Validation:CalendarDate'],
      ['at', 'Validation:Instant'],
    ],
  ])
})

test('rows tell their line also behind rows without content, and behind longer and shorter ones', async () => {
  const content = 'Name\n\n , ,\n"\n"\nA,1,2\n,"\r\n"\n\nB\r\n'
  const read = await all(readCsv({ name: columns.name }, csv(content)))
  expect(read.map(({ line, values }) => [line, values.name])).toEqual([
    [6, 'A'],
    [10, 'B'],
  ])
})

test('rows with more or fewer cells than the first one make the parser build no errors', async () => {
  const { captureStackTrace } = Error
  let errors = 0
  Error.captureStackTrace = (...given) => {
    errors += 1
    captureStackTrace(...given)
  }
  try {
    expect(await all(readCsv({ name: columns.name }, csv(`Name,Weight\n${'A\n'.repeat(500)}`)))).toHaveLength(
      500,
    )
    expect(errors).toBe(0)
  } finally {
    Error.captureStackTrace = captureStackTrace
  }
})

test('a CSV file is read in the encoding of its mark, else in the one that is told', async () => {
  const one = { name: columns.name }
  const utf16 = new Uint8Array([0xff, 0xfe, ...Buffer.from('Name\nÄ', 'utf16le')])
  const ansi = new Uint8Array([...Buffer.from('Name\nÄ', 'latin1')])
  expect((await all(readCsv(one, csv(utf16))))[0]?.values.name).toBe('Ä')
  expect((await all(readCsv(one, csv(ansi), { encoding: 'windows-1252' })))[0]?.values.name).toBe('Ä')
  expect(await faultOf(readCsv(one, csv(ansi)))).toBe('Spreadsheet:Encoding')
})

test.each([
  ['', 'Spreadsheet:NoHeader'],
  ['Name\nA', 'Spreadsheet:ColumnsMissing'],
  ['Name,Weight,name\nA,1,B', 'Spreadsheet:ColumnTwice'],
  ['Name,Weight\n"A,1', 'Spreadsheet:Quote'],
  [`Name,Weight\n"${'A'.repeat(2_000_000)}`, 'Spreadsheet:RowTooLong'],
  [`Name,Weight\nA,1${','.repeat(50_000)}`, 'Spreadsheet:RowTooLong'],
  [`Name,Weight\n${'\n'.repeat(20_000)}`, 'Spreadsheet:TooManyRows'],
  [`Name,Weight\n${'A,1\n'.repeat(11)}`, 'Spreadsheet:TooManyRows'],
])('a CSV file with such a content is refused, case %#', async (content, key) => {
  const { name, weight } = columns
  expect(await faultOf(readCsv({ name, weight }, csv(content), { maxRows: 10 }))).toBe(key)
})

test('what is written is read again, in either format', async () => {
  const cell = fc.record({
    name: fc.option(
      fc
        .string({ unit: 'binary', minLength: 1 })
        .filter((text) => text.trim() !== '' && !/[\ufffe\uffff]/.test(text)),
    ),
    weight: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0)),
    isOpen: fc.option(fc.boolean()),
    day: fc.option(
      fc
        .date({ min: new Date('1900-03-01'), max: new Date('9999-12-31'), noInvalidDate: true })
        .map((date) => date.toISOString().slice(0, 10)),
    ),
    at: fc.option(fc.date({ min: new Date('1900-03-01'), max: new Date('2199-12-31'), noInvalidDate: true })),
  })
  const { price: _, ...kinds } = columns
  await fc.assert(
    fc.asyncProperty(
      fc.array(cell, { maxLength: 5 }),
      fc.constantFrom('csv', 'xlsx'),
      async (rows, format) => {
        const file = await fileOf(spreadsheetFile(format, 'x', kinds, rows).stream())
        const read = await all(readSpreadsheet(kinds, file))
        const written = rows.filter((values) => Object.values(values).some((value) => value !== null))
        expect(read.map(({ values, faults }) => ({ values, faults }))).toEqual(
          written.map((values) => ({ values, faults: [] })),
        )
      },
    ),
    { numRuns: 60 },
  )
})

test('a workbook that has its texts apart, dates since 1904 and its sheet elsewhere is read', async () => {
  const file = await workbook({
    'xl/workbook.xml': `<x:workbook xmlns:x="m" xmlns:rel="r"><x:workbookPr date1904="1"/><x:sheets><x:sheet name="A" sheetId="7" rel:id="rId9"/></x:sheets></x:workbook>`,
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId9" Type="a/worksheet" Target="/xl/here.xml"/><Relationship Id="rId2" Type="a/sharedStrings" Target="texts.xml"/></Relationships>',
    'xl/texts.xml':
      '<sst><si><t>Name</t></si><si><r><t>A</t></r><r><t xml:space="preserve"> &amp; B_x000D_</t></r><rPh><t>no</t></rPh></si><si><t>Day</t></si></sst>',
    'xl/here.xml':
      '<worksheet><sheetData><row r="3"><c r="B3" t="s"><v>0</v></c><c r="D3" t="s"><v>2</v></c></row><row><c r="B4" t="s"><v>1</v></c><c r="D4"><f>TODAY()</f><v>1.75</v></c></row></sheetData></worksheet>',
  })
  const { name, day } = columns
  expect(await all(readXlsx({ name, day }, file))).toEqual([
    { line: 4, values: { name: 'A & B\r', day: '1904-01-02' }, faults: [] },
  ])
})

test('what is no workbook, or grows too big when it is unpacked, is refused', async () => {
  const one = { name: columns.name }
  const bomb = (xml: string, part = 'xl/worksheets/sheet1.xml') =>
    workbook({
      'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet r:id="rId1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="rId1" Type="a/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="a/sharedStrings" Target="texts.xml"/></Relationships>',
      'xl/worksheets/sheet1.xml': '<worksheet/>',
      [part]: xml,
    })
  const refused = async (file: File, options = {}) => faultOf(readXlsx(one, file, options))
  expect(await refused(csv('PK no archive'))).toBe('Spreadsheet:NoWorkbook')
  expect(await refused(await workbook({ 'a.txt': 'x' }))).toBe('Spreadsheet:NoWorkbook')
  expect(await refused(await bomb('<a><b></a>'))).toBe('Spreadsheet:NoWorkbook')
  expect(await refused(await bomb(`<a>${'x'.repeat(3_000_000)}</a>`))).toBe('Spreadsheet:NoWorkbook')
  expect(await refused(await bomb(`<!--${'<x>'.repeat(1_000_000)}--><a/>`))).toBe('Spreadsheet:NoWorkbook')
  expect(await refused(await bomb('<a>'.repeat(100)))).toBe('Spreadsheet:NoWorkbook')
  expect(await refused(await bomb('<a/>'.repeat(1000)), { maxUnpackedBytes: 3999 })).toBe(
    'Spreadsheet:TooBig',
  )
  const zeros = `<row><c><v>${'0'.repeat(70)}</v></c></row>`
  expect(await refused(await bomb(zeros.repeat(50_000)))).toBe('Spreadsheet:TooBig')
  expect(await refused(await bomb(`<sst>${'<si/>'.repeat(900_000)}</sst>`, 'xl/texts.xml'))).toBe(
    'Spreadsheet:TooBig',
  )
  const merged = '<mergeCell ref="A1:B2"/>'.repeat(100_001)
  expect(await refused(await bomb(`<worksheet>${merged}</worksheet>`))).toBe('Spreadsheet:NoWorkbook')
  const cells = '<c/>'.repeat(100_001)
  expect(await refused(await bomb(`<worksheet><sheetData><row>${cells}</row></sheetData></worksheet>`))).toBe(
    'Spreadsheet:NoWorkbook',
  )
  const lol =
    '<!DOCTYPE l [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]><worksheet><sheetData><row><c t="str"><v>&b;</v></c></row></sheetData></worksheet>'
  expect(await refused(await bomb(lol))).toBe('Spreadsheet:NoWorkbook')
  const texts = await bomb(`<sst>${'<si><t>abc</t></si>'.repeat(100)}</sst>`, 'xl/texts.xml')
  expect(await refused(texts, { maxSharedCharacters: 299 })).toBe('Spreadsheet:TooMuchText')
  const whole = Buffer.from(await (await fileOf(writeXlsx(one, [{ name: 'A' }]))).arrayBuffer())
  for (let length = 0; length < whole.length; length += 97)
    expect(await refused(new File([whole.subarray(0, length)], 'x'))).toBe('Spreadsheet:NoWorkbook')
})

test('what stands behind the rows of a sheet is not read', async () => {
  const row = '<row><c t="str"><v>Name</v></c></row>'
  const merged = '<mergeCell ref="A1:B2"/>'.repeat(100_001)
  const file = await workbook({
    'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': '<Relationships/>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${row}${row}</sheetData><mergeCells>${merged}</mergeCells>`,
  })
  expect(await all(readXlsx({ name: columns.name }, file))).toEqual([
    { line: 2, values: { name: 'Name' }, faults: [] },
  ])
})

test('rows are asked for as they are taken, and the source is told when nobody takes more', async () => {
  for (const write of [writeCsv, writeXlsx]) {
    let given = 0
    let isTold = false
    const endless = (async function* () {
      try {
        for (;;) yield { name: `row ${given++} ${Math.random()}` }
      } finally {
        isTold = true
      }
    })()
    const reader = write({ name: columns.name }, endless).getReader()
    for (let chunk = 0; chunk < 20; chunk += 1) await reader.read()
    await new Promise((resolve) => setImmediate(resolve))
    expect(given).toBeLessThan(200_000)
    await reader.cancel()
    await expect.poll(() => isTold).toBe(true)
  }
})

test('an error of the source, or a text beyond what a cell holds, breaks the stream off', async () => {
  const broken = (async function* () {
    yield { name: 'A' }
    throw new Error('the source broke')
  })()
  await expect(buffer(writeXlsx({ name: columns.name }, broken) as never)).rejects.toThrow('the source broke')
  const long = [{ name: 'x'.repeat(32_768) }]
  await expect(buffer(writeXlsx({ name: columns.name }, long) as never)).rejects.toThrow('cell A2 has 32768')
})

/** A workbook with one name in its sheet, and parts beside it, each with the content of the sheet. */
async function workbookWith(names: readonly string[]): Promise<File> {
  const zip = new ZipFile()
  const sheet =
    '<worksheet><sheetData><row><c t="str"><v>Name</v></c></row><row><c t="str"><v>Ada</v></c></row></sheetData></worksheet>'
  const parts = {
    'xl/workbook.xml': '<workbook><sheets><sheet name="A" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': '<Relationships/>',
    'xl/worksheets/sheet1.xml': sheet,
  }
  for (const [path, content] of Object.entries(parts)) zip.addBuffer(Buffer.from(content), path)
  for (const name of names) zip.addBuffer(Buffer.from(sheet), name, { compress: false })
  zip.end()
  return new File([await buffer(zip.outputStream)], 'workbook.xlsx')
}

const namesIn = (file: File) => all(readXlsx({ name: columns.name }, file))

test.each(['xl/worksheets/sheet1.xml', 'XL/Worksheets/Sheet1.xml'])(
  'a workbook that has a part twice, the second time as %s, is none',
  async (name) => {
    expect(await namesIn(await workbookWith([]))).toMatchObject([{ values: { name: 'Ada' } }])
    expect(await faultOf(readXlsx({ name: columns.name }, await workbookWith([name])))).toBe(
      'Spreadsheet:NoWorkbook',
    )
  },
)

test('a workbook of many parts is read in large pieces, and one of too many, however they are named, not at all', async () => {
  let reads = 0
  const counted = (file: File): File =>
    Object.assign(file, {
      slice: (start: number, end: number) => {
        reads += 1
        return Blob.prototype.slice.call(file, start, end)
      },
    })
  const parts = Array.from({ length: 1000 }, (_, index) => `xl/media/${index}`)
  await namesIn(counted(await workbookWith(parts)))
  expect(reads).toBeLessThan(20)
  reads = 0
  const many = counted(await workbookWith(Array(10_000).fill('xl/media/same')))
  expect(await faultOf(readXlsx({ name: columns.name }, many))).toBe('Spreadsheet:NoWorkbook')
  expect(reads).toBe(1)
})

async function workbook(parts: Readonly<Record<string, string>>): Promise<File> {
  const zip = new ZipFile()
  for (const [path, content] of Object.entries(parts)) zip.addBuffer(Buffer.from(content), path)
  zip.end()
  return new File([await buffer(zip.outputStream)], 'workbook.xlsx')
}
