import { type QueryKey, useQueryClient } from '@tanstack/react-query'
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

/**
 * Asks again for all queries under a key with each event of some kinds, and whenever events may have been missed: before a stream was open, and time and
 * again at a host behind a pooler, which hears of no changes.
 * @example useLiveQueries(serviceKeyOf(exportRuns.getList), 'job', 'notification')
 */
export function useLiveQueries(queryKey: QueryKey, ...kinds: readonly LiveKind[]): void {
  const { live } = useApplication()
  const client = useQueryClient()
  const latest = useRef(queryKey)
  useEffect(() => {
    latest.current = queryKey
  })
  const told = [...kinds, 'ready', 'refresh'].join()
  useEffect(() => {
    const ask = () => void client.invalidateQueries({ queryKey: latest.current })
    const ends = (told.split(',') as LiveKind[]).map((kind) => live.on(kind, ask))
    return () => {
      for (const end of ends) end()
    }
  }, [live, client, told])
}
