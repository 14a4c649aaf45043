import { useEffect } from 'react'

const prefix = 'keel.draft.'
const ownerKey = 'keel.drafts-of'

/**
 * Keeps what was entered in the tab as long as it is not saved, and has the browser ask before the page is left. Passwords and secrets are not
 * kept.
 * @param draft names it, e.g. `user:<id>`
 */
export function useKeptDraft(draft: string, isDirty: boolean, values: object): void {
  useEffect(() => {
    if (isDirty) writeDraft(draft, values)
    else forgetDraft(draft)
  }, [draft, isDirty, values])
  useLeaveWarning(isDirty)
}

/** Has the browser ask before the page is left, as long as something would be lost. */
export function useLeaveWarning(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isNeeded])
}

/** What {@link useKeptDraft} kept; nothing when it kept nothing. */
export function readDraft<V extends object>(draft: string): Partial<V> {
  try {
    return JSON.parse(sessionStorage.getItem(prefix + draft) ?? '{}') as Partial<V>
  } catch {
    return {}
  }
}

/** For what was saved. */
export function forgetDraft(draft: string): void {
  sessionStorage.removeItem(prefix + draft)
}

/** Forgets what somebody else has entered in this tab before: after another sign-in, or to act as another user. */
export function keepDraftsOf(userId: string): void {
  if (sessionStorage.getItem(ownerKey) !== userId)
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key)
  sessionStorage.setItem(ownerKey, userId)
}

function writeDraft(draft: string, values: object): void {
  const kept = Object.entries(values).filter(
    ([name, value]) => !/password|secret/i.test(name) || typeof value === 'boolean',
  )
  sessionStorage.setItem(prefix + draft, JSON.stringify(Object.fromEntries(kept)))
}
