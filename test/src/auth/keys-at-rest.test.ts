import { sql } from '@keel/framework/data'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AuthHost, startAuthHost } from './auth-host.js'

const secret = { 'DataProtection:Secret': 'a secret of sixteen letters' }

const tooOld = 'The page was open for too long, or cookies are switched off.'

let first: AuthHost
beforeAll(async () => {
  first = await startAuthHost({ settings: secret })
})
afterAll(() => first?.close())

const stored = async (): Promise<{ purpose: string; content: string }[]> =>
  first.database.query(sql`select "Purpose" as purpose, "Content" as content from "AuthKeys" order by 1`)

/** The field and the cookie of a form, which the keys of cookies vouch for. */
async function formOf(copy: AuthHost): Promise<{ token: string; cookie: string }> {
  const page = await copy.fetch('/Account/ForgotPassword')
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(await page.text()) ?? []
  const cookie = page.headers.getSetCookie().map((one) => one.split(';')[0])
  return { token, cookie: cookie.join('; ') }
}

const isTaken = async (
  copy: AuthHost,
  { token, cookie }: { token: string; cookie: string },
): Promise<boolean> => {
  const body = new URLSearchParams({ token, email: '' })
  const answer = await copy.fetch('/Account/ForgotPassword', {
    method: 'POST',
    body,
    headers: { cookie },
    redirect: 'manual',
  })
  return !(await answer.text()).includes(tooOld)
}

test('keys of cookies and of signatures lie encrypted in the database, and those of before are encrypted at the next start', async () => {
  const sealed = expect.stringMatching(/^protected\.[\w-]{80,}$/)
  const keys = [
    { purpose: 'cookies', content: sealed },
    { purpose: 'signing', content: sealed },
  ]
  expect(await stored()).toEqual(keys)

  const plain = 'a-key-that-an-earlier-version-made-by-chance'
  await first.database.execute(sql`update "AuthKeys" set "Content" = ${plain} where "Purpose" = 'cookies'`)
  const second = await startAuthHost({ settings: secret, beside: first })
  expect(await stored()).toEqual(keys)
  const third = await startAuthHost({ settings: secret, beside: first })
  const form = await formOf(second)
  expect(form.token).not.toBe('')
  expect(await isTaken(third, form)).toBe(true)
  expect(await isTaken(first, form)).toBe(false)
  await third.close()
  await second.close()
})
