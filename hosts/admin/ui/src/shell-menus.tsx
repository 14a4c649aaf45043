import { ActionIcon, Box, Button, Menu, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useApplication } from './application.js'
import { Icon } from './parts/icons.js'

/** The languages to choose from; it is loaded, and opens, when its button is first used. */
export function LanguageMenu() {
  const { t, host, language, setLanguage } = useApplication()
  return (
    <Menu position="bottom-end" defaultOpened>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('Language')}>
          <Icon name="globe" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {host.localization.languages.map(({ cultureName, displayName }) => (
          <Menu.Item
            key={cultureName}
            lang={cultureName}
            leftSection={cultureName === language ? <Icon name="check" /> : <Box w={18} />}
            onClick={() => setLanguage(cultureName)}
          >
            {displayName}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/** What the person does with their own account; it is loaded, and opens, when its button is first used. */
export function PersonMenu({ name }: { readonly name: string }) {
  const { t, host, session } = useApplication()
  return (
    <Menu position="bottom-end" width={220} defaultOpened>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          px="xs"
          leftSection={<Icon name="person" />}
          aria-label={t('SignedInAs', { name })}
        >
          <Text span size="sm" visibleFrom="sm">
            {name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{host.currentUser.email}</Menu.Label>
        <Menu.Item component={Link} to={'/profile' as never} leftSection={<Icon name="person" />}>
          {t('MyProfile')}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="exit" />} onClick={() => void session.signOut()}>
          {t('AbpUi::Logout')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
