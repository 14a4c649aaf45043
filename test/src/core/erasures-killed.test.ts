import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ProfilePictureAppService } from '@keel/account/contracts'
import {
  NotificationPreferencesAppService,
  PersonalDataRequestAppService,
  PersonalDataRequestStatus,
  SavedViewAppService,
} from '@keel/core/contracts'
import { createClient } from '@keel/framework/client'
import type { AnyAppService } from '@keel/framework/contracts'
import { TokenIssuer } from '@keel/framework/testing'
import {
  OrganizationAppService,
  OrganizationContactAppService,
  OrganizationMemberAppService,
} from '@keel/hub/contracts'
import { IdentityUserAppService, Operator } from '@keel/identity/contracts'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { dotPicture } from '../support/dot-picture.js'
import { type Hold, hold, holdReads, holdWrites } from '../support/holds.js'
import { type HostProcess, startApiProcess } from '../support/host-process.js'
import { isLong, sizeOf } from '../support/size.js'
import { copyDatabases } from '../support/spare-databases.js'

const { Running, Succeeded } = PersonalDataRequestStatus
const patience = { timeout: 60_000, interval: 50 }

/** Where an erasure is killed. In the long form every third kill is at any moment instead. */
const places = [
  'the other databases are done, and the own one is not begun',
  'all is erased, and the request has not ended',
  'the request has ended, and its user is told',
  'what there is is counted',
  'the first module is erased',
  'the user loses the name',
] as const
type Place = (typeof places)[number]
const kills = sizeOf(3, 60)

test(
  `an erasure that is killed anywhere, and started again, ends whole and is told of once (kills: ${kills})`,
  async () => {
    const run = await startRun()
    const persons: Person[] = []
    for (let kill = 0; kill < kills; kill += 1) persons.push(await run.person(`ann${kill}`))
    for (const [index, person] of persons.entries()) {
      if (isLong && index % 3 === 2) await run.killAtAnyMoment(person)
      else await run.killAt(places[index % places.length] as Place, person)
      await run.ended()
    }
    expect(await run.outcomes(persons)).toEqual(persons.map(({ userName }) => ({ userName, ...whole })))
  },
  120_000 + kills * 30_000,
)

interface Person {
  readonly userId: string
  readonly userName: string
}

/** What is left of a person: the requests and what they found, what the user who asked was told, and how many rows still know the person. */
const whole = {
  requests: [{ status: Succeeded, error: null, found: 'all' }],
  ...{ told: 1, isErased: true, traces: 0, files: 0 },
}

async function startRun() {
  const copies = await copyDatabases()
  onTestFinished(() => copies.drop())
  const issuer = await TokenIssuer.start()
  onTestFinished(() => issuer.stop())
  const blobs = await mkdtemp(join(tmpdir(), 'keel-erasure-'))
  onTestFinished(() => rm(blobs, { recursive: true, force: true }))
  const [identity, hub] = [
    copies.env.ConnectionStrings__Default ?? '',
    copies.env.ConnectionStrings__Hub ?? '',
  ]
  const identityRows = await connect(identity)
  const hubRows = await connect(hub)
  const [admin] = await rowsOf<{ id: string }>(
    identityRows,
    `select "Id" as id from "AbpUsers" where "UserName" = 'admin'`,
  )
  const token = await issuer.token({ subject: admin?.id ?? '', expiresIn: 7200 })
  let host = startHost()
  let url = await host.url
  const { id: organizationId } = await service(OrganizationAppService).create({
    ...{ code: 'ACME', fullName: 'ACME Company', countryCode: 'NL' },
  })

  return {
    /** A person about whom several modules know something. */
    async person(userName: string): Promise<Person> {
      const email = `${userName}@example.com`
      const { id: userId } = await service(IdentityUserAppService).create({
        ...{ userName, email, emailConfirmed: true, password: '1q2w3E*x9', roleNames: [Operator.name] },
      })
      await service(OrganizationMemberAppService).create({ organizationId, userId })
      await service(OrganizationContactAppService).create({ organizationId, fullName: userName, email })
      const own = await issuer.token({ subject: userId })
      await service(SavedViewAppService, own).create({ entitySet: 'Shipments', name: userName })
      await service(NotificationPreferencesAppService, own).update({
        subscriptions: [{ kind: 'ShipmentBooked' }],
      })
      await service(ProfilePictureAppService, own).setProfilePicture('Image', {
        imageContent: new File([dotPicture], 'dot.png'),
      })
      return { userId, userName }
    },

    /** Kills the host when the erasure of a person has come to a place, and starts it again. */
    async killAt(place: Place, person: Person): Promise<void> {
      const [first, ...others] = holdsOf(place)
      let at = await first()
      await erase(person)
      await at.isMet()
      for (const next of others) {
        const before = at
        at = await next()
        await before.release()
        await at.isMet()
      }
      await restart(() => at.release())
    },

    async killAtAnyMoment(person: Person): Promise<void> {
      await erase(person)
      await sleep(Math.random() * 500)
      await restart()
    },

    /** Until no request and no job of one is open. */
    async ended(): Promise<void> {
      const open = () =>
        rowsOf(
          identityRows,
          `select "Id" as id, "Status"::text as state from "AppPersonalDataRequests" where "Status" < ${Succeeded}
            union all select "Id", "LastError" from "AbpBackgroundJobs" where "JobName" = 'App.PersonalData' and "CompletionTime" is null`,
        )
      await expect
        .poll(open, patience)
        .toEqual([])
        .catch((error) => {
          throw new Error(host.said().slice(-3000), { cause: error })
        })
    },

    outcomes: (persons: readonly Person[]) => Promise.all(persons.map(outcomeOf)),
  }

  function startHost(): HostProcess {
    const started = startApiProcess({
      ...copies.env,
      AuthServer__Authority: issuer.address,
      AuthServer__RequireHttpsMetadata: 'false',
      Log__Requests: 'false',
      Blobs__Folder: blobs,
      Jobs__LeaseMs: '1000',
      Jobs__PollMs: '100',
      Jobs__FirstRetryMs: '100',
    })
    onTestFinished(async () => {
      started.child.kill('SIGKILL')
      await started.exitCode
    })
    return started
  }

  function service<S extends AnyAppService>(contract: S, accessToken = token): InstanceType<S> {
    return createClient(contract, { baseUrl: url, accessToken: () => accessToken, retry: false })
  }

  async function erase({ userId, userName }: Person): Promise<void> {
    await service(PersonalDataRequestAppService).erasePerson({ userId, userName })
  }

  async function restart(afterKill?: () => Promise<void>): Promise<void> {
    host.child.kill('SIGKILL')
    await host.exitCode
    await afterKill?.()
    host = startHost()
    url = await host.url
  }

  /** Each makes the erasure wait, and is released when the next one holds. */
  function holdsOf(place: Place): [() => Promise<Hold>, ...(() => Promise<Hold>)[]] {
    const inHub = () => holdWrites(hub, 'HubOrganizationMembers')
    const atEnd = () =>
      hold(identity, `select from "AppPersonalDataRequests" where "Status" = ${Running} for share`)
    switch (place) {
      case 'what there is is counted':
        return [() => holdReads(hub, 'HubOrganizationContacts')]
      case 'the first module is erased':
        return [inHub]
      case 'the other databases are done, and the own one is not begun':
        return [inHub, () => holdWrites(identity, 'AppSavedViews')]
      case 'the user loses the name':
        return [inHub, () => holdWrites(identity, 'AbpUsers')]
      case 'all is erased, and the request has not ended':
        return [inHub, atEnd]
      case 'the request has ended, and its user is told':
        return [inHub, atEnd, () => holdWrites(identity, 'AppNotifications')]
    }
  }

  async function outcomeOf({ userId, userName }: Person) {
    const requests = await rowsOf<{ id: string; status: number; error: string | null; result: Found[] }>(
      identityRows,
      `select "Id" as id, "Status" as status, "Error" as error, "Result" as result from "AppPersonalDataRequests" where "UserId" = $1`,
      [userId],
    )
    const [told] = await rowsOf<{ n: number }>(
      identityRows,
      `select count(*)::int as n from "AppNotifications" where "EventId" = any($1)`,
      [requests.map(({ id }) => id)],
    )
    const [user] = await rowsOf<{ isErased: boolean }>(
      identityRows,
      `select "UserName" = 'erased-' || "Id" and "IsDeleted" and "Email" = "UserName" || '@keel.invalid' as "isErased"
        from "AbpUsers" where "Id" = $1`,
      [userId],
    )
    const [inIdentity] = await rowsOf<{ n: number }>(
      identityRows,
      `select ((select count(*) from "AppSavedViews" where "UserId" = $1) + (select count(*) from "AbpUserRoles" where "UserId" = $1)
        + (select count(*) from "AppNotificationSubscriptions" where "UserId" = $1)
        + (select count(*) from "AbpUsers" where "Email" = $2))::int as n`,
      [userId, `${userName}@example.com`],
    )
    const [inHub] = await rowsOf<{ n: number }>(
      hubRows,
      `select ((select count(*) from "HubOrganizationMembers" where "UserId" = $1)
        + (select count(*) from "HubOrganizationContacts" where "Email" = $3 or "FullName" = $2))::int as n`,
      [userId, userName, `${userName}@example.com`],
    )
    const files = (await readdir(blobs, { recursive: true })).filter((name) => name.includes(userId))
    return {
      userName,
      requests: requests.map(({ status, error, result }) => ({ status, error, found: foundIn(result) })),
      ...{ told: told?.n, isErased: user?.isErased },
      ...{ traces: (inIdentity?.n ?? 0) + (inHub?.n ?? 0), files: files.length },
    }
  }
}

/** What a request says that it found of a kind. */
interface Found {
  readonly name: string
  readonly rows: number | null
}

/** The kinds of which a person has one row each; `all` when each was found, whichever attempt ended the request. */
function foundIn(result: readonly Found[]): string {
  const kinds = [
    'user',
    'memberships',
    'contacts',
    'saved-views',
    'notification-subscriptions',
    'profile-picture',
  ]
  const missing = kinds.filter((kind) => result.find(({ name }) => name === kind)?.rows !== 1)
  return missing.join(', ') || 'all'
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

async function rowsOf<R extends object>(
  client: pg.Client,
  text: string,
  values: unknown[] = [],
): Promise<R[]> {
  return (await client.query<R>(text, values)).rows
}
