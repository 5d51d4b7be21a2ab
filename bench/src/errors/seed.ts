import { randomBytes, hash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { errorPartitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { insertOccurrences } from '@probe-mesh/error-tracking/persist/insert-occurrences'
import { batchChanges } from '@probe-mesh/error-tracking/events/batch-changes'
import { parseEnvelope } from '@probe-mesh/error-tracking/events/envelope/parse-envelope'
import { readEvent } from '@probe-mesh/error-tracking/events/envelope/read-event'
import type { ErrorEvent } from '@probe-mesh/error-tracking/events/error-event'
import { errorIssueIdOf } from '@probe-mesh/error-tracking/events/issue'
import { defaultScrubRules, scrubEvent } from '@probe-mesh/error-tracking/events/scrub/scrub'
import { toErrorEvent } from '@probe-mesh/error-tracking/events/to-error-event'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { recordErrorBatch } from '@probe-mesh/error-tracking/persist/error-batches-store'
import { finishErrorBatch } from '@probe-mesh/error-tracking/persist/finish-error-batch-store'
import { acquireTestLeases } from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { createRandom } from '../harness/statistics.ts'
import { packEvents } from './bench-events.ts'

const templateCount = 400
const rowsPerBatch = 5_000
const dayMs = 86_400_000
const daysBack = 60
export const releases = 40

export const releaseOf = (n: number): string => `shop@${Math.floor(n / 10)}.${n % 10}.0`
/** A word in the title of one issue only, and one in the message of one occurrence only. */
export const rareTitle = (issue: number): string => `widget${issue}x`
export const rareMessage = (n: number): string => `order-${n.toString(36)}z`

/**
 * Stores occurrences of one project with the product's own functions, the newest last, over 60 days. A few
 * issues have most of them, as in real projects.
 */
export const seedOccurrences = async (
  stores: { sql: Sql; clickhouse: ClickHouse },
  projectId: string,
  { occurrences: to, issues }: { occurrences: number; issues: number },
): Promise<void> => {
  const { sql, clickhouse } = stores
  const partition = errorPartitionOf(projectId)
  const lease = (await acquireTestLeases(sql)).find((one) => one.partition === partition)
  if (lease === undefined) throw new Error(`no lease of ${partition}`)
  const eventOf = createEvents(projectId, { total: to, issues })
  for (let first = 0; first < to; first += rowsPerBatch) {
    const last = Math.min(first + rowsPerBatch, to)
    const events = Array.from({ length: last - first }, (_, n) => eventOf(first + n))
    const token = uuidv7(Date.now())
    const now = Date.now()
    const batch = {
      partition,
      token,
      first,
      last,
      messages: events.length,
      lastStoredAtMs: now,
      createdAtMs: now,
    }
    const asked = { arrivals: [], poison: [], wantedMaps: [], quotaOf: () => to }
    await recordErrorBatch(sql, lease, batch, asked)
    const rows = events.map((event) => ({
      event,
      issueId: errorIssueIdOf(projectId, event.grouping),
      keepDays: 90,
    }))
    await insertOccurrences(clickhouse, rows, { batch: token, token })
    const outcomes = events.map((event) => ({ event, outcome: 'stored' as const }))
    const how = { quotaOf: () => to, publicUrl: null, nowMs: now }
    await finishErrorBatch(sql, lease, batch, batchChanges(outcomes, []), how)
  }
  await sql`analyze`
}

const createEvents = (projectId: string, { total, issues }: { total: number; issues: number }) => {
  // with all its breadcrumbs, a million occurrences are ten gigabytes
  const templates = eventTemplates().map((template) => {
    const crumbs = template.context['breadcrumbs']
    const breadcrumbs = Array.isArray(crumbs) ? (crumbs as unknown[]).slice(-3) : []
    return { ...template, context: { ...template.context, breadcrumbs } }
  })
  const random = createRandom(issues)
  const now = Date.now()
  return (n: number): ErrorEvent => {
    const template = templates[n % templates.length]
    if (template === undefined) throw new Error('no template')
    // each issue once, then the lower ones most often
    const issue = n < issues ? n : Math.floor(issues * random() ** 4)
    const at = now - Math.floor((1 - n / total) * daysBack * dayMs) - Math.floor(random() * 60_000)
    const release = releaseOf(Math.floor(random() * releases))
    const message = `cannot read total of basket ${rareMessage(n)} for ${rareTitle(issue)}`
    return {
      ...template,
      projectId,
      eventId: randomBytes(16).toString('hex'),
      at,
      receivedAt: at,
      release,
      message,
      grouping: {
        version: 1,
        hash: hash('sha256', `issue ${issue}`),
        title: `TypeError: cannot read total for ${rareTitle(issue)} in area ${issue % 17}`,
        culprit: `pay${issue % 500} (src/area${issue % 17}/part${issue % 29}.js)`,
      },
    }
  }
}

/** The events as the app stores them. */
const eventTemplates = (): ErrorEvent[] => {
  const nextEvent = packEvents(1)
  return Array.from({ length: templateCount }, () => {
    const envelope = parseEnvelope(gunzipSync(nextEvent()))
    const payload = 'items' in envelope ? envelope.items[0]?.payload : undefined
    const json: unknown = JSON.parse(new TextDecoder().decode(payload))
    const raw = readEvent(json, { receivedAt: Date.now(), eventId: '0'.repeat(32) })
    if ('problem' in raw) throw new Error(raw.problem)
    return toErrorEvent(scrubEvent(raw, defaultScrubRules), '')
  })
}
