import { codeOf } from '@probe-mesh/runtime/errors'
import { AnswerTimeout, withDeadline } from '@probe-mesh/runtime/deadline'
import { availableParallelism, loadavg } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Gathered } from '../findings/finding.ts'

/** A part that takes longer is tried again with more patience, ms. */
export const gatherMsMax = 6_000
/**
 * Factors of the limit. A part that answers only late is slow, and not dead; the last is for a machine that gives the
 * doctor itself a tenth of a core.
 */
const patiences = [1, 3, 10] as const
const patienceOfBusy = 10

/** Errors may repeat a URL with a password. */
const credentialsInUrl = /\/\/[^/@\s]*@/g
const whyCharactersMax = 200

/** Errors of a part that did not answer in time. A busy machine causes them too. */
const lateCodes = new Set([
  'CONNECT_TIMEOUT',
  'ETIMEDOUT',
  '57014',
  'ETIME',
  'UND_ERR_CONNECT_TIMEOUT',
  'ABORT_ERR',
])
const isLate = (error: unknown): boolean =>
  error instanceof AnswerTimeout ||
  (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')) ||
  lateCodes.has(codeOf(error)) ||
  (error instanceof Error && /time(?:d )?out/i.test(error.message))

/** From these on, this machine has too little time for the doctor, and so perhaps for its servers. */
const busyDelayMs = 300
const busyLoadPerCore = 4

/**
 * Gathers the facts of one part within a deadline. Errors become part of the result. A part that does not
 * answer in time is tried with longer deadlines, while the own delay of this process is measured.
 * @param work receives the factor by which its own limits are longer
 */
export const gather = async <T>(work: (patience: number) => Promise<T>): Promise<Gathered<T>> => {
  const ownDelay = measureOwnDelay()
  let last: unknown
  for (const patience of patiences) {
    if (patience === patienceOfBusy && !isBusy(ownDelay.longestMs())) break
    try {
      const facts = await withDeadline(work(patience), gatherMsMax * patience)
      ownDelay.end()
      return { ok: true, facts }
    } catch (error) {
      last = error
      if (!isLate(error)) break
    }
  }
  const [code, delayMs] = [codeOf(last), ownDelay.longestMs()]
  ownDelay.end()
  return {
    ok: false,
    why: whyOf(last),
    ...(code !== '' && { code }),
    ...(isLate(last) && isBusy(delayMs) && { ownDelayMs: Math.round(delayMs) }),
  }
}

const isBusy = (delayMs: number): boolean =>
  delayMs >= busyDelayMs || (loadavg()[0] ?? 0) / availableParallelism() >= busyLoadPerCore

/** Measures the longest delay of the own event loop so far, ms. */
const measureOwnDelay = (): { longestMs(): number; end(): void } => {
  const resolutionMs = 20
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  return {
    longestMs: () => Math.max(0, histogram.max / 1e6 - resolutionMs),
    end: () => void histogram.disable(),
  }
}

const whyOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  // an error over several addresses has no message of its own
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause
  const own = error.message === '' || error.message === 'fetch failed' ? '' : error.message
  const deeper = inner instanceof Error && own === '' ? inner.message : ''
  const text = [own, deeper, codeOf(error)].find((part) => part !== '') ?? error.name
  return text.replaceAll(credentialsInUrl, '//').replaceAll(/\s+/g, ' ').slice(0, whyCharactersMax)
}

/** How far a remote clock is ahead, assuming the answer was read halfway through the request, ms. */
export const skewOf = (theirMs: number, sentAtMs: number, receivedAtMs: number): number =>
  theirMs - (sentAtMs + receivedAtMs) / 2
