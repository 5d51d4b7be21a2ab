import { RetentionPolicy, StorageType } from '@nats-io/jetstream'
import { startTestNats } from '@probe-mesh/infra/testing/nats'
import { useEach, useOnce } from '@probe-mesh/infra/testing/use'
import { beforeEach, expect, test, vi } from 'vitest'
import { createBucketMirror, type BucketMirror } from './bucket-mirror.ts'
import { openLink } from './link.ts'
import { silentLogger } from '../logger.ts'

const stream = 'KV_b'
const server = useOnce(() => startTestNats())
const link = useEach(() => openLink({ servers: [server.url], name: 'test', log: silentLogger }))
/** Another control plane, or an operator's hand. */
const other = useEach(() => openLink({ servers: [server.url], name: 'other', log: silentLogger }))

let mirror: BucketMirror<string>
let nowMs: number
/** The sequences of the messages that each reading of the bucket began with; null: all keys. */
let readings: (number | null)[]

const declare = () =>
  other.jsm.streams.add({
    name: stream,
    subjects: ['$KV.b.>'],
    storage: StorageType.Memory,
    retention: RetentionPolicy.Limits,
    max_msgs_per_subject: 1,
    allow_rollup_hdrs: true,
  })
const put = async (key: string, value: string, by = other): Promise<number> => {
  const { seq } = await by.js.publish(`$KV.b.${key}`, value)
  return seq
}
const remove = async (key: string): Promise<void> => {
  const bucket = await other.bucket('b')
  await bucket.delete(key)
}
const holds = async (): Promise<Record<string, string>> => Object.fromEntries(await mirror.read())

beforeEach(async () => {
  await other.jsm.streams.delete(stream).catch(() => undefined)
  await declare()
  nowMs = 1
  readings = []
  mirror = createBucketMirror(
    link,
    'b',
    (_, data) => {
      const text = Buffer.from(data).toString()
      if (text === 'broken') throw new Error(text)
      return text
    },
    () => nowMs,
  )
  const { consumers } = link.js
  const open = consumers.getPushConsumer.bind(consumers)
  vi.spyOn(link.js, 'consumers', 'get').mockReturnValue(
    Object.assign(Object.create(consumers) as typeof consumers, {
      getPushConsumer: (name: string, options: { opt_start_seq?: number }) => {
        readings.push(options.opt_start_seq ?? null)
        return open(name, options)
      },
    }),
  )
})

test('reads everything once, then nothing, then only what is newer', async () => {
  await put('a', '1')
  await put('b', '1')
  await remove('b')
  expect(await holds()).toEqual({ a: '1' })
  expect(await holds()).toEqual({ a: '1' })
  expect(readings).toEqual([null])
  await put('a', '2')
  await put('c', '1')
  await remove('c')
  await put('d', '1')
  expect(await holds()).toEqual({ a: '2', d: '1' })
  expect(await holds()).toEqual({ a: '2', d: '1' })
  expect(readings).toEqual([null, 4])
})

test('does not read what this connection wrote itself, beside writes of others', async () => {
  await put('a', '1')
  await holds()
  mirror.wrote('b', await put('b', '1', link), '1')
  mirror.wrote('a', await put('a', '2', link), '2')
  expect(await holds()).toEqual({ a: '2', b: '1' })
  expect(readings).toEqual([null])
  await put('c', 'of another')
  mirror.wrote('d', await put('d', '1', link), '1')
  await put('d', 'of another')
  expect(await holds()).toEqual({ a: '2', b: '1', c: 'of another', d: 'of another' })
  expect(readings).toEqual([null, 4])
})

test.each<[string, () => Promise<unknown>, Record<string, string>]>([
  ['the bucket was emptied', () => other.jsm.streams.purge(stream), {}],
  ['a key was purged', () => other.jsm.streams.purge(stream, { filter: '$KV.b.a' }), { b: '1' }],
  ['a message was deleted', () => other.jsm.streams.deleteMessage(stream, 1), { b: '1' }],
  [
    'a key was purged and another one put',
    async () => {
      await other.jsm.streams.purge(stream, { filter: '$KV.b.a' })
      await put('c', '1')
    },
    { b: '1', c: '1' },
  ],
  [
    'the bucket was created again, with as many messages',
    async () => {
      await other.jsm.streams.delete(stream)
      await declare()
      await put('x', '1')
      await put('y', '1')
    },
    { x: '1', y: '1' },
  ],
  [
    'the bucket was created again, and has more messages',
    async () => {
      await other.jsm.streams.delete(stream)
      await declare()
      for (const key of ['x', 'y', 'z']) await put(key, '1')
    },
    { x: '1', y: '1', z: '1' },
  ],
])('finds at the next reading that %s', async (_, happen, found) => {
  await put('a', '1')
  await put('b', '1')
  expect(await holds()).toEqual({ a: '1', b: '1' })
  await happen()
  expect(await holds()).toEqual(found)
})

test('finds that the stream has forgotten what it had, by its time or by the sequence of a write', async () => {
  await put('a', '1')
  await put('b', '1')
  await holds()
  /** As after a power cut: the same stream, with another second message. */
  const { created } = await other.jsm.streams.info(stream)
  const forget = async (): Promise<void> => {
    await other.jsm.streams.delete(stream)
    await declare()
    await put('a', '1')
    await put('lost', '1')
  }
  const info = link.jsm.streams.info.bind(link.jsm.streams)
  vi.spyOn(link.jsm.streams, 'info').mockImplementation(async (name) => ({ ...(await info(name)), created }))
  await forget()
  expect(await holds()).toEqual({ a: '1', lost: '1' })
  await put('c', '1')
  expect(await holds()).toEqual({ a: '1', lost: '1', c: '1' })
  await forget()
  mirror.wrote('d', await put('d', '1', link), '1')
  await put('e', '1')
  expect(await holds()).toEqual({ a: '1', lost: '1', d: '1', e: '1' })
})

test('reads everything again after a lost connection, and each hour', async () => {
  await put('a', '1')
  await holds()
  nowMs += 3_599_999
  await holds()
  expect(readings).toEqual([null])
  nowMs += 1
  await holds()
  await holds()
  expect(readings).toEqual([null, null])
  const back = new Promise<void>((resolve) => {
    link.onChange((up) => {
      if (up) resolve()
    })
  })
  await link.nc.reconnect()
  await back
  expect(await holds()).toEqual({ a: '1' })
  expect(readings).toEqual([null, null, null])
})

test('a value that cannot be read is missing, and hides no other', async () => {
  await put('a', 'broken')
  await put('b', '1')
  expect(await holds()).toEqual({ b: '1' })
  expect(await holds()).toEqual({ b: '1' })
  expect(readings).toEqual([null])
})

test('is right after any mix of writes by two connections', async () => {
  const keys = ['a', 'b', 'c', 'd']
  const written = new Map<string, string>()
  for (let round = 0; round < 20; round++) {
    await Promise.all(
      keys.map(async (key, n) => {
        const value = `${round} ${key}`
        const isOurs = (round + n) % 3 === 0
        if ((round * 7 + n) % 5 === 0) {
          await remove(key)
          written.delete(key)
          return
        }
        const sequence = await put(key, value, isOurs ? link : other)
        if (isOurs) mirror.wrote(key, sequence, value)
        written.set(key, value)
      }),
    )
    expect(await holds()).toEqual(Object.fromEntries([...written].toSorted()))
  }
  expect(readings.filter((from) => from === null)).toHaveLength(1)
})
