import { useEffect, useRef } from 'react'
import { useApplication } from './application.js'
import type { LiveEvents, LiveKind } from './live.js'

/**
 * Calls the listener with each event of a kind that the server pushes, as long as the component is there.
 * @example useLive('notification', ({ count }) => setUnread(count))
 */
export function useLive<K extends LiveKind>(kind: K, listener: (data: LiveEvents[K]) => void): void {
  const { live } = useApplication()
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(() => live.on(kind, (data) => latest.current(data)), [live, kind])
}
