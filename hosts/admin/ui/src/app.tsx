import './styles.js'
import './app.css'
import { serviceKeyOf } from '@keel/react'
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { ApplicationProvider, loadApplication, rememberedLanguage } from './application.js'
import { connect, platform } from './clients.js'
import type { RunTimeConfiguration } from './config.js'
import { keepDraftsOf } from './parts/drafts.js'
import { NoticesProvider } from './parts/notices.js'
import { createAppRouter } from './router.js'
import type { Session } from './session.js'
import { themeOf } from './theme.js'

/** Renders the pages for the person who is signed in. */
export async function startApp(config: RunTimeConfiguration, session: Session): Promise<void> {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // The same question gets the same "no": only what may have passed is asked again.
        retry: (count, error) =>
          count < 2 && [undefined, 502, 503, 504].includes((error as { status?: number }).status),
      },
    },
  })
  const onForbidden = () =>
    void client.invalidateQueries({ queryKey: serviceKeyOf(platform.application.configuration.get) })
  connect({ config, session, language: rememberedLanguage, onForbidden })
  const loaded = await loadApplication()
  keepDraftsOf(loaded.host.currentUser.id ?? '')
  const router = createAppRouter()
  const root = document.getElementById('root')
  if (!root) throw new Error('The page has no element #root.')
  createRoot(root).render(
    <MantineProvider theme={themeOf(config)} defaultColorScheme="auto">
      <QueryClientProvider client={client}>
        <ApplicationProvider config={config} session={session} loaded={loaded}>
          <NoticesProvider>
            <RouterProvider router={router} />
          </NoticesProvider>
        </ApplicationProvider>
      </QueryClientProvider>
    </MantineProvider>,
  )
}
