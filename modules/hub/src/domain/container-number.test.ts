import { expect, test } from 'vitest'
import { containerCheckDigit, isContainerNumber } from './container-number.js'

// domain model, section 8.3
const valid =
  'CSQU3054383 MSCU6639870 MSCU1234566 TEXU3070079 BICU1234565 TCLU4265449 MAEU8617655 CMAU4541163 MSKU0000080'
const invalid = 'CSQU3054384 MSKU1100810 TCLU4265447 HLXU1234560 OOLU1234560'

test.each(valid.split(' '))('%s is a container number', (number) => {
  expect(isContainerNumber(number)).toBe(true)
  expect(containerCheckDigit(number.slice(0, 10))).toBe(Number(number[10]))
})

test.each([...invalid.split(' '), 'CSQX3054383', 'CSQU305438', '', 'csqu3054383', 'CSQU30543830'])(
  '%j is none',
  (number) => expect(isContainerNumber(number)).toBe(false),
)
