import { codeOf } from '@probe-mesh/runtime/errors'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import type { Gathered } from '../findings/finding.ts'

/** A part that takes longer is a finding, ms. */
export const gatherMsMax = 6_000

/** Errors may repeat a URL with a password. */
const credentialsInUrl = /\/\/[^/@\s]*@/g
const whyCharactersMax = 200

/** Gathers the facts of one part within a deadline. Errors become part of the result. */
export const gather = async <T>(work: () => Promise<T>): Promise<Gathered<T>> => {
  try {
    return { ok: true, facts: await withDeadline(work(), gatherMsMax) }
  } catch (error) {
    const code = codeOf(error)
    return { ok: false, why: whyOf(error), ...(code !== '' && { code }) }
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
