import { Alert, Button, Center, Loader, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useApplication, useTexts } from '../application.js'
import { Icon, type IconName } from './icons.js'

/** Shows its content to those who hold the permission, and tells the others its name. */
export function NeedsPermission({
  permission,
  children,
}: {
  readonly permission?: string | readonly string[] | undefined
  readonly children: ReactNode
}) {
  const { may, t } = useApplication()
  if (may(permission)) return children
  return (
    <EmptyState icon="lock" title={t('AbpUi::DefaultErrorMessage403')}>
      {t('NeedsPermission', { name: [permission].flat().join(', ') })}
    </EmptyState>
  )
}

/** Says that there is nothing, and what to do next. */
export function EmptyState({
  icon = 'box',
  title,
  children,
  action,
}: {
  readonly icon?: IconName
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}) {
  return (
    <Center p="xl" mih={220}>
      <Stack align="center" gap="xs" maw={460}>
        <Text c="dimmed" component="span">
          <Icon name={icon} size={40} />
        </Text>
        <Title order={2} ta="center">
          {title}
        </Title>
        {children && (
          <Text c="dimmed" ta="center">
            {children}
          </Text>
        )}
        {action}
      </Stack>
    </Center>
  )
}

/** An error in the server's words, with a way to ask again where that may help: not for what is not there. */
export function ErrorAlert({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const t = useTexts()
  const message = error instanceof Error ? error.message : String(error)
  const isMissing = (error as { status?: number } | undefined)?.status === 404
  return (
    <Alert color="red" variant="light" title={t('AbpUi::DefaultErrorMessage')} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm" style={{ whiteSpace: 'pre-line' }}>
          {message}
        </Text>
        {retry && !isMissing && (
          <Button size="xs" variant="default" onClick={retry}>
            {t('TryAgain')}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

/** While the code of a page is on its way. */
export function PageLoading() {
  const t = useTexts()
  return (
    <Center mih={240}>
      <Loader aria-label={t('AbpUi::Loading')} />
    </Center>
  )
}

/** When a page fails: what it says, and a way to render it again. */
export function PageFailure({ error, reset }: { readonly error: unknown; readonly reset?: () => void }) {
  return <ErrorAlert error={error} retry={() => (reset ? reset() : location.reload())} />
}

/** For an address that no page has. */
export function NotFound() {
  const t = useTexts()
  return (
    <EmptyState
      icon="search"
      title={t('AbpUi::404Message')}
      action={
        <Button component="a" href="/">
          {t('Dashboard')}
        </Button>
      }
    />
  )
}
