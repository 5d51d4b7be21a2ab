import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import { BusUnavailable } from '@probe-mesh/bus/port'
import { Registry } from 'prom-client'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { expect, test } from 'vitest'
import { busMetrics } from './bus-metrics.ts'

test('one read of the metrics shows the lag of every consumer and the agents of every region', async () => {
  const directory = testFolder('bus-metrics-')
  const bus = await openInProcessBus({ directory })
  try {
    const registry = new Registry()
    const consumer = await bus.readings.consume(3, 'ingest')
    const ingest = new Map([[3, { consumer }]])
    const consumers = { ingest, assess: new Map(), persist: new Map() }
    busMetrics(registry, { bus, regions: ['fra', 'iad'], consumers })
    const data = new Uint8Array(100)
    await bus.readings.publish({ partition: 3, region: 'fra', messageId: 'a', data })
    await bus.presence.announce({ agent: 'fra-1', region: 'fra', version: '0', startedAt: 1 })
    const text = await registry.metrics()
    expect(text).toContain('stream_lag_messages{consumer="ingest",partition="3"} 1')
    expect(text).toMatch(/stream_lag_bytes\{consumer="ingest",partition="3"\} [1-9]/)
    expect(text).toContain('presence_agents{region="fra"} 1')
    expect(text).toContain('presence_agents{region="iad"} 0')
    const lag = () => Promise.reject(new BusUnavailable('away'))
    ingest.set(3, { consumer: { ...consumer, lag } })
    const after = await registry.metrics()
    expect(after).not.toContain('stream_lag_messages{')
  } finally {
    await bus.close()
  }
})
