import { BusUnavailable } from '@probe-mesh/bus/port'
import { Reading, ReadingKind, ReadingsMessage } from '@probe-mesh/contracts/reading/reading'
import { Uuid } from '@probe-mesh/contracts/schema/ids'
import { refuse, refuseInvalid, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { privateRegion } from '@probe-mesh/contracts/reading/private-region'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { isSlot, slotPhase } from '@probe-mesh/contracts/reading/slots'
import { z } from 'zod'
import { inTurn } from '@probe-mesh/runtime/account-turns'
import type { Sql } from '../../stores/postgres/connect.ts'
import { findOwnChecks, type OwnPaces } from '../../agents/private-agents-store.ts'
import { findAgentRuns } from './relay-runs.ts'
import type { AdmittedAgent, RelayContext } from './context.ts'

export type Posted = {
  partition: number
  messageId: string
  body: unknown
  /** The size of the body as sent. */
  bytes: number
}
export type Taken = { sequence: number; duplicate: boolean }

/**
 * Publishes a message of readings for a private agent. It may contain readings of its own region, and of
 * checks that run or ran from it. Other readings are dropped and counted, as are readings of a run that was
 * not requested and scheduled readings that match no slot. A message in another agent's name is SV-2001, one
 * beyond the budget SV-6002, and one that the stream cannot store now SV-9002. After the last two the agent
 * sends it again (S-2907).
 */
export const takeReadings = async (
  { sql, bus, metrics, budgets }: Pick<RelayContext, 'sql' | 'bus' | 'metrics' | 'budgets'>,
  agent: AdmittedAgent,
  { partition, messageId, body, bytes }: Posted,
): Promise<Taken | Refusal> => {
  const parsed = ReadingsMessage.safeParse(body)
  if (!parsed.success) return refuseInvalid([parsed.error])
  const message = parsed.data
  const region = privateRegion(agent.id)
  // the name identifies its batches, and all agents share the stream's memory of message ids
  const isOwn =
    message.region === region &&
    message.agent === region &&
    message.partition === partition &&
    messageId === `${region}:${partition}:${message.batch}`
  if (!isOwn)
    return refuse('SV-2001', {
      message: 'The message must name this agent, its region and its partition.',
    })
  const cost = { readings: message.readings.length, bytes }
  const { accountId } = agent
  const refused = await inTurn(sql, accountId, () => budgets.spend(agent, cost))
  if (refused !== null) {
    metrics.refused.inc({ reason: 'budget' })
    return refused
  }
  const { own, due, readings } = await inTurn(sql, accountId, async () => {
    const ours = await ownReadings(sql, agent, message.readings)
    const ofSlots = ours.filter(({ isDue }) => isDue).map(({ reading }) => reading)
    return { own: ours, due: ofSlots, readings: await requestedReadings(sql, agent, ofSlots) }
  })
  metrics.readings.inc({ outcome: 'taken' }, readings.length)
  metrics.readings.inc({ outcome: 'dropped' }, message.readings.length - own.length)
  metrics.readings.inc({ outcome: 'no_slot' }, own.length - due.length)
  metrics.readings.inc({ outcome: 'not_asked' }, due.length - readings.length)
  const data = Buffer.from(JSON.stringify({ ...message, readings }))
  try {
    return await bus.readings.publish({ partition, region, messageId, data })
  } catch (error) {
    if (!(error instanceof BusUnavailable)) throw error
    await budgets.refund(agent, cost)
    return refuse('SV-9002', { retryAfterSeconds: 1 })
  }
}

/** The largest accepted delay of an agent's clock: slots further before an interval began are refused. */
const clockSlackMs = 86_400_000

/**
 * The readings of the agent's own region, and of checks that run or ran from it, each with whether it is due.
 * A scheduled reading is due if its check has or had that slot, at any of its intervals: a reading that is
 * sent again is then recognized as a duplicate.
 */
const ownReadings = async (
  sql: Sql,
  agent: AdmittedAgent,
  readings: readonly unknown[],
): Promise<{ reading: unknown; isDue: boolean }[]> => {
  const region = privateRegion(agent.id)
  const named = new Set(readings.flatMap((reading) => identityOf(reading)?.checkId ?? []))
  const own = await findOwnChecks(sql, agent, [...named])
  return readings.flatMap((reading) => {
    const identity = identityOf(reading)
    const paces = identity?.region === region ? own.get(identity.checkId) : undefined
    if (identity === null || paces === undefined) return []
    return [{ reading, isDue: isDue(reading, identity.checkId, region, paces) }]
  })
}

const OfSlot = z.object({ kind: z.literal('scheduled'), slot: z.int() })

const isDue = (reading: unknown, checkId: string, region: Region, paces: OwnPaces): boolean => {
  const scheduled = OfSlot.safeParse(reading)
  // a run, or unreadable: checked elsewhere
  if (!scheduled.success) return true
  const { slot } = scheduled.data
  return paces.some(({ intervalSeconds, validFromMs }) => {
    const intervalMs = intervalSeconds * 1_000
    return (
      slot >= validFromMs - clockSlackMs && isSlot(slotPhase(checkId, region, intervalMs), intervalMs, slot)
    )
  })
}

/** The scheduled readings, and those of runs that were requested from this agent. */
const requestedReadings = async (
  sql: Sql,
  agent: AdmittedAgent,
  readings: readonly unknown[],
): Promise<unknown[]> => {
  const runs = readings.map((reading) => OfRun.safeParse(reading).data)
  const named = runs.flatMap((run, place) => (run === undefined ? [] : [{ run, place }]))
  const asked = await findAgentRuns(
    sql,
    agent.id,
    named.map(({ run }) => run),
  )
  const unasked = new Set(named.filter((_, at) => !asked.has(at)).map(({ place }) => place))
  return readings.filter((reading, place) => !unasked.has(place) && !isUnsoundRun(reading, runs[place]))
}

const OfRun = Reading.pick({ checkId: true, slot: true, number: true }).extend({
  kind: ReadingKind.exclude(['scheduled']),
})

/** A reading that is not scheduled and does not identify a run either. */
const isUnsoundRun = (reading: unknown, run: unknown): boolean =>
  run === undefined && ReadingKind.exclude(['scheduled']).safeParse(kindOf(reading)).success

const kindOf = (reading: unknown): unknown => (Object(reading) as { kind?: unknown }).kind

/** The check and region that a reading names; null if it names none. */
const identityOf = (reading: unknown): { checkId: string; region: unknown } | null => {
  if (typeof reading !== 'object' || reading === null) return null
  const { checkId, region } = reading as { checkId?: unknown; region?: unknown }
  const id = Uuid.safeParse(checkId)
  return id.success && id.data === checkId ? { checkId: id.data, region } : null
}
