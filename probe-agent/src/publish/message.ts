import type { ReadingsMessage } from '@probe-mesh/contracts/reading/reading'

/** Sender and number of a message. */
type MessageHead = Pick<ReadingsMessage, 'agent' | 'region' | 'partition' | 'batch'> & {
  after: number | null
}

/** The id by which the stream removes duplicates. */
export const messageIdOf = (head: Pick<MessageHead, 'agent' | 'partition' | 'batch'>): string =>
  `${head.agent}:${head.partition}:${head.batch}`

/** Builds a `ReadingsMessage` from readings in JSON, without encoding them again. */
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
