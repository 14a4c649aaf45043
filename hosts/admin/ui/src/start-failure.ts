/** The server has the texts of all pages. This page is shown when it can not be reached. */
const texts: Readonly<Record<string, readonly [message: string, again: string]>> = {
  en: ['The page could not be opened.', 'Try again'],
  de: ['Die Seite konnte nicht geöffnet werden.', 'Noch einmal versuchen'],
  es: ['No se pudo abrir la página.', 'Intentarlo de nuevo'],
  fr: ["La page n'a pas pu être ouverte.", 'Réessayer'],
  tr: ['Sayfa açılamadı.', 'Tekrar dene'],
  zh: ['无法打开页面。', '重试'],
}

/** Shows that the page could not start, why, and a link to try again. */
export function showStartFailure(error: unknown): void {
  console.error(error)
  const language = navigator.language.slice(0, 2)
  const [message, again] = texts[language] ?? (texts['en'] as readonly [string, string])
  const main = document.createElement('main')
  main.style.cssText =
    'font: 16px/1.5 system-ui, sans-serif; max-width: 36rem; margin: 15vh auto; padding: 0 1rem'
  const heading = document.createElement('h1')
  heading.style.fontSize = '1.4rem'
  heading.textContent = message
  const reason = document.createElement('p')
  reason.textContent = error instanceof Error ? error.message : String(error)
  const link = document.createElement('a')
  link.href = '/'
  link.textContent = again
  main.append(heading, reason, link)
  document.documentElement.lang = language in texts ? language : 'en'
  document.getElementById('root')?.replaceChildren(main)
}
