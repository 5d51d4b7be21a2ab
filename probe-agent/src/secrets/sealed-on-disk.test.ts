import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import { silentLogger } from '@probe-mesh/bus/logger'
import { BusUnavailable, type Bus } from '@probe-mesh/bus/port'
import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startAgent } from '../agent.ts'
import { createTrust } from '../request/connect.ts'
import { allowing, resolverOf } from '../request/testing/ask.ts'
import { unlimited } from '../request/unlimited.ts'
import { createHandshakes } from '../run/handshakes.ts'
import { createRunner } from '../run/runner.ts'
import { lagOf } from '../run/testing/run.ts'
import { opener, requestOf, startTarget } from './testing/targets.ts'

const value = 'correct horse battery staple'
const secrets = { api_key: { value, hosts: ['127.0.0.1'] } }

/** Every byte that an agent has written. */
const onDisk = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')

test('an agent that restarts while it is cut off sends the secrets, which its disk has sealed', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'probe-mesh-sealed-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const target = await startTarget(({ headers }, response) => {
    response.end(`you sent ${String(headers['x-api-key'])}`)
  })
  const { run } = createRunner({
    allow: allowing('127.0.0.0/8'),
    resolver: resolverOf({}),
    ownAddresses: () => new Set(),
    ...unlimited,
    trust: createTrust(),
    browser: null,
    connectivity: { online: async () => true },
    handshakes: createHandshakes(),
    lag: lagOf(0),
    now: Date.now,
    log: silentLogger,
    version: 'test',
    probesUrl: null,
    secrets: opener,
  })
  const agentOn = (bus: Bus) =>
    startAgent({
      config: {
        region: 'fra',
        agent: 'fra-1',
        dataDirectory: join(directory, 'agent'),
        spoolBytesMax: 2 ** 24,
        targetAllow: [],
        journalPath: null,
      },
      bus,
      run,
      now: Date.now,
      log: silentLogger,
      registry: new Registry(),
    })
  const bus = await openInProcessBus({ directory: join(directory, 'bus') })
  onTestFinished(bus.close)
  const received = (count: number) =>
    vi.waitFor(() => expect(target.received.length).toBeGreaterThanOrEqual(count))
  const request = { headers: [{ name: 'X-Api-Key', value: '{{ secret.api_key }}' }] }
  // fails, so that what came back is on disk as well
  const assertions = {
    ...noAssertions,
    assertionBodyOp: 'contains',
    assertionBodyValue: 'something else',
  } as const
  const assignment = requestOf(target.at(), request, secrets, { assertions, intervalSeconds: 2 })
  await bus.assignments.put(assignment)
  const first = await agentOn(bus)
  await received(1)
  await first.close()

  const before = target.received.length
  const second = await agentOn(cutOff(bus))
  // both attempts of a slot
  await received(before + 2)
  await vi.waitFor(() => expect(second.spooled).toBeGreaterThan(0))
  expect(second.isBusUnavailable).toBe(true)
  await second.close()
  expect(target.received.every(({ headers }) => headers['x-api-key'] === value)).toBe(true)
  const written = onDisk(join(directory, 'agent'))
  expect(written).toContain('"sealed":"')
  expect(written).toContain('you sent [secret api_key]')
  expect(written).not.toMatch(/correct.?horse/)
  expect(written).not.toContain(Buffer.from(value).toString('base64').slice(0, 20))
})

const cutOff = (bus: Bus): Bus => {
  const refuse = () => Promise.reject(new BusUnavailable('away'))
  return {
    ...bus,
    assignments: { ...bus.assignments, watch: refuse },
    readings: { ...bus.readings, publish: refuse },
    persisted: { ...bus.persisted, watch: refuse },
    runs: { ...bus.runs, serve: refuse },
    presence: { announce: refuse, list: refuse },
  }
}
