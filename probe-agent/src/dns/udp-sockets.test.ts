import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { createUdpSockets } from './udp-sockets.ts'

const question = { name: 'www.example.org', type: 'A' } as const

/** Runs after `count` turns of the queue of ticks. */
const afterTicks = (count: number): Promise<void> =>
  new Promise((resolve) => {
    const tick = (left: number): void => (left === 0 ? resolve() : process.nextTick(tick, left - 1))
    tick(count)
  })

test('sockets may be closed at any moment of their opening', async () => {
  const server = createSocket('udp4').bind(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const uncaught: unknown[] = []
  const onUncaught = (error: unknown): void => void uncaught.push(error)
  process.prependListener('uncaughtException', onUncaught)
  onTestFinished(() => void process.off('uncaughtException', onUncaught))
  const codes: string[] = []
  for (let ticks = 0; ticks < 20; ticks += 1) {
    const sockets = createUdpSockets(
      { address: '127.0.0.1', port: server.address().port },
      { sent: 0, stray: 0 },
    )
    const waiter = { onDatagram: () => undefined, onError: (code: string) => void codes.push(code) }
    for (let n = 0; n < 8; n += 1) sockets.send(question, waiter)
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    const closeNow = (left: number): void => {
      if (left > 0) return process.nextTick(closeNow, left - 1)
      sockets.close()
      resolve()
    }
    closeNow(ticks)
    await closed
    await afterTicks(20)
    await new Promise(setImmediate)
  }
  expect(uncaught).toEqual([])
  expect(new Set(codes)).toEqual(new Set(['ECANCELLED']))
})
