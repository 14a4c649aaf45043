import { AccountSettingPermissions, SettingManagementPermissions } from '@keel/platform-proxy'
import { useMutation, useQuery } from '@keel/react'
import { Button, Card, Group, NativeSelect, NavLink, Select, Skeleton, Stack, Title } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { useApplication } from '../application.js'
import { ExternalProviders } from '../parts/external-providers.js'
import { FormBody, useForm } from '../parts/form.js'
import { Icon } from '../parts/icons.js'
import { useTell } from '../parts/notices.js'
import { PageHead } from '../parts/page-head.js'
import { SettingForm } from '../parts/setting-form.js'
import { emailing, settingSections, timeZone } from '../parts/setting-sections.js'
import { EmptyState, ErrorAlert } from '../parts/states.js'
import { TestMailDialog } from '../parts/test-mail-dialog.js'
import { useUrlState } from '../parts/url-state.js'

interface SettingGroup {
  readonly id: string
  readonly title: string
  readonly permission: string
  readonly content: () => ReactNode
}

/** All groups: those of the contracts' DTOs, and two with a form of their own. */
const groups: readonly SettingGroup[] = [
  ...settingSections.map(({ id, title, permission }, index) => ({
    id,
    title,
    permission,
    content: () => {
      const section = settingSections[index]
      return section && <SettingForm section={section} />
    },
  })),
  {
    id: 'external-providers',
    title: 'ExternalProviders',
    permission: AccountSettingPermissions.SettingManagement,
    content: () => <ExternalProviders />,
  },
  {
    id: 'time-zone',
    title: 'AbpSettingManagement::Menu:TimeZone',
    permission: SettingManagementPermissions.TimeZone,
    content: () => <TimeZoneForm />,
  },
]

/** The settings of the whole system, a group at a time. */
export function Page() {
  const { t, may } = useApplication()
  const [url, setUrl] = useUrlState()
  const isNarrow = useMediaQuery('(max-width: 62em)', window.innerWidth < 992)
  const [isTesting, setTesting] = useState(false)
  const shown = groups.filter(({ permission }) => may(permission))
  const group = shown.find(({ id }) => id === url['group']) ?? shown[0]
  if (!group)
    return (
      <EmptyState icon="lock" title={t('NothingToSee')}>
        {t('NothingToSeeHint')}
      </EmptyState>
    )
  const choose = (id: string) => setUrl({ group: id }, true)
  return (
    <>
      <PageHead title={t('AbpSettingManagement::Settings')} hint={t('SettingsHint')} />
      <Group align="flex-start" wrap={isNarrow ? 'wrap' : 'nowrap'}>
        {isNarrow ? (
          <NativeSelect
            aria-label={t('AbpSettingManagement::Settings')}
            data={shown.map(({ id, title }) => ({ value: id, label: t(title) }))}
            value={group.id}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
            w="100%"
          />
        ) : (
          <Card
            withBorder
            padding="xs"
            w={260}
            component="nav"
            aria-label={t('AbpSettingManagement::Settings')}
          >
            {shown.map(({ id, title }) => (
              <NavLink
                key={id}
                component="button"
                label={t(title)}
                active={id === group.id}
                aria-current={id === group.id ? 'true' : undefined}
                onClick={() => choose(id)}
                style={{ borderRadius: 8 }}
              />
            ))}
          </Card>
        )}
        <Card withBorder style={{ flex: 1, minWidth: 0 }} maw={860} w="100%">
          <Group justify="space-between" mb="md">
            <Title order={2}>{t(group.title)}</Title>
            {group.id === 'emailing' && may(SettingManagementPermissions.EmailingTest) && (
              <Button variant="default" leftSection={<Icon name="mail" />} onClick={() => setTesting(true)}>
                {t('AbpSettingManagement::SendTestEmail')}
              </Button>
            )}
          </Group>
          <Stack key={group.id}>{group.content()}</Stack>
        </Card>
      </Group>
      {isTesting && (
        <TestMailDialog send={emailing.sendTestEmail} load={emailing.get} onClose={() => setTesting(false)} />
      )}
    </>
  )
}

function TimeZoneForm() {
  const stored = useQuery(timeZone.get)
  const zones = useQuery(timeZone.getTimezones)
  if (stored.error) return <ErrorAlert error={stored.error} retry={() => void stored.refetch()} />
  if (!stored.data || !zones.data) return <Skeleton height={80} />
  return (
    <LoadedTimeZone
      zone={stored.data}
      zones={zones.data.map(({ name, value }) => ({ value, label: name }))}
    />
  )
}

function LoadedTimeZone({
  zone,
  zones,
}: {
  readonly zone: string
  readonly zones: readonly { value: string; label: string }[]
}) {
  const { t } = useApplication()
  const tell = useTell()
  const { run } = useMutation()
  const form = useForm({
    draft: 'settings:time-zone',
    initial: { timezone: zone },
    async save(values) {
      await run(timeZone.update, values.timezone)
      form.reset(values)
      tell(t('AbpUi::SavedSuccessfully'))
    },
  })
  return (
    <FormBody form={form}>
      <Select
        label={t('TimeZone')}
        description={t('TimeZoneHint')}
        searchable
        limit={60}
        allowDeselect={false}
        data={[...zones]}
        value={form.values.timezone}
        error={form.errorOf('timezone')}
        onChange={(next) => next && form.set('timezone', next)}
      />
    </FormBody>
  )
}
