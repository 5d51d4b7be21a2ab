import { once } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import { listen } from '../handshake/serve.ts'
import type { ProviderHandlers } from './messages.ts'
import { frame, createGrpcServer } from './server.ts'
import { createMethods } from './services.ts'
import { createClient, handlersWith } from './testing.ts'

const path = '/tfplugin6.Provider/ReadResource'
const closing: (() => void)[] = []
afterEach(() => closing.splice(0).forEach((close) => close()))

const start = async (own: Partial<ProviderHandlers>, bytesMax?: number) => {
  const log = vi.fn()
  const server = createGrpcServer({
    methods: createMethods(handlersWith(own), () => {}),
    tls: null,
    log,
    ...(bytesMax === undefined ? {} : { bytesMax }),
  })
  const { at, remove } = await listen(server, process.platform)
  const client = createClient(at.address, null)
  closing.push(() => {
    client.close()
    server.close()
    remove()
  })
  return { client, log }
}

test('answers a call with the result of its handler', async () => {
  const { client } = await start({
    readResource: ({ typeName, currentState }) =>
      Promise.resolve({
        newState: currentState,
        diagnostics: [{ severity: 'warning', summary: typeName }],
      }),
  })
  const answer = await client.call('readResource', {
    typeName: 'service_check',
    currentState: { msgpack: Buffer.of(0xc0), json: Buffer.of() },
    private: Buffer.of(),
    clientCapabilities: null,
  })
  expect(answer.newState?.msgpack).toEqual(Buffer.of(0xc0))
  expect(answer.diagnostics).toMatchObject([{ severity: 'warning', summary: 'service_check' }])
})

test.each([
  '/tfplugin6.Provider/ListResource',
  '/tfplugin6.Provider/readResource',
  '/tfplugin6.Provider/constructor',
  '/plugin.GRPCStdio/StreamStdio',
  '/plugin.GRPCBroker/StartStream',
  '/',
])('%s is unimplemented', async (unknown) => {
  const { client } = await start({})
  expect(await client.send(unknown, frame(Buffer.of(1)))).toMatchObject({ status: 12 })
})

test('hides the exception of a handler from the caller and logs it', async () => {
  const { client, log } = await start({
    readResource: () => Promise.reject(new Error('the key is sk_1')),
    stopProvider: () => {
      throw new Error('at once')
    },
  })
  expect(await client.send(path, frame(Buffer.of()))).toMatchObject({
    status: 13,
    message: 'the provider failed: see its log',
  })
  expect(log).toHaveBeenCalledWith('error', expect.stringContaining('the key is sk_1'))
  const stop = '/tfplugin6.Provider/StopProvider'
  expect(await client.send(stop, frame(Buffer.of()))).toMatchObject({ status: 13 })
  const next = '/tfplugin6.Provider/GetMetadata'
  expect(await client.send(next, frame(Buffer.of()))).toMatchObject({ status: 0 })
})

test.each([
  ['a body of nothing', Buffer.of(), 13],
  ['half a head', Buffer.of(0, 0), 13],
  ['less than the head says', Buffer.of(0, 0, 0, 0, 9, 1), 13],
  ['two messages', Buffer.concat([frame(Buffer.of()), frame(Buffer.of())]), 13],
  ['a compressed message', Buffer.of(1, 0, 0, 0, 0), 12],
  ['a malformed message', frame(Buffer.of(0x0a, 9)), 13],
  ['a message as long as may be', frame(Buffer.alloc(100, 0x08)), 0],
  ['a longer one', frame(Buffer.alloc(101, 0x08)), 8],
])('%s ends with its status, and the next call is served', async (_what, body, status) => {
  const { client } = await start({}, 100)
  expect(await client.send(path, body)).toMatchObject({ status })
  expect(await client.send(path, frame(Buffer.of()))).toMatchObject({ status: 0 })
})

test('blames a malformed message on its sender', async () => {
  const { client, log } = await start({})
  expect(await client.send(path, frame(Buffer.of(0x0a, 9)))).toMatchObject({
    status: 13,
    message: 'the message is malformed: it ends within a field',
  })
  expect(log).not.toHaveBeenCalledWith('error', expect.anything())
})

test('transfers a message of megabytes both ways', async () => {
  const { client } = await start({
    readResource: ({ currentState }) => Promise.resolve({ newState: currentState }),
  })
  const msgpack = Buffer.alloc(5_000_000, 'long ')
  const answer = await client.call('readResource', {
    typeName: '',
    currentState: { msgpack, json: Buffer.of() },
    private: Buffer.of(),
    clientCapabilities: null,
  })
  expect(msgpack.equals(answer.newState?.msgpack ?? Buffer.of())).toBe(true)
})

test('serves calls concurrently', async () => {
  let waiting = 0
  const all = Promise.withResolvers<void>()
  const { client } = await start({
    readResource: async () => {
      if (++waiting === 10) all.resolve()
      await all.promise
      return {}
    },
  })
  const answers = await Promise.all(Array.from({ length: 10 }, () => client.send(path, frame(Buffer.of()))))
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(0))
})

test('aborts the handler of a cancelled call, and serves the next', async () => {
  const started = Promise.withResolvers<AbortSignal>()
  const { client } = await start({
    readResource: async (_request, { signal }) => {
      started.resolve(signal)
      await once(signal, 'abort')
      return {}
    },
  })
  const caller = new AbortController()
  const answer = client.send(path, frame(Buffer.of()), caller.signal)
  const signal = await started.promise
  caller.abort()
  await expect(answer).rejects.toThrow('aborted')
  await vi.waitFor(() => expect(signal.aborted).toBe(true))
  const next = '/tfplugin6.Provider/StopProvider'
  expect(await client.send(next, frame(Buffer.of()))).toMatchObject({ status: 0 })
})
