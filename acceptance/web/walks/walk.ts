import type { Page } from 'playwright-core'
import type { WebSystem } from '../system.ts'

/** A complete task of a person in a browser. */
export type Walk = (
  page: Page,
  system: WebSystem,
  /** Identifies this run of the walk; used in the names of what it creates. */
  name: string,
) => Promise<void>

/** The field with exactly this label. */
export const field = (page: Page, label: string) => page.getByRole('main').getByLabel(label, { exact: true })

/** Presses a button. @param text part of its name */
export const press = (page: Page, text: string | RegExp) =>
  page.getByRole('main').getByRole('button', { name: text }).first().click()

export const follow = (page: Page, text: string | RegExp) =>
  page.getByRole('main').getByRole('link', { name: text }).first().click()

const idAtEnd = /[0-9a-f]{8}-[0-9a-f-]{27}$/

/** Waits for the page of a new thing of this kind. @returns its id */
export const arrive = async (page: Page, kind: string): Promise<string> => {
  await page.waitForURL((url) => url.pathname.startsWith(`/dashboard/${kind}/`) && idAtEnd.test(url.pathname))
  return idAtEnd.exec(new URL(page.url()).pathname)?.[0] ?? ''
}
