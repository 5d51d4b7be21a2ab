import { loadPlaywright } from '@probe-mesh/probe-agent/probes/browser/chromium'
import type { Browser, BrowserContext, BrowserContextOptions, ConsoleMessage, Page } from 'playwright-core'
import { findTestChromium } from '@probe-mesh/infra/testing/chromium'

/** A person's browser window: what went wrong in it is kept. */
export type Person = {
  page: Page
  /** Errors on the console, exceptions, and what the content security policy stopped; in order. */
  problems: readonly string[]
  close(): Promise<void>
}

export type People = {
  /** Somebody new, without cookies. */
  person(options?: BrowserContextOptions): Promise<Person>
  close(): Promise<void>
}

const waitMsMax = 30_000

/** One Chromium for all people of a run, each in a context of their own. @param address of the system */
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

/** A refused form, and a page that is not there, are answers; Chromium notes them as errors. */
const isAnswer = (message: ConsoleMessage): boolean =>
  /the server responded with a status of 4\d\d/.test(message.text()) &&
  message.page()?.url() === message.location().url

const watch = (context: BrowserContext, address: string, problems: string[]): void => {
  // a policy's violation is an error on the console as well
  context.on('console', (message) => {
    if (message.type() !== 'error' || isAnswer(message)) return
    problems.push(`${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (error) => problems.push(String(error.error())))
  context.on('request', (request) => {
    if (!request.url().startsWith(address)) problems.push(`asks elsewhere: ${request.url()}`)
  })
}

/** Through the form, as anybody does. */
export const logIn = async (page: Page, who: { email: string; password: string }): Promise<void> => {
  await page.goto('/login')
  await page.getByLabel('E-mail').first().fill(who.email)
  await page.getByLabel('Password').fill(who.password)
  await page.getByRole('button', { name: 'Log in' }).first().click()
  await page.waitForURL((url) => url.pathname.startsWith('/dashboard'))
}
