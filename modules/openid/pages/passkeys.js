// Signing in with a passkey, and adding one. Served as a file of its own, with nothing inline; without it pages work with a password alone.
const bytesOf = (text) =>
  Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (character) => character.charCodeAt(0))
const textOf = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '')

/** WebAuthn's options as the browser takes them. */
const optionsOf = ({ challenge, user, allowCredentials = [], excludeCredentials = [], ...rest }) => ({
  ...rest,
  challenge: bytesOf(challenge),
  ...(user && { user: { ...user, id: bytesOf(user.id) } }),
  allowCredentials: allowCredentials.map((one) => ({ ...one, id: bytesOf(one.id) })),
  excludeCredentials: excludeCredentials.map((one) => ({ ...one, id: bytesOf(one.id) })),
})

/** A credential as the server takes it. */
const answerOf = ({ id, rawId, type, response }) => {
  const parts = { clientDataJSON: textOf(response.clientDataJSON) }
  for (const name of ['attestationObject', 'authenticatorData', 'signature', 'userHandle'])
    if (response[name]) parts[name] = textOf(response[name])
  if (response.getTransports) parts.transports = response.getTransports()
  return JSON.stringify({ id, rawId: textOf(rawId), type, response: parts })
}

const form = document.querySelector('form.passkey')
const fault = document.querySelector('.passkey-fault')

/** Sends an answer with the form that the page has for it. */
const send = (state, credential) => {
  form.elements.passkeyState.value = state
  form.elements.passkey.value = answerOf(credential)
  const remember = document.querySelector('form:not(.passkey) [name=rememberMe]')
  if (remember && form.elements.rememberMe) form.elements.rememberMe.disabled = !remember.checked
  form.submit()
}

const tell = (isFault) => {
  if (fault) fault.hidden = !isFault
}

const create = async () => {
  const publicKey = optionsOf(JSON.parse(form.dataset.options))
  send(form.dataset.state, await navigator.credentials.create({ publicKey }))
}

/** Ends the offer among the names of the user, so that the button can ask. */
let offer = new AbortController()

const ask = async (more) => {
  const response = await fetch(form.dataset.from, { headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error('no options')
  const { options, state } = await response.json()
  const credential = await navigator.credentials.get({ publicKey: optionsOf(options), ...more })
  if (credential) send(state, credential)
}

/** Offers passkeys where the name of the user is typed. What it asks for counts for minutes, so it is asked again. */
const offerAmongNames = async () => {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return
  for (let isOver = false; !isOver; ) {
    isOver = true
    const again = setTimeout(() => {
      isOver = false
      offer.abort()
      offer = new AbortController()
    }, 8 * 60_000)
    await ask({ mediation: 'conditional', signal: offer.signal }).catch(() => undefined)
    clearTimeout(again)
  }
}

if (form && window.PublicKeyCredential) {
  for (const element of document.querySelectorAll('.with-passkeys')) element.hidden = false
  for (const element of document.querySelectorAll('.without-passkeys')) element.hidden = true
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (!form.reportValidity()) return
    tell(false)
    offer.abort()
    const work = form.dataset.options ? create() : ask({})
    work.catch(() => tell(true))
  })
  if (form.classList.contains('offers')) offerAmongNames().catch(() => undefined)
}
