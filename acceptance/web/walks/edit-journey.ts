import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { regions, type WebSystem } from '../system.ts'
import { arrive, field, press, type Walk } from './walk.ts'

const step = (page: Page, number: number) => page.getByRole('group', { name: `Step ${number}`, exact: true })

/** A completed step is collapsed when the form returns. */
const openStep = async (page: Page, number: number) => {
  await step(page, number).waitFor()
  const url = step(page, number).getByLabel('URL', { exact: true })
  if (!(await url.isVisible())) await step(page, number).locator('summary').first().click()
}

const typeStep = async (page: Page, number: number, name: string, url: string) => {
  await openStep(page, number)
  await step(page, number).getByLabel('Name', { exact: true }).fill(name)
  await step(page, number).getByLabel('URL', { exact: true }).fill(url)
}

const stepsOf = async ({ act }: WebSystem, id: string): Promise<string[]> => {
  const config = await act('getCheckConfig', { params: { id } })
  return config.type === 'multistep' ? config.steps.map(({ name }) => name) : []
}

/** A journey is created, reordered, tried from every region before it is saved, and replaced. */
export const editJourney: Walk = async (page, system, name) => {
  const { steady } = system.peers
  await page.goto('/dashboard/checks/new/multistep')
  await field(page, 'Name').first().fill(name)
  await typeStep(page, 1, 'log in', steady.url('/login'))
  await press(page, 'Add step')
  await typeStep(page, 2, 'basket', steady.url('/basket'))
  await press(page, 'Add step')
  await typeStep(page, 3, 'pay', steady.url('/pay'))
  await press(page, 'Create check')
  const id = await arrive(page, 'checks')
  expect(await stepsOf(system, id)).toEqual(['log in', 'basket', 'pay'])

  await page.goto(`/dashboard/checks/${id}/edit`)
  await press(page, 'Move up step 3')
  await expect.poll(() => step(page, 2).getByLabel('Name', { exact: true }).inputValue()).toBe('pay')
  await press(page, 'Try now')
  const trial = page.getByRole('region', { name: 'Try it' })
  await trial.getByText('not saved').waitFor()
  const results = trial.locator('.trial-regions li')
  expect(await results.filter({ hasText: 'Up' }).count()).toBe(regions.length)
  for (const region of regions) expect(await trial.innerText()).toMatch(new RegExp(`\\b${region}\\b`))
  expect(await stepsOf(system, id)).toEqual(['log in', 'basket', 'pay'])
  await press(page, 'Save')
  await arrive(page, 'checks')
  expect(await stepsOf(system, id)).toEqual(['log in', 'pay', 'basket'])

  await page.goto(`/dashboard/checks/${id}/edit`)
  await press(page, 'Remove step 3')
  await press(page, 'Remove step 2')
  await typeStep(page, 1, 'front page', steady.url('/'))
  await press(page, 'Add step')
  await typeStep(page, 2, 'search', steady.url('/search'))
  await press(page, 'Save')
  await arrive(page, 'checks')
  expect(await stepsOf(system, id)).toEqual(['front page', 'search'])
  await system.act('deleteCheck', { params: { id } })
}

const tabsMax = 150

const hasFocus = async (locator: Locator): Promise<boolean> =>
  (await locator.and(locator.page().locator(':focus')).count()) > 0

/** Presses Tab until an element has the focus. @throws Error if it never gets it */
const tabTo = async (page: Page, locator: Locator): Promise<void> => {
  for (let tabs = 0; tabs < tabsMax; tabs += 1) {
    await page.keyboard.press('Tab')
    if (await hasFocus(locator)) return
  }
  throw new Error(`the Tab key never comes to ${String(locator)}`)
}

/** The same with the keyboard only. */
export const editByKeyboard: Walk = async (page, system, name) => {
  const { steady } = system.peers
  const button = (text: string | RegExp) => page.getByRole('main').getByRole('button', { name: text })
  const type = async (label: Locator, text: string) => {
    await tabTo(page, label)
    await page.keyboard.type(text)
  }
  const pressThere = async (text: string | RegExp) => {
    await tabTo(page, button(text))
    await page.keyboard.press('Enter')
  }
  const own = (number: number, label: string) => step(page, number).getByLabel(label, { exact: true })
  await page.goto('/dashboard/checks/new/multistep')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await type(field(page, 'Name').first(), name)
  await type(own(1, 'Name'), 'first')
  await type(own(1, 'URL'), steady.url('/first'))
  await pressThere('Add step')
  // the focus is in the first field of the added step
  await expect.poll(() => hasFocus(own(2, 'Name'))).toBe(true)
  await page.keyboard.type('second')
  await type(own(2, 'URL'), steady.url('/second'))
  await pressThere('Move up step 2')
  await expect.poll(() => own(1, 'Name').inputValue()).toBe('second')
  await pressThere('Create check')
  const id = await arrive(page, 'checks')
  expect(await stepsOf(system, id)).toEqual(['second', 'first'])
  await system.act('deleteCheck', { params: { id } })
}
