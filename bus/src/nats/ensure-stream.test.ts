import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { startTestNats } from '@probe-mesh/infra/testing/nats'
import { useEach } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { ensureStream, isStreamThere } from './ensure-stream.ts'

let place: string
const declared = { name: 'some', subjects: ['some.>'], max_msgs: 10 }

const server = useEach(() =>
  startTestNats({
    configuration: (storeDir) => {
      place = join(storeDir, 'jetstream', '$G', 'streams', declared.name)
      return `jetstream { store_dir: ${JSON.stringify(storeDir)} }`
    },
  }),
)
const nc = useEach(() => connect({ servers: server.url }))
const jsm = useEach(() => jetstreamManager(nc, { checkAPI: false }))

/** Puts a file in place of the stream's folder until the given number of attempts. */
const hinder = async (untilTry: number): Promise<() => number> => {
  await mkdir(dirname(place), { recursive: true })
  await writeFile(place, '')
  let tries = 0
  nc.subscribe('$JS.API.STREAM.CREATE.some', {
    callback: () => {
      tries += 1
      if (tries === untilTry) void rm(place)
    },
  })
  return () => tries
}

test('creates a stream on a later attempt if the server could not create its folder', async () => {
  const tries = await hinder(2)
  await ensureStream(jsm, declared)
  expect(tries()).toBeGreaterThanOrEqual(2)
  expect(await jsm.streams.info('some')).toMatchObject({ config: { max_msgs: 10 } })
})

test('updates an existing stream to the settings, and does not retry any other refusal', async () => {
  await ensureStream(jsm, declared)
  await ensureStream(jsm, { ...declared, max_msgs: 11 })
  expect(await jsm.streams.info('some')).toMatchObject({ config: { max_msgs: 11 } })
  const overlapping = { ...declared, name: 'other' }
  await expect(ensureStream(jsm, overlapping)).rejects.toThrow('subjects overlap')
})

test('retries for an account that starts late, and fails after eight attempts with the reason', async () => {
  const bare = await startTestNats({ configuration: () => '' })
  const client = await connect({ servers: bare.url })
  try {
    const manager = await jetstreamManager(client, { checkAPI: false })
    const asking = (awakeAtTry: number) => {
      let tries = 0
      const info = (name: string) => {
        tries += 1
        return (tries < awakeAtTry ? manager : jsm).streams.info(name)
      }
      const streams = { ...manager.streams, info }
      return { manager: { ...manager, streams }, tries: () => tries }
    }
    let waitsMs: number[] = []
    const pause = async (ms: number): Promise<void> => void waitsMs.push(ms)
    const late = asking(3)
    expect(await isStreamThere(late.manager, 'some', pause)).toBe(false)
    expect(late.tries()).toBe(3)
    waitsMs = []
    const never = asking(9)
    const hindered = await hinder(9)
    await expect(isStreamThere(never.manager, 'some', pause)).rejects.toThrow('jetstream is not enabled')
    expect(waitsMs).toEqual([50, 100, 200, 400, 800, 1_600, 3_200])
    await expect(ensureStream(jsm, declared, pause)).rejects.toThrow('error creating store for stream')
    // the server may answer a request before it hands the same message to our subscription
    await nc.flush()
    expect([never.tries(), hindered()]).toEqual([8, 8])
  } finally {
    await client.close()
    await bare.close()
  }
})
