import '@mantine/core/styles/Table.css'
import { type ApiKeyDto, apiKeyMembers, rotationOverlap } from '@keel/platform-proxy'
import { useMutation, useQuery } from '@keel/react'
import { Alert, Badge, Button, Group, Select, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { openProxy } from '../clients.js'
import { Confirm, useQuestion } from './confirm.js'
import { CopyBox } from './copy-box.js'
import { Dialog } from './dialog.js'
import { Drawer } from './drawer.js'
import { Facts } from './facts.js'
import { Icon } from './icons.js'
import { EmptyState, ErrorAlert } from './states.js'

/** The client of API keys. */
export const { apiKeys } = openProxy({ apiKeys: apiKeyMembers.apiKeys })

/** The full key, which no later answer contains. Only its button closes it. */
export function KeySecret({
  secret,
  label,
  onClose,
}: {
  readonly secret: string
  /** "API key" unless given. */
  readonly label?: string
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  return (
    <Dialog title={t('KeySecret')} isHeld onClose={onClose}>
      <Stack>
        <Alert color="orange" variant="light">
          {t('KeySecretHint')}
        </Alert>
        <CopyBox label={label ?? t('ApiKeys::DisplayName:ApiKey')} text={secret} />
        <Button onClick={onClose}>{t('KeySecretKept')}</Button>
      </Stack>
    </Dialog>
  )
}

const overlaps = [0, rotationOverlap.defaultMinutes, 24 * 60, rotationOverlap.mostMinutes]

/** Gives a key another secret; the old one goes on working for a while. */
export function RotateDialog({
  apiKey,
  onRotated,
  onClose,
}: {
  readonly apiKey: InstanceType<typeof ApiKeyDto>
  readonly onRotated: (secret: string) => void
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const { run } = useMutation()
  const [overlap, setOverlap] = useState(String(rotationOverlap.defaultMinutes))
  return (
    <Confirm
      title={`${t('RotateKey')}: ${apiKey.name}`}
      action={t('RotateKey')}
      onConfirm={async () => {
        const { key } = await run(apiKeys.rotate, apiKey.id, { overlapMinutes: Number(overlap) })
        onRotated(key)
      }}
      onClose={onClose}
    >
      <Stack>
        <Text size="sm">{t('RotateKeyHint')}</Text>
        <Select
          label={t('OldSecretWorks')}
          allowDeselect={false}
          data={overlaps.map((minutes) => ({ value: String(minutes), label: t(`Overlap:${minutes}`) }))}
          value={overlap}
          onChange={(value) => value && setOverlap(value)}
        />
      </Stack>
    </Confirm>
  )
}

/** What a key was used for, and what it was granted for nothing. */
export function UsageDrawer({
  id,
  mayNarrow,
  onClose,
}: {
  readonly id: string
  readonly mayNarrow: boolean
  readonly onClose: () => void
}) {
  const { t, formatInstant, formatNumber } = useApplication()
  const usage = useQuery(apiKeys.getUsage, id)
  const { run } = useMutation()
  const { ask, question } = useQuestion()
  const never = usage.data?.neverUsedPermissions ?? []
  return (
    <Drawer onClose={onClose} size="lg" title={t('ApiKeys::DisplayName:Usages')}>
      {usage.error && <ErrorAlert error={usage.error} retry={() => void usage.refetch()} />}
      {usage.isPending && <Skeleton height={200} />}
      {usage.data && (
        <Stack>
          <Facts
            facts={[
              ['ApiKeys::DisplayName:LastUsedTime', formatInstant(usage.data.lastUsedTime) || t('Never')],
              ['Requests', formatNumber(usage.data.requestCount)],
            ]}
          />
          {usage.data.permissions.length === 0 ? (
            <EmptyState icon="key" title={t('KeyNeverUsed')}>
              {t('KeyNeverUsedHint')}
            </EmptyState>
          ) : (
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t('AbpUi::DisplayName:PermissionName')}</Table.Th>
                  <Table.Th>{t('ApiKeys::DisplayName:CallCount')}</Table.Th>
                  <Table.Th>{t('ApiKeys::DisplayName:LastUsedTime')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {usage.data.permissions.map(({ name, callCount, lastUsedTime }) => (
                  <Table.Tr key={name}>
                    <Table.Td>{name}</Table.Td>
                    <Table.Td>{formatNumber(callCount)}</Table.Td>
                    <Table.Td>{formatInstant(lastUsedTime)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )}
          {never.length > 0 && (
            <>
              <Title order={2}>{t('NeverUsed', { count: never.length })}</Title>
              <Group gap={4}>
                {never.slice(0, mostShown).map((name) => (
                  <Badge key={name} variant="light" color="gray">
                    {name}
                  </Badge>
                ))}
                {never.length > mostShown && (
                  <Text size="sm">{t('AndMore', { count: never.length - mostShown })}</Text>
                )}
              </Group>
              {mayNarrow && (
                <Button
                  variant="light"
                  color="red"
                  leftSection={<Icon name="shield" />}
                  onClick={() =>
                    ask({
                      action: t('NarrowKey'),
                      words: t('NarrowKeyHint', { count: never.length }),
                      run: () => run(apiKeys.narrow, id),
                      done: t('KeyNarrowed', { count: never.length }),
                    })
                  }
                >
                  {t('NarrowKey')}
                </Button>
              )}
            </>
          )}
        </Stack>
      )}
      {question}
    </Drawer>
  )
}

const mostShown = 40
