import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { regions } from '../system.ts'
import { inPage, looks, openStage, say, settled, using, type Look, type Stage } from './stage.ts'

const checksMin = 30
let stage: Stage

beforeAll(async () => {
  stage = await openStage()
  const { act, peers } = stage.system
  const { checks } = await act('listChecks', {})
  for (let n = checks.length; n < checksMin; n += 1) {
    const body = { name: `Service ${n}`, url: peers.steady.url(`/service-${n}`), intervalSeconds: 10 }
    await act('createCheck', { body })
  }
  const { checks: all } = await act('listChecks', {})
  for (const { id } of all.filter(({ name }) => name.startsWith('Service '))) {
    const latency = async () => (await act('getRegionSeries', { params: { id } })).whole.p95Ms
    await vi.waitFor(async () => expect(await latency()).not.toBeNull(), { timeout: 60_000, interval: 300 })
  }
}, 180_000)
afterAll(() => stage?.close())

type Row = { top: number; bottom: number; cells: Record<string, string>; marks: number; slots: number }
type Seen = { headerBottom: number; rows: Row[]; scrollers: string[]; over: number }

/** What a person sees of the list: by the headings of its columns, the text of each cell that is shown. */
const seen = `(() => {
  const table = document.querySelector('main table')
  const headings = [...table.querySelectorAll('thead th')].map((th) => th.textContent.trim())
  const isShown = (element) => element.getBoundingClientRect().width > 0
  const rows = [...table.querySelectorAll('tbody tr')].map((tr) => {
    const { top, bottom } = tr.getBoundingClientRect()
    const cells = Object.fromEntries(
      [...tr.children].map((cell, at) => [headings[at], isShown(cell) ? cell.innerText.trim() : '']))
    const of = (heading) => tr.children[headings.indexOf(heading)]
    const marks = [...of('Regions').querySelectorAll('[role=img] > *')].filter(isShown).length
    const bar = of('Last 24 hours').querySelector('svg')
    const drawn = bar === null || !isShown(bar) ? '' : [...bar.querySelectorAll('path')].map((path) => path.getAttribute('d')).join('')
    return { top, bottom, cells, marks, slots: drawn.split('M').length - 1 }
  })
  const scrollers = [...document.querySelectorAll('main, main *')].filter((element) => {
    const { overflowX } = getComputedStyle(element)
    return (overflowX === 'auto' || overflowX === 'scroll') && element.scrollWidth > element.clientWidth
  }).map((element) => element.tagName + '.' + element.className)
  const header = document.querySelector('body > header').getBoundingClientRect()
  const root = document.documentElement
  return { headerBottom: header.bottom, rows, scrollers, over: root.scrollWidth - root.clientWidth }
})()`

const open = async (page: Page, look: Look): Promise<Seen> => {
  await page.goto('/dashboard/checks')
  await settled(page, look)
  return inPage<Seen>(page, seen)
}

test.each(looks)(
  'A3 the list of checks begins high and is dense: $name',
  { timeout: 60_000 },
  async (look) => {
    const { rows, headerBottom, scrollers, over } = await using(stage.member(look), (page) =>
      open(page, look),
    )
    const tops = rows.map(({ top }) => top)
    const first = Math.round(Math.min(...tops))
    const visible = rows.filter(({ bottom }) => bottom <= look.height).length
    say(
      `A3 ${look.name}: first row ${first} px, ${visible} of ${rows.length} rows, header ${headerBottom} px`,
    )
    expect(rows.length).toBeGreaterThanOrEqual(checksMin)
    expect(over).toBe(0)
    if (look.width === 1440) {
      expect(first).toBeLessThanOrEqual(220)
      expect(visible).toBeGreaterThanOrEqual(12)
    } else {
      expect(headerBottom).toBeLessThanOrEqual(64)
      expect(first).toBeLessThanOrEqual(240)
      expect(scrollers).toEqual([])
    }
  },
)

test.each(looks)('A3 each row has its facts: $name', { timeout: 60_000 }, async (look) => {
  const { rows } = await using(stage.member(look), (page) => open(page, look))
  const measured = rows.filter(({ cells }) => cells['Check']?.startsWith('Service '))
  expect(measured.length).toBeGreaterThanOrEqual(checksMin - 12)
  const faults = measured.flatMap(({ cells, marks, slots }) => {
    const age = look.script ? /\bago$/ : / UTC$/
    const all = [
      [/^(Operational|Degraded|Down|Stale)/.test(cells['Status'] ?? ''), 'state'],
      [marks === regions.length, `marks ${marks}`],
      [slots >= 24, `slots ${slots}`],
      [/^(p95\s*)?\d+(\.\d+)? ms$/i.test(cells['p95'] ?? ''), `p95 "${cells['p95']}"`],
      [/^[^\d]*\d+(\.\d+)? %/.test(cells['Uptime 30 d'] ?? ''), `uptime "${cells['Uptime 30 d']}"`],
      [age.test(cells['Measured'] ?? ''), `age "${cells['Measured']}"`],
    ] as const
    return all.filter(([isGood]) => !isGood).map(([, what]) => `${cells['Check']?.split('\n')[0]}: ${what}`)
  })
  const { marks, slots } = measured[0] ?? { marks: 0, slots: 0 }
  say(`A3 ${look.name}: ${measured.length} rows with state, ${marks} marks, ${slots} slots, p95, uptime, age`)
  expect(faults).toEqual([])
})
