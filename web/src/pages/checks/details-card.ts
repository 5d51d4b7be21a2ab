import type { StoredReading } from '@probe-mesh/contracts/check/check'
import { factsOf } from '@probe-mesh/contracts/reading/readings-of-types'
import type { HopTrace, NameEvidence, ReadingDetails } from '@probe-mesh/contracts/reading/reading-details'
import { endOf, phases, waterfall } from '../../charts/waterfall.ts'
import { card } from '../../html/components/card.ts'
import { regionLabel } from '../../html/components/region-marks.ts'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { milliseconds, none, time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import { exchangeIn, exchangeView } from './exchange-view.ts'
import { verdictWords } from './verdict-words.ts'

/** The first reading of each region: the newest, if the newest come first. */
export const newestOfRegions = (readings: readonly StoredReading[]): StoredReading[] => {
  const newest = new Map<string, StoredReading>()
  for (const reading of readings) {
    if (!newest.has(reading.region)) newest.set(reading.region, reading)
  }
  return [...newest.values()].toSorted((a, b) => (a.region < b.region ? -1 : 1))
}

/** The names of a journey's steps, in order; none for other types. */
export type StepNames = readonly string[]

/**
 * The details in the newest reading of each region: a journey's waterfall, or a list. Regions have a fixed
 * order.
 * @param earlier newest first: the answer of a failure is in its first reading
 */
export const detailsCard = (
  readings: readonly StoredReading[],
  steps: StepNames,
  earlier: readonly StoredReading[] = readings,
): Html | null => {
  const noted = readings.flatMap((reading) =>
    reading.details === null && exchangeOf(reading, earlier) === null
      ? []
      : [{ reading, details: reading.details, exchange: exchangeOf(reading, earlier) }],
  )
  if (noted.length === 0) return null
  // one scale for all regions
  const endMs = Math.max(
    0,
    ...noted.map(({ details }) => (details?.type === 'multistep' ? endOf(details.hops) : 0)),
  )
  return card(
    { id: 'evidence', title: 'Last results' },
    html`${noted.map(
      ({ reading, details, exchange }) =>
        html`<h3>${regionLabel(reading.region)}</h3>
          <p>
            ${tag(verdictWords[reading.verdict])} ${reading.reason}
            <span class="muted">${time(reading.measuredAt)} · ${reading.kind}</span>
          </p>
          ${details !== null && detailsOf(details, reading.region, { steps, endMs })}
          ${details?.names ? nameEvidence(details.names) : null} ${exchange}`,
    )}`,
  )
}

/** Of a failure: what its reading, or the last one before it in the region, has of its answer. */
const exchangeOf = (reading: StoredReading, earlier: readonly StoredReading[]): Html | null => {
  if (reading.verdict !== 'down') return null
  const ofRegion = earlier.filter(({ region, slot }) => region === reading.region && slot <= reading.slot)
  const since = ofRegion.findIndex(({ verdict }) => verdict === 'up')
  const shown = [reading, ...ofRegion.slice(0, since === -1 ? undefined : since)].find(
    ({ details }) => exchangeIn(details) !== undefined,
  )
  const exchange = exchangeIn(shown?.details ?? null)
  if (shown === undefined || exchange === undefined) return null
  return exchangeView(exchange, shown === reading ? '' : html`at ${time(shown.measuredAt)}`)
}

type JourneyView = { steps: StepNames; endMs: number }

const detailsOf = (details: ReadingDetails, region: string, view: JourneyView): Html => {
  switch (details.type) {
    case 'multistep':
      return html`${journey(details.hops, region, view)} ${notesOf(details)} ${traceOf(details)}`
    case 'http':
      return html`${hasEvidence(details) && list({ CDN: details.cdn, ...(details.nameServers.length > 0 && { 'Name servers': details.nameServers }) })}
      ${notesOf(details)} ${traceOf(details)}`
    default:
      return list(factsOf(details))
  }
}

/**
 * Why resolution failed: the answers of the probe's resolver and of the zone's authoritative name servers.
 */
const nameEvidence = (names: NameEvidence): Html => html`
  ${list({
    'Unresolved name': names.name,
    "The probe's resolver": resolverWords[names.resolver] ?? names.resolver,
    'Other names, same resolver': controlWords[names.controls] ?? names.controls,
    ...(names.unchecked !== null && { 'Without DNSSEC checking': names.unchecked }),
    'Name servers asked directly': names.servers.map(serverWords),
  })}
`

const resolverWords: Readonly<Record<string, string>> = {
  NODATA: 'no address',
  failed: 'could not answer',
  silent: 'no answer',
}
const controlWords: Readonly<Record<string, string>> = {
  answered: 'resolved',
  failed: 'not resolved either',
  none: 'none known',
}

const serverWords = ({ name, address, answer }: NameEvidence['servers'][number]): string =>
  `${name}${address === null ? '' : ` (${address})`}: ${answer === 'silent' ? 'no answer' : answer}`
const hasEvidence = ({ cdn, nameServers }: { cdn: string | null; nameServers: string[] }): boolean =>
  cdn !== null || nameServers.length > 0

/** Unusual facts that are not faults. */
const notesOf = ({ notes }: { notes?: string[] | undefined }): Html | false =>
  notes !== undefined &&
  html`<p>Notes that do not change the verdict:</p>
    <ul>
      ${notes.map((note) => html`<li><bdi>${note}</bdi></li>`)}
    </ul>`

/** For a search in the traces of the target. */
const traceOf = ({ traceId }: { traceId?: string | undefined }): Html | false =>
  traceId !== undefined && list({ 'Trace id': traceId })

const list = (entries: Readonly<Record<string, string | readonly string[] | null>>): Html =>
  html`<dl>
    ${Object.entries(entries).map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${spelled(value)}</dd>`,
    )}
  </dl>`

const spelled = (value: string | readonly string[] | null): Piece => {
  if (value === null || value.length === 0) return none
  if (typeof value === 'string') return html`<bdi>${value}</bdi>`
  return value.map((each, index) => html`${index > 0 && ', '}<bdi>${each}</bdi>`)
}

/** `2. basket`, and a redirect of it as `2. basket, redirect 1`. */
const nameOf = ({ step, hop }: HopTrace, steps: StepNames): Html => {
  const name = steps[step - 1]
  return html`${step}.
  ${name === undefined ? 'step' : html`<bdi>${name}</bdi>`}${hop > 0 && `, redirect ${hop}`}`
}

/** A journey's requests in order. */
const journey = (hops: readonly HopTrace[], region: string, { steps, endMs }: JourneyView): Html => html`
  ${waterfall(
    hops.map((hop) => ({ label: nameOf(hop, steps), startMs: hop.startMs, timings: hop.timings })),
    { title: `Requests of the journey from ${region}`, firstHeading: 'Step', endMs },
  )}
  <details>
    <summary>Requests as a table</summary>
    ${table(
      `Requests of the journey from ${region}`,
      [
        { heading: 'Step', cell: (hop: HopTrace) => nameOf(hop, steps) },
        { heading: 'Request', cell: ({ method, url }) => html`${method} <bdi class="code">${url}</bdi>` },
        { heading: 'Status code', isNumber: true, cell: ({ httpStatus }) => httpStatus ?? none },
        { heading: 'Started after', isNumber: true, cell: ({ startMs }) => milliseconds(startMs) },
        ...phases.map(({ name, of }) => ({
          heading: name,
          isNumber: true,
          cell: ({ timings }: HopTrace) => milliseconds(of(timings)),
        })),
        { heading: 'Latency', isNumber: true, cell: ({ latencyMs }) => milliseconds(latencyMs) },
        { heading: 'IP address', cell: ({ address }) => address ?? none },
      ],
      hops,
    )}
  </details>
`
