import type { BrowserContextOptions } from 'playwright-core'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { findTestChromium } from '@probe-mesh/infra/testing/chromium'
import { logIn, openBrowser } from './browser.ts'
import { startWebSystem } from './system.ts'
import { makeKey, reportProblem, testChannel } from './walks/access.ts'
import { editByKeyboard, editJourney } from './walks/edit-journey.ts'
import { correctCheck, makeChecks } from './walks/make-checks.ts'
import { publishPage, subscribeAndHear } from './walks/publish.ts'
import { seeOutage } from './walks/see-outage.ts'
import { signUp } from './walks/sign-up.ts'
import type { Walk } from './walks/walk.ts'

let session: NonNullable<BrowserContextOptions['storageState']>

/** Tasks of people on the pages, in a real browser with a whole system, with and without JavaScript. */
const system = useOnce(async () => startWebSystem(await findTestChromium()))
const people = useOnce(() => openBrowser(system.address))
beforeAll(async () => {
  const { page, problems, close } = await people.person({ javaScriptEnabled: false })
  await logIn(page, system.credentials)
  session = await page.context().storageState()
  expect(problems).toEqual([])
  await close()
}, 120_000)

/** A walk takes seconds, and longer on a busy machine. */
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
  ['creates a check of each type', makeChecks],
  ['shows an error of a check at its field until it is fixed', correctCheck],
  ['reorders, tries, saves and replaces a journey', editJourney],
  ['creates, publishes, reads and deletes a status page', publishPage],
  ['mails an incident to confirmed subscribers until they unsubscribe', subscribeAndHear],
  ['shows a key once, uses and revokes it', makeKey],
  ['tests a channel and shows its response', testChannel],
  ['reports a problem without an account', reportProblem],
]

/** All walks if the run names the pages, as in `npm test -- acceptance/web`; else alternating ones. */
const walksOf = (javaScriptEnabled: boolean): typeof bothWays =>
  inject('bothWays') ? bothWays : bothWays.filter((_, number) => number % 2 === (javaScriptEnabled ? 0 : 1))

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('%s', (_, javaScriptEnabled) => {
  test.each(walksOf(javaScriptEnabled))('%s', long, (_title, walk) => walkOnce(walk, { javaScriptEnabled }))
  test('signs up and sees the first reading of a check', long, () =>
    walkOnce(signUp, { javaScriptEnabled, storageState: { cookies: [], origins: [] } }),
  )
  test('logs in and out', long, async () => {
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

test('edits a journey with the keyboard alone', long, () => walkOnce(editByKeyboard, {}))

test('an open page shows an outage after its flip without a reload', long, () => walkOnce(seeOutage, {}))
