import { execFile } from 'node:child_process'
import { loadPlaywright } from '@probe-mesh/probe-agent/probes/browser/chromium'
import { findTestChromium } from '@probe-mesh/infra/testing/chromium'
import type { Browser, Page } from 'playwright-core'

/** The status that was taken as the answer; null where there was none, with what was said. */
export type Taken = { status: number | null; said: string }

export type Oracle = { ask(url: string): Promise<Taken>; close(): Promise<void> }
export type ChromiumOracle = Oracle & { version: string }

const waitMsMax = 15_000

/** `curl -L --compressed -b ''`: exit 0 and its last status. @param args besides */
export const createCurl = (args: readonly string[] = []): Oracle => ({
  ask: (url) =>
    new Promise((resolve) => {
      const all = ['-q', '-sS', '-L', '--compressed', '-b', '', '-o', '/dev/null']
      const limits = ['--noproxy', '*', '--max-time', String(waitMsMax / 1_000), '-w', '%{http_code}']
      execFile('curl', [...all, ...limits, ...args, url], (error, stdout, stderr) => {
        const said = stderr.trim().slice(0, 200)
        if (error === null) resolve({ status: Number(stdout), said })
        else resolve({ status: null, said: `exit ${error.code}: ${said}` })
      })
    }),
  close: async () => undefined,
})

/** A real Chromium, each case in a page of its own. @param options.home where its trusted authorities are */
export const startChromium = async ({
  args = [],
  home,
}: { args?: readonly string[]; home?: string } = {}): Promise<ChromiumOracle> => {
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
  const context = await browser.newContext({ acceptDownloads: false })
  return {
    version: `Chromium ${browser.version().split('.')[0]}`,
    ask: async (url) => {
      const page = await context.newPage()
      const taken = await visit(page, url)
      // a page that still loads may close late
      page.close().catch(() => undefined)
      return taken
    },
    close: () => browser.close(),
  }
}

/** Errors of a page whose answer was taken: there was nothing to show, or it is no page. */
const takenAnyway = /ERR_HTTP_RESPONSE_CODE_FAILURE|ERR_INVALID_AUTH_CREDENTIALS|Download is starting/
const withoutContent: ReadonlySet<number | null> = new Set([204, 205, 304])

const visit = async (page: Page, url: string): Promise<Taken> => {
  let last: number | null = null
  page.on('response', (response) => {
    if (response.request().isNavigationRequest()) last = response.status()
  })
  try {
    const response = await page.goto(url, { waitUntil: 'commit', timeout: waitMsMax })
    return { status: response?.status() ?? null, said: '' }
  } catch (error) {
    const said = String(error).split('\n')[0]?.slice(0, 200) ?? ''
    const isTaken = takenAnyway.test(said) || (said.includes('ERR_ABORTED') && withoutContent.has(last))
    return { status: isTaken ? last : null, said }
  }
}
