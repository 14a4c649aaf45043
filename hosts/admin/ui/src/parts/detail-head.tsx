import { type Call, serviceKeyOf } from '@keel/react'
import { Button, Group, Menu, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { useTexts } from '../application.js'
import { BackLink } from './back-link.js'
import { Confirm } from './confirm.js'
import { Icon, type IconName } from './icons.js'
import { useTell } from './notices.js'

/** A button in the head of a thing. */
export interface HeadAction {
  readonly name: string
  /** The key of its text. */
  readonly title: string
  readonly icon?: IconName
  readonly isDangerous?: boolean
  /** True for a usual next step: the first one is a button of its own. */
  readonly isNext?: boolean
  readonly run: () => void
}

/** The head of the page of one thing: the way back, its name, its state, and what can be done with it. */
export function DetailHead({
  list,
  listTitle,
  name,
  line,
  badges,
  actions,
}: {
  /** The address of the list that it stands in. */
  readonly list: string
  /** The key of the list's title. */
  readonly listTitle: string
  readonly name: string
  /** A line below the name. */
  readonly line?: ReactNode
  readonly badges?: ReactNode
  /** Those that are no button of their own are in a menu. */
  readonly actions: readonly HeadAction[]
}) {
  const t = useTexts()
  const first = actions.find(({ isNext }) => isNext)
  const others = actions.filter((action) => action !== first)
  // The shell has written the title of the page before.
  useEffect(() => {
    const before = document.title
    document.title = `${name} · ${before}`
    return () => {
      document.title = before
    }
  }, [name, t])
  return (
    <Stack gap={4} mb="md">
      <BackLink to={list} title={t(listTitle)} />
      <Group justify="space-between" align="flex-start">
        <Stack gap={2} style={{ minWidth: 0 }}>
          <Group gap="xs">
            <Title order={1}>{name}</Title>
            {badges}
          </Group>
          {line && (
            <Text size="sm" c="dimmed" component="div">
              {line}
            </Text>
          )}
        </Stack>
        <Group gap="xs">
          {first && (
            <Button
              color={first.isDangerous ? 'red' : undefined}
              leftSection={first.icon && <Icon name={first.icon} />}
              onClick={first.run}
            >
              {t(first.title)}
            </Button>
          )}
          {others.length > 0 && (
            <Menu position="bottom-end" width={260}>
              <Menu.Target>
                <Button variant="default" rightSection={<Icon name="down" size={14} />}>
                  {t('AbpUi::Actions')}
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                {others.map(({ name: key, title, icon, isDangerous, run }) => (
                  <Menu.Item
                    key={key}
                    color={isDangerous ? 'red' : undefined}
                    leftSection={icon && <Icon name={icon} />}
                    onClick={run}
                  >
                    {t(title)}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          )}
        </Group>
      </Group>
    </Stack>
  )
}

/** Asks before a thing is deleted on its own page, and leads to its list. */
export function DeleteThing({
  call,
  id,
  list,
  hint,
  onClose,
}: {
  readonly call: Call<[id: string], unknown>
  readonly id: string
  /** The address of the list that it stands in. */
  readonly list: string
  /** What will be lost. */
  readonly hint: string
  readonly onClose: () => void
}) {
  const t = useTexts()
  const tell = useTell()
  const navigate = useNavigate()
  const client = useQueryClient()
  return (
    <Confirm
      title={t('AbpUi::Delete')}
      action={t('AbpUi::Delete')}
      onConfirm={async () => {
        await call(id)
        // The page goes first: it would ask for what is no longer there.
        await navigate({ to: list as never })
        tell(t('AbpUi::DeletedSuccessfully'))
        void client.invalidateQueries({ queryKey: serviceKeyOf(call) })
      }}
      onClose={onClose}
    >
      {hint}
    </Confirm>
  )
}
