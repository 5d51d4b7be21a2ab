import { pause } from '@probe-mesh/runtime/pause'
import type { Consumers } from './bus-metrics.ts'
import type { StreamLag } from './context.ts'

/** A page is read without the lag rather than late, ms. */
const answerMsMax = 1_000

/** Asks the consumers that this control plane reads its partitions with. */
export const streamLagOf =
  (consumers: Consumers): StreamLag =>
  async () => {
    const lags = new Map<number, number>()
    const waiting = new AbortController()
    const asked = [...consumers].map(async ([partition, { consumer }]) => {
      const { messages } = await consumer.lag()
      lags.set(partition, messages)
    })
    const answered = Promise.allSettled(asked).finally(() => waiting.abort())
    await Promise.race([answered, pause(answerMsMax, waiting.signal)])
    return new Map(lags)
  }
