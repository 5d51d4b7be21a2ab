import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import type { Chromium } from './chromium.ts'
import { authenticationUrl } from './proxy-forward.ts'
import type { ProxyRun } from './proxy-run.ts'

/** An isolated page: no cookies, no cache, no permissions, and a credential for the proxy. */
export type Tab = {
  readonly context: BrowserContext
  readonly page: Page
  /** Session with the page's main frame. */
  readonly session: CDPSession
  /** The page's network activity. */
  readonly run: ProxyRun
  /** Aborted when Chromium has ended or is about to. */
  readonly ended: AbortSignal
}

export type OpenTab = Tab & {
  /** Cuts the page's connections at once, and releases the place when the page is closed. */
  close(): void
}

export const viewport = { width: 1280, height: 720 }

/**
 * @throws Error when Chromium fails to open it
 */
export const openTab = async (
  { browser, userAgent, ended }: Chromium,
  run: ProxyRun,
  agentName: string,
): Promise<Tab> => {
  const context = await browser.newContext({
    acceptDownloads: false,
    permissions: [],
    serviceWorkers: 'block',
    userAgent: `${userAgent} ${agentName}`,
    viewport,
  })
  try {
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await authenticate(page, session, run)
    context.on('page', (popup) => {
      popup.close().catch(() => undefined)
    })
    return { context, page, session, run, ended }
  } catch (error) {
    context.close().catch(() => undefined)
    throw error
  }
}

/**
 * Gives Chromium the run's proxy credential. Playwright's own proxy credentials are also sent to
 * any server that asks for one. After this request Chromium uses it for this context, including
 * frames, workers and WebSockets.
 */
const authenticate = async (page: Page, session: CDPSession, run: ProxyRun): Promise<void> => {
  const { username, password } = run
  session.on('Fetch.requestPaused', ({ requestId }) => {
    session.send('Fetch.continueRequest', { requestId }).catch(() => undefined)
  })
  session.on('Fetch.authRequired', ({ requestId, authChallenge }) => {
    const authChallengeResponse =
      authChallenge.source === 'Proxy'
        ? ({ response: 'ProvideCredentials', username, password } as const)
        : ({ response: 'CancelAuth' } as const)
    session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(() => undefined)
  })
  await session.send('Fetch.enable', { handleAuthRequests: true })
  const response = await page.goto(authenticationUrl)
  if (response?.status() !== 200) throw new Error('the proxy of the browser did not answer')
  await session.send('Fetch.disable')
}
