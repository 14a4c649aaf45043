import {
  ActionIcon,
  AppShell,
  Box,
  Burger,
  Button,
  Group,
  Menu,
  Modal,
  NavLink,
  ScrollArea,
  Stack,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useSyncExternalStore } from 'react'
import { useApplication } from './application.js'
import { type PageEntry, pages } from './pages.js'
import { Icon } from './parts/icons.js'

/** What is around every page: title bar, menu, and the question to sign in again when the session has ended. */
export function Shell() {
  const [isMenuOpen, menu] = useDisclosure(false)
  const { pathname } = useLocation()
  const { t, config } = useApplication()
  const page = pages.find(({ path }) => path === pathname)
  const product = config.title || t('Core::AppName')
  useEffect(menu.close, [pathname])
  useEffect(() => {
    document.title = page ? `${t(page.title)} · ${product}` : product
  }, [page, product, t])
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 248, breakpoint: 'md', collapsed: { mobile: !isMenuOpen } }}
      padding="md"
      classNames={{ main: 'keel-ground' }}
    >
      <a className="skip-link" href="#content">
        {t('SkipToContent')}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isMenuOpen}
              onClick={menu.toggle}
              hiddenFrom="md"
              size="sm"
              aria-label={t('Menu')}
              aria-expanded={isMenuOpen}
            />
            <img src={config.logoUrl || '/icon.svg'} alt="" height={28} />
            <Text fw={650} truncate>
              {product}
            </Text>
          </Group>
          <Group gap={4} wrap="nowrap">
            <LanguageMenu />
            <ColourToggle />
            <PersonMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label={t('Menu')}>
        <ScrollArea p="xs">
          <MainMenu pathname={pathname} />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} style={{ outline: 'none' }}>
        <Outlet />
      </AppShell.Main>
      <SessionEnded />
    </AppShell>
  )
}

/** The pages that the person may open, under their headings. */
function MainMenu({ pathname }: { readonly pathname: string }) {
  const { t, may } = useApplication()
  const shown = pages.filter(({ isHidden, permission }) => !isHidden && may(permission))
  const groups = [...new Set(shown.map(({ group }) => group))]
  return groups.map((group) => (
    <Box key={group ?? ''} mb="sm">
      {group && (
        <Text size="xs" fw={600} c="dimmed" px="sm" py={4}>
          {t(group)}
        </Text>
      )}
      {shown
        .filter((page) => page.group === group)
        .map((page) => (
          <MenuEntry key={page.path} page={page} isActive={page.path === pathname} label={t(page.title)} />
        ))}
    </Box>
  ))
}

function MenuEntry({
  page,
  isActive,
  label,
}: {
  readonly page: PageEntry
  readonly isActive: boolean
  readonly label: string
}) {
  return (
    <NavLink
      component={Link}
      to={page.path as never}
      label={label}
      active={isActive}
      aria-current={isActive ? 'page' : undefined}
      leftSection={<Icon name={page.icon} />}
      style={{ borderRadius: 8 }}
    />
  )
}

function LanguageMenu() {
  const { t, host, language, setLanguage } = useApplication()
  return (
    <Menu position="bottom-end">
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

function ColourToggle() {
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light')
  const { t } = useApplication()
  const other = scheme === 'dark' ? 'light' : 'dark'
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      onClick={() => setColorScheme(other)}
      aria-label={t(other === 'dark' ? 'DarkColours' : 'LightColours')}
    >
      <Icon name={other === 'dark' ? 'moon' : 'sun'} />
    </ActionIcon>
  )
}

function PersonMenu() {
  const { t, host, session } = useApplication()
  const { currentUser } = host
  const name = [currentUser.name, currentUser.surName].filter(Boolean).join(' ') || currentUser.userName
  return (
    <Menu position="bottom-end" width={220}>
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
        <Menu.Label>{currentUser.email}</Menu.Label>
        {pages.some(({ path }) => path === '/profile') && (
          <Menu.Item component={Link} to={'/profile' as never} leftSection={<Icon name="person" />}>
            {t('MyProfile')}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<Icon name="exit" />} onClick={() => void session.signOut()}>
          {t('AbpUi::Logout')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** The page stays as it is below this question, and forms keep what was typed. */
function SessionEnded() {
  const { t, session } = useApplication()
  const hasEnded = useSyncExternalStore(session.onEnd, () => session.hasEnded)
  return (
    <Modal
      opened={hasEnded}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      title={t('SessionEnded')}
      centered
    >
      <Stack>
        <Text size="sm">{t('SessionEndedHint')}</Text>
        <Button onClick={() => void session.signIn()}>{t('SignInAgain')}</Button>
      </Stack>
    </Modal>
  )
}
