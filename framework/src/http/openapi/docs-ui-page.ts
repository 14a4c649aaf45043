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
