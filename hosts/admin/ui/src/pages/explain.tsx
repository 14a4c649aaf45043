import '@mantine/core/styles/List.css'
import {
  GrantChangeKind,
  IdentityUserPermissions,
  PermissionAnswer,
  PermissionObstacle,
} from '@keel/platform-proxy'
import { useQuery, useQueryWhen } from '@keel/react'
import {
  Alert,
  Badge,
  Card,
  Group,
  List,
  Select,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { platform } from '../clients.js'
import { PageHead } from '../parts/page-head.js'
import { EmptyState, ErrorAlert } from '../parts/states.js'
import { useUrlState } from '../parts/url-state.js'

const resource = 'AbpPermissionManagement'

/** Why somebody may do something, or not: everything that counts, and what would change the answer. */
export function Page() {
  const { t, may, host } = useApplication()
  const [url, setUrl] = useUrlState()
  const mayUsers = may(IdentityUserPermissions.Default)
  const [typed, setTyped] = useState('')
  const [filter] = useDebouncedValue(typed, 250)
  const own = { value: host.currentUser.id ?? '', label: host.currentUser.userName ?? '' }
  const holderId = url['user'] ?? own.value
  const found = useQueryWhen(mayUsers, platform.identity.users.getList, {
    filter: filter || undefined,
    maxResultCount: 30,
  })
  const chosen = useQueryWhen(mayUsers, platform.identity.users.findById, holderId)
  // Names of permissions come from the list of the caller: everybody may ask for their own.
  const permissions = useQuery(platform.permissions.grants.get, 'U', holderId)
  const people = new Map(
    [own, ...(chosen.data ? [chosen.data] : []), ...(found.data?.items ?? [])].map((one) =>
      'label' in one ? ([one.value, one.label] as const) : ([one.id, one.userName] as const),
    ),
  )
  const permission = url['permission']
  const explanation = useQueryWhen(
    permission !== undefined,
    platform.permissions.explanations.explain,
    permission,
    'U',
    holderId,
    undefined,
  )
  return (
    <Stack maw={860}>
      <PageHead title={t('Explain')} hint={t('ExplainHint')} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          label={t('Who')}
          data={[...people].map(([value, label]) => ({ value, label }))}
          value={holderId}
          onChange={(user) => setUrl({ user: user ?? undefined })}
          searchable={mayUsers}
          onSearchChange={setTyped}
          disabled={!mayUsers}
          filter={({ options }) => options}
          allowDeselect={false}
        />
        <Select
          label={t('What')}
          placeholder={t('SearchPermissions')}
          data={
            permissions.data?.groups.map((group) => ({
              group: group.displayName,
              items: group.permissions.map(({ name, displayName }) => ({
                value: name,
                label: `${displayName} (${name})`,
              })),
            })) ?? []
          }
          value={permission ?? null}
          onChange={(name) => setUrl({ permission: name ?? undefined })}
          searchable
          limit={60}
        />
      </SimpleGrid>
      {permissions.error && <ErrorAlert error={permissions.error} />}
      {explanation.error && <ErrorAlert error={explanation.error} />}
      {permission === undefined && (
        <EmptyState icon="question" title={t('ChooseBoth')}>
          {t('ChooseBothHint')}
        </EmptyState>
      )}
      {permission !== undefined && explanation.isPending && <Skeleton height={200} />}
      {explanation.data && <Answer found={explanation.data} />}
    </Stack>
  )
}

type Explanation = Awaited<ReturnType<typeof platform.permissions.explanations.explain>>

function Answer({ found }: { readonly found: Explanation }) {
  const { t, formatInstant } = useApplication()
  const names = { holder: found.holderDisplayName, permission: found.displayName }
  return (
    <Stack>
      <Alert
        color={found.isGranted ? 'teal' : 'red'}
        variant="light"
        title={t(found.isGranted ? 'HoldsPermission' : 'LacksPermission', names)}
      >
        {found.obstacle && t(`${resource}::Enum:PermissionObstacle.${PermissionObstacle[found.obstacle]}`)}
      </Alert>
      <Card withBorder>
        <Title order={2} mb="xs">
          {t('WhatCounts')}
        </Title>
        <Stack gap="xs">
          {found.answers.map((one) => (
            <Group key={one.providerName + one.providerKey + one.path.join()} gap="xs">
              <Badge
                variant="light"
                color={one.answer === 'Granted' ? 'teal' : one.answer === 'Prohibited' ? 'red' : 'gray'}
              >
                {t(`${resource}::Enum:PermissionAnswer.${PermissionAnswer[one.answer]}`)}
              </Badge>
              <Text size="sm">
                {t(`${resource}::PermissionManagement:Provider:${one.providerName}`)}{' '}
                {one.providerName === 'U' ? found.holderDisplayName : one.providerKey}
              </Text>
              {one.path.length > 1 && (
                <Text size="sm" c="dimmed">
                  {one.path.join(' → ')}
                </Text>
              )}
              {one.changeTime && (
                <Text size="sm" c="dimmed">
                  {formatInstant(one.changeTime)} {one.userName}
                </Text>
              )}
            </Group>
          ))}
        </Stack>
      </Card>
      <Card withBorder>
        <Title order={2} mb="xs">
          {t('WhatWouldChangeIt')}
        </Title>
        {found.flips.length === 0 && <Text c="dimmed">{t('NothingWouldChangeIt')}</Text>}
        <List size="sm">
          {found.flips.map(({ changes }) => (
            <List.Item key={JSON.stringify(changes)}>
              {changes
                .map(
                  ({ kind, providerName, providerKey }) =>
                    `${t(`${resource}::Enum:GrantChangeKind.${GrantChangeKind[kind]}`)}: ${t(`${resource}::PermissionManagement:Provider:${providerName}`)} ${
                      providerName === 'U' ? found.holderDisplayName : providerKey
                    }`,
                )
                .join(' + ')}
            </List.Item>
          ))}
        </List>
      </Card>
    </Stack>
  )
}
