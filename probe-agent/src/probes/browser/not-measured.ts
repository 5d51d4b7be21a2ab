import type { Judgement } from '../../judge/judgement.ts'

const unmeasured = (cause: string, reason: string): Judgement => ({
  verdict: 'unmeasured',
  fault: 'probe',
  cause,
  reason,
})

/** Why a browser run did not measure its page, besides the reasons of every run. */
export const browserNotMeasured = {
  noBrowser: unmeasured('probe_no_browser', 'the probe has no browser'),
  failed: unmeasured('probe_browser_failed', 'the browser of the probe did not start'),
  ended: unmeasured('probe_browser_ended', 'the browser of the probe ended during the run'),
  overLimit: unmeasured('probe_page_limit', 'the page loads more than the probe allows for one page'),
} as const
