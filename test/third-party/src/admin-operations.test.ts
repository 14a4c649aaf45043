import { readFileSync } from 'node:fs'
import { namedGuid } from '@keel/framework/data'
import { AddressRole, createHubProxy, type HubProxy, ShipmentStatus } from '@keel/hub-proxy'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { dotPicture } from '../../src/support/dot-picture.js'
import {
  type AdminUi,
  confirmAtSecondThought,
  look as lookAt,
  patience,
  photograph,
  signIn,
  startAdminUi,
  watchFaults,
  whileHeld,
} from './admin-ui.js'
import { noBrowser } from './chromium.js'

const codeId = (type: string, code: string) => namedGuid(`CodeEntity:${type}:${code}`)
const portId = (unLocode: string) => namedGuid(`Port:${unLocode}`)
/** A page of paper. */
const pdf =
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj ' +
  '3 0 obj<</Type/Page/MediaBox[0 0 300 200]/Parent 2 0 R>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF'
const picture = dotPicture.toString('base64')

describe.skipIf(noBrowser)(`daily operations${noBrowser ? ` (skipped: ${noBrowser})` : ''}`, () => {
  let ui: AdminUi
  let page: Page
  let hub: HubProxy
  let faults: string[]
  let token = ''
  const organizations: Record<string, string> = {}

  beforeAll(async () => {
    ui = await startAdminUi()
    page = await (await ui.open({ viewport: { width: 1440, height: 900 } })).newPage()
    page.on('request', (request) => {
      const { authorization = '' } = request.headers()
      if (request.url().startsWith(ui.platform.apiUrl) && authorization) token = authorization.slice(7)
    })
    faults = watchFaults(page)
    await page.goto(`${ui.url}/shipments`)
    await signIn(page)
    await page.getByRole('heading', { name: 'There is nothing here yet' }).waitFor()
    hub = createHubProxy({ baseUrl: ui.platform.apiUrl, accessToken: () => token })
    for (const [code, fullName] of [
      ['ACME', 'Acme Trading'],
      ['BOLT', 'Bolt Makers'],
    ] as const)
      organizations[code] = (await hub.organizations.create({ code, fullName, countryCode: 'NL' })).id
  }, 180_000)
  // A test that fails leaves dialogs and drafts, which the next test is not to meet.
  afterEach(async () => {
    if (!page.url().startsWith(ui.url)) return
    await page.evaluate(`Object.keys(sessionStorage)
      .filter((key) => key.startsWith('keel.draft.'))
      .forEach((key) => sessionStorage.removeItem(key))`)
  })
  afterAll(async () => {
    await ui?.close()
  })

  const dialog = () => page.getByRole('dialog')
  const look = (name: string) => lookAt(page, name)
  /** What can be booked, and confirmed. */
  const shipmentInput = (shipmentReference: string) => ({
    shipmentReference,
    transportModeId: codeId('TransportMode', 'Sea'),
    containerModeId: codeId('ContainerMode', 'FCL'),
    firstConsolLegDeparturePortId: portId('NLRTM'),
    lastConsolLegArrivalPortId: portId('CNSHA'),
    estimatedDeparture: new Date('2026-12-01T10:30:45Z'),
    estimatedArrival: new Date('2026-12-30T08:00:00Z'),
    bookingReference: 'B-1',
    cargoDescription: 'Machine parts',
    totalPackages: 12,
    totalGrossWeight: 3400,
    totalVolume: 18.5,
    addresses: [
      { role: AddressRole.ControllingCustomer, organizationId: organizations['ACME'] },
      {
        role: AddressRole.Consignor,
        organizationId: organizations['ACME'],
        city: 'Rotterdam',
        countryCode: 'NL',
      },
      {
        role: AddressRole.Consignee,
        organizationId: organizations['BOLT'],
        city: 'Shanghai',
        countryCode: 'CN',
      },
    ],
  })
  /** Chooses a value of a list that is searched by typing. */
  async function pick(label: string, typed: string): Promise<void> {
    await dialog().getByRole('combobox', { name: label }).fill(typed)
    await page
      .getByRole('option', { name: new RegExp(`^${typed}`) })
      .first()
      .click()
  }
  /** Searches a list to choose from for something that it is not to offer. */
  async function nothingIsFound(label: string, typed: string): Promise<void> {
    await dialog().getByRole('combobox', { name: label }).fill(typed)
    await page.getByText('Nothing found', { exact: true }).waitFor()
    expect(await page.getByRole('option').count()).toBe(0)
  }
  const head = (name: string) => page.locator('#content').getByRole('button', { name, exact: true }).first()
  /** Begins the next step of the page's thing, by its button. */
  const next = (name: string) => head(name).click()
  /** Begins one of the other actions. */
  async function choose(name: string): Promise<void> {
    await head('Actions').click()
    await page.getByRole('menuitem', { name, exact: true }).click()
  }
  const submit = (name: string) => dialog().getByRole('button', { name, exact: true }).click()
  const fill = (name: string, value: string) => dialog().locator(`input[name=${name}]`).fill(value)
  /** Saves what the server refuses at a field. */
  const refused = async (name: string) => {
    await submit('Save')
    await dialog().locator(`input[name=${name}][aria-invalid=true]`).waitFor()
  }
  const saved = async () => {
    await submit('Save')
    await dialog().waitFor({ state: 'detached' })
  }

  test('a shipment is created, and its page opens; what is missing for booking is said in words', async () => {
    await page.getByRole('button', { name: 'New shipment' }).first().click()
    await dialog().locator('input[name=shipmentReference]').fill('S-1')
    await pick('Controlling customer', 'ACME')
    await pick('Departure port', 'NLRTM')
    await look('new-shipment')
    await submit('Save')
    await page.getByRole('heading', { name: 'S-1', exact: true }).waitFor()
    expect(await page.title()).toContain('S-1')
    await page.getByRole('button', { name: 'Book', exact: true }).click()
    await submit('Book')
    await dialog()
      .getByText(/can not be booked yet/)
      .waitFor()
    await submit('Cancel')
  }, 90_000)

  test('parties are added, changes in between are shown with both versions, and the status follows the actions', async () => {
    const { id } = await hub.shipments.create(shipmentInput('S-2'))
    await page.goto(`${ui.url}/shipments/${id}`)
    await page.getByRole('button', { name: 'Add a party' }).click()
    await page.locator('[role=dialog] input').first().click()
    await page.getByRole('option', { name: 'Notify party', exact: true }).click()
    await dialog().locator('input[name=companyName]').fill('Harbour Watch')
    await submit('Save')
    await page.getByText('Harbour Watch').waitFor()
    expect((await hub.shipments.get(id)).addresses).toHaveLength(4)

    await page.getByRole('button', { name: 'Book', exact: true }).click()
    await dialog().getByText('It needs modes').waitFor()
    await hub.shipments.setHold(id, { reason: 'Unpaid' })
    await submit('Book')
    const conflict = page.getByRole('dialog', { name: 'Changed by somebody else' })
    await conflict.getByRole('cell', { name: 'Unpaid' }).waitFor()
    await look('shipment-conflict')
    await conflict.getByRole('button', { name: 'Carry on' }).click()
    await expect.poll(async () => (await hub.shipments.get(id)).status, patience).toBe(ShipmentStatus.Booked)

    await next('Release from hold')
    await submit('Release from hold')
    await next('Confirm')
    await submit('Confirm')
    await head('Record receipt of cargo').waitFor()
    await choose('Put on hold')
    await submit('Put on hold')
    await dialog().locator('textarea[name=reason][aria-invalid=true]').waitFor()
    await dialog().locator('textarea[name=reason]').fill('Customer asked')
    await submit('Put on hold')
    await page.getByText('Reason for the hold: Customer asked').waitFor()
    // On hold it does not depart, so that is not offered.
    await head('Actions').click()
    await page.getByRole('menuitem', { name: 'Record receipt of cargo' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Record departure' }).count()).toBe(0)
  }, 90_000)

  test('a change of one member leaves the others as they are, to the second', async () => {
    const { id, estimatedDeparture } = await hub.shipments.getByReference('S-2')
    await page.goto(`${ui.url}/shipments/${id}?edit=open`)
    await dialog().locator('textarea[name=cargoDescription]').fill('Spare parts')
    await submit('Save')
    await page.getByRole('definition').filter({ hasText: 'Spare parts' }).waitFor()
    const changed = await hub.shipments.get(id)
    expect(changed.estimatedDeparture).toEqual(estimatedDeparture)
    expect(changed.totalGrossWeight).toBe(3400)
    await page.goto(`${ui.url}/shipments/${id}`)
    await page.getByText('Booking requested').waitFor()
    await page.getByRole('img', { name: 'Routing and dates: Rotterdam → Shanghai' }).waitFor()
    await look('shipment')
  }, 90_000)

  test('milestones, exceptions, notes, references and cargo are kept on the tabs of a shipment', async () => {
    const { id } = await hub.shipments.getByReference('S-2')
    await page.goto(`${ui.url}/shipments/${id}?tab=events`)
    await page.getByRole('button', { name: 'Actions: Cargo ready' }).click()
    await page.getByRole('menuitem', { name: 'It happened now' }).click()
    await page.getByText('It happened now: Cargo ready').waitFor()
    await page.getByRole('button', { name: 'Raise an exception' }).click()
    await pick('Kind', 'DEL')
    await submit('Save')
    await page.getByRole('button', { name: 'Actions: Delay' }).click()
    await page.getByRole('menuitem', { name: 'Resolve' }).click()
    await dialog().locator('textarea[name=note]').fill('On the next ship')
    await submit('Resolve')
    await expect
      .poll(
        async () => (await hub.shipmentExceptions.getList({ shipmentId: id })).items[0]?.resolutionNote,
        patience,
      )
      .toBe('On the next ship')
    await look('shipment-events')
    await page.getByRole('tab', { name: 'Notes' }).click()
    await page.getByRole('button', { name: 'Write a note' }).click()
    await dialog().locator('textarea[name=text]').fill('Call before delivery')
    await submit('Save')
    await dialog().waitFor({ state: 'detached' })
    await page.getByText('Call before delivery').waitFor()
    await look('shipment-notes')
    await page.getByRole('tab', { name: 'Cargo' }).click()
    await page.getByRole('button', { name: 'Add cargo' }).click()
    await dialog().locator('input[name=lineNumber]').fill('1')
    await dialog().locator('input[name=packageCount]').fill('4')
    await dialog().locator('input[name=grossWeightKg]').fill('500')
    await pick('Package type', 'PX')
    await submit('Save')
    await page.locator('tr[data-row]', { hasText: 'Pallet' }).waitFor()
    await look('shipment-cargo')
    expect((await hub.shipments.get(id)).totalPackages).toBe(4)
    await page.getByRole('button', { name: 'Actions: 1', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Dangerous goods' }).click()
    await page.getByRole('button', { name: 'Add dangerous goods' }).click()
    await pick('Dangerous substance', '1263')
    await expect.poll(() => dialog().locator('input[name=hazardClass]').inputValue(), patience).toBe('3')
    await dialog().locator('input[name=netQuantity]').fill('20')
    await dialog().locator('input[name=emergencyContact]').fill('Duty desk')
    await submit('Save')
    await dialog().locator('input[name=emergencyPhone][aria-invalid=true]').waitFor()
    await dialog().locator('input[name=emergencyPhone]').fill('+31 10 123')
    await look('new-dangerous-goods')
    await submit('Save')
    await page.getByRole('cell', { name: 'UN 1263', exact: true }).waitFor()
    await page.getByRole('cell', { name: '20 KGM', exact: true }).waitFor()
    await look('dangerous-goods')
    expect((await hub.shipments.get(id)).isDangerousGoods).toBe(true)
  }, 90_000)

  test('dropped files are uploaded, but for one that is refused, looked at and downloaded', async () => {
    const { id } = await hub.shipments.getByReference('S-2')
    await page.goto(`${ui.url}/shipments/${id}?tab=documents`)
    await page.getByText('Drop files here').waitFor()
    const files = await page.evaluateHandle(`(() => {
      const bytes = Uint8Array.from(atob('${picture}'), (character) => character.charCodeAt(0))
      const transfer = new DataTransfer()
      transfer.items.add(new File([bytes], 'dot.exe', { type: 'application/octet-stream' }))
      transfer.items.add(new File([bytes], 'dot.png', { type: 'image/png' }))
      return transfer
    })()`)
    await page.locator('.keel-drop').dispatchEvent('drop', { dataTransfer: files })
    await pick('Document type', 'CIV')
    await submit('Upload')
    await dialog().getByRole('alert').waitFor()
    await look('refused-document')
    await submit('Leave this file out')
    const second = page.getByRole('dialog', { name: 'Upload dot.png' })
    expect(await second.getByRole('combobox').inputValue()).toMatch(/^CIV · /)
    await second.getByRole('button', { name: 'Upload', exact: true }).click()
    await page.locator('tr[data-row]', { hasText: 'dot.png' }).waitFor()
    await look('shipment-documents')
    await page.getByRole('button', { name: 'Actions: dot.png' }).click()
    await page.getByRole('menuitem', { name: 'Preview' }).click()
    await expect
      .poll(() => page.evaluate(`document.querySelector('[role=dialog] img')?.naturalWidth`), patience)
      .toBe(1)
    const [saved] = await Promise.all([page.waitForEvent('download'), submit('Download')])
    expect(readFileSync(await saved.path()).toString('base64')).toBe(picture)
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    await hub.documents.upload({
      file: new File([pdf], 'paper.pdf', { type: 'application/pdf' }),
      shipmentId: id,
      documentTypeId: codeId('DocumentType', 'PKL'),
    })
    await page.reload()
    await page.getByRole('button', { name: 'Actions: paper.pdf' }).click()
    await page.getByRole('menuitem', { name: 'Preview' }).click()
    // The frame is a document of the browser's own, which the policy of the page lets in.
    await page.locator('[role=dialog] iframe[src^="blob:"]').waitFor()
    await expect.poll(() => page.frames().length, patience).toBeGreaterThan(1)
    await photograph(page, 'preview-pdf')
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
  }, 90_000)

  test('documents show their first page, go into one zip file, and are archived and brought back', async () => {
    const { id } = await hub.shipments.getByReference('S-2')
    await page.goto(`${ui.url}/shipments/${id}?tab=documents`)
    const paper = page.locator('tr[data-row]', { hasText: 'paper.pdf' })
    await paper.getByText('paper.pdf').hover()
    await expect
      .poll(
        () => page.evaluate(`document.querySelector('img[alt="First page of paper.pdf"]')?.naturalWidth`),
        patience,
      )
      .toBe(1000)
    await look('document-first-page')
    for (const name of ['dot.png', 'paper.pdf'])
      await page.getByRole('checkbox', { name: `Choose ${name}` }).check()
    const load = page.getByRole('button', { name: 'Download as ZIP (2)' })
    await whileHeld(page, 'hub/document/zip', async () => {
      await load.click()
      await page.getByRole('group', { name: 'Download as ZIP (2)' }).waitFor()
      await look('zip-running')
      await page.getByRole('button', { name: 'Cancel', exact: true }).click()
      await load.waitFor()
    })
    const [zip] = await Promise.all([page.waitForEvent('download'), load.click()])
    expect(zip.suggestedFilename()).toBe('documents.zip')
    const bytes = readFileSync(await zip.path())
    expect(['dot.png', 'paper.pdf'].map((name) => bytes.includes(name))).toEqual([true, true])
    for (const [action, state] of [
      ['Archive', 'Archived'],
      ['Bring back', 'Published'],
    ] as const) {
      await page.getByRole('button', { name: 'Actions: paper.pdf' }).click()
      await page.getByRole('menuitem', { name: action }).click()
      await paper.getByText(state, { exact: true }).waitFor()
    }
  }, 90_000)

  test('the list has facets beside it, which stand in its address and in its files', async () => {
    await page.goto(`${ui.url}/shipments`)
    await page.getByRole('checkbox', { name: /^Draft/ }).click()
    await expect.poll(() => page.locator('tr[data-row]').count(), patience).toBe(1)
    expect(new URL(page.url()).searchParams.get('Status')).toBe('Draft')
    await look('shipments')
    await page.getByRole('button', { name: 'Export' }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export as CSV' }).click(),
    ])
    const csv = readFileSync(await file.path(), 'utf8')
    expect(csv).toContain('S-1')
    expect(csv).not.toContain('S-2')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByText('Filters (1)').waitFor()
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    await page.setViewportSize({ width: 1440, height: 900 })
  }, 90_000)

  test('a file of shipments is checked first, and then written as a whole', async () => {
    await page.goto(`${ui.url}/shipments`)
    const send = async (text: string) => {
      const buffer = Buffer.from(text)
      await dialog()
        .locator('input[type=file]')
        .setInputFiles({ name: 'shipments.csv', mimeType: 'text/csv', buffer })
      await submit('Check')
    }
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await send('shipmentReference,transportMode,totalPackages\nI-1,Sea,many\nI-2,Sea,3\n')
    await dialog().getByText('Row 2, totalPackages').waitFor()
    await look('import-faults')
    await send('shipmentReference,transportMode,totalPackages\nI-1,Sea,2\nI-2,Sea,3\n')
    await dialog().getByText('The import adds 2').waitFor()
    await submit('Import the rows (2)')
    await dialog().getByText('Added: 2, changed: 0.').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('tr[data-row]', { hasText: 'I-2' }).waitFor()
    for (const reference of ['I-1', 'I-2']) {
      const { id } = await hub.shipments.getByReference(reference)
      await hub.shipments.delete(id)
    }
  }, 90_000)

  test('figures tell how many shipments leave, and lead to them', async () => {
    await page.goto(`${ui.url}/shipment-figures?period=ahead`)
    await page.getByRole('link', { name: 'Sea', exact: true }).waitFor()
    await look('figures')
    await page.getByRole('link', { name: 'Confirmed' }).click()
    await page.locator('tr[data-row]', { hasText: 'S-2' }).waitFor()
  }, 90_000)

  test('an export is scheduled, run at once, and its file downloaded', async () => {
    await page.goto(`${ui.url}/export-schedules`)
    await page.getByRole('button', { name: 'New export schedule' }).first().click()
    await dialog().locator('input[name=name]').fill('Ports of the week')
    await dialog().getByRole('combobox', { name: 'List' }).fill('Ports')
    await page.getByRole('option', { name: 'Ports', exact: true }).click()
    await dialog().locator('textarea[name=query]').fill('$filter=nonsense eq 1')
    await submit('Save')
    await dialog().locator('textarea[name=query][aria-invalid=true]').waitFor()
    await dialog().locator('textarea[name=query]').fill("$filter=UnLocode eq 'NLRTM'")
    await submit('Save')
    await page.locator('tr[data-row]', { hasText: 'Ports of the week' }).waitFor()
    await page.getByRole('button', { name: 'Actions: Ports of the week' }).click()
    await page.getByRole('menuitem', { name: 'Run now' }).click()
    await page.getByRole('button', { name: 'Actions: Ports of the week' }).click()
    await page.getByRole('menuitem', { name: 'Runs' }).click()
    // The server says that it is done.
    await dialog().getByText('Succeeded').first().waitFor({ timeout: 60_000 })
    await look('export-runs')
    await dialog().locator('tr[data-row]').first().getByRole('button').click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Download' }).click(),
    ])
    expect(file.suggestedFilename()).toMatch(/^Ports_.*\.xlsx$/)
  }, 90_000)

  test('a webhook shows its secret once, and is disabled and deleted after questions', async () => {
    await page.goto(`${ui.url}/webhooks`)
    await page.getByRole('button', { name: 'New webhook' }).first().click()
    await dialog().locator('input[name=name]').fill('Warehouse')
    await dialog().locator('input[name=url]').fill('ftp://warehouse.example')
    await submit('Save')
    await dialog().locator('input[name=url][aria-invalid=true]').waitFor()
    await dialog().locator('input[name=url]').fill('https://warehouse.example/events')
    await submit('Save')
    await dialog().getByRole('textbox', { name: 'Secret of the webhook' }).waitFor()
    await look('webhook-secret')
    await submit('I have kept it')
    const row = page.locator('tr[data-row]', { hasText: 'Warehouse' })
    await row.getByText('Active').waitFor()
    await look('webhooks')
    const act = async (action: string) => {
      await page.getByRole('button', { name: 'Actions: Warehouse' }).click()
      await page.getByRole('menuitem', { name: action, exact: true }).click()
    }
    await confirmAtSecondThought(page, () => act('Disable'), 'Disable', /^Warehouse gets no more events/)
    await row.getByText('Disabled').waitFor()
    await confirmAtSecondThought(page, () => act('Delete'), 'Delete', /^Warehouse gets no more events/)
    await row.waitFor({ state: 'detached' })
  }, 90_000)

  test('ports are kept on their page, and come from the official list', async () => {
    await page.goto(`${ui.url}/ports?filter=Rotterdam`)
    await page.getByRole('button', { name: 'NLRTM', exact: true }).waitFor()
    await look('ports')
    await page.getByRole('button', { name: 'Import UN/LOCODE' }).click()
    await dialog()
      .locator('input[type=file]')
      .setInputFiles({
        name: 'un-locode.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(
          '"+","NL","QQ3","Keeldam","Keeldam","ZH","1-------","RL","2601",,"5155N 00430E",\n',
        ),
      })
    await submit('Check')
    await dialog()
      .getByRole('button', { name: /Import the rows \(1\)/ })
      .click()
    await dialog().getByText('Added: 1, changed: 0.').waitFor()
    await look('un-locode')
    await page.keyboard.press('Escape')
    await page.goto(`${ui.url}/ports?filter=Keeldam`)
    await page.getByRole('button', { name: 'NLQQ3', exact: true }).click()
    await dialog().locator('input[name=timeZone]').fill('Europe/Amsterdam')
    await submit('Save')
    await dialog().waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'New port' }).click()
    await dialog().locator('input[name=unLocode]').fill('NLRTM')
    await dialog().locator('input[name=name]').fill('Rotterdam again')
    await submit('Save')
    await dialog().locator('input[name=unLocode][aria-invalid=true]').waitFor()
    // Escape keeps in this tab what was entered, Cancel gives it up.
    for (const [leave, kept] of [
      [() => page.keyboard.press('Escape'), 'NLRTM'],
      [() => submit('Cancel'), ''],
    ] as const) {
      await leave()
      await dialog().waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'New port' }).click()
      expect(await dialog().locator('input[name=unLocode]').inputValue()).toBe(kept)
    }
    await submit('Cancel')
    await page.getByRole('button', { name: 'Import ISO 3166 (countries)' }).waitFor()
  }, 90_000)

  test('carriers, ships and terminals are kept on pages of their own, which mark codes that are none', async () => {
    await page.goto(`${ui.url}/carriers`)
    await page.getByRole('button', { name: 'New carrier' }).first().click()
    await fill('code', 'KEELLINE')
    await fill('name', 'Keel Line')
    await fill('scacCode', 'k1')
    await refused('scacCode')
    await look('new-carrier')
    await fill('scacCode', 'KEEL')
    await saved()
    await page.getByRole('button', { name: 'KEELLINE', exact: true }).waitFor()
    await look('carriers')

    await page.goto(`${ui.url}/vessels`)
    await page.getByRole('button', { name: 'New ship' }).first().click()
    await fill('name', 'Keel Star')
    await nothingIsFound('Carrier', 'No such line')
    await pick('Carrier', 'KEELLINE')
    await fill('imoNumber', '9074728')
    await refused('imoNumber')
    await fill('imoNumber', '9074729')
    await saved()
    await page.getByRole('button', { name: 'Keel Star', exact: true }).click()
    await fill('teuCapacity', '18000')
    await saved()
    await page.getByRole('cell', { name: '18,000' }).waitFor()
    await look('vessels')

    await page.goto(`${ui.url}/terminals`)
    for (const isThere of [false, true]) {
      await page.getByRole('button', { name: 'New terminal' }).first().click()
      await pick('Port', 'NLRTM')
      await fill('code', 'KEEL-D')
      await fill('name', 'Keel Delta')
      if (isThere) await refused('code')
      else await saved()
    }
    await look('new-terminal')
    await submit('Cancel')
    await page.getByRole('searchbox').fill('Keel Delta')
    await page.getByRole('cell', { name: 'NLRTM · Rotterdam' }).waitFor()
    const port = page.getByRole('combobox', { name: 'Port', exact: true })
    for (const [unLocode, shown] of [
      ['CNSHA', page.getByRole('heading', { name: 'Nothing found' })],
      ['NLRTM', page.getByRole('button', { name: 'KEEL-D', exact: true })],
    ] as const) {
      await port.fill(unLocode)
      await page.getByRole('option', { name: new RegExp(`^${unLocode}`) }).click()
      await shown.waitFor()
    }
    await page.reload()
    await expect.poll(() => port.inputValue(), patience).toBe('NLRTM · Rotterdam')
    await look('terminals')
    const remove = async () => {
      await page.getByRole('button', { name: 'Actions: KEEL-D' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
    }
    await confirmAtSecondThought(page, remove, 'Delete', /^KEEL-D · Keel Delta can no longer/)
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
    await page.getByRole('combobox', { name: 'State' }).click()
    await page.getByRole('option', { name: 'Inactive', exact: true }).click()
    await page.getByRole('button', { name: 'Actions: KEEL-D' }).click()
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Edit', 'Bring back'])
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'State' }).click()
    await page.getByRole('option', { name: 'Any state', exact: true }).click()
    const row = page.locator('tr[data-row]', { hasText: 'KEEL-D' })
    await row.getByRole('cell', { name: 'Inactive', exact: true }).waitFor()
    await look('terminals-of-any-state')
    await page.getByRole('button', { name: 'Actions: KEEL-D' }).click()
    await page.getByRole('menuitem', { name: 'Bring back' }).click()
    await row.getByRole('cell', { name: 'Active', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Actions: KEEL-D' }).click()
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Edit', 'Delete'])
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'State' }).click()
    await page.getByRole('option', { name: 'Active', exact: true }).click()
    await row.getByRole('cell', { name: 'Active', exact: true }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'KEEL-D', exact: true }).waitFor()
  }, 90_000)

  test('departures are kept on their page, and one that the carrier leaves out is cancelled with a reason', async () => {
    await page.goto(`${ui.url}/sailing-schedules`)
    await page.getByRole('button', { name: 'New departure' }).first().click()
    await pick('Carrier', 'MAEU')
    await dialog().getByRole('combobox', { name: 'Transport mode' }).click()
    await page.getByRole('option', { name: /^Sea/ }).click()
    await fill('voyageFlightNumber', '612E')
    await pick('Departure port', 'NLRTM')
    await pick('Arrival port', 'CNSHA')
    await fill('estimatedDeparture', '2027-01-10T10:00')
    await fill('estimatedArrival', '2027-01-09T10:00')
    await refused('estimatedArrival')
    // In the words and the zone of the browser.
    await dialog()
      .getByText(/^The arrival, Jan\s9,\s2027, 10:00\sAM, is not later than the departure, Jan\s10/)
      .waitFor()
    await look('new-sailing')
    await fill('estimatedArrival', '2027-02-05T18:00')
    await saved()
    const row = page.locator('tr[data-row]', { hasText: '612E' })
    await row.getByRole('cell', { name: 'Rotterdam → Shanghai' }).waitFor()
    await look('sailings')
    const port = page.getByRole('combobox', { name: 'Departure port', exact: true })
    for (const [unLocode, shown] of [
      ['CNSHA', page.getByRole('heading', { name: 'Nothing found' })],
      ['NLRTM', row],
    ] as const) {
      await port.fill(unLocode)
      await page.getByRole('option', { name: new RegExp(`^${unLocode}`) }).click()
      await shown.waitFor()
    }
    const act = async (action: string) => {
      await page.getByRole('button', { name: 'Actions: 612E' }).click()
      await page.getByRole('menuitem', { name: action, exact: true }).click()
    }
    await act('Cancel the departure')
    await dialog().locator('textarea[name=reason]').fill('The ship is in the yard')
    await submit('Cancel the departure')
    await row.getByText('Cancelled', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Actions: 612E' }).click()
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Edit', 'Bring back', 'Delete'])
    await page.keyboard.press('Escape')
    await act('Bring back')
    await row.getByText('Cancelled', { exact: true }).waitFor({ state: 'detached' })
    await confirmAtSecondThought(page, () => act('Delete'), 'Delete', /Maersk · 612E/)
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
  }, 90_000)

  test('container types, dangerous substances and emission factors are kept on pages of their own', async () => {
    const offered = async (name: string) => {
      await page.getByRole('button', { name: `Actions: ${name}`, exact: true }).click()
      return page.getByRole('menuitem').allTextContents()
    }
    const deleted = async (name: string, title: RegExp) => {
      const remove = async () => {
        await page.getByRole('button', { name: `Actions: ${name}`, exact: true }).click()
        await page.getByRole('menuitem', { name: 'Delete' }).click()
      }
      await confirmAtSecondThought(page, remove, 'Delete', title)
      await page.getByRole('button', { name, exact: true }).waitFor({ state: 'detached' })
    }
    const broughtBack = async (list: string, name: string) => {
      await page.goto(`${ui.url}/${list}?isActive=false`)
      expect(await offered(name)).toEqual(['Edit', 'Bring back'])
      await page.getByRole('menuitem', { name: 'Bring back' }).click()
      await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
    }

    await page.goto(`${ui.url}/container-types`)
    await page.getByRole('button', { name: '45G1', exact: true }).waitFor()
    await look('container-types')
    await page.getByRole('button', { name: 'New container type' }).click()
    const weights = { tareWeightKg: '2600', maxPayloadKg: '27900' }
    const type = { alias: '20BU', name: '20 ft bulk', lengthFt: '20', teu: '1', ...weights }
    for (const [name, value] of Object.entries(type)) await fill(name, value)
    for (const none of ['22b0', '45G1']) {
      await fill('isoCode', none)
      await refused('isoCode')
    }
    await look('new-container-type')
    await fill('isoCode', '22B0')
    await saved()
    await page.getByRole('row', { name: /22B0 20BU 20 ft bulk 20 1 27,900/ }).waitFor()
    await deleted('22B0', /^22B0 · 20 ft bulk can no longer/)
    await broughtBack('container-types', '22B0')

    await page.goto(`${ui.url}/dangerous-substances`)
    await page.getByRole('button', { name: 'New substance' }).first().click()
    await fill('unNumber', '99')
    await fill('properShippingName', 'KEEL TEST SUBSTANCE')
    await fill('hazardClass', '12')
    await refused('unNumber')
    await refused('hazardClass')
    await fill('unNumber', '3999')
    await fill('hazardClass', '6.1')
    await dialog().getByRole('combobox', { name: 'By air' }).click()
    await page.getByRole('option', { name: 'Cargo aircraft only' }).click()
    await saved()
    await page.getByRole('searchbox').fill('KEEL TEST')
    await page.getByRole('row', { name: /3999 KEEL TEST SUBSTANCE 6\.1 Cargo aircraft only No/ }).waitFor()
    // Among all others it is there before the search is done.
    await expect.poll(() => page.locator('tr[data-row]').count(), patience).toBe(1)
    await look('dangerous-substances')
    await deleted('3999', /^UN 3999 · KEEL TEST SUBSTANCE can no longer/)
    await broughtBack('dangerous-substances', '3999')

    await page.goto(`${ui.url}/emission-factors`)
    await page.getByRole('button', { name: 'AIR-LONG', exact: true }).waitFor()
    await look('emission-factors')
    await page.getByRole('combobox', { name: 'Transport mode' }).click()
    await page.getByRole('option', { name: /^Rail/ }).click()
    await page.getByRole('button', { name: 'AIR-LONG', exact: true }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'New emission factor' }).click()
    await dialog().getByRole('combobox', { name: 'Transport mode' }).click()
    await page.getByRole('option', { name: /^Rail/ }).click()
    const factor = { code: 'RAIL', vehicleClass: 'Electric train', wtwGramsPerTkm: '10,5' }
    const origin = { source: 'Test', sourceYear: '2025', validFrom: '2025-01-01' }
    for (const [name, value] of Object.entries({ ...factor, ...origin })) await fill(name, value)
    await refused('code')
    await fill('code', 'RAIL-ELECTRIC')
    await saved()
    await page.getByRole('row', { name: /RAIL-ELECTRIC .*Electric train 10\.5 Jan 1, 2025/ }).waitFor()
    await deleted('RAIL-ELECTRIC', /^RAIL-ELECTRIC is no longer used/)
    await broughtBack('emission-factors', 'RAIL-ELECTRIC')
  }, 120_000)

  test('units are kept on their page, which converts values', async () => {
    await page.goto(`${ui.url}/units?filter=pound`)
    await page.getByRole('button', { name: 'LBR', exact: true }).waitFor()
    await look('units')
    await page.getByRole('button', { name: 'Convert a value' }).click()
    await dialog().locator('input[name=value]').fill('100')
    await submit('Convert')
    await dialog().getByText('45.359237 KGM').waitFor()
    await dialog().locator('input[name=to]').fill('MTQ')
    await submit('Convert')
    await dialog().getByText('LBR and MTQ measure different quantities').waitFor()
  }, 60_000)

  test('the small lists of codes are kept on one page, and an empty list does not count its rows', async () => {
    await page.goto(`${ui.url}/codes?type=DocumentType`)
    await page.getByRole('button', { name: 'PKL', exact: true }).waitFor()
    await look('codes')
    await page.getByRole('button', { name: 'New code' }).click()
    await dialog().getByRole('combobox', { name: 'List' }).click()
    await page.getByRole('option', { name: 'Document type' }).click()
    await dialog().locator('input[name=code]').fill('PKL')
    await dialog().locator('input[name=name]').fill('Weighing note')
    await submit('Save')
    await dialog().locator('input[name=code][aria-invalid=true]').waitFor()
    await dialog().locator('input[name=code]').fill('WGN')
    await submit('Save')
    await dialog().waitFor({ state: 'detached' })
    await page.getByRole('searchbox').fill('Weighing')
    await page.getByRole('button', { name: 'WGN', exact: true }).click()
    await dialog().locator('input[name=name]').fill('Weight note')
    await submit('Save')
    await dialog().waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
    expect(await page.getByText(/loaded$/).count()).toBe(0)
    await page.goto(`${ui.url}/codes?filter=Weight`)
    const remove = async () => {
      await page.getByRole('button', { name: 'Actions: WGN' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
    }
    await confirmAtSecondThought(page, remove, 'Delete', /^WGN · Weight note can no longer/)
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
    // Among the others by the order, and in the file.
    await page.goto(`${ui.url}/codes?isActive=any&type=DocumentType&sorting=code%20desc`)
    const codes = page.locator('tr[data-row] td:first-child')
    await codes.first().waitFor()
    const shown = await codes.allTextContents()
    expect(shown).toEqual([...shown].sort().reverse())
    await page
      .locator('tr[data-row]', { hasText: 'WGN' })
      .getByRole('cell', { name: 'Inactive', exact: true })
      .waitFor()
    await page.getByRole('button', { name: 'Export' }).click()
    const [ofBoth] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export as CSV' }).click(),
    ])
    const [head = '', ...rows] = readFileSync(await ofBoth.path(), 'utf8')
      .trim()
      .split('\r\n')
    const state = head.split(',').indexOf('Active')
    expect(rows.filter((row) => row.includes('Weight note')).map((row) => row.split(',')[state])).toEqual([
      'No',
    ])
    await page.goto(`${ui.url}/codes?filter=Weight&isActive=false`)
    await page.getByRole('button', { name: 'Actions: WGN' }).click()
    await page.getByRole('menuitem', { name: 'Bring back' }).click()
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
    await page.goto(`${ui.url}/codes?type=DocumentType`)
    await page.getByRole('button', { name: 'WGN', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Export' }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export as CSV' }).click(),
    ])
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\n')
      .slice(1)
    expect(lines.filter((line) => !line.startsWith('DocumentType'))).toEqual([])
  }, 60_000)

  test('codes of goods come from the file of the Harmonized System, and are looked through from the top', async () => {
    await page.goto(`${ui.url}/hs-codes`)
    await page.getByRole('button', { name: 'Import the Harmonized System' }).click()
    const rows = [
      'section,hscode,description,parent,level',
      'II,09,"Coffee, tea, mate and spices",TOTAL,2',
      'II,0902,"Tea, whether or not flavoured",09,4',
      'II,090210,"Tea, green",0902,6',
    ]
    await dialog()
      .locator('input[type=file]')
      .setInputFiles({ name: 'hs.csv', mimeType: 'text/csv', buffer: Buffer.from(rows.join('\n')) })
    await submit('Check')
    await dialog()
      .getByRole('button', { name: /Import the rows \(3\)/ })
      .click()
    await dialog().getByText('Added: 3, changed: 0.').waitFor()
    await page.keyboard.press('Escape')
    await page.goto(`${ui.url}/hs-codes?filter=tea`)
    await page.getByRole('button', { name: 'Actions: 09', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Codes below' }).click()
    await dialog().getByRole('button', { name: '0902' }).click()
    await dialog().getByText('090210 · Tea, green').waitFor()
    await look('hs-codes')
  }, 90_000)

  test('an organization is moved below another, and one that was entered twice is merged', async () => {
    const twin = await hub.organizations.create({
      code: 'BOLT2',
      fullName: 'Bolt Makers again',
      countryCode: 'NL',
    })
    await page.goto(`${ui.url}/organizations`)
    const act = async (row: string, name: string) => {
      await page.getByRole('button', { name: `Actions: ${row}`, exact: true }).click()
      await page.getByRole('menuitem', { name, exact: true }).click()
    }
    await act('BOLT2', 'Move')
    await pick('Parent', 'ACME')
    await submit('Move')
    await expect
      .poll(async () => (await hub.organizations.get(twin.id)).hierarchyPath, patience)
      .toBe('/ACME/BOLT2/')
    await act('BOLT2', 'Edit')
    await dialog().locator('input[name=shortName]').fill('Bolts')
    const { concurrencyStamp } = await hub.organizations.get(twin.id)
    await hub.organizations.move(twin.id, { newParentId: null, concurrencyStamp })
    await submit('Save')
    const conflict = page.getByRole('dialog', { name: 'Changed by somebody else' })
    // The parent that others took away, by its words.
    await expect
      .poll(() => conflict.getByRole('combobox', { name: 'Parent' }).inputValue(), patience)
      .toBe('ACME · Acme Trading')
    await look('organization-conflict')
    await conflict.getByRole('button', { name: 'Keep mine' }).click()
    await expect
      .poll(async () => (await hub.organizations.get(twin.id)).hierarchyPath, patience)
      .toBe('/ACME/BOLT2/')
    await act('ACME', 'What is below')
    await dialog().getByText('BOLT2 · Bolt Makers again').waitFor()
    await look('organization-tree')
    await page.keyboard.press('Escape')
    await act('BOLT', 'Merge')
    await pick('Organization that goes', 'BOLT2')
    await submit('Merge')
    await page.locator('tr[data-row]', { hasText: 'BOLT2' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Deleted organizations' }).click()
    await dialog().getByText('BOLT2 · Bolt Makers again').waitFor()
  }, 90_000)

  test('the board moves shipments by drag and by keyboard', async () => {
    await hub.shipments.create(shipmentInput('S-3'))
    await page.goto(`${ui.url}/shipment-board`)
    const column = (status: string) => page.locator(`section[data-status=${status}]`)
    await column('Draft').getByRole('link', { name: 'S-3' }).waitFor()
    await look('board')
    await column('Draft').locator('[data-shipment=S-3]').dragTo(column('Booked'))
    await submit('Book')
    await column('Booked').getByRole('link', { name: 'S-3' }).waitFor()
    await column('Booked').getByRole('button', { name: 'Move on: S-3' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Confirm' }).press('Enter')
    await submit('Confirm')
    await column('Confirmed').getByRole('link', { name: 'S-3' }).waitFor()
  }, 90_000)

  test('an order gets lines, is placed and confirmed, and travels on a shipment', async () => {
    await page.goto(`${ui.url}/orders`)
    await page.getByRole('button', { name: 'New order' }).first().click()
    await dialog().locator('input[name=orderNumber]').fill('PO-7')
    await pick('Buyer', 'ACME')
    await pick('Supplier', 'BOLT')
    await dialog().locator('input[name=currencyCode]').fill('EUR')
    await submit('Save')
    await page.getByRole('heading', { name: 'PO-7' }).waitFor()
    await page.getByRole('button', { name: 'Add a line' }).click()
    await dialog().locator('input[name=productCode]').fill('BOLT-8')
    await dialog().locator('input[name=quantity]').fill('0')
    await submit('Save')
    await dialog().locator('input[name=quantity][aria-invalid=true]').waitFor()
    await dialog().locator('input[name=quantity]').fill('100')
    await dialog().locator('input[name=unitPrice]').fill('0.25')
    await submit('Save')
    await page.locator('tr[data-row]', { hasText: 'BOLT-8' }).waitFor()
    await next('Place the order')
    await submit('Place the order')
    await next('Confirm the order')
    await dialog().locator('input[name=cargoReadyDate]').fill('2026-11-30')
    await submit('Confirm the order')
    await page.locator('#content').getByText('Confirmed', { exact: true }).first().waitFor()
    await page.locator('dd', { hasText: '€25.00' }).waitFor()
    await page.getByText('Nov 30, 2026').waitFor()
    await look('order')
    await choose('Split the order')
    const quantity = dialog().getByRole('textbox', { name: /BOLT-8$/ })
    await quantity.fill('many')
    await page.reload()
    await choose('Split the order')
    expect(await quantity.inputValue()).toBe('many')
    await submit('Split the order')
    await expect.poll(() => quantity.getAttribute('aria-invalid'), patience).toBe('true')
    await look('split-order')
    await quantity.fill('')
    await submit('Cancel')
    const { id } = await hub.shipments.getByReference('S-3')
    await page.goto(`${ui.url}/shipments/${id}?tab=orders`)
    await page.getByRole('button', { name: 'Put an order on it' }).click()
    await pick('Order', 'PO-7')
    await submit('Put an order on it')
    await page.getByRole('link', { name: 'PO-7' }).waitFor()
    await head('Put an order on it').click()
    await nothingIsFound('Order', 'PO-7')
    const { id: cancelled } = await hub.orders.create({
      ...{ orderNumber: 'PO-6', orderDate: '2026-11-01', currencyCode: 'EUR' },
      buyerId: organizations['BOLT'] ?? '',
      supplierId: organizations['ACME'] ?? '',
    })
    await hub.orders.cancel(cancelled, { reason: 'Not needed' })
    await nothingIsFound('Order', 'PO-6')
    await page.goto(`${ui.url}/orders`)
    await page.getByRole('link', { name: 'PO-7' }).waitFor()
    await look('orders')
    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByRole('combobox', { name: 'Supplier' }).fill('BOLT')
    await page.getByRole('option', { name: 'BOLT · Bolt Makers', exact: true }).click()
    await page.getByRole('combobox', { name: 'On a shipment' }).click()
    await look('filters-of-orders')
    await page.getByRole('option', { name: 'No', exact: true }).click()
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
    await page.getByRole('combobox', { name: 'On a shipment' }).click()
    await page.getByRole('option', { name: 'Yes', exact: true }).click()
    await page.getByRole('link', { name: 'PO-7' }).waitFor()
  }, 90_000)

  test('a code that was deactivated is shown where it is used, and offered nowhere', async () => {
    const { id: incotermId } = await hub.codeEntities.create({
      type: 'Incoterm',
      code: 'KEX',
      name: 'Keel works',
    })
    const { id } = await hub.orders.create({
      ...{ orderNumber: 'PO-8', orderDate: '2026-11-01', currencyCode: 'EUR', incotermId },
      buyerId: organizations['ACME'] ?? '',
      supplierId: organizations['BOLT'] ?? '',
    })
    await hub.codeEntities.delete(incotermId)
    await page.goto(`${ui.url}/orders/${id}?edit=open`)
    const incoterm = dialog().getByRole('combobox', { name: 'Incoterm' })
    await expect.poll(() => incoterm.inputValue(), patience).toBe('KEX · Keel works')
    await submit('Cancel')
    await page.locator('dd', { hasText: 'KEX · Keel works' }).waitFor()
    await page.goto(`${ui.url}/orders?edit=new`)
    await incoterm.click()
    await page.getByRole('option', { name: /^FOB/ }).waitFor()
    expect(await page.getByRole('option', { name: /^KEX/ }).count()).toBe(0)
  }, 60_000)

  test('a consol gets legs, shipments and containers', async () => {
    await page.goto(`${ui.url}/consols`)
    await page.getByRole('button', { name: 'New consol' }).first().click()
    await dialog().getByRole('combobox', { name: 'Transport mode' }).click()
    await page.getByRole('option', { name: /^Sea/ }).click()
    await submit('Save')
    await page.getByRole('heading', { name: /^C\d{8}$/ }).waitFor()
    await page.getByRole('button', { name: 'Add a leg' }).click()
    await pick('Departure port', 'NLRTM')
    const terminal = dialog().getByRole('combobox', { name: 'Departure terminal' })
    await pick('Departure terminal', 'KEEL-D')
    await expect.poll(() => terminal.inputValue(), patience).toBe('KEEL-D · Keel Delta')
    // A terminal goes with its port.
    await pick('Departure port', 'DEHAM')
    await expect.poll(() => terminal.inputValue(), patience).toBe('')
    await nothingIsFound('Departure terminal', 'KEEL-D')
    await pick('Departure port', 'NLRTM')
    await pick('Departure terminal', 'KEEL-D')
    expect(await dialog().getByRole('combobox', { name: 'Arrival terminal' }).isDisabled()).toBe(true)
    await pick('Arrival port', 'CNSHA')
    await pick('Ship', 'Keel Star')
    await look('new-leg')
    await submit('Save')
    await page.getByText(/^1\. Rotterdam, Keel Delta → Shanghai/).waitFor()
    await page.getByText('Keel Star').waitFor()
    await page.getByRole('button', { name: 'Add a shipment' }).click()
    await pick('Shipment', 'S-3')
    await submit('Add')
    await page.getByRole('link', { name: 'S-3' }).waitFor()
    await head('Add a shipment').click()
    await nothingIsFound('Shipment', 'S-3')
    // By the keyboard alone.
    await dialog().getByRole('combobox', { name: 'Shipment' }).fill('S-2')
    await page.getByRole('option', { name: /^S-2/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(() => dialog().getByRole('button', { name: 'Add' }).isEnabled(), patience).toBe(true)
    await submit('Cancel')
    await page.getByRole('button', { name: 'Add a container' }).click()
    await dialog().locator('input[name=containerNumber]').fill('CSQU3054384')
    await pick('Container type', '45G1')
    await submit('Save')
    await dialog().locator('input[name=containerNumber][aria-invalid=true]').waitFor()
    await dialog().locator('input[name=containerNumber]').fill('CSQU3054383')
    await submit('Save')
    await page.locator('tr[data-row]', { hasText: 'CSQU3054383' }).waitFor()
    await look('consol')
    await page.goto(`${ui.url}/consols`)
    await page.getByRole('link', { name: /^C\d{8}$/ }).waitFor()
    await look('consols')
    await hub.documents.upload({
      file: new File([pdf], 'contract.pdf', { type: 'application/pdf' }),
      organizationId: organizations['ACME'] ?? '',
      documentTypeId: codeId('DocumentType', 'PKL'),
    })
    await page.goto(`${ui.url}/documents`)
    await page.locator('tr[data-row]', { hasText: 'contract.pdf' }).getByText('Acme Trading').waitFor()
    await page.locator('tr[data-row]', { hasText: 'dot.png' }).getByRole('link', { name: 'S-2' }).waitFor()
    await look('documents')
  }, 90_000)

  test('documents fit a phone, and a question stays while its answer is carried out', async () => {
    const { id: shipmentId } = await hub.shipments.create(shipmentInput('PHONE'))
    const name = 'a paper whose name is longer than a phone is wide.pdf'
    const { id } = await hub.documents.upload({
      file: new File([pdf], name, { type: 'application/pdf' }),
      shipmentId,
      documentTypeId: codeId('DocumentType', 'PKL'),
    })
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${ui.url}/documents`)
    const row = page.locator(`tr[data-row="${id}"]`)
    await row.waitFor()
    const widths = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.keel-list'))`
    expect(await page.evaluate(widths)).toBe(0)
    await photograph(page, 'documents-phone')
    await row.getByRole('button', { name: `Actions: ${name}` }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const question = page.getByRole('dialog', { name: 'Delete', exact: true })
    await whileHeld(page, `hub/document/${id}`, async () => {
      await question.getByRole('button', { name: 'Delete', exact: true }).click()
      const cancel = question.getByRole('button', { name: 'Cancel', exact: true })
      await expect.poll(() => cancel.isDisabled(), patience).toBe(true)
      await page.keyboard.press('Escape')
      expect(await question.isVisible()).toBe(true)
    })
    await question.waitFor({ state: 'detached' })
    await row.waitFor({ state: 'detached' })
    // Three columns fit too.
    await page.goto(`${ui.url}/permission-history`)
    await page.locator('tr[data-row]').first().waitFor()
    expect(await page.evaluate(widths)).toBe(0)
    await photograph(page, 'permission-history-phone')
    await page.setViewportSize({ width: 1440, height: 900 })
  }, 90_000)

  test('wide lists fit a screen of 1440 pixels, and the columns that a person chose are there again', async () => {
    const widths = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.keel-list'))`
    const company = async (code: string, fullName: string) =>
      (await hub.organizations.create({ code, fullName, countryCode: 'NL' })).id
    const buyerId = await company('WIDEBUY', 'Wide Trading International Freight and Warehousing Company')
    const supplierId = await company('WIDESUP', 'Wide Makers International Machinery and Equipment Company')
    await hub.orders.create({
      ...{ orderNumber: 'WIDE-1', orderDate: '2026-11-01', cargoReadyDate: '2026-11-20' },
      ...{ buyerId, supplierId, currencyCode: 'EUR' },
      lines: [{ lineNumber: 1, productCode: 'X', quantity: '1000', unitCode: 'PCE', unitPrice: '1234.56' }],
    })
    for (const path of ['shipments', 'orders']) {
      await page.goto(`${ui.url}/${path}`)
      await page.locator('tr[data-row]').first().waitFor()
      expect([path, await page.evaluate(widths)]).toEqual([path, 0])
    }
    await look('wide-orders')
    const heading = page.getByRole('columnheader', { name: 'Required ex works' })
    await page.getByRole('button', { name: 'Columns' }).click()
    await dialog().getByRole('checkbox', { name: 'Required ex works' }).check()
    await heading.waitFor()
    await page.goto(`${ui.url}/orders`)
    await heading.waitFor()
    await page.getByRole('button', { name: 'Columns' }).click()
    await dialog().getByRole('button', { name: 'Standard columns' }).click()
    await heading.waitFor({ state: 'detached' })
    await page.goto(`${ui.url}/orders`)
    await page.locator('tr[data-row]').first().waitFor()
    expect(await heading.count()).toBe(0)
  }, 90_000)

  test('the way back from a thing leads to its list as it was left', async () => {
    await page.goto(`${ui.url}/orders?filter=WIDE&sorting=orderDate%20desc`)
    await page.getByRole('link', { name: 'WIDE-1', exact: true }).click()
    await page.getByRole('heading', { name: 'WIDE-1', exact: true }).waitFor()
    await page.getByRole('link', { name: '← Orders', exact: true }).click()
    await page.getByRole('link', { name: 'WIDE-1', exact: true }).waitFor()
    expect(await page.locator('tr[data-row]').count()).toBe(1)
    expect(new URL(page.url()).search).toMatch(/^\?filter=WIDE&sorting=orderDate/)
  }, 60_000)

  test('Ctrl-K finds things and pages from everywhere, by the keyboard alone', async () => {
    await page.goto(`${ui.url}/orders`)
    await page.getByRole('heading', { name: 'Orders', exact: true }).waitFor()
    await page.keyboard.press('Control+k')
    await dialog().getByRole('combobox').fill('S-3')
    await dialog().getByRole('option', { name: /^S-3/ }).waitFor()
    await look('search')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'S-3', exact: true }).waitFor()
    await page.keyboard.press('Control+k')
    await dialog().getByRole('combobox').fill('acme')
    await dialog()
      .getByRole('option', { name: /Acme Trading/ })
      .waitFor()
    await dialog().getByRole('combobox').fill('audit')
    await dialog()
      .getByRole('option', { name: /^Audit logs/ })
      .waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Audit logs', exact: true }).waitFor()
  }, 90_000)

  test('somebody who may only look is offered nothing else, in their own language', async () => {
    const context = await ui.open({ locale: 'de' })
    const other = await context.newPage()
    const otherFaults = watchFaults(other)
    await other.goto(`${ui.url}/shipments`)
    await signIn(other, 'customer')
    await other.getByRole('heading', { name: 'Sendungen', exact: true }).waitFor()
    expect(await other.getByRole('button', { name: 'Neue Sendung' }).count()).toBe(0)
    await other.goto(`${ui.url}/documents`)
    await other.getByText('Dokumente Ihrer Sendungen der letzten 28 Tage.').waitFor()
    await other.goto(`${ui.url}/container-types`)
    await other.getByRole('button', { name: '45G1', exact: true }).waitFor()
    expect(await other.getByRole('button', { name: /^(Neuer Containertyp|Aktionen)/ }).count()).toBe(0)
    await context.close()
    expect(otherFaults).toEqual([])
  }, 90_000)

  test('the dashboard of those who administrate nothing counts their shipments, and leads to them', async () => {
    const context = await ui.open()
    const other = await context.newPage()
    await other.goto(ui.url)
    await signIn(other, 'operator')
    const card = (name: string) => other.locator('#content').getByRole('link', { name, exact: true })
    await card('Shipments').waitFor()
    await card('In transit').or(card('Draft')).first().click()
    await other.locator('tr[data-row]').first().waitFor()
    expect(new URL(other.url()).search).toMatch(/Status=(InTransit|Draft)/)
    await context.close()
  }, 60_000)

  test('no page raised an error or met the content security policy', () => {
    expect(faults).toEqual([])
  })
})
