import { execFile } from 'node:child_process'
import { loadPlaywright } from '@probe-mesh/check-types/browser/probe/chromium'
import { findTestChromium } from '@probe-mesh/infra/testing/chromium'
import type { Browser, BrowserContext, Page } from 'playwright-core'

/** The status that was accepted; null: no answer, with the message. */
type OracleAnswer = { status: number | null; message: string }

export type Oracle = { load(url: string): Promise<OracleAnswer>; close(): Promise<void> }
export type ChromiumOracle = Oracle & { version: string }

const waitMsMax = 15_000

/** `curl -L --compressed -b ''`: exit 0 and its last status. @param args additional arguments */
export const createCurl = (args: readonly string[] = []): Oracle => ({
  load: (url) =>
    new Promise((resolve) => {
      const all = ['-q', '-sS', '-L', '--compressed', '-b', '', '-o', '/dev/null']
      const limits = ['--noproxy', '*', '--max-time', String(waitMsMax / 1_000), '-w', '%{http_code}']
      execFile('curl', [...all, ...limits, ...args, url], (error, stdout, stderr) => {
        const message = stderr.trim().slice(0, 200)
        if (error === null) resolve({ status: Number(stdout), message })
        else resolve({ status: null, message: `exit ${error.code}: ${message}` })
      })
    }),
  close: async () => undefined,
})

type ChromiumOptions = { args?: readonly string[]; home?: string }

/** Starts a real Chromium. @param options.home the folder of its trusted authorities */
export const startChromiumContext = async ({ args = [], home }: ChromiumOptions = {}): Promise<{
  context: BrowserContext
  version: string
  close(): Promise<void>
}> => {
  const chromium = await loadPlaywright()
  const browser: Browser = await chromium.launch({
    executablePath: await findTestChromium(),
    ...(home === undefined ? {} : { env: { ...process.env, HOME: home } as Record<string, string> }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--no-proxy-server',
      '--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable',
      ...args,
    ],
  })
  return {
    context: await browser.newContext({ acceptDownloads: false }),
    version: `Chromium ${browser.version().split('.')[0]}`,
    close: () => browser.close(),
  }
}

/** Chromium with a page for each case. */
export const startChromium = async (options: ChromiumOptions = {}): Promise<ChromiumOracle> => {
  const { context, version, close } = await startChromiumContext(options)
  return {
    version,
    load: async (url) => {
      const page = await context.newPage()
      const answer = await visit(page, url)
      // a page that still loads may close late
      page.close().catch(() => undefined)
      return answer
    },
    close,
  }
}

/** Errors of a page whose answer was accepted, but had no content or is not a page. */
const acceptedErrors = /ERR_HTTP_RESPONSE_CODE_FAILURE|ERR_INVALID_AUTH_CREDENTIALS|Download is starting/
const withoutContent: ReadonlySet<number | null> = new Set([204, 205, 304])

const visit = async (page: Page, url: string): Promise<OracleAnswer> => {
  let last: number | null = null
  page.on('response', (response) => {
    if (response.request().isNavigationRequest()) last = response.status()
  })
  try {
    const response = await page.goto(url, { waitUntil: 'commit', timeout: waitMsMax })
    return { status: response?.status() ?? null, message: '' }
  } catch (error) {
    const message = String(error).split('\n')[0]?.slice(0, 200) ?? ''
    const isAccepted =
      acceptedErrors.test(message) || (message.includes('ERR_ABORTED') && withoutContent.has(last))
    return { status: isAccepted ? last : null, message }
  }
}
