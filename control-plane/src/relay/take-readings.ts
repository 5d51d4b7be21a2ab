import { BusUnavailable } from '@probe-mesh/bus/port'
import { ReadingsMessage } from '@probe-mesh/contracts/reading'
import { Uuid } from '@probe-mesh/contracts/ids'
import { refuse, refuseInvalid } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import { privateRegion } from '@probe-mesh/contracts/regions'
import { findOwnChecks } from '../postgres/private-agents.ts'
import type { AdmittedAgent, RelayContext } from './context.ts'

type Posted = { partition: number; messageId: string; body: unknown }
export type Taken = { sequence: number; duplicate: boolean }

/**
 * Puts a message of readings on the stream for a private agent. It speaks for itself and for the checks
 * that run from it, or have: a reading of any other check or region is dropped and counted. Another's
 * name is SV-2001; while the stream cannot take it it is SV-9002, and the agent sends it again.
 */
export const takeReadings = async (
  { sql, bus, metrics }: Pick<RelayContext, 'sql' | 'bus' | 'metrics'>,
  agent: AdmittedAgent,
  { partition, messageId, body }: Posted,
): Promise<Taken | Refusal> => {
  const parsed = ReadingsMessage.safeParse(body)
  if (!parsed.success) return refuseInvalid([parsed.error])
  const message = parsed.data
  const region = privateRegion(agent.id)
  // its batches are told apart by this name, and the stream's memory of ids is everybody's
  const isOwn =
    message.region === region &&
    message.agent === region &&
    message.partition === partition &&
    messageId === `${region}:${partition}:${message.batch}`
  if (!isOwn) return refuse('SV-2001', { message: 'An agent sends its own readings.' })
  const read = message.readings.map(identityOf)
  const named = new Set(read.flatMap((each) => each?.checkId ?? []))
  const own = await findOwnChecks(sql, agent, [...named])
  const readings = message.readings.filter((_, index) => {
    const identity = read[index]
    return (
      identity !== null &&
      identity !== undefined &&
      identity.region === region &&
      own.has(identity.checkId)
    )
  })
  metrics.readings.inc({ outcome: 'taken' }, readings.length)
  metrics.readings.inc({ outcome: 'dropped' }, message.readings.length - readings.length)
  const data = Buffer.from(JSON.stringify({ ...message, readings }))
  try {
    return await bus.readings.publish({ partition, region, messageId, data })
  } catch (error) {
    if (!(error instanceof BusUnavailable)) throw error
    return refuse('SV-9002', { retryAfterSeconds: 1 })
  }
}

/** Of what check and region it says it is; null where it does not say. */
const identityOf = (reading: unknown): { checkId: string; region: unknown } | null => {
  if (typeof reading !== 'object' || reading === null) return null
  const { checkId, region } = reading as { checkId?: unknown; region?: unknown }
  const id = Uuid.safeParse(checkId)
  return id.success && id.data === checkId ? { checkId: id.data, region } : null
}
