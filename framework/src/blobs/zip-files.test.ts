import { expect, test } from 'vitest'
import { uniqueFileNames } from './zip-files.js'

test('names of files are unique, also where case and the form of accents do not count', () => {
  expect(
    uniqueFileNames(['a.pdf', 'A.pdf', 'a.pdf', 'a (2).pdf', 'ré.csv', 're\u0301.csv', 'noext', 'noext']),
  ).toEqual([
    'a.pdf',
    'A (2).pdf',
    'a (3).pdf',
    'a (2) (2).pdf',
    'ré.csv',
    'ré (2).csv',
    'noext',
    'noext (2)',
  ])
})

test.each([
  ['../../etc/passwd', '__.._etc_passwd'],
  ['..\\..\\run.bat', '__.._run.bat'],
  ['/abs.txt', '_abs.txt'],
  ['C:\\x.txt', 'C__x.txt'],
  ['..', '_'],
  ['', 'file'],
  ['.htaccess', '_htaccess'],
  ['CON', '_CON'],
  ['nul.txt', '_nul.txt'],
  ['end. . ', 'end'],
  ['a\u202egpj.exe', 'a_gpj.exe'],
  ['a\nb\0.csv', 'a_b_.csv'],
  ['half \ud800.csv', 'half _.csv'],
  [`${'x'.repeat(300)}.pdf`, `${'x'.repeat(180)}.pdf`],
])('a name in an archive leads nowhere: %j', (given, name) => {
  expect(uniqueFileNames([given])).toEqual([name])
})
