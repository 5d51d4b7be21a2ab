import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeAll, expect, test } from 'vitest'
import { findTestChromium } from '@probe-mesh/infra/testing/chromium'
import { pageAddresses } from './addresses.ts'
import { logIn, openBrowser, type Person } from './browser.ts'
import { startWebSystem } from './system.ts'

/** Globals of the page, for functions passed to `evaluate`. */
declare const window: { axe: { run(options: RunOptions): Promise<AxeResults> } }
declare const document: {
  documentElement: { scrollWidth: number; clientWidth: number; scrollHeight: number }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice']
const everything: RunOptions = { runOnly: { type: 'tag', values: tags } }
/** A colour scheme changes only colours. */
const colours: RunOptions = { runOnly: { type: 'rule', values: ['color-contrast'] } }
const looks = [
  { width: 1440, colorScheme: 'light', rules: everything },
  { width: 375, colorScheme: 'dark', rules: everything },
  { width: 1440, colorScheme: 'dark', rules: colours },
  { width: 375, colorScheme: 'light', rules: colours },
] as const
let member: Person
let visitor: Person

const system = useOnce(async () => startWebSystem(await findTestChromium()))
const people = useOnce(() => openBrowser(system.address))
beforeAll(async () => {
  ;[member, visitor] = [await people.person(), await people.person()]
  await logIn(member.page, system.credentials)
}, 120_000)

/** The faults of an open page in one look, one line each. */
const faultsOf = async (page: Page, look: (typeof looks)[number]): Promise<string[]> => {
  const { width, colorScheme, rules } = look
  await page.emulateMedia({ colorScheme })
  await page.setViewportSize({ width, height: 900 })
  // the bar of a long form hides what scrolling shows; a window as tall as the page has nothing hidden
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  await page.setViewportSize({ width, height: Math.max(height, 900) })
  const found = await page.evaluate(async (options) => {
    const { violations } = await window.axe.run({
      ...options,
      preload: false,
      resultTypes: ['violations'],
    })
    const { scrollWidth, clientWidth } = document.documentElement
    return { violations, over: scrollWidth - clientWidth }
  }, rules)
  const faults = found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
  )
  if (found.over > 0) faults.push(`overflow: the page is ${found.over} px too wide`)
  return faults.map((fault) => `at ${width} px, ${colorScheme}: ${fault.replace(/\s+/g, ' ')}`)
}

test('no page has an accessibility fault that axe-core finds', { timeout: 600_000 }, async () => {
  const faults: string[] = []
  for (const { path, isForMembers } of await pageAddresses(system.seeded)) {
    const { page } = isForMembers ? member : visitor
    const answer = await page.goto(path)
    if (!(answer?.headers()['content-type'] ?? '').startsWith('text/html')) continue
    if ((answer?.status() ?? 500) >= 500) faults.push(`${path}: answers ${answer?.status()}`)
    await page.evaluate(axeSource)
    for (const look of looks) {
      faults.push(...(await faultsOf(page, look)).map((fault) => `${path} ${fault}`))
    }
  }
  expect(faults).toEqual([])
  expect([...member.problems, ...visitor.problems]).toEqual([])
})
