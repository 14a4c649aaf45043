import type { ClaimTypeDto } from '@keel/platform-proxy'
import { type Call, useMutation, useQuery } from '@keel/react'
import { Alert, Button, Group, Select, Skeleton, Text, TextInput } from '@mantine/core'
import { useApplication } from '../application.js'
import { Dialog } from './dialog.js'
import { FormBody, useForm } from './form.js'
import { Icon } from './icons.js'
import { useTell } from './notices.js'
import { RemoveButton } from './remove-button.js'
import { ErrorAlert } from './states.js'

interface Claim {
  readonly claimType: string
  readonly claimValue: string | null
}
type ClaimType = InstanceType<typeof ClaimTypeDto>

/** How the claims of a kind of holder are read and replaced. */
export interface ClaimCalls {
  readonly getClaims: Call<[id: string], Claim[]>
  readonly updateClaims: Call<[id: string, input: Claim[]], unknown>
  readonly getAllClaimTypes: Call<[], ClaimType[]>
}

/** The claims of a user or role: they go into tokens. */
export function ClaimsDialog({
  id,
  name,
  calls,
  onClose,
}: {
  readonly id: string
  readonly name: string
  readonly calls: ClaimCalls
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const claims = useQuery(calls.getClaims, id)
  const types = useQuery(calls.getAllClaimTypes)
  const error = claims.error ?? types.error
  return (
    <Dialog title={`${t('AbpIdentity::DisplayName:Claims')}: ${name}`} size="lg" onClose={onClose}>
      {error && <ErrorAlert error={error} />}
      {(!claims.data || !types.data) && !error && <Skeleton height={160} />}
      {claims.data && types.data && (
        <ClaimsForm id={id} claims={claims.data} types={types.data} calls={calls} onClose={onClose} />
      )}
    </Dialog>
  )
}

function ClaimsForm({
  id,
  claims,
  types,
  calls,
  onClose,
}: {
  readonly id: string
  readonly claims: readonly Claim[]
  readonly types: readonly ClaimType[]
  readonly calls: ClaimCalls
  readonly onClose: () => void
}) {
  const { t } = useApplication()
  const tell = useTell()
  const { run } = useMutation()
  const form = useForm({
    draft: `claims:${id}`,
    initial: {
      claims: claims.map(({ claimType, claimValue }) => ({ claimType, claimValue })) as readonly Claim[],
    },
    async save(values) {
      await run(calls.updateClaims, id, [...values.claims])
      tell(t('AbpUi::SavedSuccessfully'))
      onClose()
    },
  })
  const rows = form.values.claims
  const change = (index: number, part: Partial<Claim>) =>
    form.set(
      'claims',
      rows.map((row, place) => (place === index ? { ...row, ...part } : row)),
    )
  const names = [...new Set([...types.map(({ name }) => name), ...rows.map(({ claimType }) => claimType)])]
  return (
    <FormBody form={form} onCancel={onClose}>
      {form.errorOf('claims') && (
        <Alert color="red" variant="light" role="alert">
          {form.errorOf('claims')}
        </Alert>
      )}
      {rows.length === 0 && <Text c="dimmed">{t('NoClaims')}</Text>}
      {rows.map((row, index) => (
        // Rows have no id of their own, and are only added at the end.
        <Group key={index} wrap="nowrap" align="flex-end" gap="xs">
          <Select
            label={t('AbpIdentity::DisplayName:ClaimType')}
            data={names}
            value={row.claimType}
            allowDeselect={false}
            searchable
            onChange={(claimType) => claimType && change(index, { claimType })}
            style={{ flex: 1 }}
          />
          <TextInput
            label={t('AbpIdentity::DisplayName:ClaimValue')}
            description={types.find(({ name }) => name === row.claimType)?.regexDescription}
            value={row.claimValue ?? ''}
            onChange={({ currentTarget }) => change(index, { claimValue: currentTarget.value })}
            style={{ flex: 1 }}
          />
          <RemoveButton
            label={`${t('Remove')}: ${row.claimType}`}
            size="lg"
            onClick={() =>
              form.set(
                'claims',
                rows.filter((_row, place) => place !== index),
              )
            }
          />
        </Group>
      ))}
      <Group>
        <Button
          variant="default"
          leftSection={<Icon name="plus" />}
          disabled={names.length === 0}
          onClick={() => form.set('claims', [...rows, { claimType: names[0] ?? '', claimValue: '' }])}
        >
          {t('Add')}
        </Button>
        {names.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('NoClaimTypesHint')}
          </Text>
        )}
      </Group>
    </FormBody>
  )
}
