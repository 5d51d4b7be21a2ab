import type { Judgement } from '../judge/judgement.ts'

const unmeasured = (cause: string, reason: string): Judgement => ({
  verdict: 'unmeasured',
  fault: 'probe',
  cause,
  reason,
})

/** Why a run did not measure its target, before or after an attempt. */
export const notMeasured = {
  overloaded: unmeasured('probe_overloaded', 'the probe had no capacity for the run in time'),
  stopped: unmeasured('probe_stopped', 'the probe was stopped before the run'),
  lagging: unmeasured('probe_lagging', 'the probe itself was delayed during the run'),
  offline: unmeasured('probe_offline', 'the probe has no working network'),
  error: unmeasured('probe_error', 'the probe failed during the run'),
} as const

/** Why a browser run did not measure its page. */
export const browserNotMeasured = {
  noBrowser: unmeasured('probe_no_browser', 'the probe has no browser'),
  failed: unmeasured('probe_browser_failed', 'the browser of the probe did not start'),
  ended: unmeasured('probe_browser_ended', 'the browser of the probe ended during the run'),
  overLimit: unmeasured('probe_page_limit', 'the page loads more than the probe allows for one page'),
} as const
