import { readFileSync } from 'node:fs'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type AdminUi,
  confirmAtSecondThought,
  look as lookAt,
  patience,
  signIn,
  startAdminUi,
  watchFaults,
} from './admin-ui.js'
import { noBrowser } from './chromium.js'

const today = new Date().toISOString().slice(0, 10)
const sheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

describe.skipIf(noBrowser)(`Pricing in a browser${noBrowser ? ` (skipped: ${noBrowser})` : ''}`, () => {
  let ui: AdminUi
  let context: BrowserContext
  let page: Page
  let faults: string[]
  let organizationId: string
  /** Ids by the words of the tests. */
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    ui = await startAdminUi()
    context = await ui.open({ viewport: { width: 1440, height: 900 } })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    page = await context.newPage()
    faults = watchFaults(page)
    await page.goto(`${ui.url}/rate-cards`)
    await signIn(page)
    const { id } = await call('POST', 'hub/organization', {
      code: 'BUYER',
      fullName: 'Buyer Ltd',
      countryCode: 'DE',
    })
    organizationId = id
    await call('POST', 'pricing/exchange-rate', {
      ...{ fromCurrencyCode: 'EUR', toCurrencyCode: 'USD', rate: '1.08', rateDate: today, source: 'test' },
    })
    // Quotes with less margin than the setting says wait for an approval.
    await call('POST', 'pricing/margin-rule', {
      ...{ name: 'All of it', marginType: 0, value: '12.5', currencyCode: 'EUR', validFrom: today },
    })
  }, 180_000)
  // A test that fails leaves dialogs and drafts, which the next test is not to meet.
  afterEach(async () => {
    await page.evaluate(`Object.keys(sessionStorage)
      .filter((key) => key.startsWith('keel.draft.'))
      .forEach((key) => sessionStorage.removeItem(key))`)
  })
  afterAll(async () => {
    await ui?.close()
  })

  const look = (name: string) => lookAt(page, `pricing-${name}`)
  const dialog = (on = page) => on.getByRole('dialog').last()
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const cell = (name: string) => dialog().getByRole('textbox', { name, exact: true })
  /** Calls the API in the name of the person on a page. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of all operations
  async function call(method: string, path: string, body?: object, on = page): Promise<any> {
    const token = await on.evaluate<string>(`JSON.parse(
      sessionStorage.getItem(Object.keys(sessionStorage).find((key) => key.startsWith('oidc.user:')))).access_token`)
    const answer = await fetch(`${ui.platform.apiUrl}/api/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text ? JSON.parse(text) : undefined
  }
  /** Chooses an option of a select in the dialog in front. */
  async function choose(label: string, option: string): Promise<void> {
    await dialog().getByRole('combobox', { name: label, exact: true }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  const save = () => dialog().getByRole('button', { name: 'Save' }).click()
  const gone = () => dialog().waitFor({ state: 'detached' })

  test('a rate card gets a lane and a line; its breaks are pasted, marked where they are faulty, and saved at once', async () => {
    await page.goto(`${ui.url}/rate-cards`)
    await button('New rate card').first().click()
    await dialog().locator('input[name=reference]').fill('AIR-1')
    await save()
    await dialog().locator('input[name=validFrom][aria-invalid=true]').waitFor()
    await look('new-rate-card')
    await dialog().locator('input[name=name]').fill('Air freight 2026')
    await choose('Transport mode', 'Air')
    await dialog().locator('input[name=validFrom]').fill(dayIn(-30))
    await dialog().locator('input[name=validTo]').fill(dayIn(60))
    await save()
    await page.getByRole('heading', { name: 'AIR-1 · 1' }).waitFor()
    ids['card'] = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await button('New lane').click()
    await dialog().locator('input[name=originUnLocode]').fill('DEFRA')
    await dialog().locator('input[name=destinationUnLocode]').fill('USORD')
    await dialog().locator('input[name=transitDays]').fill('4')
    await save()
    await button('1. DEFRA → USORD').click()
    await button('New line').click()
    await choose('Charge', 'AFR · Air freight')
    await choose('Basis', 'Per chargeable kg')
    await dialog().locator('input[name=minAmount]').fill('95')
    await save()
    await button('Breaks: AFR').click()
    await page.evaluate(`navigator.clipboard.writeText('0\\t4.1\\n45\\tcheap\\n40\\t2,95')`)
    await cell('From quantity, row 1').focus()
    await page.keyboard.press('Control+V')
    await expect.poll(() => cell('Amount, row 3').inputValue(), patience).toBe('2.95')
    await save()
    const faulty = cell('Amount, row 2')
    await expect.poll(() => faulty.getAttribute('aria-invalid'), patience).toBe('true')
    await dialog().locator('.keel-sheet-error').waitFor()
    await look('breaks')
    await faulty.focus()
    await page.keyboard.type('3.55')
    await save()
    // The order is a rule of its own, and is told at the row that breaks it.
    const order = cell('From quantity, row 3')
    await expect.poll(() => order.getAttribute('aria-invalid'), patience).toBe('true')
    await faulty.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowLeft')
    expect(await order.evaluate(`document.activeElement.dataset.cell`)).toBe('2.0')
    await page.keyboard.type('100')
    await page.keyboard.press('Enter')
    await page.keyboard.type('300')
    await page.keyboard.press('Tab')
    await page.keyboard.type('2.35')
    await page.keyboard.press('Control+Enter')
    await cell('From quantity, row 1').waitFor({ state: 'detached' })
    await look('lane')
    const { items } = await call('GET', 'pricing/rate-line?maxResultCount=1')
    const breaks = await call('GET', `pricing/rate-line/${items[0].id}/breaks`)
    expect(breaks.map((one: Record<string, number>) => [one.fromQuantity, one.amount])).toEqual([
      [0, 4.1],
      [45, 3.55],
      [100, 2.95],
      [300, 2.35],
    ])
    ids['line'] = items[0].id
    await page.keyboard.press('Escape')
    await gone()
    await look('rate-card')
  }, 90_000)

  test('somebody else approves the card; a new version is compared with the one before', async () => {
    const card = `pricing/rate-card/${ids['card']}`
    const { concurrencyStamp } = await call('GET', card)
    await call('PUT', card, { priority: 50, concurrencyStamp })
    await button('Submit for approval').click()
    const conflict = page.getByRole('dialog', { name: 'Changed by somebody else' })
    await conflict.getByRole('row', { name: 'Priority 50 100' }).waitFor()
    await conflict.getByRole('button', { name: 'Look again' }).click()
    await conflict.waitFor({ state: 'detached' })
    expect((await call('GET', card)).status).toBe(0)
    await button('Submit for approval').click()
    await page.getByText('Pending approval').first().waitFor()
    const other = await (await ui.open()).newPage()
    await other.goto(`${ui.url}/rate-cards/${ids['card']}`)
    await signIn(other, 'pricingmanager')
    await other.getByRole('button', { name: 'Approve' }).click()
    await dialog(other).getByRole('button', { name: 'Approve' }).click()
    await other.getByText('Active', { exact: true }).first().waitFor()
    await other.context().close()
    await page.reload()
    await button('New version').click()
    await page.getByRole('heading', { name: 'AIR-1 · 2' }).waitFor()
    await button('1. DEFRA → USORD').click()
    await button('AFR').click()
    const line = page.locator('input[name=minAmount]')
    await line.fill('99,5')
    await save()
    await page.getByText('Saved successfully').waitFor()
    // Escape closes what is on top alone.
    await line.waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await gone()
    await button('Compare versions').click()
    await dialog().locator('ins', { hasText: '99.5 – ∞' }).waitFor()
    await look('comparison')
    await page.keyboard.press('Escape')
    await gone()
    await button('Actions').click()
    const [sheet] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Download the rate sheet' }).click(),
    ])
    await button('Actions').click()
    await page.getByRole('menuitem', { name: 'Import a rate sheet' }).click()
    const choose = page.locator('input[type=file]')
    await choose.setInputFiles({
      name: 'rates.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('LaneNumber\nx'),
    })
    await dialog().getByRole('button', { name: 'Check' }).click()
    await dialog()
      .getByText(/^Faulty cells: /)
      .waitFor()
    const buffer = readFileSync(await sheet.path())
    await choose.setInputFiles({ name: sheet.suggestedFilename(), mimeType: sheetType, buffer })
    await dialog().getByRole('button', { name: 'Check' }).click()
    await dialog()
      .getByText(/^No cell is faulty/)
      .waitFor()
    await look('rate-sheet')
    await dialog().getByRole('button', { name: 'Import' }).click()
    await page.getByText('The rates of the sheet are those of the card now.').waitFor()
    await page.goto(`${ui.url}/rate-cards`)
    await page.getByRole('link', { name: 'AIR-1 · 2', exact: true }).waitFor()
    await look('rate-cards')
  }, 90_000)

  test('a quote is made with its cargo, calculated, explained, sent and accepted', async () => {
    await page.goto(`${ui.url}/quotes`)
    await button('New quote').first().click()
    await dialog().locator('input[name=originUnLocode]').fill('DEFRA')
    await dialog().locator('input[name=destinationUnLocode]').fill('USORD')
    await choose('Transport mode', 'Air')
    await dialog().locator('input[name=containerModeCode]').fill('LSE')
    await choose('Customer', 'BUYER · Buyer Ltd')
    await save()
    await expect.poll(() => cell('Quantity, row 1').getAttribute('aria-invalid'), patience).toBe('true')
    await look('new-quote')
    await cell('Quantity, row 1').fill('12')
    await cell('Gross weight (kg), row 1').fill('268')
    await cell('Volume (m³), row 1').fill('1.62')
    await save()
    await page.getByRole('heading', { name: /^Q\d+/ }).waitFor()
    ids['quote'] = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await button('Edit the cargo').click()
    await cell('Description, row 1').fill('Fragile')
    const { cargoLines, concurrencyStamp } = await call('GET', `pricing/quote/${ids['quote']}`)
    const theirs = cargoLines.map((line: object) => ({ ...line, description: 'Heavy' }))
    await call('POST', `pricing/quote/${ids['quote']}/set-cargo-lines`, {
      cargoLines: theirs,
      concurrencyStamp,
    })
    await save()
    await dialog().getByRole('cell', { name: /Heavy/ }).waitFor()
    await look('cargo-conflict')
    await dialog().getByRole('button', { name: 'Keep mine' }).click()
    await gone()
    await page.getByText(/Fragile/).waitFor()
    // A step without a dialog, and one with: both show what was changed in between.
    const conflict = page.getByRole('dialog', { name: 'Changed by somebody else' })
    const quote = `pricing/quote/${ids['quote']}`
    const before = await call('GET', quote)
    await call('PUT', quote, { notes: 'Urgent', concurrencyStamp: before.concurrencyStamp })
    await button('Calculate').click()
    await conflict.getByRole('cell', { name: 'Urgent' }).waitFor()
    await look('step-conflict')
    await conflict.getByRole('button', { name: 'Carry on' }).click()
    await page.getByRole('heading', { name: 'Option 1', exact: true }).waitFor()
    await look('quote')
    await button('Air freight').click()
    await dialog().getByText('AIR-1').first().waitFor()
    await dialog().getByText('from 100').waitFor()
    await look('explanation')
    await page.keyboard.press('Escape')
    await gone()
    await button('Actions').click()
    const [pdf] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Download as PDF' }).click(),
    ])
    expect(
      readFileSync(await pdf.path())
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-')
    await page.goto(`${ui.url}/quotes/${ids['quote']}?reRate=open`)
    await dialog().getByText('The rates of today give the same prices').waitFor()
    await page.keyboard.press('Escape')
    await gone()
    await button('Send').click()
    const seen = await call('GET', quote)
    await call('POST', `${quote}/calculate`, { concurrencyStamp: seen.concurrencyStamp })
    await dialog().getByRole('button', { name: 'Send' }).click()
    await conflict.getByRole('button', { name: 'Carry on' }).click()
    await button('Accept').first().click()
    await look('accept')
    await dialog().getByRole('button', { name: 'Accept' }).click()
    await page.getByText('The quote is accepted.').waitFor()
    const { status } = await call('GET', `pricing/quote/${ids['quote']}`)
    expect([4, 7]).toContain(status)
    const shipmentId = async () => (await call('GET', `pricing/quote/${ids['quote']}`)).shipmentId
    await expect.poll(shipmentId, patience).toBeTruthy()
    // Without a reload.
    await page.getByText('Converted', { exact: true }).first().waitFor()
    await page.locator(`a[href="/shipments/${await shipmentId()}"]`).waitFor()
    await page.goto(`${ui.url}/shipments/${await shipmentId()}?tab=charges`)
    // A markup of 12.5 per cent of the cost.
    await page
      .getByRole('definition')
      .filter({ hasText: /\(11\.1\d? %\)/ })
      .waitFor()
    await look('shipment-charges')
    await page.goto(`${ui.url}/quotes`)
    await page.locator('tr[data-row]').first().waitFor()
    await look('quotes')
  }, 90_000)

  test('a charge is added to a shipment by hand, changed, approved, and fixed once its invoice is recorded', async () => {
    const { shipmentId } = await call('GET', `pricing/quote/${ids['quote']}`)
    await page.goto(`${ui.url}/shipments/${shipmentId}?tab=charges`)
    const fill = (name: string, value: string) => dialog().locator(`input[name=${name}]`).fill(value)
    const row = page.getByRole('row', { name: /Waiting at the gate/ })
    const act = async (action: string) => {
      await row.getByRole('button', { name: /^Actions/ }).click()
      await page.getByRole('menuitem', { name: action, exact: true }).click()
    }
    await button('Add a charge').click()
    await choose('Charge', 'DTHC · Destination terminal handling')
    await fill('description', 'Waiting at the gate')
    await fill('sellAmount', '80.5')
    await save()
    await dialog().locator('[aria-invalid=true]').waitFor()
    await look('charge-without-currency')
    await choose('Currency of the price', 'EUR · Euro')
    await fill('costAmount', '60')
    await save()
    const isRefused = (name: string) => dialog().getByRole('combobox', { name }).getAttribute('aria-invalid')
    await expect.poll(() => isRefused('Currency of the cost'), patience).toBe('true')
    expect(await isRefused('Currency of the price')).not.toBe('true')
    await choose('Currency of the cost', 'EUR · Euro')
    await save()
    await gone()
    await row.getByText('€80.50').waitFor()
    await act('Edit')
    await fill('sellAmount', '90')
    await save()
    await gone()
    await row.getByText('€90.00').waitFor()
    await act('Approve')
    await dialog().getByRole('button', { name: 'Approve', exact: true }).click()
    await gone()
    await row.getByText('Approved').waitFor()
    await act('Record the invoice')
    await fill('invoiceNumber', 'INV-1')
    await look('charge-invoice')
    await dialog()
      .getByLabel(/Invoice date/)
      .fill(today)
    await dialog().getByRole('button', { name: 'Record the invoice', exact: true }).click()
    await gone()
    await row.getByText('INV-1').waitFor()
    expect(await row.getByRole('button').count()).toBe(0)
    await look('shipment-charges-invoiced')
  }, 90_000)

  test('a customer sees the quote and what can be done with it, and no cost', async () => {
    const { id, concurrencyStamp } = await call('POST', `pricing/quote/${ids['quote']}/copy`, {})
    const calculated = await call('POST', `pricing/quote/${id}/calculate`, { concurrencyStamp })
    await call('POST', `pricing/quote/${id}/submit`, { concurrencyStamp: calculated.concurrencyStamp })
    const user = await call('GET', 'identity/users/by-username/customeradmin')
    await call('POST', 'hub/organization-member', { organizationId, userId: user.id, accessScope: 0 })
    const other = await (await ui.open()).newPage()
    await other.goto(`${ui.url}/quotes/${id}`)
    await signIn(other, 'customeradmin')
    await other.getByRole('button', { name: 'Accept' }).waitFor()
    await other.getByRole('button', { name: 'Reject' }).waitFor()
    await other.getByRole('button', { name: 'Air freight', exact: true }).click()
    await dialog(other).getByText('Costs, rates and margins are not shown to you.').waitFor()
    expect(await other.getByText(/Margin|Cost$/).count()).toBe(0)
    await other.keyboard.press('Escape')
    await other.getByRole('button', { name: 'Reject' }).click()
    await dialog(other).getByRole('button', { name: 'Reject' }).click()
    await dialog(other).locator('textarea[aria-invalid=true]').waitFor()
    await dialog(other).locator('textarea').fill('Too late')
    await dialog(other).getByRole('button', { name: 'Reject' }).click()
    await other.getByText('Rejected').first().waitFor()
    await other.context().close()
  }, 90_000)

  test('rates are searched without a quote, and amounts converted', async () => {
    await page.goto(`${ui.url}/rate-search`)
    await page.locator('input[name=originUnLocode]').fill('DEFRA')
    await page.locator('input[name=destinationUnLocode]').fill('USORD')
    await page.getByRole('combobox', { name: 'Transport mode' }).click()
    await page.getByRole('option', { name: 'Air', exact: true }).click()
    await page.locator('input[name=containerModeCode]').fill('LSE')
    await page.getByRole('textbox', { name: 'Quantity, row 1' }).fill('1')
    await page.getByRole('textbox', { name: 'Gross weight (kg), row 1' }).fill('50')
    await page.getByRole('textbox', { name: 'Volume (m³), row 1' }).fill('0.1')
    await button('Find rates').click()
    await page.getByRole('heading', { name: 'Option 1', exact: true }).waitFor()
    await look('rate-search')
    await page.goto(`${ui.url}/exchange-rates?convert=open`)
    await dialog().locator('input[name=amount]').fill('100,50')
    await dialog().getByRole('button', { name: 'Convert' }).click()
    await dialog().getByText('$108.54').waitFor()
    await look('convert')
  }, 90_000)

  test('zones, surcharges, margins, charge codes, currencies and fuel indices are kept on pages of their own', async () => {
    await page.goto(`${ui.url}/rate-zones`)
    await button('New zone').first().click()
    await dialog().locator('input[name=code]').fill('NEUR')
    await dialog().locator('input[name=name]').fill('North Europe')
    await save()
    await button('NEUR').click()
    await dialog().locator('input[name=unLocode]').fill('NLRTM')
    await dialog().getByRole('button', { name: 'Add to the zone' }).click()
    await button('Remove: NLRTM').waitFor()
    await look('zone')
    await confirmAtSecondThought(
      page,
      () => button('Remove: NLRTM').click(),
      'Remove',
      /^NLRTM no longer belongs to NEUR\./,
    )
    await dialog().getByText('There is nothing here yet').waitFor()
    await page.goto(`${ui.url}/margin-rules?edit=new`)
    await dialog().locator('input[name=name]').fill('Only this')
    await dialog().locator('input[name=value]').fill('15')
    await dialog().locator('input[name=validFrom]').fill(today)
    await save()
    await page.getByText('15 %').waitFor()
    await look('margin-rules')
    await page.goto(`${ui.url}/fuel-indices?edit=new`)
    await dialog().locator('input[name=code]').fill('VLSFO')
    await dialog().locator('input[name=name]').fill('Fuel oil')
    await dialog().locator('input[name=unit]').fill('USD/t')
    await save()
    await button('VLSFO').click()
    await dialog().locator('input[name=valueDate]').fill(today)
    await dialog().locator('input[name=value]').fill('612')
    await dialog().getByRole('button', { name: 'Add the value' }).click()
    await dialog().getByText('612 USD/t').waitFor()
    await confirmAtSecondThought(
      page,
      () =>
        dialog()
          .getByRole('button', { name: /^Remove: / })
          .click(),
      'Remove',
      /^The value of .* is deleted\. From that day on the value before it counts/,
    )
    await dialog().getByText('There is nothing here yet').waitFor()
    await page.goto(`${ui.url}/surcharges?edit=new`)
    await choose('Charge', 'BAF · Bunker adjustment')
    await dialog().locator('input[name=validFrom]').fill(today)
    await choose('Fuel index', 'VLSFO · Fuel oil')
    await dialog().locator('input[name=fuelBaseValue]').fill('500')
    await dialog().locator('input[name=fuelStep]').fill('25')
    await look('surcharge')
    await save()
    // It belongs to the amount, which a fuel index hides.
    await dialog().getByRole('alert').getByText('A surcharge has an amount, or a fuel index').waitFor()
    await dialog().locator('input[name=fuelAmountPerStep]').fill('18')
    await save()
    await page.locator('tr[data-row]', { hasText: 'VLSFO' }).waitFor()
    await page.goto(`${ui.url}/charge-codes?filter=THC`)
    await page.locator('tr[data-row]').first().waitFor()
    await page.goto(`${ui.url}/currencies?filter=EUR`)
    await button('EUR').click()
    await expect.poll(() => dialog().locator('input[name=numericCode]').inputValue(), patience).toBe('978')
  }, 90_000)

  test('the bell counts what is unread; the inbox marks it read; preferences are kept', async () => {
    await ui.platform.execute(
      'Default',
      `insert into "AppNotifications" ("Id", "UserId", "EventId", "Kind", "Severity", "Title", "IsRead", "CreationTime")
       select gen_random_uuid(), "Id", gen_random_uuid(), 'ShipmentDelayed', 1, 'Shipment S1 will arrive later.', false, now()
       from "AbpUsers" where "UserName" = 'admin'`,
    )
    await page.goto(`${ui.url}/notifications`)
    await page.getByRole('link', { name: 'Notifications, unread: 1' }).waitFor()
    await page.locator('tr[data-row]', { hasText: 'Shipment S1 will arrive later.' }).waitFor()
    await look('inbox')
    await button('Mark all as read').click()
    await page.getByRole('link', { name: 'Notifications', exact: true }).waitFor()
    await button('Preferences').click()
    await choose('Shipment delayed', 'Daily')
    await dialog().locator('input[name=quietFrom]').fill('22:00')
    await look('preferences')
    await save()
    await dialog().locator('[aria-invalid=true]').first().waitFor()
    await dialog().locator('input[name=quietUntil]').fill('06:30')
    await save()
    await page.getByText('Saved successfully').waitFor()
    const { subscriptions, quietUntil } = await call('GET', 'app/notification-preferences')
    expect(subscriptions).toEqual([{ kind: 'ShipmentDelayed', mail: 2 }])
    expect(quietUntil).toBe('06:30')
  }, 90_000)

  test('no page raised an error or met the content security policy', () => {
    expect(faults).toEqual([])
  })
})
