import {
  ActionIcon,
  AppShell,
  Box,
  Burger,
  Button,
  Group,
  NavLink,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react'
import { useApplication } from './application.js'
import { type PageEntry, pageAt, pages } from './pages.js'
import { Icon } from './parts/icons.js'

/** What is around every page: title bar, menu, and the question to sign in again when the session has ended. */
export function Shell() {
  const [isMenuOpen, menu] = useDisclosure(false)
  const { pathname } = useLocation()
  const { t, config } = useApplication()
  const page = pageAt(pathname)
  const product = config.title || t('Core::AppName')
  useEffect(menu.close, [pathname])
  // Before the effects of pages, which put the name of their thing in front.
  useLayoutEffect(() => {
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
            <SearchEverywhere />
            <Bell />
            <LanguageMenu />
            <ColourToggle />
            <PersonMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label={t('Menu')}>
        <Box p="xs" style={{ overflowY: 'auto' }}>
          <MainMenu pathname={pathname} />
        </Box>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} style={{ outline: 'none' }}>
        <InOthersName />
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
    <Box key={group ?? ''} mb="xs">
      {group && (
        <Text size="xs" fw={600} c="dimmed" px="sm" py={4}>
          {t(group)}
        </Text>
      )}
      {shown
        .filter((page) => page.group === group)
        .map((page) => (
          <MenuEntry
            key={page.path}
            page={page}
            isActive={page.path === pathname || (page.path !== '/' && pathname.startsWith(`${page.path}/`))}
            label={t(page.title)}
          />
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
      py={5}
      style={{ borderRadius: 8 }}
    />
  )
}

/** The languages and the menu of the person are loaded when their buttons are first used. */
const Menus = {
  Language: lazy(async () => ({ default: (await import('./shell-menus.js')).LanguageMenu })),
  Person: lazy(async () => ({ default: (await import('./shell-menus.js')).PersonMenu })),
}
const SearchDialog = lazy(async () => ({
  default: (await import('./parts/search-everywhere.js')).SearchDialog,
}))
const UnreadBell = lazy(async () => ({ default: (await import('./parts/bell.js')).Bell }))
const SessionEndedDialog = lazy(async () => ({ default: (await import('./session-ended.js')).SessionEnded }))

/** Finds pages and things from everywhere: by its button, or by Ctrl-K. */
function SearchEverywhere() {
  const { t } = useApplication()
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 'k') return
      event.preventDefault()
      setOpen(true)
    }
    window.addEventListener('keydown', open)
    return () => window.removeEventListener('keydown', open)
  }, [])
  return (
    <>
      <Button
        variant="default"
        px="xs"
        leftSection={<Icon name="search" />}
        aria-keyshortcuts="Control+K Meta+K"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <span className="visually-hidden">{t('Ops:SearchEverywhere')}</span>
        <Text span size="sm" c="dimmed" visibleFrom="md" aria-hidden>
          Ctrl K
        </Text>
      </Button>
      {isOpen && (
        <Suspense>
          <SearchDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

/** The way to the inbox, for those who have one. */
function Bell() {
  const { may } = useApplication()
  if (!may('Notification.View')) return null
  return (
    <Suspense>
      <UnreadBell />
    </Suspense>
  )
}

function LanguageMenu() {
  const { t } = useApplication()
  const [isUsed, setUsed] = useState(false)
  const button = (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={t('Language')}
      aria-haspopup="menu"
      onClick={() => setUsed(true)}
    >
      <Icon name="globe" />
    </ActionIcon>
  )
  if (!isUsed) return button
  return (
    <Suspense fallback={button}>
      <Menus.Language />
    </Suspense>
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
  const { t, host } = useApplication()
  const [isUsed, setUsed] = useState(false)
  const { currentUser } = host
  const name =
    [currentUser.name, currentUser.surName].filter(Boolean).join(' ') || (currentUser.userName ?? '')
  const button = (
    <Button
      variant="subtle"
      color="gray"
      px="xs"
      leftSection={<Icon name="person" />}
      aria-label={t('SignedInAs', { name })}
      aria-haspopup="menu"
      onClick={() => setUsed(true)}
    >
      <Text span size="sm" visibleFrom="sm">
        {name}
      </Text>
    </Button>
  )
  if (!isUsed) return button
  return (
    <Suspense fallback={button}>
      <Menus.Person name={name} />
    </Suspense>
  )
}

/** Says whose account this is while somebody acts as another user, with the way back. */
function InOthersName() {
  const { t, host, session } = useApplication()
  const [error, setError] = useState<string>()
  const { impersonatorUserName, userName } = host.currentUser
  if (!impersonatorUserName) return null
  return (
    <Group role="status" className="keel-others-name" justify="space-between" mb="md">
      <Text size="sm">{error ?? t('ActingAs', { name: userName, impersonator: impersonatorUserName })}</Text>
      <Button
        size="xs"
        variant="default"
        onClick={() => void session.actAs().catch((refusal: Error) => setError(refusal.message))}
      >
        {t('BackToOwnAccount')}
      </Button>
    </Group>
  )
}

function SessionEnded() {
  const { session } = useApplication()
  const hasEnded = useSyncExternalStore(session.onEnd, () => session.hasEnded)
  if (!hasEnded) return null
  return (
    <Suspense>
      <SessionEndedDialog />
    </Suspense>
  )
}
