import { browserText, type IdentitySessionDto } from '@keel/platform-proxy'
import { Stack, Text } from '@mantine/core'
import { useApplication } from '../application.js'

/** Where a session is, in a few words; the pointer shows all that its browser told. */
export function SessionWords({
  session,
}: {
  readonly session: Pick<
    InstanceType<typeof IdentitySessionDto>,
    'device' | 'deviceInfo' | 'isCurrent' | 'clientId' | 'ipAddresses' | 'lastAccessed' | 'signedIn'
  >
}) {
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
