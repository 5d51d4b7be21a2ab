import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import type { NatsConnection } from '@nats-io/nats-core'
import { readNatsCredentials } from '@probe-mesh/bus/nats/credentials'
import { openNatsBus } from '@probe-mesh/bus/nats/nats-bus'
import { agentConnection, controlPlaneConnection } from '@probe-mesh/bus/nats/permissions'
import { BusUnavailable, type Bus } from '@probe-mesh/bus/port'
import { testFolder } from '../../testing/folder.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { recordFigure } from '../../testing/figure.ts'
import { startTestNats, type TestNats } from '../../testing/nats.ts'
import { freePorts } from '../../testing/processes/free-ports.ts'
import { runAgentAct } from './run-agent-act.ts'
import { runNatsConfig } from './run.ts'

/** Three servers with three replicas of every message, configured by the operator commands. */
const names = ['nats-1', 'nats-2', 'nats-3']
const patience = { timeout: 60_000, interval: 50 }
/** Next to other tests three servers may need more than a minute to form a cluster. */
const togetherMsMax = 180_000
const count = 600
const partition = 0

const folder = testFolder('probe-mesh-cluster-')
let servers: TestNats[]
let control: Bus
let agent: Bus
let administrator: NatsConnection
let jsm: JetStreamManager

const quiet = { out: () => {}, error: () => {} }
const urls = () => servers.map(({ url }) => url)

beforeAll(async () => {
  const ports = await freePorts(names.length)
  const meeting = ports.map((port) => `127.0.0.1:${port}`)
  for (const [index, name] of names.entries()) {
    const where = ['--store', join(folder, name), '--cluster-listen', meeting[index] ?? '']
    const args = ['--regions', 'fra', '--out', folder, '--cluster', meeting.join(','), ...where]
    expect(await runNatsConfig(args, quiet)).toBe(0)
    await copyFile(join(folder, 'nats-server.conf'), join(folder, `${name}.conf`))
  }
  servers = await Promise.all(
    names.map((name) =>
      startTestNats({ configurationFile: join(folder, `${name}.conf`), flags: ['--name', name] }),
    ),
  )
  const { authenticator } = await readNatsCredentials(join(folder, 'control-plane.creds'))
  const login = { ...controlPlaneConnection, authenticator }
  const topology = { regions: ['fra'], replicas: 3 } as const
  control = await untilAvailable(
    () => openNatsBus({ servers: urls(), name: 'control', ...login, topology }),
    togetherMsMax,
  )
  const out = join(folder, 'agent.creds')
  const enrolment = ['enroll', '--region', 'fra', '--out', out, '--keys', folder]
  expect(await runAgentAct(enrolment, {}, quiet)).toBe(0)
  const ofAgent = await readNatsCredentials(out)
  agent = await openNatsBus({
    servers: urls(),
    name: 'agent',
    ...agentConnection('fra'),
    authenticator: ofAgent.authenticator,
  })
  administrator = await connect({ servers: urls(), ...login, maxReconnectAttempts: -1 })
  jsm = await jetstreamManager(administrator, { checkAPI: false })
}, togetherMsMax + 60_000)
afterAll(async () => {
  for (const bus of [agent, control]) await bus?.close()
  await administrator?.close()
  await Promise.all((servers ?? []).map((server) => server.close()))
})

/** Retries while the servers elect a leader or one of them is down. */
const untilAvailable = async <T>(attempt: () => Promise<T>, msMax: number = patience.timeout): Promise<T> => {
  const end = performance.now() + msMax
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof BusUnavailable) || performance.now() > end) throw error
      await pause(patience.interval)
    }
  }
}

test('keeps three replicas of every stream and bucket', async () => {
  const streams = ['READINGS', 'ERRORS', 'KV_assignments_fra', 'KV_persisted_fra', 'KV_agents_fra']
  for (const stream of streams) {
    const { config, cluster } = await untilAvailable(() => jsm.streams.info(stream))
    expect([stream, config.num_replicas, cluster?.replicas?.length]).toEqual([stream, 3, 2])
  }
})

test(
  'delivers each reading once and in order when the leader of their stream is killed under load',
  { timeout: 120_000 },
  async (context) => {
    const consumer = await control.readings.consume(partition, 'ingest')
    const received: string[] = []
    const signal = new AbortController().signal
    const bounds = { messagesMax: 100, bytesMax: 1_000_000, waitMs: 500, signal }
    const receiving = (async () => {
      while (received.at(-1) !== `m${count - 1}`) {
        const messages = await untilAvailable(() => consumer.fetch(bounds))
        received.push(...messages.map(({ data }) => Buffer.from(data).toString()))
        const last = messages.at(-1)
        if (last !== undefined) await untilAvailable(() => consumer.acknowledge(last.sequence))
      }
    })()
    const { cluster } = await jsm.streams.info('READINGS')
    const leader = servers[names.indexOf(cluster?.leader ?? '')]
    expect(leader).toBeDefined()
    let longestMs = 0
    for (let n = 0; n < count; n++) {
      if (n === count / 3) await leader?.kill()
      const begunAt = performance.now()
      const message = { partition, region: 'fra', messageId: `m${n}`, data: Buffer.from(`m${n}`) }
      await untilAvailable(() => agent.readings.publish(message))
      longestMs = Math.max(longestMs, performance.now() - begunAt)
    }
    await receiving
    expect(received).toEqual(Array.from({ length: count }, (_, n) => `m${n}`))
    await leader?.start()
    await vi.waitFor(async () => {
      const { cluster: now } = await jsm.streams.info('READINGS')
      expect(now?.replicas?.every(({ current, offline }) => current && offline !== true)).toBe(true)
    }, patience)
    await recordFigure(
      context,
      `three NATS servers, the leader killed: ${count} of ${count} readings once and in order, the longest waited ${Math.round(longestMs)} ms`,
    )
  },
)
