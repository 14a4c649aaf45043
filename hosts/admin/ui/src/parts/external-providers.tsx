import '../styles-of-fields.js'
import type { AccountExternalProviderSettingsDto } from '@keel/platform-proxy'
import { useMutation, useQuery } from '@keel/react'
import {
  Button,
  Card,
  Checkbox,
  Group,
  PasswordInput,
  SimpleGrid,
  Skeleton,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { FormBody, useForm } from './form.js'
import { Icon } from './icons.js'
import { useTell } from './notices.js'
import { account } from './setting-sections.js'
import { ErrorAlert } from './states.js'

type Stored = InstanceType<typeof AccountExternalProviderSettingsDto>
type Provider = Stored['externalProviders'][number]
type Property = Provider['properties'][number]
interface Values {
  verifyPasswordDuringExternalLogin: boolean
  /** Named so that drafts leave out what was typed: it holds secrets. */
  externalProvidersWithSecrets: readonly Provider[]
}

/** The prefix of the names of directories that administrators add. */
const family = 'OpenIdConnect.'
const directory = (name: string): Provider => ({
  name: family + name,
  enabled: true,
  properties: ['Authority', 'ClientId', 'DisplayName', 'TrustedEmailDomains'].map((one) => ({
    name: one,
    value: '',
  })),
  secretProperties: [{ name: 'ClientSecret', value: '' }],
})

/** The providers that people can sign in with: those that are always offered, and directories of one's own. */
export function ExternalProviders() {
  const stored = useQuery(account.getExternalProvider)
  if (stored.error) return <ErrorAlert error={stored.error} retry={() => void stored.refetch()} />
  if (!stored.data) return <Skeleton height={300} />
  return <ProvidersForm stored={stored.data} />
}

function ProvidersForm({ stored }: { readonly stored: Stored }) {
  const { t } = useApplication()
  const tell = useTell()
  const { run } = useMutation()
  const [added, setAdded] = useState('')
  const form = useForm<Values>({
    draft: 'settings:external-providers',
    initial: {
      verifyPasswordDuringExternalLogin: stored.verifyPasswordDuringExternalLogin ?? false,
      externalProvidersWithSecrets: stored.externalProviders,
    },
    async save({ externalProvidersWithSecrets, ...others }) {
      await run(account.updateExternalProvider, {
        ...others,
        externalProviders: [...externalProvidersWithSecrets],
      })
      tell(t('AbpUi::SavedSuccessfully'))
      form.reset({
        ...others,
        externalProvidersWithSecrets: externalProvidersWithSecrets.map(withoutSecrets),
      })
    },
  })
  const providers = form.values.externalProvidersWithSecrets
  const set = (next: readonly Provider[]) => form.set('externalProvidersWithSecrets', next)
  return (
    <FormBody form={form}>
      <Checkbox label={t('VerifyPassword')} {...form.check('verifyPasswordDuringExternalLogin')} />
      {providers.map((provider, index) => (
        <ProviderCard
          key={provider.name}
          provider={provider}
          onChange={(next) => set(providers.map((one, place) => (place === index ? next : one)))}
          {...(provider.name.startsWith(family) && {
            onRemove: () => set(providers.filter((one) => one !== provider)),
          })}
        />
      ))}
      <Group align="flex-end" gap="xs">
        <TextInput
          label={t('NewDirectory')}
          description={t('NewDirectoryHint')}
          value={added}
          onChange={({ currentTarget }) => setAdded(currentTarget.value)}
          style={{ flex: 1 }}
        />
        <Button
          variant="default"
          leftSection={<Icon name="plus" />}
          disabled={
            !/^[A-Za-z0-9][\w-]{0,63}$/.test(added) || providers.some(({ name }) => name === family + added)
          }
          onClick={() => {
            set([...providers, directory(added)])
            setAdded('')
          }}
        >
          {t('Add')}
        </Button>
      </Group>
    </FormBody>
  )
}

function withoutSecrets(provider: Provider): Provider {
  return { ...provider, secretProperties: provider.secretProperties.map(({ name }) => ({ name, value: '' })) }
}

function ProviderCard({
  provider,
  onChange,
  onRemove,
}: {
  readonly provider: Provider
  readonly onChange: (provider: Provider) => void
  readonly onRemove?: () => void
}) {
  const { t } = useApplication()
  const { name, enabled, properties, secretProperties } = provider
  const changed = (list: readonly Property[], one: Property, value: string) =>
    list.map((property) => (property === one ? { ...property, value } : property))
  return (
    <Card withBorder padding="sm">
      <Stack gap="xs">
        <Group justify="space-between">
          <Switch
            label={
              <Text span fw={600}>
                {name.replace(family, '')}
              </Text>
            }
            checked={enabled}
            onChange={({ currentTarget }) => onChange({ ...provider, enabled: currentTarget.checked })}
          />
          {onRemove && (
            <Button
              size="xs"
              variant="subtle"
              color="red"
              onClick={onRemove}
              aria-label={`${t('Remove')}: ${name}`}
            >
              {t('Remove')}
            </Button>
          )}
        </Group>
        {enabled && (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {properties.map((property) => (
              <TextInput
                key={property.name}
                label={t(`Provider:${property.name}`)}
                value={property.value ?? ''}
                onChange={({ currentTarget }) =>
                  onChange({ ...provider, properties: changed(properties, property, currentTarget.value) })
                }
              />
            ))}
            {secretProperties.map((property) => (
              <PasswordInput
                key={property.name}
                label={t('ClientSecret')}
                description={t('EmptyKeepsSecret')}
                autoComplete="new-password"
                visibilityToggleButtonProps={{ 'aria-label': t('ShowPassword') }}
                value={property.value ?? ''}
                onChange={({ currentTarget }) =>
                  onChange({
                    ...provider,
                    secretProperties: changed(secretProperties, property, currentTarget.value),
                  })
                }
              />
            ))}
          </SimpleGrid>
        )}
      </Stack>
    </Card>
  )
}
