import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import { insertTestHeartbeat } from '@probe-mesh/control-plane/src/heartbeats/testing-pings'
import { newUser, password } from '@probe-mesh/control-plane/src/app/testing/log-in'
import { useTestApp } from '@probe-mesh/control-plane/src/app/testing/test-app'
import { createWeb } from '@probe-mesh/web/web'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { logIn, openBrowser, type People, type Person } from '../browser.ts'

/** Of the page, where what is handed to `evaluate` runs. */
declare const window: { axe: { run(options: object): Promise<AxeResults> }; shown: Promise<number> }
declare const performance: { now(): number; measure(name: string, options: object): { duration: number } }
declare const document: {
  activeElement: { textContent: string | null } | null
  querySelector(
    selector: string,
  ): { textContent: string | null; querySelector(selector: string): object | null } | null
  addEventListener(name: string, listener: (event: { timeStamp: number }) => void, capture: boolean): void
}
declare class MutationObserver {
  constructor(callback: () => void)
  observe(target: object, options: object): void
}

const checkCount = 5_000
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice']

let people: People
let member: Person
let wantedId: string

const at = useTestApp({
  config: { budgetScale: 1_000 },
  serve: (app) => {
    const apiUrl = 'http://127.0.0.1/v1'
    void app.register(
      createWeb({ inject: (request) => app.inject(request), apiUrl, mcpUrl: null, countsMs: 0 }),
    )
  },
})
beforeAll(async () => {
  const user = await newUser(at, 'scale')
  wantedId = await plantChecks(user.accountId)
  people = await openBrowser(await at.app.listen({ port: 0, host: '127.0.0.1' }))
  member = await people.person()
  await logIn(member.page, { email: user.email, password })
}, 120_000)
afterAll(async () => {
  await people?.close()
  await at?.close()
})

/** @returns the id of the one named `Zürich queue` */
const plantChecks = async (accountId: string): Promise<string> => {
  const { sql } = at
  const { checkId } = await insertTestHeartbeat(sql, { accountId })
  await sql`
    with made as (
      insert into checks
      select (jsonb_populate_record(checks, jsonb_build_object(
        'id', gen_random_uuid(), 'name', 'shop ' || md5(n::text) || ' eu-' || n))).*
      from checks, generate_series(2, ${checkCount}) as n where id = ${checkId}
      returning id
    )
    insert into check_states
    select (jsonb_populate_record(check_states, jsonb_build_object('check_id', made.id))).*
    from check_states, made where check_states.check_id = ${checkId}`
  await sql`update checks set name = 'Zürich queue' where id = ${checkId}`
  return checkId
}

const openPalette = async (page: Page, key: string) => {
  await page.keyboard.press(key)
  await page.locator('dialog.palette [role=option]').first().waitFor()
}

/** Faults of the page as it is now, a line each. */
const faultsOf = async (page: Page): Promise<string[]> => {
  await page.evaluate(axeSource)
  const { violations } = await page.evaluate(
    (values) => window.axe.run({ runOnly: { type: 'tag', values } }),
    tags,
  )
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
}

test(
  'three letters and Enter open a check among 5,000, with the keyboard alone',
  { timeout: 90_000 },
  async () => {
    const { page } = member
    await page.goto('/dashboard/account')
    await openPalette(page, 'Control+k')
    // installed before the first key is sent
    await page.evaluate(() => {
      window.shown = new Promise<number>((resolve) => {
        let [typedAt, letters] = [0, 0]
        document.addEventListener(
          'input',
          ({ timeStamp }) => {
            typedAt = timeStamp
            letters += 1
          },
          true,
        )
        const list = document.querySelector('[role=listbox]')
        if (list === null) return
        new MutationObserver(() => {
          const first = list.querySelector('[role=option]') as { textContent: string } | null
          if (letters === 3 && first?.textContent.startsWith('Zürich') === true)
            resolve(performance.now() - typedAt)
        }).observe(list, { childList: true })
      })
    })
    await page.keyboard.type('zür')
    const milliseconds = await page.evaluate(() => window.shown)
    const input = page.getByRole('dialog').getByRole('combobox')
    const active = String(await input.getAttribute('aria-activedescendant'))
    expect(await page.locator(`#${active}`).getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/dashboard/checks/${wantedId}`)
    console.info(
      `A10 palette: ${milliseconds.toFixed(1)} ms from the third letter to the result, of ${checkCount} checks`,
    )
    expect(member.problems).toEqual([])
  },
)

test('axe finds nothing while the palette or the list of shortcuts is open', async () => {
  const { page } = member
  await page.goto('/dashboard/account')
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await openPalette(page, '/')
    await page.keyboard.type('shop')
    await page.getByRole('status').filter({ hasText: 'First 50 results' }).waitFor()
    const inSearch = await faultsOf(page)
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    const inHelp = await faultsOf(page)
    await page.keyboard.press('Escape')
    console.info(`A10 axe, ${colorScheme}: palette ${inSearch.length}, shortcuts ${inHelp.length} faults`)
    expect([...inSearch, ...inHelp]).toEqual([])
  }
})

test('arrow keys choose, Escape closes and gives the focus back', async () => {
  const { page } = member
  await page.goto('/dashboard/account')
  const link = page.getByRole('link', { name: 'Audit log' })
  await link.focus()
  await openPalette(page, '/')
  const chosen = () => page.locator('[role=option][aria-selected=true]').textContent()
  const first = await chosen()
  await page.keyboard.press('ArrowDown')
  expect(await chosen()).not.toBe(first)
  await page.keyboard.press('ArrowUp')
  expect(await chosen()).toBe(first)
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })
  expect(await page.evaluate(() => document.activeElement?.textContent?.trim())).toBe('Audit log')
})

test('actions and pages are found by name, without a check of that name', async () => {
  const { page } = member
  for (const [typed, path] of [
    ['new inc', '/dashboard/incidents/new'],
    ['audit', '/dashboard/audit'],
  ] as const) {
    await page.goto('/dashboard/account')
    await openPalette(page, '/')
    await page.keyboard.type(typed)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${path}`)
  }
})

test('single keys lead on, do nothing in a field, and can be turned off', async () => {
  const { page } = member
  await page.goto('/dashboard/audit')
  await page.keyboard.type('gc')
  await page.waitForURL('**/dashboard/checks')
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  const second = await page.evaluate(() => document.activeElement?.textContent)
  await page.keyboard.press('k')
  expect(await page.evaluate(() => document.activeElement?.textContent)).not.toBe(second)
  await page.goto('/dashboard/audit')
  await page.locator('main input').first().focus()
  await page.keyboard.type('?gi')
  expect(await page.locator('main input').first().inputValue()).toBe('?gi')
  expect(await page.locator('dialog').count()).toBe(0)
  await page.locator('h1').click()
  await page.keyboard.press('?')
  await page.getByLabel('Use shortcuts of one key').uncheck()
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await openPalette(page, 'Control+k')
  expect(await page.locator('dialog').count()).toBe(1)
  await page.keyboard.press('Escape')
})
