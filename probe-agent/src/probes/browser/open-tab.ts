import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import type { Chromium } from './chromium.ts'
import { greetingUrl } from './proxy-forward.ts'
import type { ProxyRun } from './proxy-run.ts'

/** A page of its own: no cookies, no cache, no permissions, and a credential for the proxy. */
export type Tab = {
  readonly context: BrowserContext
  readonly page: Page
  /** Speaks to the page's main frame. */
  readonly session: CDPSession
  /** What the page does on the network. */
  readonly run: ProxyRun
  /** Aborted when Chromium has ended or is about to. */
  readonly ended: AbortSignal
}

export type OpenTab = Tab & {
  /** Cuts the page's connections at once, and lets go of the place when the page is gone. */
  close(): void
}

export const viewport = { width: 1280, height: 720 }

/** @throws Error when Chromium does not do it */
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
    await greet(page, session, run)
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
 * Tells Chromium the run's credential. It is given to the proxy alone: what Playwright calls a
 * proxy's credential is also shown to every server that asks for one. After the greeting Chromium
 * knows it for this context, frames, workers and WebSockets included.
 */
const greet = async (page: Page, session: CDPSession, run: ProxyRun): Promise<void> => {
  const { username, password } = run
  session.on('Fetch.requestPaused', ({ requestId }) => {
    session.send('Fetch.continueRequest', { requestId }).catch(() => undefined)
  })
  session.on('Fetch.authRequired', ({ requestId, authChallenge }) => {
    const authChallengeResponse =
      authChallenge.source === 'Proxy'
        ? ({ response: 'ProvideCredentials', username, password } as const)
        : ({ response: 'CancelAuth' } as const)
    session
      .send('Fetch.continueWithAuth', { requestId, authChallengeResponse })
      .catch(() => undefined)
  })
  await session.send('Fetch.enable', { handleAuthRequests: true })
  const greeted = await page.goto(greetingUrl)
  if (greeted?.status() !== 200) throw new Error('the proxy of the browser did not answer')
  await session.send('Fetch.disable')
}
