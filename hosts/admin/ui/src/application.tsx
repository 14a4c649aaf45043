import type { ApplicationConfigurationDto, ApplicationLocalizationDto } from '@keel/platform-proxy'
import { keyOf, serviceKeyOf } from '@keel/react'
import { useQueryClient, useQuery as useTanstackQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { platform } from './clients.js'
import type { RunTimeConfiguration } from './config.js'
import { LiveConnection } from './live.js'
import type { Session } from './session.js'

type ConfigurationOfHost = InstanceType<typeof ApplicationConfigurationDto>
type TextsOfHost = InstanceType<typeof ApplicationLocalizationDto>

/** Finds a text by its key: `Resource::Key`, or a key of this UI. `{name}` and `{0}` are filled from `data`. */
export type Translate = (key: string, data?: Readonly<Record<string, unknown>>) => string

/** What every page knows: who is signed in, what they may, and the texts of their language. */
export interface Application {
  readonly config: RunTimeConfiguration
  readonly session: Session
  readonly host: ConfigurationOfHost
  readonly t: Translate
  /** True when the person holds the permission, or one of several; also when none is asked for. */
  readonly may: (permission?: string | readonly string[]) => boolean
  readonly language: string
  readonly setLanguage: (culture: string) => void
  readonly formatInstant: (instant: Date | null | undefined) => string
  readonly formatNumber: (value: number) => string
  /** Events of the server; pages use `useLive` of `use-live.ts`. */
  readonly live: LiveConnection
}

const Context = createContext<Application | undefined>(undefined)
const languageKey = 'keel.language'

/** The language that was chosen in this browser, else the browser's own. */
export function rememberedLanguage(): string {
  return localStorage.getItem(languageKey) ?? navigator.language
}

/** What is loaded before the first page is rendered. */
export interface LoadedApplication {
  readonly host: ConfigurationOfHost
  readonly texts: TextsOfHost
}

/** Loads who is signed in, what they may, and the texts. */
export async function loadApplication(): Promise<LoadedApplication> {
  const [host, texts] = await Promise.all([
    platform.application.configuration.get({ includeLocalizationResources: false }),
    platform.application.localization.get({ cultureName: rememberedLanguage() }),
  ])
  return { host, texts }
}

/** Time between two questions for permissions while the server pushes no events. */
const askEveryMs = 15_000
/** The same while it does: in case that an event was lost. */
const askRarelyMs = 5 * 60_000

/** Gives all pages the application, and keeps permissions up to date: when the server says so, on focus, after a refused call, and from time to time. */
export function ApplicationProvider({
  config,
  session,
  loaded,
  children,
}: {
  readonly config: RunTimeConfiguration
  readonly session: Session
  readonly loaded: LoadedApplication
  readonly children: ReactNode
}) {
  const [language, chooseLanguage] = useState(loaded.texts.currentCulture.cultureName)
  const configuration = { includeLocalizationResources: false }
  const client = useQueryClient()
  const userId = loaded.host.currentUser.id
  const live = useMemo(
    () => new LiveConnection(session, config.apiUrl, userId ?? ''),
    [session, config, userId],
  )
  const isLive = useSyncExternalStore(live.onState, () => live.isOpen)
  useEffect(() => {
    const queryKey = serviceKeyOf(platform.application.configuration.get)
    const ask = () => void client.invalidateQueries({ queryKey })
    const ends = (['ready', 'permissions', 'settings', 'refresh'] as const).map((kind) => live.on(kind, ask))
    live.start()
    return () => {
      for (const end of ends) end()
    }
  }, [client, live])
  const { data: host = loaded.host } = useTanstackQuery({
    queryKey: [...keyOf(platform.application.configuration.get, configuration), language],
    queryFn: () => platform.application.configuration.get(configuration),
    placeholderData: (previous) => previous ?? loaded.host,
    refetchInterval: isLive ? askRarelyMs : askEveryMs,
    staleTime: 0,
  })
  const { data: texts = loaded.texts } = useTanstackQuery({
    queryKey: keyOf(platform.application.localization.get, { cultureName: language }),
    queryFn: () => platform.application.localization.get({ cultureName: language }),
    placeholderData: (previous) => previous ?? loaded.texts,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const application = useMemo<Application>(() => {
    const instants = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
    const numbers = new Intl.NumberFormat(language)
    const { grantedPolicies } = host.auth
    return {
      config,
      session,
      host,
      t: translator(texts),
      may: (permission) =>
        permission === undefined || [permission].flat().some((name) => grantedPolicies[name] === true),
      language,
      setLanguage: (culture) => {
        localStorage.setItem(languageKey, culture)
        chooseLanguage(culture)
      },
      formatInstant: (instant) => (instant ? inTwoParts(instants, instant) : ''),
      formatNumber: (value) => numbers.format(value),
      live,
    }
  }, [config, session, host, texts, language, live])

  useEffect(() => {
    document.documentElement.lang = language
    document.documentElement.dir = texts.currentCulture.isRightToLeft ? 'rtl' : 'ltr'
  }, [language, texts])

  return <Context value={application}>{children}</Context>
}

/** The date and the time of an instant: a line breaks between them alone. */
function inTwoParts(format: Intl.DateTimeFormat, instant: Date): string {
  const parts = format.formatToParts(instant)
  const time = parts.findIndex(({ type }) => type === 'hour' || type === 'dayPeriod')
  return parts.map(({ value }, at) => (at === time - 1 ? value : value.replaceAll(' ', '\u00a0'))).join('')
}

/** The application of the page. */
export function useApplication(): Application {
  const application = use(Context)
  if (!application) throw new Error('useApplication needs an ApplicationProvider above it.')
  return application
}

/** The translator of the page's language. */
export function useTexts(): Translate {
  return useApplication().t
}

/** The resource of this UI's own texts. */
const ownResource = 'KeelAdmin'

function translator({ resources }: TextsOfHost): Translate {
  return (key, data = {}) => {
    const [first, second] = key.split('::') as [string, string?]
    const text = second === undefined ? find(ownResource, first) : find(first, second)
    // A key that has no text is shown as it is: better than nothing. A test finds the warning.
    if (text === undefined) console.warn(`No text has the key ${key}.`)
    return (text ?? second ?? first).replace(/\{(\w+)\}/g, (whole, name: string) =>
      Object.hasOwn(data, name) ? String(data[name]) : whole,
    )
  }

  function find(resource: string, key: string): string | undefined {
    const own = resources[resource]?.texts[key]
    if (own !== undefined) return own
    for (const base of resources[resource]?.baseResources ?? []) {
      const text = find(base, key)
      if (text !== undefined) return text
    }
    return undefined
  }
}
