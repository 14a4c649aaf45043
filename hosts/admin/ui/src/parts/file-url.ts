import { useEffect, useState } from 'react'
import type { ReceivedFile } from './download.js'

/**
 * The address of a file for an image or a frame, as the type that the server found by its content, whatever the file is called. The address ends with
 * the component.
 * @param load gets the file, once for each `key`
 */
export function useFileUrl(
  key: string,
  type: string,
  load: (key: string) => Promise<ReceivedFile>,
): { readonly url?: string | undefined; readonly error?: unknown } {
  const [state, setState] = useState<{ url?: string; error?: unknown }>({})
  useEffect(() => {
    let made: string | undefined
    let isGone = false
    const read = async () => {
      const bytes = await new Response((await load(key)).stream()).arrayBuffer()
      if (isGone) return
      made = URL.createObjectURL(new Blob([bytes], { type }))
      setState({ url: made })
    }
    read().catch((error: unknown) => setState({ error }))
    return () => {
      isGone = true
      if (made) URL.revokeObjectURL(made)
    }
  }, [key, type])
  return state
}
