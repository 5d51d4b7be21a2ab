import { loadPlaywright } from '@probe-mesh/check-types/browser/probe/chromium'
import type { Browser, BrowserContext, BrowserContextOptions, ConsoleMessage, Page } from 'playwright-core'
import { findTestChromium } from '@probe-mesh/infra/testing/chromium'

/** A browser window of one person, with its errors. */
export type Person = {
  page: Page
  /** Console errors, exceptions, and violations of the content security policy, in order. */
  problems: readonly string[]
  close(): Promise<void>
}

export type People = {
  /** A new person, without cookies. */
  person(options?: BrowserContextOptions): Promise<Person>
  close(): Promise<void>
}

const waitMsMax = 30_000

/** One Chromium for all people of a run, each in a separate context. @param address of the system */
export const openBrowser = async (address: string): Promise<People> => {
  const chromium = await loadPlaywright()
  const browser: Browser = await chromium.launch({
    executablePath: await findTestChromium(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  })
  return {
    person: async (options = {}) => {
      const context = await browser.newContext({
        baseURL: address,
        locale: 'en-GB',
        timezoneId: 'UTC',
        reducedMotion: 'reduce',
        ...options,
      })
      context.setDefaultTimeout(waitMsMax)
      const problems: string[] = []
      watch(context, address, problems)
      return { page: await context.newPage(), problems, close: () => context.close() }
    },
    close: () => browser.close(),
  }
}

/** Refused forms and unknown pages are expected answers, which Chromium logs as errors. */
const isAnswer = (message: ConsoleMessage): boolean =>
  /the server responded with a status of 4\d\d/.test(message.text()) &&
  message.page()?.url() === message.location().url

const watch = (context: BrowserContext, address: string, problems: string[]): void => {
  // a policy violation is also logged on the console
  context.on('console', (message) => {
    if (message.type() !== 'error' || isAnswer(message)) return
    problems.push(`${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (error) => problems.push(String(error.error())))
  context.on('request', (request) => {
    if (!request.url().startsWith(address)) problems.push(`asks elsewhere: ${request.url()}`)
  })
}

/** Logs in through the form. */
export const logIn = async (page: Page, who: { email: string; password: string }): Promise<void> => {
  await page.goto('/login')
  await page.getByLabel('E-mail').first().fill(who.email)
  await page.getByLabel('Password').fill(who.password)
  await page.getByRole('button', { name: 'Log in' }).first().click()
  await page.waitForURL((url) => url.pathname.startsWith('/dashboard'))
}
