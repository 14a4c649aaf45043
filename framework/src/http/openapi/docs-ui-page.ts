/**
 * The additions of the docs UI to swagger-ui: a bar with the signed-in user, and tokens that end with the
 * tab.
 */
export const pageScript = `
addEventListener('load', () => {
  const name = 'keel.authorized'
  // The page's own way to keep tokens is the local storage, where every later page finds them: these end with
  // the tab.
  localStorage.removeItem('authorized')
  const kept = sessionStorage.getItem(name)
  if (kept) ui.authActions.restoreAuthorization({ authorized: JSON.parse(kept) })

  const bar = document.createElement('header')
  bar.className = 'keel-login'
  const state = document.createElement('span')
  state.setAttribute('role', 'status')
  const button = document.createElement('button')
  button.type = 'button'
  bar.append(state, button)
  document.body.prepend(bar)
  let shown
  button.addEventListener('click', () => {
    const { authActions, authSelectors } = ui
    const schemes = Object.keys(authorized())
    if (schemes.length) authActions.logoutWithPersistOption(schemes)
    // The dialog of all schemes scrolls down to the field of the last one: people sign in by the first.
    else authActions.showDefinitions(authSelectors.definitionsToAuthorize().filter((one) => one.has('oauth2')))
  })

  function authorized() {
    return ui.authSelectors.authorized()?.toJS() ?? {}
  }
  function show() {
    const now = authorized()
    const text = JSON.stringify(now)
    if (text === shown) return
    shown = text
    const isSignedIn = Object.keys(now).length > 0
    bar.classList.toggle('keel-signed-in', isSignedIn)
    state.textContent = isSignedIn
      ? 'Signed in' + nameIn(now.oauth2?.token?.access_token ?? now.bearer?.value) + '.'
      : 'Signed out. Operations with a lock answer 401 until you sign in.'
    button.textContent = isSignedIn ? 'Sign out' : 'Sign in'
    if (isSignedIn) sessionStorage.setItem(name, text)
    else sessionStorage.removeItem(name)
  }
  function nameIn(token) {
    try {
      const [, claims] = token.split('.')
      const bytes = Uint8Array.from(atob(claims.replace(/-/g, '+').replace(/_/g, '/')), (one) => one.charCodeAt(0))
      const { preferred_username, unique_name } = JSON.parse(new TextDecoder().decode(bytes))
      return ' as ' + (preferred_username ?? unique_name ?? 'a client')
    } catch {
      return ''
    }
  }
  show()
  ui.getStore().subscribe(show)
})
`

/** Styles of the bar, and of what swagger-ui leaves too faint or too large. */
export const pageStyles = `
.swagger-ui .topbar { display: none }
.keel-login { position: sticky; top: 0; z-index: 5; display: flex; align-items: center; gap: 1rem; justify-content: center;
  padding: .6rem 1rem; font: 15px/1.4 sans-serif; color: #5c3a00; background: #fff4d6; border-bottom: 1px solid #e8c670 }
.keel-login.keel-signed-in { color: #10421f; background: #e3f5e8; border-color: #8fcfa2 }
.keel-login button { padding: .35rem 1.1rem; font: inherit; font-weight: 600; color: #fff; background: #1f5fae; border: 0;
  border-radius: 4px; cursor: pointer }
.keel-login.keel-signed-in button { color: #10421f; background: #fff; box-shadow: inset 0 0 0 1px #10421f }
.keel-login button:focus-visible { outline: 3px solid #1f5fae; outline-offset: 2px }
.swagger-ui .info { margin: 1.5rem 0 }
.swagger-ui .scheme-container { padding: 1rem 0; margin-bottom: 1rem }
.swagger-ui .opblock-tag small { color: #3b4151 }
.keel-login button { flex: none }
@media (max-width: 640px) {
  .swagger-ui .opblock-tag { flex-wrap: wrap }
  .swagger-ui .opblock-tag > a { flex: 1 1 0; overflow-wrap: anywhere }
  .swagger-ui .opblock-tag > small { flex: 1 0 100%; order: 1; padding: .3rem 0 0 }
  .swagger-ui .opblock-body { overflow-x: auto }
}
`

/** Makes the filter find tags, paths and summaries in any case; swagger-ui's own compares tags exactly. */
export function findInAnyCase(): object {
  return {
    fn: {
      opsFilter: (tagged: TaggedOperations, phrase: string) => {
        const wanted = phrase.toLowerCase()
        return tagged
          .map((tag, name) =>
            name.toLowerCase().includes(wanted)
              ? tag
              : tag.update('operations', (operations) =>
                  operations.filter((one) =>
                    `${one.get('path')} ${one.getIn(['operation', 'summary'])}`
                      .toLowerCase()
                      .includes(wanted),
                  ),
                ),
          )
          .filter((tag) => tag.get('operations').size > 0)
      },
    },
  }
}

/**
 * Reads the document as JSON, and follows its references in place. swagger-ui reads every document as YAML, and to follow one reference of OpenAPI 3.1
 * it makes a tree of the whole document: with a thousand operations a page took half a minute. All references of our document are within it.
 */
export function readQuickly(): object {
  type Json = Readonly<Record<string, unknown>>
  const memberOf = (value: unknown, name: string): unknown => (value as Json | undefined)?.[name]
  const resolved = (document: unknown, value: unknown, above: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((item) => resolved(document, item, above))
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value as { readonly $ref?: unknown }
    if (typeof $ref === 'string' && $ref.startsWith('#/')) {
      // A schema within itself stays a reference.
      if (above.includes($ref)) return value
      const names = $ref.slice(2).split('/')
      const target = names
        .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
        .reduce(memberOf, document)
      const found = resolved(document, target, [...above, $ref])
      if (typeof found !== 'object') return value
      // Schemas are shown under the names that they have in the document.
      return names[1] === 'schemas' ? { ...found, title: names.at(-1) } : found
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, resolved(document, member, above)]),
    )
  }
  return {
    fn: {
      resolveSubtree: async (document: unknown, path: readonly string[]) => ({
        errors: [],
        spec: resolved(document, path.reduce(memberOf, document), []),
      }),
    },
    statePlugins: {
      spec: {
        wrapActions: {
          parseToJson:
            (readYaml: (text?: string) => unknown, system: System) =>
            (text?: string): unknown => {
              try {
                return system.specActions.updateJsonSpec(JSON.parse(text ?? system.specSelectors.specStr()))
              } catch {
                return readYaml(text)
              }
            },
        },
      },
    },
  }
}

/** Of swagger-ui, as far as it is used. */
interface System {
  readonly specActions: { updateJsonSpec(document: unknown): unknown }
  readonly specSelectors: { specStr(): string }
}

/** Of Immutable.js, as far as it is used. */
interface TaggedOperations {
  map(change: (tag: TaggedOperation, name: string) => TaggedOperation): TaggedOperations
  filter(test: (tag: TaggedOperation) => boolean): TaggedOperations
}

interface TaggedOperation {
  get(member: 'operations'): Operations
  update(member: 'operations', change: (operations: Operations) => Operations): TaggedOperation
}

interface Operations {
  readonly size: number
  filter(
    test: (operation: { get(member: string): unknown; getIn(path: string[]): unknown }) => boolean,
  ): Operations
}
