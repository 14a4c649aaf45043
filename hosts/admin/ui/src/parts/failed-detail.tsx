import { Stack } from '@mantine/core'
import { useTexts } from '../application.js'
import { BackLink } from './back-link.js'
import { ErrorAlert } from './states.js'

/** Instead of a thing that can't be loaded: why, and the way back to its list. */
export function FailedDetail({
  error,
  retry,
  list,
  title,
}: {
  readonly error: Error
  readonly retry: () => unknown
  /** The path of the list, and the key of its title. */
  readonly list: string
  readonly title: string
}) {
  const t = useTexts()
  return (
    <Stack align="flex-start">
      <BackLink to={list} title={t(title)} />
      <ErrorAlert error={error} retry={() => void retry()} />
    </Stack>
  )
}
