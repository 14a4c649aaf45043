import '@mantine/core/styles/Progress.css'
import { Button, Group, Loader, Progress, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useApplication } from '../application.js'
import { useLeaveWarning } from './drafts.js'

/** How far work on many things got. */
interface Reached {
  readonly done: number
  /** Zero until it is known. */
  readonly total: number
}

/** Work on many things that takes long, one at a time. */
export interface Bulk {
  /** Undefined while nothing runs. */
  readonly reached: Reached | undefined
  /** True once the person has asked to stop. */
  readonly isStopping: boolean
  readonly stop: () => void
  /**
   * Runs the work, which tells how far it is, and looks at the signal: work in portions ends after the portion that runs, a download at once.
   * Rejects with its error.
   */
  readonly run: <R>(
    work: (report: (done: number, total: number) => void, signal: AbortSignal) => Promise<R>,
  ) => Promise<R>
}

/** Work on many things with {@link BulkProgress}. It is asked to stop when its page is left, and the browser warns before that. */
export function useBulk(): Bulk {
  const [reached, setReached] = useState<Reached>()
  const [isStopping, setStopping] = useState(false)
  const control = useRef<AbortController>(undefined)
  useLeaveWarning(reached !== undefined)
  useEffect(() => () => control.current?.abort(), [])
  return {
    reached,
    isStopping,
    stop() {
      setStopping(true)
      control.current?.abort()
    },
    async run(work) {
      const controller = new AbortController()
      control.current = controller
      setStopping(false)
      setReached({ done: 0, total: 0 })
      try {
        return await work((done, total) => setReached({ done, total }), controller.signal)
      } finally {
        setReached(undefined)
      }
    },
  }
}

/** How far work on many things is, and the button that stops it; nothing while none runs. */
export function BulkProgress({
  bulk: { reached, isStopping, stop },
  title,
  format,
}: {
  readonly bulk: Bulk
  /** What is done, in words. */
  readonly title: string
  /** How a figure is written, such as a size; as a number unless given. */
  readonly format?: (value: number) => string
}) {
  const { t, formatNumber } = useApplication()
  if (!reached) return null
  const { done, total } = reached
  const written = format ?? formatNumber
  return (
    <Stack gap={6} role="group" aria-label={title} miw={240}>
      {total > 0 && <Progress value={Math.min((100 * done) / total, 100)} aria-label={title} />}
      <Group justify="space-between" wrap="nowrap">
        {total > 0 ? (
          <Text size="sm">{t('DoneOf', { done: written(done), total: written(total) })}</Text>
        ) : (
          <Loader size="sm" />
        )}
        <Button size="xs" variant="default" loading={isStopping} onClick={stop}>
          {t('AbpUi::Cancel')}
        </Button>
      </Group>
    </Stack>
  )
}
