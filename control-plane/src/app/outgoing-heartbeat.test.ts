import { Registry } from 'prom-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ok, startReceiver } from '../notifications/outgoing/testing.ts'
import { createResolver } from '../notifications/outgoing/resolve.ts'
import { startOutgoingHeartbeat } from './outgoing-heartbeat.ts'

const start = async (over: {
  isOurs?: () => boolean
  isMeasuring?: () => Promise<boolean>
  answer?: typeof ok
}) => {
  const receiver = await startReceiver(over.answer ?? ok)
  const registry = new Registry()
  const warned: string[] = []
  const loop = startOutgoingHeartbeat({
    url: receiver.url,
    isOurs: over.isOurs ?? (() => true),
    isMeasuring: over.isMeasuring ?? (async () => true),
    resolver: createResolver(),
    registry,
    log: { warn: (_: unknown, text?: string) => void warned.push(text ?? '') },
    paceMs: 20,
  })
  onTestFinished(async () => {
    await loop.close()
    await receiver.close()
  })
  const count = async (outcome: string): Promise<number> => {
    const text = await registry.metrics()
    return Number(
      new RegExp(`outgoing_heartbeats_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1] ?? 0,
    )
  }
  return { receiver, count, warned }
}

test('requests the address again and again while the mesh measures, from one control plane', async () => {
  const { receiver, count } = await start({})
  await vi.waitFor(async () => expect(await count('ok')).toBeGreaterThan(1))
  expect(receiver.received.length).toBeGreaterThan(1)
  let asked = 0
  const other = await start({ isOurs: () => asked++ > 1e9 })
  await vi.waitFor(() => expect(asked).toBeGreaterThan(3))
  expect(other.receiver.received).toEqual([])
})

test('sends nothing while nothing is measured and stored, or while that is unknown', async () => {
  const silent = await start({ isMeasuring: async () => false })
  await vi.waitFor(async () => expect(await silent.count('silent')).toBeGreaterThan(1))
  const unknown = await start({ isMeasuring: () => Promise.reject(new Error('ClickHouse is away')) })
  await vi.waitFor(async () => expect(await unknown.count('failed')).toBeGreaterThan(1))
  expect([...silent.receiver.received, ...unknown.receiver.received]).toEqual([])
  expect(unknown.warned[0]).toContain('HEARTBEAT_URL')
})
