/** The first bytes of images by their media types; `undefined` stands for any byte. */
const heads: readonly (readonly [type: string, head: readonly (number | undefined)[]])[] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
  ['image/webp', [0x52, 0x49, 0x46, 0x46, ...Array(4).fill(undefined), 0x57, 0x45, 0x42, 0x50]],
]

/** The media type of an image by its first bytes, whatever its name says; undefined for everything else. */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  return heads.find(([, head]) =>
    head.every((byte, index) => byte === undefined || bytes[index] === byte),
  )?.[0]
}
