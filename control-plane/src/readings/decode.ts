import { messageOf } from '@probe-mesh/runtime/errors'
import { NestedTooDeep, parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { isPlainReading } from '@probe-mesh/contracts/reading/plain-reading'
import { parseReading, ReadingsMessage, type Reading } from '@probe-mesh/contracts/reading/reading'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { StreamMessage } from '@probe-mesh/bus/port'

/** A decoded message: its good readings, and the rest with reasons. */
export type DecodedMessage = {
  source: StreamMessage
  /** null if not even the envelope is readable */
  sender: { agent: string; region: string; batch: number; after: number | null } | null
  readings: Reading[]
  poison: { reason: string; payload: Uint8Array }[]
}

const fromTheFuture = 'from the future'
const poisonPrefix = 'reading: '
/** Why readings of an agent whose clock is ahead are rejected. */
export const aheadReason = poisonPrefix + fromTheFuture

const encoder = new TextEncoder()

/**
 * Decodes a message of readings with any bytes. A bad reading does not affect the others: each becomes poison
 * with its reason. Never throws.
 */
export const decodeMessage = (source: StreamMessage): DecodedMessage => {
  try {
    return decode(source)
  } catch (error) {
    return wholeAsPoison(source, `unreadable: ${String(error)}`)
  }
}

/** A message rejected as a whole. */
export const wholeAsPoison = (source: StreamMessage, reason: string): DecodedMessage => ({
  source,
  sender: null,
  readings: [],
  poison: [{ reason, payload: source.data }],
})

const decode = (source: StreamMessage): DecodedMessage => {
  const whole = (reason: string): DecodedMessage => wholeAsPoison(source, reason)
  if (source.data.length > limits.readingsMessageBytesMax) {
    return whole(`larger than ${limits.readingsMessageBytesMax} bytes`)
  }
  let json: unknown
  try {
    json = parseForeignJson(source.data)
  } catch (error) {
    const problem = messageOf(error)
    return whole(error instanceof NestedTooDeep ? problem : `not JSON: ${problem}`)
  }
  // counted first: the schema would parse all of 100,000 readings before it rejects their number
  const { readings: candidates } = Object(json) as { readings?: unknown }
  if (Array.isArray(candidates) && candidates.length > limits.readingsPerMessageMax) {
    return whole(`more than ${limits.readingsPerMessageMax} readings`)
  }
  const message = ReadingsMessage.safeParse(json)
  if (!message.success) return whole(`not a message of readings: ${firstProblem(message.error)}`)
  const { agent, region, batch, after = null } = message.data
  if (source.region !== undefined && source.region !== region) {
    return whole(`names region ${region}, but ${source.region} published it`)
  }
  const readings: Reading[] = []
  const poison: DecodedMessage['poison'] = []
  for (const candidate of message.data.readings) {
    const judged = judge(candidate, region, source)
    if (typeof judged !== 'string') readings.push(judged)
    else {
      const payload = encoder.encode(JSON.stringify(candidate))
      poison.push({ reason: poisonPrefix + judged, payload })
    }
  }
  return { source, sender: { agent, region, batch, after }, readings, poison }
}

/** The reading, or why it is rejected. */
const judge = (candidate: unknown, region: string, source: StreamMessage): Reading | string => {
  if (isPlainReading(candidate, region)) return mismatch(candidate, region, source) ?? candidate
  const parsed = parseReading(candidate)
  if (!parsed.success) return firstProblem(parsed.error)
  return mismatch(parsed.data, region, source) ?? parsed.data
}

/** Why a well-formed reading is impossible: from elsewhere, from the future, or too old. */
const mismatch = (reading: Reading, region: string, source: StreamMessage): string | null => {
  if (reading.region !== region) return `of region ${reading.region} in a message of ${region}`
  if (partitionOf(reading.checkId) !== source.partition) return 'in the wrong partition'
  const latest = source.storedAt + limits.clockSkewMsMax
  if (reading.slot > latest || reading.measuredAt > latest) return fromTheFuture
  if (reading.slot < source.storedAt - limits.readingAgeMsMax) return 'too old to be due'
  return null
}

const firstProblem = (error: { issues: { path: PropertyKey[]; message: string }[] }): string => {
  const issue = error.issues[0]
  return issue === undefined ? 'invalid' : `${issue.path.map(String).join('.')}: ${issue.message}`
}
