import { anySignal } from '@probe-mesh/runtime/any-signal'
import type { Network } from '@probe-mesh/runtime/network'
import { createMetrics } from '@probe-mesh/runtime/metrics'
import { startLoop, type Loop } from '@probe-mesh/runtime/loop'
import { anyOperator } from '@probe-mesh/contracts/target/address'
import { denyNothing } from '@probe-mesh/contracts/target/deny-list'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { get } from '../notifications/outgoing/guarded-request.ts'
import type { Resolver } from '../notifications/outgoing/resolve.ts'
import type { ClickHouse } from '../stores/clickhouse/connect.ts'

const everyMs = 60_000
const sendMsMax = 15_000
const answerBytesMax = 1_024

/**
 * Requests HEARTBEAT_URL each minute while readings are measured and stored, so that another service reports
 * when this mesh is silent. Of all control planes only one sends.
 */
export const startOutgoingHeartbeat = (capabilities: {
  /** null: none is requested. */
  url: string | null
  /** Whether this control plane is the one that sends. */
  isOurs: () => boolean
  /** Whether a reading was measured and stored lately. */
  isMeasuring: () => Promise<boolean>
  resolver: Resolver
  /** With its proxy, if it has one. */
  network?: Network
  registry: Registry
  log: Pick<Logger, 'warn'>
  /** Shorter in tests, ms. */
  paceMs?: number
}): Pick<Loop, 'close'> => {
  const { url, isOurs, isMeasuring, resolver, network, registry, log } = capabilities
  if (url === null) return { close: async () => undefined }
  const sent = createMetrics(registry).counter(
    'outgoing_heartbeats_total',
    'Requests to HEARTBEAT_URL, by outcome; silent: nothing was measured and stored, so none was sent',
    'outcome',
  )
  // the operator chose the address, so it may be in any network
  const guard = { allow: anyOperator, deny: denyNothing, resolver, network }
  return startLoop({
    everyMs: capabilities.paceMs ?? everyMs,
    round: async (stop) => {
      if (!isOurs()) return
      if (!(await isMeasuring())) return sent.inc({ outcome: 'silent' })
      const signal = anySignal([stop, AbortSignal.timeout(sendMsMax)])
      const { httpStatus } = await get(url, { accept: '*/*', bytesMax: answerBytesMax }, signal, guard)
      if (httpStatus >= 400) throw new Error(`it answered with status ${httpStatus}`)
      sent.inc({ outcome: 'ok' })
    },
    onError: (error, stop) => {
      if (stop.aborted) return
      sent.inc({ outcome: 'failed' })
      log.warn({ err: error }, 'HEARTBEAT_URL could not be requested; retrying in a minute')
    },
  })
}

const storedWithinSeconds = 120

/** Whether a reading was measured and stored in the last two minutes. */
export const isMeasuring = async (clickhouse: Pick<ClickHouse, 'query'>): Promise<boolean> => {
  const rows = await clickhouse.query({
    query: `select 1 from readings_raw
      where slot > now() - interval 1 hour and received_at > now() - interval {seconds:UInt32} second
        and verdict <> 'unmeasured' limit 1`,
    query_params: { seconds: storedWithinSeconds },
    format: 'JSONEachRow',
  })
  return (await rows.json()).length > 0
}
