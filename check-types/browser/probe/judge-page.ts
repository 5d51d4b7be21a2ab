import type { SettingsAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { BrowserSettings } from '../settings.ts'
import {
  bareRefusal,
  blocked,
  down,
  judgeFailure,
  up,
  type Judgement,
} from '@probe-mesh/probe-agent/src/judge/judgement'
import { quote } from '@probe-mesh/probe-agent/src/judge/quote'
import { headerEvidence, refusalEvidence } from '@probe-mesh/probe-agent/src/judge/refusal-evidence'
import type { Failure, Headers } from '@probe-mesh/probe-agent/src/request/outcome'
import { browserNotMeasured } from '@probe-mesh/probe-agent/src/probes/not-measured'

/** The observations that decide the verdict on a page. */
export type PageSeen = {
  failure: Failure | 'browser ended' | 'over limit' | null
  /** Null without an answer. */
  status: number | null
  headers: Headers
  /** Null when the page could not be inspected. */
  title: string | null
  hasTitle: boolean
  hasText: boolean
  lcpMs: number | null
  consoleErrors: readonly string[]
  consoleErrorCount: number
  markup: string | null
  /** The page reached a limit of the probe: missing content may not have been loaded. */
  isOverLimit: boolean
}

/**
 * The verdict on one visit, in the order navigation, status, title, text, console, paint. As for
 * http: a fault of the probe is unmeasured. Evidence of a refusal makes a failed page blocked, as
 * does a bare refusal by a catalog service.
 */
export const judgePage = (
  seen: PageSeen,
  { settings, owner }: Pick<SettingsAssignment<'browser'>, 'settings' | 'owner'>,
): Judgement => {
  const { failure, status, headers } = seen
  if (failure === 'browser ended') return browserNotMeasured.ended
  if (failure === 'over limit') return browserNotMeasured.overLimit
  if (failure !== null) {
    const refusal = status === null ? null : headerEvidence(status, headers)
    if (refusal !== null && failure.fault === 'target') return blocked(refusal)
    return judgeFailure(failure)
  }
  if (status === null) return browserNotMeasured.ended
  const mismatch = mismatchOf(seen, status, settings)
  if (mismatch === null && isExplicit(settings)) return up
  const evidence =
    seen.markup === null ? headerEvidence(status, headers) : refusalEvidence(status, headers, seen.markup)
  if (mismatch === null) return evidence === null ? up : blocked(evidence)
  if (evidence !== null) return blocked(evidence)
  const refused = bareRefusal(status, owner)
  if (refused !== null) return refused
  return seen.isOverLimit ? browserNotMeasured.overLimit : down(mismatch.cause, mismatch.reason)
}

type Mismatch = { cause: string; reason: string }

const mismatchOf = (seen: PageSeen, status: number, settings: BrowserSettings): Mismatch | null => {
  const { titleContains, textContains, failOnConsoleErrors, lcpMsMax } = settings
  if (status < 200 || status > 299) {
    return { cause: 'status_mismatch', reason: `expected status 200-299, got ${status}` }
  }
  if (seen.title === null) {
    return { cause: 'page_unresponsive', reason: 'the page is too busy to be inspected' }
  }
  if (titleContains !== null && !seen.hasTitle) {
    const reason = `expected the title to contain ${quote(titleContains)}, got ${quote(seen.title)}`
    return { cause: 'title_mismatch', reason }
  }
  if (textContains !== null && !seen.hasText) {
    return { cause: 'text_mismatch', reason: `the page does not show ${quote(textContains)}` }
  }
  if (failOnConsoleErrors && seen.consoleErrorCount > 0) {
    const count = seen.consoleErrorCount
    const errors = `${count} ${count === 1 ? 'error' : 'errors'} on the console`
    return { cause: 'console_error', reason: `${errors}: ${quote(seen.consoleErrors[0] ?? '')}` }
  }
  if (lcpMsMax === null) return null
  const expected = `expected the largest contentful paint within ${lcpMsMax} ms`
  if (seen.lcpMs === null) return { cause: 'lcp_missing', reason: `${expected}, but nothing was painted` }
  if (seen.lcpMs <= lcpMsMax) return null
  return { cause: 'lcp_slow', reason: `${expected}, it took ${Math.round(seen.lcpMs)} ms` }
}

/** Whether the owner defines the page's content: then that decides, not a header. */
const isExplicit = ({ titleContains, textContains }: BrowserSettings): boolean =>
  titleContains !== null || textContains !== null
