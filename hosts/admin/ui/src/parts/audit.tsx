import '@mantine/core/styles/Table.css'
import { auditLoggingMembers, type EntityChangeDto, EntityChangeType } from '@keel/platform-proxy'
import { Anchor, Badge, Group, Stack, Table, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useApplication } from '../application.js'
import { openProxy } from '../clients.js'

/** The client of the audit log. */
export const { auditLogs } = openProxy({ auditLogs: auditLoggingMembers.auditLogs })

type Change = InstanceType<typeof EntityChangeDto>

const colours = { 0: 'teal', 1: 'indigo', 2: 'red' } as const

/** Created, updated or deleted. */
export function ChangeBadge({ type }: { readonly type: EntityChangeType }) {
  const { t } = useApplication()
  return (
    <Badge variant="light" color={colours[type]}>
      {t(`AbpAuditLogging::Enum:EntityChangeType.${type}`)}
    </Badge>
  )
}

/** The type of an entity without its namespace, for people. */
export function shortType(fullName: string): string {
  return fullName.split('.').at(-1) ?? fullName
}

/** A change of an entity: what it was and what it is, property by property. */
export function ChangeCard({
  change,
  author,
  hasHistory = true,
}: {
  readonly change: Change
  readonly author?: string | null
  /** A link to all changes of the same entity. */
  readonly hasHistory?: boolean
}) {
  const { t, formatInstant } = useApplication()
  const { changeType, changeTime, entityId, entityTypeFullName, propertyChanges } = change
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <ChangeBadge type={changeType} />
        <Text size="sm" fw={550} title={entityTypeFullName}>
          {shortType(entityTypeFullName)}
        </Text>
        <Text size="sm" c="dimmed">
          {formatInstant(changeTime)} {author}
        </Text>
        {hasHistory && entityId && (
          <Anchor
            component={Link}
            to={'/entity-changes' as never}
            search={{ history: `${entityTypeFullName}|${entityId}` } as never}
            size="sm"
          >
            {t('AbpAuditLogging::ChangeHistory')}
          </Anchor>
        )}
      </Group>
      {propertyChanges.length > 0 && (
        <Table withTableBorder layout="fixed">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('AbpAuditLogging::PropertyName')}</Table.Th>
              <Table.Th>{t('AbpAuditLogging::OriginalValue')}</Table.Th>
              <Table.Th>{t('AbpAuditLogging::NewValue')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {propertyChanges.map(({ id, propertyName, originalValue, newValue }) => (
              <Table.Tr key={id}>
                <Table.Td className="keel-break">{propertyName}</Table.Td>
                <Table.Td className="keel-break">
                  {originalValue === null ? '–' : <del>{originalValue}</del>}
                </Table.Td>
                <Table.Td className="keel-break">{newValue === null ? '–' : <ins>{newValue}</ins>}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  )
}

/** JSON with line breaks where it is some; any other text as it is. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}
