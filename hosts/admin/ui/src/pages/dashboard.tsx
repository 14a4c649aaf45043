import {
  GrantChangeKind,
  IdentityPermissions,
  IdentityRolePermissions,
  IdentityUserPermissions,
  OrganizationUnitPermissions,
  type PermissionGrantChangeDto,
  PermissionManagementPermissions,
} from '@keel/platform-proxy'
import { useQueryWhen } from '@keel/react'
import { Anchor, Card, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useApplication } from '../application.js'
import { platform } from '../clients.js'
import { Icon, type IconName } from '../parts/icons.js'
import { PageHead } from '../parts/page-head.js'
import { EmptyState, ErrorAlert } from '../parts/states.js'
import { useUserName } from '../parts/user-names.js'

/** Figures of what the person may see, each a link to its page, and the latest changes of grants. */
export function Page() {
  const { t, host, may } = useApplication()
  const { users, roles, organizationUnits, sessions } = platform.identity
  const one = { maxResultCount: 1 }
  const mayUsers = may(IdentityUserPermissions.Default)
  const allUsers = useQueryWhen(mayUsers, users.getList, one)
  const lockedOut = useQueryWhen(mayUsers, users.getList, { ...one, isLockedOut: true })
  const allRoles = useQueryWhen(may(IdentityRolePermissions.Default), roles.getList, one)
  const units = useQueryWhen(may(OrganizationUnitPermissions.Default), organizationUnits.getList, one)
  const open = useQueryWhen(may(IdentityPermissions.Sessions), sessions.getList, one)
  const figures = [
    { title: 'AbpIdentity::Users', icon: 'users', to: '/users', query: allUsers },
    { title: 'LockedOutUsers', icon: 'lock', to: '/users?state=locked', query: lockedOut },
    { title: 'AbpIdentity::Roles', icon: 'shield', to: '/roles', query: allRoles },
    { title: 'AbpIdentity::OrganizationUnits', icon: 'tree', to: '/organization-units', query: units },
    { title: 'AbpIdentity::Sessions', icon: 'device', to: undefined, query: open },
  ] as const
  const shown = figures.filter(({ query }) => query.fetchStatus !== 'idle' || query.data)
  const name = host.currentUser.name || host.currentUser.userName
  return (
    <>
      <PageHead title={t('Hello', { name })} hint={t('DashboardHint')} />
      {shown.length === 0 && (
        <EmptyState icon="lock" title={t('NothingToSee')}>
          {t('NothingToSeeHint')}
        </EmptyState>
      )}
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="md" mb="lg">
        {shown.map(({ title, icon, to, query }) => (
          <Figure
            key={title}
            title={t(title)}
            icon={icon}
            to={to}
            count={query.data?.totalCount}
            error={query.error}
          />
        ))}
      </SimpleGrid>
      {may(PermissionManagementPermissions.History) && <LatestChanges />}
    </>
  )
}

function Figure({
  title,
  icon,
  to,
  count,
  error,
}: {
  readonly title: string
  readonly icon: IconName
  readonly to: string | undefined
  readonly count: number | undefined
  readonly error: Error | null
}) {
  const { formatNumber } = useApplication()
  return (
    // On a phone a title can be one word that is wider than the card.
    <Card withBorder padding="md" style={{ hyphens: 'auto', overflowWrap: 'anywhere' }}>
      <Group gap="xs" c="dimmed" wrap="nowrap" align="flex-start">
        <Icon name={icon} />
        {to ? (
          <Anchor component={Link} to={to as never} size="sm">
            {title}
          </Anchor>
        ) : (
          <Text size="sm">{title}</Text>
        )}
      </Group>
      {error ? (
        <Text size="sm" c="red">
          {error.message}
        </Text>
      ) : count === undefined ? (
        <Skeleton height={28} width={60} mt={6} />
      ) : (
        <Text fz={28} fw={650} lh={1.3}>
          {formatNumber(count)}
        </Text>
      )}
    </Card>
  )
}

function LatestChanges() {
  const { t } = useApplication()
  const changes = useQueryWhen(true, platform.permissions.history.getList, { maxResultCount: 8 })
  return (
    <Card withBorder padding="md">
      <Title order={2} mb="sm">
        {t('LatestGrantChanges')}
      </Title>
      {changes.error && <ErrorAlert error={changes.error} retry={() => void changes.refetch()} />}
      {changes.data?.items.length === 0 && <Text c="dimmed">{t('NoGrantChanges')}</Text>}
      <Stack gap={6}>
        {changes.data?.items.map((change) => (
          <LatestChange key={change.id} change={change} />
        ))}
      </Stack>
    </Card>
  )
}

function LatestChange({ change }: { readonly change: InstanceType<typeof PermissionGrantChangeDto> }) {
  const { t, formatInstant } = useApplication()
  const { changeTime, kind, permissionName, providerName, providerKey, userName } = change
  const words = (key: string) => t(`AbpPermissionManagement::${key}`)
  const isUser = providerName === 'U'
  const nameOfUser = useUserName(isUser ? providerKey : undefined)
  // The keys of roles and clients are names. Those of users and API keys are ids, which tell a person nothing.
  const name = isUser ? nameOfUser : providerName === 'AK' ? undefined : providerKey
  return (
    <Group gap="0 var(--mantine-spacing-xs)" wrap="wrap">
      <Text size="sm" c="dimmed" miw={150}>
        {formatInstant(changeTime)}
      </Text>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {t('GrantChange', {
          kind: words(`Enum:GrantChangeKind.${GrantChangeKind[kind]}`),
          permission: permissionName,
          holder: [words(`PermissionManagement:Provider:${providerName}`), name].filter(Boolean).join(' '),
        })}
      </Text>
      <Text size="sm" c="dimmed">
        {userName ?? t('TheProgram')}
      </Text>
    </Group>
  )
}
