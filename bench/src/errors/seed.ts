import { randomBytes, hash } from 'node:crypto'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { errorPartitionOf } from '@probe-mesh/contracts/mesh/partition'
import type { ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { insertOccurrences } from '@probe-mesh/control-plane/error-tracking/persist/insert-occurrences'
import { batchChanges } from '@probe-mesh/control-plane/error-tracking/events/batch-changes'
import type { ErrorEvent } from '@probe-mesh/control-plane/error-tracking/events/error-event'
import { errorIssueIdOf } from '@probe-mesh/control-plane/error-tracking/events/issue-id'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { recordErrorBatch } from '@probe-mesh/control-plane/error-tracking/persist/error-batches-store'
import { finishErrorBatch } from '@probe-mesh/control-plane/error-tracking/persist/finish-error-batch-store'
import { takeTestLeases } from '@probe-mesh/control-plane/stores/postgres/testing'
import { createRandom } from '../statistics.ts'
import { eventTemplates } from './stored-events.ts'

const rowsPerBatch = 5_000
const dayMs = 86_400_000
const daysBack = 60
export const releases = 40

export const releaseOf = (n: number): string => `shop@${Math.floor(n / 10)}.${n % 10}.0`
/** A word that only one issue's title has, and one that only its occurrences' messages have. */
export const rareTitle = (issue: number): string => `widget${issue}x`
export const rareMessage = (n: number): string => `order-${n.toString(36)}z`

/**
 * Writes occurrences of one project by the product's own functions, a few issues having most of them,
 * as it is. They go back 60 days, the newest ones last.
 * @param from the number of those that it has
 */
export const seedOccurrences = async (
  stores: { sql: Sql; clickhouse: ClickHouse },
  projectId: string,
  { from, to, issues }: { from: number; to: number; issues: number },
): Promise<void> => {
  const { sql, clickhouse } = stores
  const partition = errorPartitionOf(projectId)
  const lease = (await takeTestLeases(sql)).find((one) => one.partition === partition)
  if (lease === undefined) throw new Error(`no lease of ${partition}`)
  const eventOf = createEvents(projectId, { total: to, issues })
  for (let first = from; first < to; first += rowsPerBatch) {
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
    const terms = { quotaOf: () => to, publicUrl: null, nowMs: now }
    await finishErrorBatch(sql, lease, batch, batchChanges(outcomes, []), terms)
  }
  await sql`analyze`
}

const createEvents = (projectId: string, { total, issues }: { total: number; issues: number }) => {
  // a million with all their breadcrumbs are ten gigabytes to write
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
