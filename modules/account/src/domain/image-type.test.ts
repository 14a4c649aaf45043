import { expect, test } from 'vitest'
import { imageTypeOf } from './image-type.js'

const text = (value: string) => new TextEncoder().encode(value)

test.each([
  [Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0), 'image/png'],
  [Uint8Array.of(0xff, 0xd8, 0xff, 0xe0), 'image/jpeg'],
  [text('GIF89a'), 'image/gif'],
  [text('RIFF....WEBPVP8 '), 'image/webp'],
  [text('RIFF....WAVE'), undefined],
  [text('<svg xmlns="http://www.w3.org/2000/svg">'), undefined],
  [text(''), undefined],
])('%j is %s', (bytes, type) => {
  expect(imageTypeOf(bytes)).toBe(type)
})
