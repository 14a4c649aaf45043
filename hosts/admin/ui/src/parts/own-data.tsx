import { PersonalDataRequestStatus } from '@keel/default-proxy'
import { serviceKeyOf, useMutation, useQuery } from '@keel/react'
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useApplication } from '../application.js'
import { useLiveQueries } from '../use-live.js'
import { saveFile } from './download.js'
import { useAct } from './notices.js'
import { ownPersonalData } from './personal-data.js'
import { ErrorAlert } from './states.js'

/** The exports of the own data, and a button for a new one. */
export function OwnData() {
  const { t, formatInstant } = useApplication()
  const act = useAct()
  const list = useQuery(ownPersonalData.getList, { maxResultCount: 5 })
  const { run, isRunning } = useMutation()
  useLiveQueries(serviceKeyOf(ownPersonalData.getList), 'notification')
  return (
    <Stack gap="xs">
      <Title order={2}>{t('OwnData')}</Title>
      <Text size="sm" c="dimmed">
        {t('OwnDataHint')}
      </Text>
      {list.error && <ErrorAlert error={list.error} retry={() => void list.refetch()} />}
      {list.data?.items.map(({ id, status, creationTime, fileSize }) => (
        <Group key={id} justify="space-between" wrap="nowrap">
          <Text size="sm">
            {formatInstant(creationTime)}: {t(`Core::Enum:PersonalDataRequestStatus.${status}`)}
          </Text>
          {status === PersonalDataRequestStatus.Succeeded && fileSize !== null && (
            <Button
              size="xs"
              variant="default"
              onClick={() => act(ownPersonalData.getFile(id).then(saveFile), t('Exported'))}
            >
              {t('Ops:Download')}
            </Button>
          )}
        </Group>
      ))}
      <Group>
        <Button
          variant="default"
          loading={isRunning}
          onClick={() => act(run(ownPersonalData.create), t('PersonalDataStarted'))}
        >
          {t('ExportOwnData')}
        </Button>
      </Group>
    </Stack>
  )
}
