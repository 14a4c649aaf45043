import { Databases } from '@keel/framework/data'
import { someRow } from '@keel/framework/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'

let app: App

beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const hub = () => app.host.get(Databases).named('Hub')

test('a row to refer to is made with all that it refers to, found again, and not found once it is deleted', async () => {
  const made = await someRow(hub(), 'HubShipmentNotes')
  expect(await someRow(hub(), 'HubShipmentNotes')).toBe(made)
  const [row] = await hub().query<{ id: string; shipment: string }>({
    text: `select n."Id" as id, s."ShipmentReference" as shipment from "HubShipmentNotes" n join "HubShipments" s on s."Id" = n."ShipmentId"`,
    values: [],
  })
  expect(row).toEqual({ id: made, shipment: expect.stringMatching(/^[0-9A-F]+$/) })
  const staff = await app.admin()
  const shipment = await someRow(hub(), 'HubShipments')
  expect((await staff.fetch(`/api/hub/shipment/${shipment}`)).status).toBe(200)
  await staff.fetch(`/api/hub/shipment/${shipment}`, { method: 'DELETE' })
  expect(await someRow(hub(), 'HubShipments')).not.toBe(shipment)
})

test('a table that is of no entity, and one whose checks want other values, are told by name', async () => {
  await expect(someRow(hub(), 'HubShips')).rejects.toThrow(
    'No entity of the database Hub has the table HubShips',
  )
})
