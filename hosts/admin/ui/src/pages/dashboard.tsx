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
import { Card, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { useApplication } from '../application.js'
import { platform } from '../clients.js'
import { FigureCard } from '../parts/figure-card.js'
import { PageHead } from '../parts/page-head.js'
import { EmptyState, ErrorAlert } from '../parts/states.js'
import { useUserName } from '../parts/user-names.js'

/** For those who administrate nothing; administrators load nothing of daily operations here. */
const ShipmentCounts = lazy(async () => ({
  default: (await import('../parts/shipment-counts.js')).ShipmentCounts,
}))

/**
 * Figures of people and rights that the person may see, each a link to its page, and the latest changes of grants. Those who see none of them see
 * how their shipments are.
 */
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
  const isOfShipments = shown.length === 0 && may('Shipment.View')
  const name = host.currentUser.name || host.currentUser.userName
  return (
    <>
      <PageHead
        title={t('Hello', { name })}
        hint={t(isOfShipments ? 'Ops:DashboardHint' : 'DashboardHint')}
      />
      {isOfShipments && (
        <Suspense fallback={<Skeleton height={88} />}>
          <ShipmentCounts />
        </Suspense>
      )}
      {shown.length === 0 && !isOfShipments && (
        <EmptyState icon="lock" title={t('NothingToSee')}>
          {t('NothingToSeeHint')}
        </EmptyState>
      )}
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="md" mb="lg">
        {shown.map(({ title, icon, to, query }) => (
          <FigureCard
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
