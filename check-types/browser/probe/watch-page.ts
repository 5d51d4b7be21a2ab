import type { ConsoleMessage, Page, Request, Response } from 'playwright-core'
import { authorityOf } from './proxy-headers.ts'
import type { ProxyRun, Reached } from './proxy-run.ts'

/** One request for the page's own document, including redirects and navigations of its scripts. */
export type Navigation = {
  readonly url: string
  response: Response | null
  /** `net::ERR_...` */
  error: string | null
  /** Its connection. */
  reached: Reached | null
}

/** Events of a page while it loads. */
export type Watched = {
  /** The latest; null before the first. */
  readonly navigation: Navigation | null
  readonly requests: number
  readonly consoleErrorCount: number
  /** The first errors, truncated. */
  readonly consoleErrors: readonly string[]
  /** The page's process has ended. */
  readonly isCrashed: boolean
}

const consoleErrorsMax = 10
const consoleCharactersMax = 300
const urlsMax = 1_000

/** Records the events of a page from now on. */
export const watchPage = (page: Page, run: ProxyRun): Watched => {
  let navigation: Navigation | null = null
  let documentRequest: Request | null = null
  let requests = 0
  let consoleErrorCount = 0
  let isCrashed = false
  const consoleErrors: string[] = []
  const urls = new Set<string>()

  const noteError = (text: string): void => {
    consoleErrorCount += 1
    if (consoleErrors.length < consoleErrorsMax) {
      consoleErrors.push(text.slice(0, consoleCharactersMax))
    }
  }
  /** Chromium requests a site's icon by itself, and reports its failure as an error of the page. */
  const isOfIcon = (message: ConsoleMessage): boolean =>
    message.text().startsWith('Failed to load resource') &&
    urls.size < urlsMax &&
    !urls.has(message.location().url)

  page.on('request', (request) => {
    requests += 1
    if (urls.size < urlsMax) urls.add(request.url())
    if (!isOfDocument(request, page)) return
    documentRequest = request
    navigation = { url: request.url(), response: null, error: null, reached: null }
  })
  page.on('response', (response) => {
    if (navigation === null || response.request() !== documentRequest) return
    navigation.response = response
    navigation.reached = reachedBy(navigation.url, run)
  })
  page.on('requestfailed', (request) => {
    if (navigation === null || request !== documentRequest) return
    navigation.error = request.failure()?.errorText ?? ''
    navigation.reached ??= reachedBy(navigation.url, run)
  })
  page.on('console', (message) => {
    if (message.type() === 'error' && !isOfIcon(message)) noteError(message.text())
  })
  page.on('pageerror', (error) => noteError(String(error.message)))
  page.on('crash', () => {
    isCrashed = true
  })
  return {
    get navigation() {
      return navigation
    },
    get requests() {
      return requests
    },
    get consoleErrorCount() {
      return consoleErrorCount
    },
    consoleErrors,
    get isCrashed() {
      return isCrashed
    },
  }
}

const isOfDocument = (request: Request, page: Page): boolean =>
  request.isNavigationRequest() && request.frame() === page.mainFrame()

export const reachedBy = (url: string, run: ProxyRun): Reached | null => {
  const parsed = URL.parse(url)
  return parsed === null ? null : run.reached(authorityOf(parsed))
}
