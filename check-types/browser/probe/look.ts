import type { CDPSession } from 'playwright-core'

/** The expected content of a page. */
export type Wanted = { titleContains: string | null; textContains: string | null }
export type Look = {
  /** Truncated. */
  title: string
  hasTitle: boolean
  hasText: boolean
  /** Largest contentful paint so far, ms since the navigation started; null before any. */
  lcpMs: number | null
}

const titleCharactersMax = 300
const markupCharactersMax = 256 * 1024
const paintWaitMs = 100

/**
 * Evaluates in an isolated world: the page's scripts can neither change its functions nor detect
 * it.
 */
const evaluate = async (session: CDPSession, expression: string): Promise<unknown> => {
  const { frameTree } = await session.send('Page.getFrameTree')
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'probe-mesh',
  })
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    contextId: executionContextId,
    expression,
    awaitPromise: true,
    returnByValue: true,
  })
  if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text)
  return result.value
}

const lookExpression = ({ titleContains, textContains }: Wanted): string => `(async () => {
  const title = document.title
  const text = document.body === null ? '' : document.body.innerText
  const lcpMs = await new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const [last] = list.getEntries().slice(-1)
      resolve(last === undefined ? null : last.startTime)
    }).observe({ type: 'largest-contentful-paint', buffered: true })
    setTimeout(resolve, ${paintWaitMs}, null)
  })
  return {
    title: title.slice(0, ${titleCharactersMax}),
    hasTitle: title.includes(${JSON.stringify(titleContains ?? '')}),
    hasText: text.includes(${JSON.stringify(textContains ?? '')}),
    lcpMs,
  }
})()`

/**
 * Inspects the page once.
 * @throws Error while another page replaces it
 */
export const inspectPage = async (session: CDPSession, wanted: Wanted): Promise<Look> =>
  (await evaluate(session, lookExpression(wanted))) as Look

/** The page's markup, its first 256 K characters, which contain the evidence of a refusal. */
export const readMarkup = async (session: CDPSession): Promise<string> => {
  const expression = `document.documentElement?.outerHTML.slice(0, ${markupCharactersMax}) ?? ''`
  return String(await evaluate(session, expression))
}
