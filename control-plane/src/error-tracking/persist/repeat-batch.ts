import { abandonErrorBatch, findErrorBatch } from './error-batches-store.ts'
import { contentsOf } from './batch-contents.ts'
import type { PersistContext } from './context.ts'
import { completeBatch } from './store-batch.ts'

/** Finishes what a former owner of the partition recorded and did not finish. @returns as `storeBatch` */
export const repeatBatch = async (context: PersistContext): Promise<boolean> => {
  const { sql, lease, bus, log, metrics, now } = context
  const { partition } = lease
  const recorded = await context.retry('postgres', () => findErrorBatch(sql, partition))
  if (recorded === null) return true
  const { token, first, last, messages: count, lastStoredAtMs } = recorded.batch
  const messages = await context.retry('bus', () => bus.errors.replay(partition, first, last))
  const storedAt = Math.max(...messages.map((message) => message.storedAt))
  if (messages.length !== count || storedAt !== lastStoredAtMs) {
    metrics.unrepeatable.inc()
    log.error({ partition, token, first, last }, 'a batch of error events cannot be repeated')
    await context.retry('postgres', () => abandonErrorBatch(sql, lease, token))
    return true
  }
  context.begins(messages[0]?.storedAt ?? storedAt)
  const contents = await contentsOf(messages, now(), context.setAside)
  const done = await completeBatch(context, recorded, contents, true)
  metrics.repeated.inc()
  log.info({ partition, token, messages: count }, 'a batch of error events is repeated')
  return done
}
