import type { StoredReading } from '@probe-mesh/contracts/check/check'
import type { HopTrace, NameEvidence, ReadingDetails } from '@probe-mesh/contracts/reading/reading-details'
import { phaseBars, phases } from '../../charts/phase-bars.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html, Piece } from '@probe-mesh/runtime/html'
import { milliseconds, none, time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import { verdictWords } from './verdict-words.ts'

/** The first of each region, which is its newest where the newest come first. */
export const newestOfRegions = (readings: readonly StoredReading[]): StoredReading[] => {
  const newest = new Map<string, StoredReading>()
  for (const reading of readings) {
    if (!newest.has(reading.region)) newest.set(reading.region, reading)
  }
  return [...newest.values()].toSorted((a, b) => (a.region < b.region ? -1 : 1))
}

/** What the type of a check notes of each region's newest reading: a journey's waterfall, or a list. */
export const detailsSection = (
  readings: readonly StoredReading[],
  heading = 'What was seen',
): Html | null => {
  const noted = readings.flatMap((reading) =>
    reading.details === null ? [] : [{ reading, details: reading.details }],
  )
  if (noted.length === 0) return null
  return html`<h2>${heading}</h2>
    ${noted.map(
      ({ reading, details }) =>
        html`<h3>${reading.region}</h3>
          <p>
            ${tag(verdictWords[reading.verdict])} ${reading.reason} Measured ${time(reading.measuredAt)},
            ${reading.kind}.
          </p>
          ${detailsOf(details, reading.region)} ${details.names ? nameEvidence(details.names) : null}`,
    )}`
}

const detailsOf = (details: ReadingDetails, region: string): Html => {
  switch (details.type) {
    case 'multistep':
      return html`${waterfall(details.hops, region)} ${notesOf(details)}`
    case 'http':
      return html`${hasEvidence(details) && list({ CDN: details.cdn, 'Name servers': details.nameServers })}
      ${notesOf(details)}`
    case 'tcp':
      return list({ Received: details.received })
    case 'dns':
      return list({
        'Response code': details.rcode,
        'Time to live': details.ttlSeconds === null ? null : `${details.ttlSeconds} s`,
        Records: details.values,
      })
    case 'smtp':
      return list({
        Banner: details.banner,
        Extensions: details.extensions,
        TLS: details.tlsVersion,
      })
    case 'browser':
      return list({
        Title: details.title,
        'Largest contentful paint': milliseconds(details.lcpMs),
        Requests: String(details.requests),
        'Requests refused by the guard': String(details.refusedRequests),
        'Console errors': String(details.consoleErrorCount),
        'The first of them': details.consoleErrors,
      })
    default:
      return details satisfies never
  }
}

/** Why a name was not resolved: what the probe's resolver said, and what the zones' own servers did. */
const nameEvidence = (names: NameEvidence): Html => html`
  ${list({
    'Name that was not resolved': names.name,
    "The probe's resolver": resolverWords[names.resolver] ?? names.resolver,
    'Control names, same resolver': controlWords[names.controls] ?? names.controls,
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
/** Only catalog services have any. */
const hasEvidence = ({ cdn, nameServers }: { cdn: string | null; nameServers: string[] }): boolean =>
  cdn !== null || nameServers.length > 0

/** What went otherwise than usual and is no fault. */
const notesOf = ({ notes }: { notes?: string[] | undefined }): Html | false =>
  notes !== undefined &&
  html`<p>Noted, without a part in the verdict:</p>
    <ul>
      ${notes.map((note) => html`<li><bdi>${note}</bdi></li>`)}
    </ul>`

/** Texts of others: each stands apart from the page's own. */
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

const nameOf = ({ step, hop }: HopTrace): string => (hop === 0 ? `step ${step}` : `step ${step}, hop ${hop}`)

/** A journey's requests as they followed one another. */
const waterfall = (hops: readonly HopTrace[], region: string): Html => html`
  ${phaseBars(
    `waterfall-${region}`,
    hops.map((hop) => ({ label: nameOf(hop), startMs: hop.startMs, timings: hop.timings })),
    { title: `Requests of the journey from ${region}` },
  )}
  <details>
    <summary>The requests as a table</summary>
    ${table(
      `Requests of the journey from ${region}`,
      [
        { heading: 'Request', cell: nameOf },
        {
          heading: 'Asked',
          cell: ({ method, url }: HopTrace) => html`${method} <bdi>${url}</bdi>`,
        },
        { heading: 'Status code', isNumber: true, cell: ({ httpStatus }) => httpStatus ?? none },
        { heading: 'Began after', isNumber: true, cell: ({ startMs }) => milliseconds(startMs) },
        ...phases.map(({ name, of }) => ({
          heading: name,
          isNumber: true,
          cell: ({ timings }: HopTrace) => milliseconds(of(timings)),
        })),
        { heading: 'Latency', isNumber: true, cell: ({ latencyMs }) => milliseconds(latencyMs) },
        { heading: 'Address', cell: ({ address }) => address ?? none },
      ],
      hops,
    )}
  </details>
`
