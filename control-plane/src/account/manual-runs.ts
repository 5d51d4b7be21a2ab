import { attemptsMsMaxOf } from '@probe-mesh/contracts/assignment'
import type { StoredReading } from '@probe-mesh/contracts/check'
import type { Region } from '@probe-mesh/contracts/regions'
import type { Runs } from '@probe-mesh/bus/port'
import type { Logger } from 'pino'
import { assignmentOf } from '../checks/assignment-of.ts'
import type { CheckRecord } from '../checks/check-record.ts'
import { describeReading } from '../readings/stored-reading.ts'

/** Regions asked at one time for first readings; beyond, a check waits for its first slots. */
const firstReadingsUnderWayMax = 256
/** Beyond both attempts: the request's way there and back. */
const replySlackMs = 1_000

export type RunAnswers = { readings: StoredReading[]; unanswered: Region[] }

/** Asks agents for manual readings. The readings also travel the stream, like any other. */
export type ManualRuns = {
  /** One reading per region of the check, and the regions that did not answer in time. */
  ask(check: CheckRecord): Promise<RunAnswers>
  /** The same without waiting: the first readings of a new check. Failures are only logged. */
  start(check: CheckRecord): void
  close(): Promise<void>
}

export const createManualRuns = (capabilities: {
  runs: Pick<Runs, 'request'>
  now: () => number
  log: Pick<Logger, 'warn'>
  /** Told how many first readings are not asked for because too many are under way. */
  onDropped: (count: number) => void
}): ManualRuns => {
  const { runs, now, log, onDropped } = capabilities
  const underWay = new Set<Promise<unknown>>()
  let regionsUnderWay = 0

  const askRegion = async (check: CheckRecord, region: Region, at: number, number: number) => {
    const assignment = assignmentOf(check, region)
    if (assignment === null) return null
    const timeoutMs = attemptsMsMaxOf(assignment) + replySlackMs
    const reply = await runs
      .request(region, { kind: 'manual', at, number, assignment }, timeoutMs)
      .catch((error: unknown) => ({ error: error instanceof Error ? error.message : 'failed' }))
    if (typeof reply === 'object' && 'reading' in reply) {
      return describeReading(reply.reading, reply.agent, null)
    }
    const reason = typeof reply === 'string' ? reply : reply.error
    log.warn({ checkId: check.id, region, reason }, 'a manual reading was not taken')
    return null
  }

  const ask = async (check: CheckRecord): Promise<RunAnswers> => {
    const at = now()
    // tells runs of one instant apart: every manual reading has an identity of its own
    const number = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0
    const answers = await Promise.all(
      check.regions.map(async (region) => ({
        region,
        reading: await askRegion(check, region, at, number),
      })),
    )
    return {
      readings: answers.flatMap(({ reading }) => reading ?? []),
      unanswered: answers.flatMap(({ region, reading }) => (reading === null ? region : [])),
    }
  }

  return {
    ask,
    start: (check) => {
      if (regionsUnderWay + check.regions.length > firstReadingsUnderWayMax) {
        onDropped(check.regions.length)
        return
      }
      regionsUnderWay += check.regions.length
      const asking = ask(check).finally(() => {
        regionsUnderWay -= check.regions.length
        underWay.delete(asking)
      })
      underWay.add(asking)
    },
    close: async () => {
      await Promise.allSettled(underWay)
    },
  }
}
