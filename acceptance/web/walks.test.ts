import type { BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { findTestChromium } from '@probe-mesh/infra/testing/chromium'
import { logIn, openBrowser } from './browser.ts'
import type { People } from './browser.ts'
import { startWebSystem } from './system.ts'
import type { WebSystem } from './system.ts'
import { makeKey, reportProblem, testChannel } from './walks/access.ts'
import { editByKeyboard, editJourney } from './walks/edit-journey.ts'
import { correctCheck, makeChecks } from './walks/make-checks.ts'
import { publishPage, subscribeAndHear } from './walks/publish.ts'
import { seeOutage } from './walks/see-outage.ts'
import { signUp } from './walks/sign-up.ts'
import type { Walk } from './walks/walk.ts'

/** What people do on the pages, in a real browser before a whole system, with and without JavaScript. */

let system: WebSystem
let people: People
let session: NonNullable<BrowserContextOptions['storageState']>

beforeAll(async () => {
  system = await startWebSystem(await findTestChromium())
  people = await openBrowser(system.address)
  const { page, problems, close } = await people.person({ javaScriptEnabled: false })
  await logIn(page, system.credentials)
  session = await page.context().storageState()
  expect(problems).toEqual([])
  await close()
}, 120_000)
afterAll(async () => {
  await people?.close()
  await system?.close()
})

/** A walk is seconds; what else runs on the machine may hold it up. */
const long = { timeout: 180_000 }

let walks = 0

const walkOnce = async (walk: Walk, options: BrowserContextOptions): Promise<void> => {
  const { page, problems, close } = await people.person({ storageState: session, ...options })
  walks += 1
  await walk(page, system, `walk-${walks}`)
  expect(problems).toEqual([])
  await close()
}

const bothWays: readonly [string, Walk][] = [
  ['a check of each type is made', makeChecks],
  ['what is wrong with a check is said beside its field, and corrected', correctCheck],
  ['a journey is reordered, tried from every region, saved and replaced', editJourney],
  ['a page is made, published on, read and deleted', publishPage],
  ['an incident is mailed to who confirmed, until they unsubscribe', subscribeAndHear],
  ['a key is shown once, used and revoked', makeKey],
  ['a channel is tested and its answer shown', testChannel],
  ['a problem is reported without an account', reportProblem],
]

/** Where the pages are named, as in `npm test -- acceptance/web`, all of them; else by turns. */
const walksOf = (javaScriptEnabled: boolean): typeof bothWays =>
  inject('bothWays')
    ? bothWays
    : bothWays.filter((_, number) => number % 2 === (javaScriptEnabled ? 0 : 1))

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('%s', (_, javaScriptEnabled) => {
  test.each(walksOf(javaScriptEnabled))('%s', long, (_title, walk) =>
    walkOnce(walk, { javaScriptEnabled }),
  )
  test('somebody signs up and sees a first check measured', long, () =>
    walkOnce(signUp, { javaScriptEnabled, storageState: { cookies: [], origins: [] } }),
  )
  test('somebody logs in and out', long, async () => {
    const { page, problems, close } = await people.person({ javaScriptEnabled })
    await logIn(page, system.credentials)
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.waitForURL('**/login*')
    await page.goto('/dashboard/checks')
    expect(new URL(page.url()).pathname).toBe('/login')
    expect(problems).toEqual([])
    await close()
  })
})

test('a journey is edited with nothing but a keyboard', long, () => walkOnce(editByKeyboard, {}))

test('an outage is seen on an open page, after its flip and without a reload', long, () =>
  walkOnce(seeOutage, {}),
)
