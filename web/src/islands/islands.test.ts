import { hash } from 'node:crypto'
import { passwordProblems } from '@probe-mesh/contracts/account/password-problems'
import { matchesEtag } from '@probe-mesh/contracts/schema/if-none-match'
import { findTestChromium } from '@probe-mesh/infra/testing/chromium'
import { loadPlaywright } from '@probe-mesh/check-types/browser/probe/chromium'
import { html } from '@probe-mesh/runtime/html'
import { answerPage } from '../html/answer-page.ts'
import { emptyForm } from '../html/components/form.ts'
import { dashboardPage } from '../html/dashboard-page.ts'
import { plainPage } from '../html/plain-page.ts'
import { assets, bindAssets } from '../http/assets.ts'
import { sendPage } from '../http/send-page.ts'
import { signUpPage } from '../pages/sign-up/sign-up-page.ts'
import fastify from 'fastify'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'

/** Scripts of pages in a browser, each with a server whose answers the test sets. */

/** Globals of the page, for functions passed to `evaluate`; the rest of this file runs in Node. */
declare const document: object & {
  hidden: boolean
  body: object
  dispatchEvent(event: Event): boolean
}
declare const window: object
declare const getComputedStyle: (element: object) => { backgroundColor: string; colorScheme: string }

const app = fastify()
let address: string
let browser: Browser
/** The present answer, and the status of each answer so far. */
let state: string
let answered: number[]

beforeAll(async () => {
  bindAssets(app)
  app.get('/answer', (request, reply) => {
    const page = answerPage(assets, {
      title: `It is ${state}`,
      description: 'An answer',
      area: 'services',
      url: `${address}/answer`,
      isBad: state === 'down',
      main: html`<p id="state">${state}</p>
        <form>
          <label>Note <input name="note" /></label>
        </form>`,
    })
    const etag = `"${hash('sha256', page, 'base64url')}"`
    const isKnown = matchesEtag(request.headers['if-none-match'], etag)
    answered.push(isKnown ? 304 : 200)
    reply.header('etag', etag)
    const cacheControl = 'public, max-age=10'
    return isKnown
      ? reply.header('cache-control', cacheControl).code(304).send()
      : sendPage(reply, page, { cacheControl })
  })
  app.get('/signup', (_request, reply) =>
    sendPage(reply, plainPage(assets, { title: 'Sign up', main: signUpPage('by_password', emptyForm) })),
  )
  app.get<{ Params: { theme: 'system' | 'light' | 'dark' } }>('/dashboard/:theme', (request, reply) => {
    const who = { user: { email: 'a@example.org' }, account: { name: 'Acme', tier: 'free' } }
    const page = { title: 'Theme', area: null, main: html`<p>Text</p>` }
    return sendPage(reply, dashboardPage(assets, who as never, page, { theme: request.params.theme }))
  })
  address = await app.listen({ port: 0, host: '127.0.0.1' })
  const chromium = await loadPlaywright()
  const executablePath = await findTestChromium()
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
}, 600_000)
afterAll(async () => {
  await browser.close()
  await app.close()
})
beforeEach(() => {
  state = 'up'
  answered = []
})

const open = async (path: string, options: BrowserContextOptions = {}): Promise<Page> => {
  const context = await browser.newContext(options)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.clock.install()
  await page.goto(`${address}${path}`)
  return page
}

test('an open answer is requested once in 30 s, gets 304 while unchanged, and shows a change without a reload', async () => {
  const page = await open('/answer')
  await page.evaluate(() => Object.assign(window, { isThatPage: true }))
  await page.clock.runFor(29_000)
  expect(answered).toEqual([200])
  await page.clock.runFor(2_000)
  await expect.poll(() => answered).toEqual([200, 304])
  await page.clock.runFor(31_000)
  await expect.poll(() => answered).toEqual([200, 304, 304])
  state = 'down'
  await page.clock.runFor(31_000)
  await page.locator('#state', { hasText: 'down' }).waitFor()
  expect(await page.title()).toBe('It is down - Probe Mesh')
  expect(await page.locator('link[rel=icon]').getAttribute('href')).toBe(assets.stateIcons?.bad)
  expect(await page.evaluate(() => 'isThatPage' in window)).toBe(true)
  await page.clock.runFor(31_000)
  await expect.poll(() => answered).toEqual([200, 304, 304, 200, 304])
})

test('a hidden tab requests nothing, and requests at once when it becomes visible', async () => {
  const page = await open('/answer')
  const look = (isHidden: boolean) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { value: hidden, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, isHidden)
  await look(true)
  await page.clock.runFor(120_000)
  expect(answered).toEqual([200])
  state = 'down'
  await look(false)
  await page.locator('#state', { hasText: 'down' }).waitFor()
  expect(answered).toEqual([200, 200])
})

test('a reader who types is not interrupted, and gets the change afterwards', async () => {
  const page = await open('/answer')
  await page.getByLabel('Note').fill('half a')
  state = 'down'
  await page.clock.runFor(62_000)
  expect(answered).toEqual([200])
  expect(await page.getByLabel('Note').inputValue()).toBe('half a')
  await page.getByLabel('Note').blur()
  await page.clock.runFor(1_000)
  await page.locator('#state', { hasText: 'down' }).waitFor()
})

test('a new password is judged while typing, in the words of the server', async () => {
  const page = await open('/signup')
  const [field, said] = [page.getByLabel('Password'), page.locator('.strength [role=status]')]
  await page.getByLabel('E-mail address').fill('ada.lovelace@example.org')
  expect(await page.locator('.strength meter').isVisible()).toBe(false)
  const level = () => page.locator('.strength meter').getAttribute('value')
  for (const [password, words, value] of [
    ['elevenchars', passwordProblems.short, '1'],
    ['abcabcabcabc', passwordProblems.repeat, '1'],
    ['Ada.Lovelace@example.org', passwordProblems.own, '1'],
    ['password1234', 'Common words are refused', '2'],
    ['violet kettle orbit cactus', 'Looks strong', '3'],
  ] as const) {
    await field.fill(password)
    await expect.poll(() => said.textContent()).toContain(words)
    expect(await level()).toBe(value)
  }
  await field.fill('')
  expect(await page.locator('.strength meter').isVisible()).toBe(false)
})

test.each([
  ['system', 'light', 'light'],
  ['system', 'dark', 'dark'],
  ['light', 'dark', 'light'],
  ['dark', 'light', 'dark'],
] as const)(
  'theme %s on a device with %s colours shows %s ones, without a script',
  async (theme, device, shown) => {
    const page = await open(`/dashboard/${theme}`, { colorScheme: device, javaScriptEnabled: false })
    const colours = (of: Page) => of.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const reference = await open('/dashboard/system', { colorScheme: shown })
    expect(await colours(page)).toBe(await colours(reference))
    const other = await open('/dashboard/system', { colorScheme: shown === 'light' ? 'dark' : 'light' })
    expect(await colours(page)).not.toBe(await colours(other))
  },
)
