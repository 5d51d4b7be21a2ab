import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { startTestApp, type TestApp } from '@probe-mesh/control-plane/src/app/testing/test-app'
import {
  asUser,
  cookieOf,
  logInAs,
  newUser,
  password,
} from '@probe-mesh/control-plane/src/app/testing/log-in'
import { setStatus } from '@probe-mesh/control-plane/src/app/testing/pages'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { migratePostgres } from '@probe-mesh/control-plane/stores/postgres/migrate'
import { silentLog } from '@probe-mesh/infra/start/embedded/log'
import { startPostgres } from '@probe-mesh/infra/start/embedded/postgres/start'
import { createWeb } from '@probe-mesh/web/web'
import type { Page } from 'playwright-core'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { logIn, openBrowser } from '../browser.ts'

/** Status pages in a browser: A6 and A9, each printed with its figures. */

declare const window: object

const folder = testFolder('probe-mesh-status-')
let at: TestApp
let address: string

const postgres = useOnce(() => startPostgres({ dataDir: folder, log: silentLog, durable: false }), 600_000)
beforeAll(async () => {
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
}, 600_000)
const people = useOnce(() => openBrowser(address), 600_000)
afterAll(async () => {
  await at?.close()
})

const long = { timeout: 240_000 }
const say = (line: string): void => console.log(line)

/** An account with a page and operational checks. @returns the ids of the checks, in the order of the names */
const ownerOf = async (names: readonly string[]) => {
  const user = await newUser(at)
  const cookie = cookieOf(await logInAs(at, user.email))
  const ask = (method: 'GET' | 'POST', path: string, body?: object) =>
    asUser(at, { cookie }, method, path, body)
  const [page] = (await ask('GET', '/status-pages')).json.statusPages
  const checkIds: string[] = []
  for (const name of names) {
    const made = await ask('POST', '/checks', { name, url: 'https://example.org/' })
    checkIds.push(String(made.json.id))
    await setStatus(at, String(made.json.id), 'operational')
  }
  return { user, ask, page: { id: String(page.id), slug: String(page.slug) }, checkIds }
}

const headline = (page: Page) => page.locator('#headline').textContent()

test(
  'A6: an open page shows a flip within 35 s without a reload, asks once in 30 s, and gets 304 while unchanged',
  long,
  async () => {
    const { ask, page: own, checkIds } = await ownerOf(['Website'])
    const [checkId = ''] = checkIds
    await ask('POST', `/status-pages/${own.id}/components`, { checkId })
    await at.sql`
    insert into flips (id, check_id, version, from_status, to_status, at)
    values (${uuidv7(at.now())}, ${checkId}, 1, 'unknown', 'operational', ${new Date(at.now() - 3_600_000)})`
    // readings go on, as with agents
    let state: 'operational' | 'down' = 'operational'
    const readings = setInterval(() => void setStatus(at, checkId, state), 5_000)
    onTestFinished(() => clearInterval(readings))
    const { page, problems, close } = await people.person()
    const asked: { atMs: number; status: Promise<number> }[] = []
    page.on('request', (request) => {
      if (!request.url().endsWith(`/status/${own.slug}`)) return
      const status = request.response().then((response) => response?.status() ?? 0)
      asked.push({ atMs: performance.now(), status })
    })
    await page.goto(`/status/${own.slug}`)
    expect((await headline(page))?.trim()).toBe('All systems operational')
    await page.evaluate(() => Object.assign(window, { isThatPage: true }))
    // the second one names the copy that the page has
    await expect.poll(() => asked.length, { timeout: 70_000, interval: 100 }).toBe(3)
    expect(await asked[2]?.status).toBe(304)
    state = 'down'
    await setStatus(at, checkId, state)
    const flippedMs = performance.now()
    await page.locator('#headline', { hasText: 'Major outage' }).waitFor({ timeout: 35_000 })
    const seconds = (performance.now() - flippedMs) / 1000
    expect(await page.title()).toMatch(/^● Major outage – /)
    expect(await page.locator('#news').textContent()).toContain('Major outage')
    expect(await page.locator('link[rel=icon]').getAttribute('href')).toBe('/assets/state/bad.svg')
    expect(await page.evaluate(() => 'isThatPage' in window)).toBe(true)
    const gaps = asked.slice(1).map(({ atMs }, index) => (atMs - (asked[index]?.atMs ?? 0)) / 1000)
    expect(Math.min(...gaps)).toBeGreaterThan(29)
    expect(seconds).toBeLessThanOrEqual(35)
    expect(problems).toEqual([])
    const statuses = await Promise.all(asked.map(({ status }) => status))
    say(
      `A6: flip seen after ${seconds.toFixed(1)} s; requests ${statuses.join(', ')}, ${gaps.map((gap) => gap.toFixed(1)).join(', ')} s apart`,
    )
    await close()
  },
)

test(
  'A9: six checks are published in 8 clicks and 2 loads, and ordered by drag and by keyboard',
  long,
  async () => {
    const names = ['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon', 'Zeta']
    const { user, page: own } = await ownerOf(names)
    const { page, problems, close } = await people.person({ viewport: { width: 1440, height: 900 } })
    await logIn(page, { email: user.email, password })
    await page.goto(`/dashboard/pages/${own.id}`)
    let [clicks, loads] = [0, 0]
    page.on('load', () => (loads += 1))
    const click = async (name: string, role: 'link' | 'button' | 'checkbox'): Promise<void> => {
      await page.getByRole('main').getByRole(role, { name }).first().click()
      clicks += 1
    }
    await click('Publish checks', 'link')
    for (const name of names) await click(name, 'checkbox')
    await click('Publish checks', 'button')
    await page.getByRole('status').filter({ hasText: 'Checks published.' }).waitFor()
    const order = () => page.locator('.arranged-name strong').allTextContents()
    const published = await order()
    expect(published.toSorted()).toEqual(names.toSorted())
    await page.waitForLoadState('load')
    say(`A9: ${clicks} clicks, ${loads} loads`)
    expect([clicks <= 8, loads <= 2]).toEqual([true, true])

    // by drag: the last one to the first place
    const rows = page.locator('.arrange > li')
    const [grip, first] = [
      await rows.last().locator('[data-grip]').boundingBox(),
      await rows.first().boundingBox(),
    ]
    if (grip === null || first === null) throw new Error('the rows are not shown')
    await page.mouse.move(grip.x + grip.width / 2, grip.y + grip.height / 2)
    await page.mouse.down()
    for (const step of [0.75, 0.5, 0.25, 0]) {
      await page.mouse.move(grip.x, first.y + 4 + (grip.y - first.y) * step)
    }
    await page.mouse.up()
    const dragged = [published.at(-1), ...published.slice(0, -1)]
    expect(await order()).toEqual(dragged)

    // by keyboard: the first one two places down
    await rows.first().locator('[data-grip]').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    const [moved, second, third, ...rest] = dragged
    const wanted = [second, third, moved, ...rest]
    expect(await order()).toEqual(wanted)
    expect(await page.locator('[data-said]').textContent()).toContain('is at place 3 of 6')
    // the preview follows before anything is saved
    const preview = page.locator('iframe.preview').last().contentFrame()
    await expect.poll(() => preview.locator('.component h3').allTextContents()).toEqual(wanted)

    await page.getByRole('button', { name: 'Save order' }).click()
    await page.getByRole('status').filter({ hasText: 'Order saved.' }).waitFor()
    expect(await order()).toEqual(wanted)
    await page.goto(`/status/${own.slug}`)
    expect(await page.locator('.component h3').allTextContents()).toEqual(wanted)
    expect(problems).toEqual([])
    await close()
  },
)
