import type { ReadingsMessage } from '@probe-mesh/contracts/reading/reading'

/** Who says it, and which message of theirs it is. */
export type MessageHead = Pick<ReadingsMessage, 'agent' | 'region' | 'partition' | 'batch'> & {
  after: number | null
}

/** The id that the stream removes repeated messages by. */
export const messageIdOf = (head: Pick<MessageHead, 'agent' | 'partition' | 'batch'>): string =>
  `${head.agent}:${head.partition}:${head.batch}`

/** A `ReadingsMessage` of readings that are JSON text already, so that none is encoded again. */
export const encodeMessage = (
  { agent, region, partition, batch, after }: MessageHead,
  readings: readonly Uint8Array[],
): Uint8Array => {
  const head = JSON.stringify({ version: 1, agent, region, partition, batch, after })
  const parts: Uint8Array[] = [Buffer.from(`${head.slice(0, -1)},"readings":[`)]
  for (const [index, reading] of readings.entries()) {
    if (index > 0) parts.push(comma)
    parts.push(reading)
  }
  return Buffer.concat([...parts, end])
}

const comma = Buffer.from(',')
const end = Buffer.from(']}')
