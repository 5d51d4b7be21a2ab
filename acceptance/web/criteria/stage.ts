import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { findTestChromium } from '@probe-mesh/infra/testing/chromium'
import { logIn, openBrowser, type Person } from '../browser.ts'
import { startWebSystem, type WebSystem } from '../system.ts'

/** A size of window, a scheme of colours, and whether scripts run. */
export type Look = {
  name: string
  width: 1440 | 375
  height: 900 | 812
  colorScheme: 'light' | 'dark'
  script: boolean
}

const look = (width: Look['width'], colorScheme: Look['colorScheme'], script: boolean): Look => ({
  name: `${width} ${colorScheme}${script ? '' : ', no script'}`,
  width,
  height: width === 1440 ? 900 : 812,
  colorScheme,
  script,
})

/** What every criterion is looked at in: two sizes, two schemes, with and without scripts. */
export const looks: readonly Look[] = [true, false].flatMap((script) =>
  ([1440, 375] as const).flatMap((width) =>
    (['light', 'dark'] as const).map((scheme) => look(width, scheme, script)),
  ),
)

/** A scheme changes colours and no place: what is measured in pixels is measured in each, what is pressed in one. */
export const lightLooks = looks.filter(({ colorScheme }) => colorScheme === 'light')
export const scriptLooks = looks.filter(({ script }) => script)

/** A whole system, and people before it whose windows have a look. */
export type Stage = {
  system: WebSystem
  /** Somebody logged in as the owner of the seeded account. */
  member(look: Look, options?: BrowserContextOptions): Promise<Person>
  /** Somebody without cookies. */
  visitor(look: Look, options?: BrowserContextOptions): Promise<Person>
  close(): Promise<void>
}

export const openStage = async (): Promise<Stage> => {
  const system = await startWebSystem(await findTestChromium())
  const people = await openBrowser(system.address)
  const first = await people.person()
  await logIn(first.page, system.credentials)
  const storageState = await first.page.context().storageState()
  await first.close()
  const visitor: Stage['visitor'] = ({ width, height, colorScheme, script }, options = {}) =>
    people.person({ viewport: { width, height }, colorScheme, javaScriptEnabled: script, ...options })
  return {
    system,
    visitor,
    member: (as, options = {}) => visitor(as, { storageState, ...options }),
    close: async () => {
      await people.close()
      await system.close()
    },
  }
}

/** Opens a window, uses it, and closes it. Nothing may have gone wrong in it. */
export const using = async <T>(opening: Promise<Person>, use: (page: Page) => Promise<T>): Promise<T> => {
  const { page, problems, close } = await opening
  try {
    const result = await use(page)
    expect(problems).toEqual([])
    return result
  } finally {
    await close()
  }
}

/** Prints the figure of a criterion: `A3 1440 light: first row 184 px, 14 rows`. */
export const say = (line: string): void => console.log(line)

/** Runs a script in the page, where the text of the page is the only thing that both sides know. */
export const inPage = async <T>(page: Page, script: string): Promise<T> => (await page.evaluate(script)) as T

/** A page that shows what it is going to show: fonts are there, and its live connection says so. */
export const settled = async (page: Page, { script }: Pick<Look, 'script'>): Promise<void> => {
  if (!script) return
  await inPage(page, 'document.fonts.ready.then(() => true)')
  const live = page.locator('#live-state')
  const isLive = (await page.locator('[data-live]').count()) > 0
  if (isLive && (await live.count()) > 0) await live.filter({ hasText: 'Live' }).waitFor()
  await inPage(
    page,
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))',
  )
}
