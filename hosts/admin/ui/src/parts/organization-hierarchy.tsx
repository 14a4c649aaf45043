import type { OrganizationDto } from '@keel/hub-proxy'
import { useInfiniteList, useMutation, useQuery } from '@keel/react'
import { Badge, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useApplication } from '../application.js'
import { Confirm } from './confirm.js'
import { Drawer } from './drawer.js'
import { Icon } from './icons.js'
import { useAct, useTell } from './notices.js'
import { OrganizationSelect, organizationMembers, organizations } from './organizations.js'
import { EmptyState, ErrorAlert } from './states.js'

type Organization = InstanceType<typeof OrganizationDto>

const nameOf = ({ code, fullName }: { readonly code: string; readonly fullName: string }) =>
  `${code} · ${fullName}`

/** Puts an organization, with everything below it, below another one. */
export function MoveOrganization({ organization, onClose }: OrganizationDialog) {
  const { t } = useApplication()
  const { run } = useMutation()
  const { id, parentOrganizationId, concurrencyStamp } = organization
  return (
    <WithOtherOrganization
      title={`${t('Move')}: ${nameOf(organization)}`}
      action="Move"
      hint="MoveOrganizationHint"
      label="Hub::DisplayName:Organization:ParentOrganization"
      current={parentOrganizationId ?? null}
      onConfirm={(newParentId) => run(organizations.move, id, { newParentId, concurrencyStamp })}
      onClose={onClose}
    />
  )
}

/** Merges another organization into this one. */
export function MergeOrganization({ organization, onClose }: OrganizationDialog) {
  const { t } = useApplication()
  const { run } = useMutation(organizationMembers.getList)
  const { id, concurrencyStamp } = organization
  return (
    <WithOtherOrganization
      title={t('MergeInto', { name: nameOf(organization) })}
      action="Merge"
      hint="MergeOrganizationHint"
      label="OrganizationThatGoes"
      isRequired
      isDangerous
      onConfirm={(sourceId) => run(organizations.merge, id, { sourceId: sourceId ?? '', concurrencyStamp })}
      onClose={onClose}
    />
  )
}

interface OrganizationDialog {
  readonly organization: Organization
  readonly onClose: () => void
}

/** Asks for another organization, and says what will happen to it. */
function WithOtherOrganization({
  title,
  action,
  hint,
  label,
  current = null,
  isRequired = false,
  isDangerous = false,
  onConfirm,
  onClose,
}: {
  /** The words of its heading. */
  readonly title: string
  /** The keys of the button, of what will happen, and of the field. */
  readonly action: string
  readonly hint: string
  readonly label: string
  readonly current?: string | null
  readonly isRequired?: boolean
  readonly isDangerous?: boolean
  /** Gets the id of the other one; null for none. */
  readonly onConfirm: (otherId: string | null) => Promise<unknown>
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const tell = useTell()
  const [otherId, choose] = useState(current)
  return (
    <Confirm
      title={title}
      action={t(action)}
      isDangerous={isDangerous}
      isReady={!isRequired || otherId !== null}
      onConfirm={async () => {
        await onConfirm(otherId)
        tell(t('AbpUi::SavedSuccessfully'))
      }}
      onClose={onClose}
    >
      <Stack>
        <Text size="sm">{t(hint)}</Text>
        <OrganizationSelect label={t(label)} value={otherId} onChange={choose} isRequired={isRequired} />
      </Stack>
    </Confirm>
  )
}

/** The most organizations that the tree shows. */
const mostNodes = 1000

/** An organization and everything below it. */
export function OrganizationTree({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { t, formatNumber } = useApplication()
  const { data, error } = useQuery(organizations.getTree, id, { maxResultCount: mostNodes })
  const nodes = data?.items ?? []
  const top = nodes[0]?.level ?? 1
  const left = (data?.totalCount ?? 0) - nodes.length
  return (
    <Beside title={t('OrganizationTree')} error={error} isLoading={!data} onClose={onClose}>
      {nodes.map((node) => (
        <Group key={node.id} gap="xs" wrap="nowrap" ps={(node.level - top) * 20}>
          <Icon name="building" size={16} />
          <Text size="sm" truncate>
            {nameOf(node)}
          </Text>
          {!node.isActive && (
            <Badge variant="light" color="gray">
              {t('Inactive')}
            </Badge>
          )}
        </Group>
      ))}
      {left > 0 && <Text size="sm">{t('AndMore', { count: formatNumber(left) })}</Text>}
    </Beside>
  )
}

/** Organizations that were deleted, to be brought back. */
export function DeletedOrganizations({ onClose }: { readonly onClose: () => void }) {
  const { t, formatInstant } = useApplication()
  const act = useAct()
  const { run, isRunning } = useMutation()
  const deleted = useInfiniteList(organizations.getDeleted, {})
  return (
    <Beside
      title={t('DeletedOrganizations')}
      error={deleted.error}
      isLoading={deleted.isLoading}
      onClose={onClose}
    >
      {!deleted.isLoading && deleted.rows.length === 0 && (
        <EmptyState icon="building" title={t('NothingFound')} />
      )}
      {deleted.rows.map((one) => (
        <Group key={one.id} justify="space-between" wrap="nowrap">
          <Text size="sm" truncate>
            {nameOf(one)}{' '}
            <Text span size="sm" c="dimmed">
              {formatInstant(one.deletionTime)}
            </Text>
          </Text>
          <Button
            size="xs"
            variant="default"
            loading={isRunning}
            onClick={() => act(run(organizations.restore, one.id), t('Restored'))}
          >
            {t('Restore')}
          </Button>
        </Group>
      ))}
      {deleted.rows.length < deleted.totalCount && (
        <Button variant="default" loading={deleted.isFetchingMore} onClick={deleted.fetchMore}>
          {t('LoadMore')}
        </Button>
      )}
    </Beside>
  )
}

/** What stands beside the list. */
function Beside({
  title,
  error,
  isLoading,
  onClose,
  children,
}: {
  readonly title: string
  readonly error: Error | null
  readonly isLoading: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  return (
    <Drawer onClose={onClose} size="lg" title={title}>
      {error ? (
        <ErrorAlert error={error} />
      ) : isLoading ? (
        <Skeleton height={120} />
      ) : (
        <Stack gap="xs">{children}</Stack>
      )}
    </Drawer>
  )
}
