import '../styles-of-fields.js'
import { type FeatureDto, featureMembers } from '@keel/platform-proxy'
import { useMutation, useQuery } from '@keel/react'
import { Badge, Button, Card, Group, Select, Skeleton, Stack, Switch, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { openProxy, platform } from '../clients.js'
import { Confirm } from '../parts/confirm.js'
import { FormBody, useForm } from '../parts/form.js'
import { useTell } from '../parts/notices.js'
import { PageHead } from '../parts/page-head.js'
import { EmptyState, ErrorAlert } from '../parts/states.js'

type Feature = InstanceType<typeof FeatureDto>
type FeatureGroup = Awaited<ReturnType<typeof features.get>>['groups'][number]
const { features } = openProxy(featureMembers)
/** The provider of the whole system has no key. */
const host = ['T', undefined] as const

/** The features of the whole system: what the product offers here. */
export function Page() {
  const { t } = useApplication()
  const list = useQuery(features.get, ...host)
  const [isResetting, setResetting] = useState(false)
  const { run } = useMutation(platform.application.configuration.get)
  const tell = useTell()
  const groups = list.data?.groups.filter((group) => group.features.length > 0)
  return (
    <Stack maw={860}>
      <PageHead
        title={t('AbpFeatureManagement::Features')}
        hint={t('AbpFeatureManagement::ManageHostFeaturesText')}
      >
        <Button variant="default" onClick={() => setResetting(true)}>
          {t('AbpFeatureManagement::ResetToDefault')}
        </Button>
      </PageHead>
      {list.error && <ErrorAlert error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Skeleton height={240} />}
      {groups?.length === 0 && (
        <EmptyState icon="toggle" title={t('AbpFeatureManagement::NoFeatureFoundMessage')} />
      )}
      {groups && groups.length > 0 && <FeatureForm key={list.dataUpdatedAt} groups={groups} />}
      {isResetting && (
        <Confirm
          title={t('AbpFeatureManagement::ResetToDefault')}
          action={t('AbpFeatureManagement::ResetToDefault')}
          onConfirm={async () => {
            await run(features.delete, ...host)
            tell(t('AbpFeatureManagement::ResetedToDefault'))
          }}
          onClose={() => setResetting(false)}
        >
          {t('AbpFeatureManagement::AreYouSureToResetToDefault')}
        </Confirm>
      )}
    </Stack>
  )
}

function FeatureForm({ groups }: { readonly groups: readonly FeatureGroup[] }) {
  const { t } = useApplication()
  const tell = useTell()
  const { run } = useMutation(platform.application.configuration.get)
  const all = groups.flatMap((group) => group.features)
  const stored = Object.fromEntries(all.map(({ name, value }) => [name, value]))
  const form = useForm<Record<string, string>>({
    draft: 'features',
    initial: stored,
    async save(values) {
      const changed = Object.entries(values).filter(([name, value]) => stored[name] !== value)
      await run(features.update, ...host, { features: changed.map(([name, value]) => ({ name, value })) })
      form.reset(values)
      tell(t('AbpUi::SavedSuccessfully'))
    },
  })
  return (
    <FormBody form={form}>
      {groups.map((group) => (
        <Card key={group.name} withBorder>
          <Title order={2} mb="sm">
            {group.displayName}
          </Title>
          <Stack>
            {group.features.map((feature) => (
              <Group key={feature.name} justify="space-between" wrap="nowrap" ps={feature.depth * 24}>
                <div style={{ flex: 1 }}>
                  <FeatureInput
                    feature={feature}
                    value={form.values[feature.name] ?? feature.value}
                    error={form.errorOf(feature.name)}
                    onChange={(value) => form.set(feature.name, value)}
                  />
                </div>
                <Badge variant="light" color={feature.provider.name === 'D' ? 'gray' : 'indigo'}>
                  {t(`FeatureSource:${feature.provider.name}`)}
                </Badge>
              </Group>
            ))}
          </Stack>
        </Card>
      ))}
    </FormBody>
  )
}

function FeatureInput({
  feature,
  value,
  error,
  onChange,
}: {
  readonly feature: Feature
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}) {
  const { t } = useApplication()
  const { displayName, description, valueType } = feature
  const common = { label: displayName, description, error }
  if (valueType.name === 'ToggleStringValueType')
    return (
      <Switch
        {...common}
        checked={value.toLowerCase() === 'true'}
        onChange={({ currentTarget }) => onChange(String(currentTarget.checked))}
      />
    )
  if (valueType.itemSource)
    return (
      <Select
        {...common}
        allowDeselect={false}
        data={valueType.itemSource.items.map(({ value: one, displayText }) => ({
          value: one,
          label: t(`${displayText.resourceName}::${displayText.name}`),
        }))}
        value={value}
        onChange={(next) => next && onChange(next)}
      />
    )
  return (
    <TextInput
      {...common}
      type={valueType.validator.name === 'NUMERIC' ? 'number' : 'text'}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}
