import { expect, test } from 'vitest'
import { isCommonPassword, isMadeOfWords } from './guessable-password.js'

const common = new Set([
  'password',
  '123456',
  'qwerty',
  '1q2w3e',
  'dragon',
  'p@ssw0rd',
  'abc123',
  'will',
  '1qaz@wsx',
])

test.each([
  ['password', true],
  ['PassWord', true],
  ['Password1!', true],
  ['P@ssw0rd2024', true],
  ['Pa55word!', true],
  ['Wi1l-1985!', true],
  ['1q2w3E*', true],
  ['Abc123*', true],
  ['!!Dragon7!', true],
  ['1qaz@WSX', true],
  ['', false],
  ['*', false],
  ['Password-for-Ada', false],
  ['Dragon73-19462', false],
  ['correct horse battery staple', false],
  [`Dragon${'!'.repeat(100_000)}x`, false],
])('that %s is common is %s', (password, isCommon) => {
  expect(isCommonPassword(password, common)).toBe(isCommon)
})

const ada = [
  'ada.king@lovelace-mills.example',
  'Ada',
  'King',
  'Élodie',
  'Harbour & Sons',
  'Al',
  'annabel',
  'anna',
]

test.each([
  ['AdaKing1815!', true],
  ['1815-king.ADA', true],
  ['Lovelace#Mills7', true],
  ['Elodie2024*', true],
  ['HarbourSons1!', true],
  ['L0vel4ce!', true],
  ['AnnabelAnna1!', true],
  ['Alal1234!', false],
  ['AdaKing-Quay7', false],
  ['1815!', false],
  ['', false],
])('that %s is made of names of its user is %s', (password, isMade) => {
  expect(isMadeOfWords(password, ada)).toBe(isMade)
})
