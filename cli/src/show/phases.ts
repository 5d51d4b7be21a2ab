import { restMsOf, type Timings } from '@probe-mesh/contracts/reading/reading-details'
import { bareMs, milliseconds } from './measures.ts'
import type { Span } from './waterfall.ts'

/** The phases of a request in order, by the names of the API. */
export const phases = [
  { name: 'dns', key: 'dnsMs' },
  { name: 'connect', key: 'connectMs' },
  { name: 'tls', key: 'tlsMs' },
  { name: 'ttfb', key: 'ttfbMs' },
  { name: 'transfer', key: 'transferMs' },
] as const satisfies { name: string; key: keyof Timings }[]

/**
 * The phases that were reached, in sequence. They belong to the final request: the rest of the
 * total, such as redirects, has no position.
 */
export const phaseSpans = (timings: Timings, latencyMs: number | null): Span[] => {
  let startMs = 0
  const reached = phases.flatMap(({ name, key }): Span[] => {
    const lengthMs = timings[key]
    if (lengthMs === null) return []
    const span = { label: name, startMs, lengthMs, value: milliseconds(lengthMs) }
    startMs += lengthMs
    return [span]
  })
  const missingMs = restMsOf(timings, latencyMs)
  return missingMs === null
    ? reached
    : [...reached, { label: 'other', startMs: 0, lengthMs: null, value: milliseconds(missingMs) }]
}

export const phaseCells = (timings: Timings): string[] => phases.map(({ key }) => bareMs(timings[key]))
