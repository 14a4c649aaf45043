import { browserText, type IdentitySessionDto } from '@keel/platform-proxy'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useApplication, useTexts } from '../application.js'
import { useQuestion } from './confirm.js'

/** A session of the own account or of another. */
type Session = Pick<
  InstanceType<typeof IdentitySessionDto>,
  'device' | 'deviceInfo' | 'isCurrent' | 'clientId' | 'ipAddresses' | 'lastAccessed' | 'signedIn'
>

/** A session in a list, with a button that ends it, after a question. */
export function SessionRow({
  session,
  end,
}: {
  readonly session: Session
  /** Ends it; without it there is no button. */
  readonly end?: (() => Promise<unknown>) | false
}) {
  const t = useTexts()
  const { ask, question } = useQuestion()
  return (
    <Group justify="space-between" wrap="nowrap">
      <SessionWords session={session} />
      {end && (
        <Button
          size="xs"
          variant="default"
          onClick={() =>
            ask({
              title: t('EndSessionTitle'),
              action: t('EndSession'),
              words: (
                <Stack gap="xs">
                  {t('EndSessionHint')}
                  <SessionWords session={session} />
                </Stack>
              ),
              run: end,
              done: t('SessionEndedNow'),
            })
          }
        >
          {t('EndSession')}
        </Button>
      )}
      {question}
    </Group>
  )
}

/** Where a session is, in a few words; the pointer shows all that its browser told. */
function SessionWords({ session }: { readonly session: Session }) {
  const { t, formatInstant } = useApplication()
  const { device, deviceInfo, isCurrent, clientId, ipAddresses, lastAccessed, signedIn } = session
  return (
    <Stack gap={0}>
      <Text size="sm" fw={550} title={deviceInfo ?? undefined}>
        {deviceInfo ? browserText(deviceInfo) : device} {isCurrent && `· ${t('ThisSession')}`}
      </Text>
      <Text size="xs" c="dimmed">
        {[clientId, ipAddresses.join(', '), formatInstant(lastAccessed ?? signedIn)]
          .filter(Boolean)
          .join(' · ')}
      </Text>
    </Stack>
  )
}
