import { loadPlaywright } from '@probe-mesh/check-types/browser/probe/chromium'
import { assets, bindAssets } from '@probe-mesh/web/src/http/assets'
import { sendPage } from '@probe-mesh/web/src/http/send-page'
import { statusFrame } from '@probe-mesh/web/src/pages/status/status-frame'
import { statusMain } from '@probe-mesh/web/src/pages/status/status-page'
import { daysOf, documentOf } from '@probe-mesh/web/src/pages/status/testing'
import fastify from 'fastify'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findTestChromium } from '@probe-mesh/infra/testing/chromium'

/** Globals of the page, for functions passed to `evaluate`; the rest of this file runs in Node. */
declare const document: { activeElement: { ariaLabel: string | null; textContent: string } | null }

const app = fastify()
let address: string
let browser: Browser

beforeAll(async () => {
  const days = daysOf({ 3: { upShare: 0.75, incidents: 1 } })
  const shown = documentOf(['operational', 'operational'], { text: '"><b>Acme', days })
  bindAssets(app)
  app.get('/', (_request, reply) => {
    const { page, components } = shown
    const main = statusMain(shown)
    return sendPage(reply, statusFrame(assets, { page, title: 'Acme', path: '', main, components }))
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

const open = async (options: { javaScriptEnabled?: boolean; hasTouch?: boolean } = {}) => {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  await page.goto(address)
  return page
}

const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.textContent)
/** Presses keys one after another. @returns the focused element after each */
const press = async (page: Page, ...keys: string[]) => {
  const names = []
  for (const key of keys) {
    await page.keyboard.press(key)
    names.push(await focused(page))
  }
  return names
}

const today = 'November 20, 2026: 100% up so far'
const bad = 'November 17, 2026: 75.0% up, 1 incident'

test('a strip is one tab stop, and arrow keys move between days', async () => {
  const page = await open()
  const strip = page.getByRole('toolbar').first()
  expect(await strip.getByRole('button').count()).toBe(90)
  expect(await strip.locator('[tabindex="0"]').count()).toBe(1)
  // nothing is open, so there is no Close button
  expect(await page.getByRole('button', { name: 'Close' }).count()).toBe(0)
  await strip.locator('[tabindex="0"]').focus()
  const good = (day: string) => `${day}, 2026: 100% up`
  expect(await press(page, 'ArrowRight', 'ArrowLeft', 'PageUp', 'PageDown', 'Home', 'End')).toEqual([
    today,
    good('November 19'),
    good('November 12'),
    good('November 19'),
    good('August 23'),
    today,
  ])
  expect(await press(page, 'ArrowLeft', 'ArrowLeft', 'ArrowLeft')).toContain(bad)
  // one Tab leaves the strip, and Shift+Tab returns to the same day
  await page.keyboard.press('Tab')
  expect(await focused(page)).not.toMatch(/2026: /)
  expect(await press(page, 'Shift+Tab')).toEqual([bad])
  await page.context().close()
})

test('the keyboard opens a day, announces it, and closes it with the focus restored', async () => {
  const page = await open()
  const strip = page.locator('.days').first()
  const said = strip.getByRole('status')
  await strip.getByRole('button', { name: bad }).focus()
  await page.keyboard.press('Enter')
  expect(await said.textContent()).toBe(bad)
  expect(await strip.locator('[aria-expanded=true]').getAttribute('aria-label')).toBe(bad)
  const link = strip.getByRole('link')
  expect(await link.getAttribute('href')).toBe('/status/acme/history?month=2026-11')
  await strip.getByRole('button', { name: 'Day after' }).click()
  expect(await said.textContent()).toBe('November 18, 2026: 100% up')
  expect(await link.isVisible()).toBe(false)
  await strip.getByRole('button', { name: 'Day before' }).click()
  await page.keyboard.press('Escape')
  expect(await said.textContent()).toBe('')
  expect(await focused(page)).toBe(bad)
  expect(await strip.locator('[aria-expanded=true]').count()).toBe(0)
  await page.context().close()
})

test('touch opens a day', async () => {
  const page = await open({ hasTouch: true })
  await page.locator('.day-bars button').first().tap()
  expect(await page.locator('.days [role=status]').first().textContent()).toContain('August 23')
  await page.context().close()
})

test('without JavaScript the days are in the list, and nothing pretends to be a button', async () => {
  const page = await open({ javaScriptEnabled: false })
  expect(await page.getByRole('toolbar').count()).toBe(0)
  expect(await page.locator('.days li', { hasText: 'November 17, 2026: 75.0% up' }).count()).toBe(2)
  await page.context().close()
})
