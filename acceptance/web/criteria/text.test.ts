import type { Page } from 'playwright-core'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { pageAddresses } from '../addresses.ts'
import { inPage, lightLooks, openStage, say, settled, using } from './stage.ts'

const stage = useOnce(() => openStage(), 180_000)

/**
 * The text of a page that is ours, with all that is folded opened. Names and addresses of users stand in `bdi`,
 * examples and contexts in `pre` and `code`, values in fields.
 */
const ownText = `(() => {
  for (const details of document.querySelectorAll('details')) details.open = true
  for (const element of document.querySelectorAll('[popover]')) element.removeAttribute('popover')
  const foreign = 'bdi, pre, code, samp, textarea, script, style, noscript, template, [data-internals]'
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const texts = []
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement
    if (node.data.trim() === '' || parent.closest(foreign) !== null) continue
    if (!parent.checkVisibility({ visibilityProperty: true })) continue
    texts.push(node.data.trim().replace(/\\s+/g, ' '))
  }
  return texts
})()`

const rules: readonly (readonly [name: string, RegExp])[] = [
  ['raw instant', /\d{4}-\d\d-\d\dT/],
  ['"Act"', /\bAct\b/],
  ['name of an operation', /^(create|update|delete)[A-Z]/],
  ['user agent', /Mozilla\/5\.0|HeadlessChrome/],
  ['bare UUID', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/],
]

/** Pages whose ids are their subject: keys and agents are used by them, and the reference of the API has examples. */
const showsIds = /^\/(docs|dashboard\/keys|dashboard\/agents|dashboard\/mesh)/

/** Words do not depend on the width: one look with scripts, on a desk, and one without, on a phone. */
const wordLooks = lightLooks.filter(({ width, script }) => (width === 1440) === script)

test.each(wordLooks)('A7 texts are for people: $name', { timeout: 300_000 }, async (look) => {
  const faults: string[] = []
  let texts = 0
  const addresses = await pageAddresses(stage.system.seeded)
  const visit = async (page: Page, isForMembers: boolean) => {
    for (const { path } of addresses.filter((address) => address.isForMembers === isForMembers)) {
      const answer = await page.goto(path)
      if (!(answer?.headers()['content-type'] ?? '').startsWith('text/html')) continue
      await settled(page, look)
      const own = await inPage<string[]>(page, ownText)
      texts += own.length
      for (const text of own) {
        for (const [name, rule] of rules) {
          if (name === 'bare UUID' && showsIds.test(path)) continue
          if (rule.test(text)) faults.push(`${path}: ${name} in "${text.slice(0, 120)}"`)
        }
      }
    }
  }
  await using(stage.member(look), (page) => visit(page, true))
  await using(stage.visitor(look), (page) => visit(page, false))
  say(`A7 ${look.name}: ${addresses.length} pages, ${texts} texts, ${faults.length} faults`)
  const kinds = Map.groupBy(faults, (fault) => fault.split(' in "')[0])
  for (const [, same] of kinds) say(`A7 ${look.name}: ${same.length} times ${same[0]}`)
  expect(faults).toEqual([])
})

/** What is in UTC for every reader: the days of uptime, the default of a schedule, a page without a script. */
const everywhere = /is (?:a|one) day in UTC|^Such as .* Default: UTC|^Pages show times in/
const kolkata = /Asia\/(Kolkata|Calcutta)/

test('A7 a page has one zone, its charts included', { timeout: 300_000 }, async () => {
  const look = lightLooks[0]
  if (look === undefined) throw new Error('there is no look')
  const faults: string[] = []
  const addresses = await pageAddresses(stage.system.seeded)
  const visit = async (page: Page, isForMembers: boolean) => {
    for (const { path } of addresses.filter((address) => address.isForMembers === isForMembers)) {
      const answer = await page.goto(path)
      if (!(answer?.headers()['content-type'] ?? '').startsWith('text/html')) continue
      if (path.startsWith('/docs') || path.endsWith('/preview')) continue
      await settled(page, look)
      const own = await inPage<string[]>(page, ownText)
      const said = own.filter((text) => kolkata.test(text))
      const other = own.filter((text) => /\bUTC\b/.test(text) && !everywhere.test(text))
      if (said.length > 1) faults.push(`${path}: names the zone ${said.length} times`)
      if (other.length > 0) faults.push(`${path}: another zone in "${other[0]?.slice(0, 120)}"`)
    }
  }
  const there = { timezoneId: 'Asia/Kolkata' }
  await using(stage.member(look, there), (page) => visit(page, true))
  await using(stage.visitor(look, there), (page) => visit(page, false))
  say(`A7 ${look.name}: ${addresses.length} pages in another zone, ${faults.length} faults`)
  for (const fault of faults) say(`A7 ${look.name}: ${fault}`)
  expect(faults).toEqual([])
})

test('A7 no fewer probes are expected than measured', { timeout: 120_000 }, async () => {
  const look = lightLooks[0]
  if (look === undefined) throw new Error('there is no look')
  const faults: string[] = []
  let steps = 0
  await using(stage.member(look), async (page) => {
    for (const id of Object.values(stage.system.seeded.checks)) {
      for (const range of ['1h', '24h', '90d']) {
        await page.goto(`/dashboard/checks/${id}?range=${range}`)
        const rows = await inPage<{ expected: number; measured: number }[]>(
          page,
          `[...document.querySelectorAll('main table')].flatMap((table) => {
            const headings = [...table.querySelectorAll('thead th')].map((th) => th.textContent.trim())
            const [expected, measured] = [headings.indexOf('Expected'), headings.indexOf('Measured')]
            if (expected < 0 || measured < 0) return []
            return [...table.querySelectorAll('tbody tr')].map(({ children }) => ({
              expected: Number(children[expected].textContent), measured: Number(children[measured].textContent) }))
          })`,
        )
        steps += rows.length
        for (const { expected, measured } of rows) {
          if (!(expected >= measured)) faults.push(`${id} ${range}: ${measured} of ${expected}`)
        }
      }
    }
  })
  say(`A7: ${steps} steps, ${faults.length} with more measured than expected`)
  expect(steps).toBeGreaterThan(1_000)
  expect(faults).toEqual([])
})
