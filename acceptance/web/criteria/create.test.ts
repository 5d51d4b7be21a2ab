import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { arrive, field } from '../walks/walk.ts'
import { inPage, lightLooks, openStage, say, using, type Look, type Stage } from './stage.ts'

const bulkCount = 20
const clicksMax = 4
const journeyPixelsMax = 1_600
let stage: Stage

beforeAll(async () => {
  stage = await openStage()
  const { act, peers } = stage.system
  for (let n = 1; n <= bulkCount; n += 1) {
    const body = {
      name: `Bulk ${n}`,
      url: peers.steady.url(`/bulk-${n}`),
      intervalSeconds: 60,
      tags: ['bulk'],
    }
    await act('createCheck', { body })
  }
}, 180_000)
afterAll(() => stage?.close())

/** Counts what a hand does on a page. */
const hand = () => {
  const done = { clicks: 0, fields: 0 }
  return {
    done,
    click: async (target: Locator, options: Parameters<Locator['click']>[0] = {}) => {
      done.clicks += 1
      await target.click(options)
    },
    type: async (target: Locator, text: string) => {
      done.fields += 1
      await target.fill(text)
    },
  }
}

const isSeenWithoutScrolling = (page: Page, button: Locator): Promise<boolean> =>
  button.evaluate((element, height) => {
    const { top, bottom, left } = (
      element as unknown as { getBoundingClientRect(): DOMRectLike }
    ).getBoundingClientRect()
    return top >= 0 && bottom <= height && left >= 0
  }, page.viewportSize()?.height ?? 0)
type DOMRectLike = { top: number; bottom: number; left: number }

test.each(lightLooks)(
  'A8 a check is created in 2 clicks and 1 field: $name',
  { timeout: 60_000 },
  async (look) => {
    const { act, peers } = stage.system
    await using(stage.member(look), async (page) => {
      for (const from of ['/dashboard', '/dashboard/errors', '/dashboard/account']) {
        const { done, click, type } = hand()
        await page.goto(from)
        if (look.width === 1440) {
          await click(page.locator('summary', { hasText: 'New' }))
          await click(page.locator('details[open]').getByRole('link', { name: 'Check', exact: true }))
        } else await click(page.getByRole('link', { name: 'New check' }).first())
        await page.waitForURL('**/dashboard/checks/new*')
        const url = field(page, 'URL').first()
        expect(await isSeenWithoutScrolling(page, url)).toBe(true)
        const submit = page.getByRole('button', { name: 'Create check' })
        expect(await isSeenWithoutScrolling(page, submit)).toBe(true)
        await type(url, peers.steady.url('/made'))
        await url.press('Enter')
        const id = await arrive(page, 'checks')
        if (from === '/dashboard')
          say(`A8 ${look.name}: create check: ${done.clicks} clicks, ${done.fields} field, Enter`)
        expect(done.clicks).toBeLessThanOrEqual(2)
        expect(done.fields).toBe(1)
        await act('deleteCheck', { params: { id } })
      }
    })
  },
)

const stepGroup = (page: Page, number: number) =>
  page.getByRole('group', { name: `Step ${number}`, exact: true })

const fillStep = async (page: Page, number: number, name: string, url: string) => {
  const group = stepGroup(page, number)
  await group.waitFor()
  const target = group.getByLabel('URL', { exact: true })
  if (!(await target.isVisible())) await group.locator('summary').first().click()
  await group.getByLabel('Name', { exact: true }).fill(name)
  await target.fill(url)
}

const add = async (page: Page, number: number) => {
  await page.getByRole('button', { name: 'Add step' }).click()
  await stepGroup(page, number).waitFor()
}

test.each(lightLooks)('A8 a journey of four steps stays short: $name', { timeout: 60_000 }, async (look) => {
  const { peers } = stage.system
  await using(stage.member(look), async (page) => {
    await page.goto('/dashboard/checks/new/multistep')
    await inPage(page, 'window.isThatPage = true')
    for (const number of [1, 2, 3, 4]) {
      if (number > 1) await add(page, number)
      await fillStep(page, number, `step ${number}`, peers.steady.url(`/${number}`))
    }
    const height = await inPage<number>(page, 'document.documentElement.scrollHeight')
    say(`A8 ${look.name}: a journey of 4 steps is ${height} px tall`)
    expect(height).toBeLessThanOrEqual(journeyPixelsMax)
    const submit = page.getByRole('button', { name: 'Create check' })
    expect(await isSeenWithoutScrolling(page, submit)).toBe(true)
    await page.getByRole('button', { name: 'Move up step 4' }).click()
    const nameOf = (number: number) =>
      stepGroup(page, number).getByLabel('Name', { exact: true }).inputValue()
    await expect.poll(() => nameOf(3)).toBe('step 4')
    await page.getByRole('button', { name: 'Remove step 3' }).click()
    await expect.poll(() => nameOf(3)).toBe('step 3')
    await expect.poll(() => stepGroup(page, 4).count()).toBe(0)
    if (look.script) expect(await inPage(page, 'window.isThatPage')).toBe(true)
  })
})

const openMenu = async (page: Page, click: (target: Locator) => Promise<void>) =>
  click(page.locator('summary[aria-label^="More actions"]'))

test.each(lightLooks)(
  'A8 pause, rename, clone and tag take few clicks: $name',
  { timeout: 60_000 },
  async (look) => {
    const { act, peers } = stage.system
    const name = `Changed ${look.name.replaceAll(/\W+/g, '-')}`
    const { id } = await act('createCheck', {
      body: { name, url: peers.steady.url('/changed'), intervalSeconds: 60 },
    })
    const check = () => act('getCheck', { params: { id } })
    const counts: Record<string, { clicks: number; fields: number }> = {}
    await using(stage.member(look), async (page) => {
      const path = `/dashboard/checks/${id}`
      const walk = async (
        act: string,
        from: string,
        does: (by: ReturnType<typeof hand>) => Promise<void>,
      ) => {
        const by = hand()
        await page.goto(from)
        await does(by)
        counts[act] = by.done
        expect(by.done.clicks).toBeLessThanOrEqual(clicksMax)
      }
      await walk('pause', path, async ({ click }) => {
        await openMenu(page, click)
        await click(page.getByRole('button', { name: 'Pause', exact: true }))
        await expect.poll(async () => (await check()).paused).toBe(true)
      })
      await walk('rename', path, async ({ click, type }) => {
        await click(page.getByRole('link', { name: 'Edit', exact: true }).first())
        await page.waitForURL('**/edit')
        await type(field(page, 'Name').first(), `${name} again`)
        await click(page.getByRole('button', { name: 'Save', exact: true }))
        await expect.poll(async () => (await check()).name).toBe(`${name} again`)
      })
      await walk(
        'tag',
        `/dashboard/checks?q=${encodeURIComponent(`${name} again`)}`,
        async ({ click, type }) => {
          await click(page.locator(`input[name=id][value="${id}"]`))
          await click(page.getByRole('button', { name: 'Tag', exact: true }))
          await type(field(page, 'Tag'), 'night')
          await click(page.getByRole('button', { name: 'Add tag' }))
          await expect.poll(async () => (await check()).tags).toEqual(['night'])
        },
      )
      await walk('clone', path, async ({ click }) => {
        await openMenu(page, click)
        await click(page.getByRole('button', { name: 'Clone', exact: true }))
        const clones = async () =>
          (await act('listChecks', {})).checks.filter((one) => one.id !== id && one.name.includes(name))
        await expect.poll(clones).toHaveLength(1)
      })
    })
    const text = Object.entries(counts).map(
      ([act, { clicks, fields }]) => `${act} ${clicks} clicks, ${fields} fields`,
    )
    say(`A8 ${look.name}: ${text.join('; ')}`)
  },
)

/** Without a script a box is ticked at a time, so 20 checks are 20 clicks there. */
const bulkLooks = lightLooks.filter(({ script }) => script)

const paused = async ({ system }: Stage) =>
  (await system.act('listChecks', {})).checks.filter(({ name, paused: is }) => name.startsWith('Bulk ') && is)
    .length

const pauseAll = async (page: Page, look: Look): Promise<number> => {
  const { done, click } = hand()
  await page.goto('/dashboard/checks?tag=bulk')
  const boxes = page.locator('input[name=id]')
  await click(boxes.first())
  if (look.width === 1440) await click(boxes.nth(bulkCount - 1), { modifiers: ['Shift'] })
  else await click(page.getByRole('checkbox', { name: 'Select all' }).last())
  await click(page.getByRole('button', { name: 'Pause', exact: true }).last())
  await page.getByRole('status').filter({ hasText: 'Checks changed' }).waitFor()
  return done.clicks
}

test.each(bulkLooks)('A8 20 checks are paused in 4 clicks: $name', { timeout: 60_000 }, async (look) => {
  const { checks } = await stage.system.act('listChecks', {})
  const ids = checks.filter(({ name }) => name.startsWith('Bulk ')).map(({ id }) => id)
  await stage.system.act('changeChecks', { body: { checkIds: ids, act: { kind: 'resume' } } })
  const clicks = await using(stage.member(look), (page) => pauseAll(page, look))
  say(`A8 ${look.name}: ${bulkCount} checks paused in ${clicks} clicks`)
  expect(await paused(stage)).toBe(bulkCount)
  expect(clicks).toBeLessThanOrEqual(clicksMax)
})
