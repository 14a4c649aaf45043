import { createHubProxy } from '@keel/hub-proxy'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { Page } from './shipments.js'
import { signIn } from './sign-in.js'

const root = createRoot(document.getElementById('root') as HTMLElement)
try {
  const hub = createHubProxy({
    baseUrl: import.meta.env.VITE_API_URL ?? 'http://localhost:4000',
    accessToken: await signIn(),
    language: navigator.language,
    // With a key of its own a creation may be sent twice and happens once.
    idempotencyKey: true,
  })
  root.render(
    <QueryClientProvider client={new QueryClient()}>
      <Page hub={hub} />
    </QueryClientProvider>,
  )
} catch (error) {
  root.render(<p role="alert">{(error as Error).message}</p>)
}
