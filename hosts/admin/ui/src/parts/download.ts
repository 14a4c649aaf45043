/** A file as operations answer with it. */
export interface ReceivedFile {
  readonly name: string
  readonly stream: () => ReadableStream
}

/** Gives the browser a file to keep. */
export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  // The browser reads the address after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** Gives the browser a file that an operation answered with. */
export async function saveFile(file: ReceivedFile): Promise<void> {
  saveBlob(await new Response(file.stream()).blob(), file.name)
}

/** Gives the browser a file that came as base64 in an answer. */
export function saveBase64(data: string, name: string): void {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
  saveBlob(new Blob([bytes]), name)
}
