import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { regions } from '../system.ts'
import { inPage, looks, openStage, say, scriptLooks, settled, using, type Look, type Stage } from './stage.ts'

const minuteMs = 60_000
let stage: Stage
/** Of a check that was made now, and of one that was down for two minutes of this hour. */
let fresh: string
let brief: string

const recentCheck = async (name: string): Promise<string> => {
  const { act, peers } = stage.system
  const body = { name, url: peers.steady.url(`/${name}`), intervalSeconds: 10 }
  const { id } = await act('createCheck', { body })
  const isUp = async () => (await act('getCheck', { params: { id } })).status === 'operational'
  await vi.waitFor(async () => expect(await isUp()).toBe(true), { timeout: 60_000, interval: 300 })
  return id
}

beforeAll(async () => {
  stage = await openStage()
  fresh = await recentCheck('fresh')
  brief = await recentCheck('brief')
  const { sql } = stage.system
  const now = Date.now()
  await sql`update checks set created_at = ${new Date(now - 50 * minuteMs)} where id = ${brief}`
  for (const [version, from, to, ago] of [
    [-2, 'operational', 'down', 12],
    [-1, 'down', 'operational', 10],
  ] as const) {
    const at = now - ago * minuteMs
    await sql`
      insert into flips (id, check_id, version, from_status, to_status, reason, at)
      values (${uuidv7(at)}, ${brief}, ${version}, ${from}, ${to}, null, ${new Date(at)})`
  }
}, 180_000)
afterAll(() => stage?.close())

const chartBox = `(() => {
  const plot = document.querySelector('main figure svg[role=img]')
  const { left, right, top, bottom, width } = plot.getBoundingClientRect()
  const lines = [...plot.querySelectorAll('path[data-line]')].map((line) => line.getBoundingClientRect())
  const newest = Math.max(...lines.map((line) => line.right))
  return { left, right, top, bottom, width, newest, height: innerHeight, docked: scrollX }
})()`
type ChartBox = Record<'left' | 'right' | 'top' | 'bottom' | 'width' | 'newest' | 'height', number>

test.each(looks)(
  'A4 state, figures and chart are above the fold: $name',
  { timeout: 60_000 },
  async (look) => {
    await using(stage.member(look), async (page) => {
      await page.goto(`/dashboard/checks/${stage.system.seeded.checks.shop}`)
      await settled(page, look)
      const box = await inPage<ChartBox>(page, chartBox)
      const main = page.locator('main')
      const text = await main.innerText()
      expect(text).toMatch(/Operational|Degraded|Down/)
      expect(text).toMatch(/for \d+[dhms]/)
      expect(text.match(/^Uptime, /gm)).toHaveLength(4)
      expect(text).toMatch(/p95[^\n]*\n+\s*\d+(\.\d+)? ms/)
      const y = Math.round(box.bottom)
      say(
        `A4 ${look.name}: chart ends at ${y} px of ${box.height}, newest point at x ${Math.round(box.newest)}`,
      )
      if (look.width === 1440) {
        expect(box.bottom).toBeLessThanOrEqual(900)
        for (const word of [/^Uptime, /, /p95/]) {
          const figure = await main.getByText(word).first().boundingBox()
          expect((figure?.y ?? 900) + (figure?.height ?? 0)).toBeLessThanOrEqual(900)
        }
      }
      expect(box.left).toBeGreaterThanOrEqual(0)
      expect(box.right).toBeLessThanOrEqual(look.width)
      expect(box.newest).toBeGreaterThan(box.right - box.width / 10)
      expect(box.newest).toBeLessThanOrEqual(look.width)
    })
  },
)

test.each(looks)('A4 a new check opens on its first hour: $name', { timeout: 60_000 }, async (look) => {
  await using(stage.member(look), async (page) => {
    await page.goto(`/dashboard/checks/${fresh}`)
    const current = page.getByRole('navigation', { name: 'Time range' }).locator('[aria-current]')
    say(`A4 ${look.name}: a new check opens on ${await current.innerText()}`)
    expect(await current.innerText()).toBe('1h')
  })
})

test.each(looks)(
  'A4 an outage of two minutes is seen in the hour: $name',
  { timeout: 60_000 },
  async (look) => {
    await using(stage.member(look), async (page) => {
      await page.goto(`/dashboard/checks/${brief}?range=1h`)
      await settled(page, look)
      const width = await inPage<number>(
        page,
        `[...document.querySelectorAll('main figure svg g')]
        .find((group) => group.querySelector(':scope > title')?.textContent.startsWith('Outage'))
        .querySelector('rect').getBoundingClientRect().width`,
      )
      say(`A4 ${look.name}: an outage of 2 minutes is ${width.toFixed(1)} px wide in the 1 h range`)
      expect(width).toBeGreaterThanOrEqual(8)
    })
  },
)

/** Notes in the page when the note at the cursor has changed after an event, by the clock of the page. */
const watchTip = `(() => {
  const figure = document.querySelector('main figure')
  window.tipMs = []
  let since = 0
  for (const kind of ['pointermove', 'pointerdown', 'keydown'])
    document.addEventListener(kind, () => { since = performance.now() }, { capture: true })
  new MutationObserver(() => { if (since > 0) window.tipMs.push(performance.now() - since) })
    .observe(figure, { childList: true, subtree: true, attributes: true, characterData: true })
})()`

const openChart = async (page: Page, look: Look): Promise<ChartBox> => {
  await page.goto(`/dashboard/checks/${stage.system.seeded.checks.shop}?range=24h`)
  await settled(page, look)
  await page.locator('main figure [tabindex="0"]').waitFor()
  const plot = page.locator('main figure svg[role=img]')
  await plot.scrollIntoViewIfNeeded()
  await inPage(page, watchTip)
  return inPage<ChartBox>(page, chartBox)
}

const tipOf = (page: Page) => page.locator('main figure [role=status]')

/** The note names a time, and every region with a value. */
const readTip = async (page: Page): Promise<string> => {
  await tipOf(page).waitFor({ state: 'visible' })
  const text = await tipOf(page).innerText()
  expect(text).toMatch(/\d\d:\d\d/)
  for (const region of regions) expect(text).toMatch(new RegExp(`${region}\\s+(\\d+(\\.\\d+)? ms|no data)`))
  return text
}

const slowest = (page: Page) => inPage<number>(page, 'Math.max(...window.tipMs)')

test.each(scriptLooks)('A5 pointer and keys read the chart: $name', { timeout: 60_000 }, async (look) => {
  await using(stage.member(look), async (page) => {
    const { left, width, top } = await openChart(page, look)
    await page.mouse.move(left + width * 0.3, top + 80)
    const first = await readTip(page)
    await page.mouse.move(left + width * 0.6, top + 80)
    await expect.poll(() => readTip(page)).not.toBe(first)
    await page.mouse.move(left, top - 60)
    await tipOf(page).waitFor({ state: 'hidden' })
    await page.locator('main figure [tabindex="0"]').focus()
    await page.keyboard.press('End')
    const last = await readTip(page)
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => readTip(page)).not.toBe(last)
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => readTip(page)).toBe(last)
    await page.keyboard.press('Escape')
    await tipOf(page).waitFor({ state: 'hidden' })
    say(
      `A5 ${look.name}: time and ${regions.length} regions shown ${(await slowest(page)).toFixed(1)} ms after the event at most`,
    )
  })
})

test.each(scriptLooks)('A5 a finger reads the chart: $name', { timeout: 60_000 }, async (look) => {
  await using(stage.member(look, { hasTouch: true }), async (page) => {
    const { left, width, top } = await openChart(page, look)
    await page.touchscreen.tap(left + width * 0.3, top + 80)
    const first = await readTip(page)
    await page.touchscreen.tap(left + width * 0.7, top + 80)
    await expect.poll(() => readTip(page)).not.toBe(first)
    say(`A5 ${look.name}: a finger reads time and regions within ${(await slowest(page)).toFixed(1)} ms`)
  })
})

const titleOf = (page: Page) => page.locator('main figure svg[role=img] title').first().textContent()
const shownRange = (page: Page) => page.locator('main figure').getAttribute('data-chart')

test.each(scriptLooks)(
  'A5 a drag chooses a time, and Back leaves it: $name',
  { timeout: 60_000 },
  async (look) => {
    await using(stage.member(look), async (page) => {
      const { left, width, top } = await openChart(page, look)
      const before = page.url()
      const whole = await shownRange(page)
      await page.mouse.move(left + width * 0.25, top + 80)
      await page.mouse.down()
      await page.mouse.move(left + width * 0.4, top + 80, { steps: 4 })
      await page.mouse.move(left + width * 0.5, top + 80, { steps: 4 })
      await page.mouse.up()
      await page.waitForURL((url) => url.searchParams.has('from') && url.searchParams.has('to'))
      const { searchParams } = new URL(page.url())
      const hours = (Number(searchParams.get('to')) - Number(searchParams.get('from'))) / 3_600_000
      expect(hours).toBeGreaterThan(5.5)
      expect(hours).toBeLessThan(6.5)
      await expect.poll(() => shownRange(page)).not.toBe(whole)
      const current = page.getByRole('navigation', { name: 'Time range' }).locator('[aria-current]')
      await expect.poll(() => current.count()).toBe(0)
      await page.goBack()
      await page.waitForURL(before)
      await expect.poll(() => current.innerText()).toBe('24h')
      say(`A5 ${look.name}: a drag over a quarter chose ${hours.toFixed(2)} h, Back restored 24h`)
    })
  },
)

test.each(looks)(
  'A5 the ranges are links, and a table has every step: $name',
  { timeout: 60_000 },
  async (look) => {
    await using(stage.member(look), async (page) => {
      await page.goto(`/dashboard/checks/${stage.system.seeded.checks.shop}`)
      const ranges = page.getByRole('navigation', { name: 'Time range' })
      const names = await ranges.getByRole('link').allInnerTexts()
      expect(names).toEqual(['1h', '6h', '24h', '7d', '30d', '90d'])
      await ranges.getByRole('link', { name: '7d' }).click()
      await expect.poll(() => ranges.locator('[aria-current]').innerText()).toBe('7d')
      expect(new URL(page.url()).searchParams.get('range')).toBe('7d')
      expect(await titleOf(page)).not.toBe('')
      await page.locator('summary', { hasText: 'as a table' }).first().click()
      const rows = await page
        .getByRole('table', { name: /Each step/ })
        .locator('tbody tr')
        .count()
      say(`A5 ${look.name}: ${names.length} ranges are links, the table has ${rows} steps`)
      expect(rows).toBeGreaterThan(100)
    })
  },
)
