import { Notification, Stack } from '@mantine/core'
import { createContext, type ReactNode, use, useCallback, useState } from 'react'
import { useTexts } from '../application.js'

interface Notice {
  readonly id: number
  readonly text: string
  readonly isError: boolean
}

/** Shows a sentence in the corner of the page, which screen readers read out. */
export type Tell = (text: string, isError?: boolean) => void

const Context = createContext<Tell>(() => undefined)
/** How long a sentence stays. Errors stay until they are closed. */
const shownMs = 5_000
let lastId = 0

export function NoticesProvider({ children }: { readonly children: ReactNode }) {
  const [notices, setNotices] = useState<readonly Notice[]>([])
  const t = useTexts()
  const close = useCallback((id: number) => setNotices((all) => all.filter((one) => one.id !== id)), [])
  const tell = useCallback<Tell>(
    (text, isError = false) => {
      lastId += 1
      const id = lastId
      setNotices((all) => [...all.slice(-3), { id, text, isError }])
      if (!isError) setTimeout(() => close(id), shownMs)
    },
    [close],
  )
  return (
    <Context value={tell}>
      {children}
      <Stack
        gap="xs"
        role="status"
        aria-live="polite"
        style={{
          position: 'fixed',
          bottom: 16,
          insetInlineEnd: 16,
          zIndex: 500,
          maxWidth: 'min(26rem, calc(100vw - 32px))',
        }}
      >
        {notices.map(({ id, text, isError }) => (
          <Notification
            key={id}
            withBorder
            color={isError ? 'red' : 'teal'}
            onClose={() => close(id)}
            closeButtonProps={{ 'aria-label': t('AbpUi::Close') }}
          >
            {text}
          </Notification>
        ))}
      </Stack>
    </Context>
  )
}

/** Tells the person what happened. */
export function useTell(): Tell {
  return use(Context)
}

/** Waits for work that a button began, and tells how it ended: the given sentence, or the words of the server. */
export function useAct(): (work: Promise<unknown>, done: string) => void {
  const tell = useTell()
  return (work, done) =>
    void work.then(
      () => tell(done),
      (error: Error) => tell(error.message, true),
    )
}
