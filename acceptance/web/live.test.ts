import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import {
  asUser,
  cookieOf,
  logInAs,
  newUser,
  password,
} from '@probe-mesh/control-plane/src/app/testing/log-in'
import { setStatus } from '@probe-mesh/control-plane/src/app/testing/pages'
import { startTestApp, type TestApp } from '@probe-mesh/control-plane/src/app/testing/test-app'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { migratePostgres } from '@probe-mesh/control-plane/stores/postgres/migrate'
import { loadPlaywright } from '@probe-mesh/check-types/browser/probe/chromium'
import { createWeb } from '@probe-mesh/web/web'
import type { Browser, Page } from 'playwright-core'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLog } from '@probe-mesh/infra/start/embedded/log'
import { startPostgres, type EmbeddedPostgres } from '@probe-mesh/infra/start/embedded/postgres/start'
import { findTestChromium } from '@probe-mesh/infra/testing/chromium'

/** Globals of the page, for functions passed to `evaluate`; the rest of this file runs in Node. */
declare const window: object
declare const history: { length: number }
declare const getComputedStyle: (element: unknown) => { display: string }
declare const document: {
  querySelector(selector: string): { textContent: string } | null
  dispatchEvent(event: Event): boolean
}

const folder = testFolder('probe-mesh-live-')
let postgres: EmbeddedPostgres
let at: TestApp
let address: string
let browser: Browser

beforeAll(async () => {
  postgres = await startPostgres({ dataDir: folder, log: silentLog, durable: false })
  const owner = connectPostgres(postgres.url, { connectionsMax: 1 })
  await migratePostgres(owner)
  await owner.end()
  at = await startTestApp({
    database: { url: postgres.url, close: async () => undefined },
    config: { budgetScale: 100 },
    serve: (app) => {
      const apiUrl = 'http://127.0.0.1/v1'
      void app.register(
        createWeb({ inject: (request) => app.inject(request), apiUrl, mcpUrl: null, countsMs: 0 }),
      )
    },
  })
  address = await at.app.listen({ port: 0, host: '127.0.0.1' })
  const chromium = await loadPlaywright()
  const executablePath = await findTestChromium()
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
}, 600_000)
afterAll(async () => {
  await browser.close()
  await postgres.close()
})

const name = '<b>web</b> "shop"'

/** A user with an operational check, on the list of checks. */
const openList = async (options: { javaScriptEnabled?: boolean } = {}) => {
  const user = await newUser(at)
  const cookie = cookieOf(await logInAs(at, user.email))
  const input = { name, url: 'https://example.org/' }
  const made = await asUser(at, { cookie }, 'POST', '/checks', input)
  const checkId = String(made.json.id)
  await setStatus(at, checkId, 'operational')
  const context = await browser.newContext({
    timezoneId: 'Asia/Kolkata',
    locale: 'en-GB',
    ...options,
  })
  const page = await context.newPage()
  await page.goto(`${address}/login?next=/dashboard/checks`)
  await page.fill('form[action="/login"] [name=email]', user.email)
  await page.fill('[name=password]', password)
  await page.click('button.primary')
  await page.waitForURL('**/dashboard/checks')
  return { page, context, checkId, user, cookie }
}

const flip = (accountId: string, checkId: string, to: string): void => {
  const id = uuidv7(Date.now())
  const one = { id, accountId, checkId, checkName: name, from: 'operational', to, reason: null }
  const told = { ...one, at: new Date().toISOString() }
  at.bus.events.publish('flip', { kind: 'flip', accountId, flip: told })
}

const says = (page: Page, selector: string, text: string) =>
  page.waitForFunction(
    ([selector, text]) => document.querySelector(selector)?.textContent.includes(text) === true,
    [selector, text] as const,
    { polling: 'raf' },
  )

test('shows and announces a flip without a reload, on the list and on its check', async () => {
  const { page, context, checkId, user } = await openList()
  for (const path of ['/dashboard/checks', `/dashboard/checks/${checkId}`]) {
    await setStatus(at, checkId, 'operational')
    await page.goto(address + path)
    await says(page, '#live-state', 'Live')
    await page.evaluate(() => Object.assign(window, { isThatPage: true }))
    await setStatus(at, checkId, 'down')
    flip(user.accountId, checkId, 'down')
    await says(page, `[data-check-id="${checkId}"] .bad`, 'Down')
    await says(page, '#live-news', `${name} is down.`)
    expect(await page.evaluate(() => 'isThatPage' in window)).toBe(true)
    expect(await page.locator('#live-news b').count()).toBe(0)
  }
  await context.close()
})

test('without a flip a live page has the ages of new readings too', async () => {
  const { page, context, checkId } = await openList()
  await says(page, '#live-state', 'Live')
  const age = page.locator(`tr:has([data-check-id="${checkId}"]) td.age time`)
  const before = await age.getAttribute('datetime')
  await setStatus(at, checkId, 'operational')
  await expect.poll(() => age.getAttribute('datetime'), { timeout: 60_000 }).not.toBe(before)
  expect(Date.parse(String(await age.getAttribute('datetime')))).toBeGreaterThan(Date.parse(String(before)))
  await context.close()
})

test('reports a lost connection and catches up on missed flips', async () => {
  const { page, context, checkId } = await openList()
  const status = `[data-check-id="${checkId}"]`
  await says(page, '#live-state', 'Live')
  await context.setOffline(true)
  await says(page, '#live-state', 'Not live since')
  await says(page, '#live-news', 'Not live since')
  await setStatus(at, checkId, 'degraded')
  await context.setOffline(false)
  await says(page, status, 'Degraded')
  await says(page, '#live-state', 'Live')
  await context.close()
})

test('a background page has no stream and catches up when visible', async () => {
  const { page, context, checkId } = await openList()
  await says(page, '#live-state', 'Live')
  const hide = (isHidden: boolean) =>
    page.evaluate((isHidden) => {
      Object.defineProperty(document, 'hidden', { value: isHidden, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, isHidden)
  await hide(true)
  await expect.poll(async () => (await at.registry.metrics()).match(/^\w*streams\w* 0$/m)).not.toBeNull()
  await setStatus(at, checkId, 'down')
  await hide(false)
  await says(page, `[data-check-id="${checkId}"]`, 'Down')
  await context.close()
})

test('reports an expired session with a link to log in', async () => {
  const { page, context, user } = await openList()
  await says(page, '#live-state', 'Live')
  await at.sql`delete from sessions where account_id = ${user.accountId}`
  await says(page, '#live-state', 'you are logged out')
  const link = page.locator('#live-state a')
  expect(await link.getAttribute('href')).toBe('/login?next=%2Fdashboard%2Fchecks')
  await context.close()
})

test('times are ages, with date and time in the zone of the reader as the title; the zone is named once', async () => {
  const { page, context } = await openList()
  await says(page, '#live-state', 'Live')
  const time = page.locator('main time:not([data-exact])').first()
  const instant = new Date(String(await time.getAttribute('datetime')))
  const local = new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'long',
    timeZone: 'Asia/Kolkata',
  }).format(instant)
  expect(await time.getAttribute('title')).toBe(local)
  expect(await time.textContent()).toMatch(/^\d+ ?(s|sec|min|m|h|hr) ago$/)
  expect(await page.locator('#zone').textContent()).toMatch(/Asia\/(Kolkata|Calcutta)/)
  expect(await page.locator('#zone').count()).toBe(1)
  await context.close()
})

test('without JavaScript the page shows the same, without a live indicator', async () => {
  const { page, context, checkId } = await openList({ javaScriptEnabled: false })
  expect(await page.locator(`[data-check-id="${checkId}"]`).textContent()).toBe('Operational')
  expect(await page.locator('#live-state').isVisible()).toBe(false)
  expect(await page.locator('main time').first().textContent()).toMatch(/ UTC$/)
  await context.close()
})

test('previews a status page while typing, without its own script or history', async () => {
  const { page, context, user, cookie } = await openList()
  const { json } = await asUser(at, { ...user, cookie }, 'GET', '/status-pages')
  await page.goto(`${address}/dashboard/pages/${json.statusPages[0].id}/edit`)
  const heading = page.frameLocator('iframe.preview:not([hidden])').locator('h1')
  await heading.waitFor()
  const entries = () => page.evaluate(() => history.length)
  const before = await entries()
  for (const typed of ['First title', '<b>Second</b> title']) {
    await page.fill('[name=title]', typed)
    await heading.getByText(typed, { exact: true }).waitFor()
  }
  expect(await entries()).toBe(before)
  expect(page.url()).toMatch(/\/edit$/)
  // the preview has the style sheet of a status page
  const display = await page
    .frameLocator('iframe.preview:not([hidden])')
    .locator('.status .masthead')
    .evaluate((element) => getComputedStyle(element).display)
  expect(display).toBe('flex')
  const stored = await asUser(at, { ...user, cookie }, 'GET', '/status-pages')
  expect(stored.json.statusPages[0].title).toBeNull()
  // the form's own button saves the input, in the page itself
  await page.getByRole('button', { name: 'Save design' }).click()
  await page.waitForURL(/\/dashboard\/pages\/[\w-]+$/)
  const saved = await asUser(at, { ...user, cookie }, 'GET', '/status-pages')
  expect(saved.json.statusPages[0].title).toBe('<b>Second</b> title')
  await context.close()
})
