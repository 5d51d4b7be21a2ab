import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anAssignment, aReading } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { toPresence, toRunReply } from '@probe-mesh/bus/src/foreign-values'
import { silentLogger } from '@probe-mesh/bus/logger'
import { valueIn } from '@probe-mesh/bus/src/wire'
import { openRelayBus } from '@probe-mesh/bus/relay/relay-bus'
import { importChecks } from '@probe-mesh/cli/src/import/import-checks'
import { noErrorFilters } from '@probe-mesh/error-tracking/contracts/error-settings'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { readBundle } from '@probe-mesh/error-tracking/source-maps/read-bundle'
import { openBody } from '@probe-mesh/error-tracking/accept/open/open-body'
import { encodeErrorsMessage, decodeErrorsMessage } from '@probe-mesh/error-tracking/events/errors-message'
import { defaultScrubRules } from '@probe-mesh/error-tracking/events/scrub/scrub'
import { readSourceMap } from '@probe-mesh/error-tracking/events/source-maps/read-source-map'
import { aStoredEvent } from '@probe-mesh/error-tracking/events/testing'
import { rowsOf } from '@probe-mesh/control-plane/src/mesh/ingest/prepare-batch'
import { nothingSeen, seeRegion } from '@probe-mesh/control-plane/src/mesh/sightings'
import { decodeMessage } from '@probe-mesh/control-plane/readings/decode'
import { poisonOf, poisonPayloadBytesMax } from '@probe-mesh/control-plane/src/readings/poison'
import { readLines } from '@probe-mesh/probe-agent/src/assignments/lines'
import { readMembers } from '@probe-mesh/probe-agent/src/ownership/membership'
import { answerRun } from '@probe-mesh/probe-agent/src/schedule/answer-run'
import { afterAll, expect, test } from 'vitest'
import { attacks, fuzz, fuzzTimeoutMs, seed } from './testing/fuzz.ts'

/** Parsers of untrusted bytes without a server. Each title names the entrance. */

const timeout = { timeout: fuzzTimeoutMs }
const folder = mkdtempSync(join(tmpdir(), 'fuzz-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const reading = aReading({ region: 'fra' })
const assignment = anAssignment({ region: 'fra' })
const partition = partitionOf(reading.checkId)
const message = {
  version: 1,
  agent: 'fra-1',
  region: 'fra',
  partition,
  batch: 1,
  after: null,
  readings: [reading, { ...reading, details: { colour: [] } }],
}
const bytesMax = limits.readingsMessageBytesMax

test(`survives hostile messages of readings on the stream, ${attacks} of seed ${seed}`, timeout, async () => {
  const storedAt = Date.now()
  await fuzz(
    (data) => {
      const decoded = decodeMessage({ partition, sequence: 1, data, storedAt, region: 'fra' })
      const poison = poisonOf([decoded], storedAt)
      for (const { payload, reason } of poison) {
        expect(payload.length).toBeLessThanOrEqual(poisonPayloadBytesMax)
        expect(reason.includes('\0') || !reason.isWellFormed()).toBe(false)
      }
      const facts = { accountId: 'a', rawDays: 1, hourDays: 1 }
      const known = new Map(decoded.readings.map(({ checkId }) => [checkId, facts]))
      JSON.stringify(rowsOf([decoded], new Set(), known))
    },
    { samples: [JSON.stringify(message)], bytesMax },
  )
})

test('survives hostile messages of error events on the stream', timeout, async () => {
  const event = aStoredEvent(crypto.randomUUID())
  const samples = [
    Buffer.from(encodeErrorsMessage({ kind: 'event', event })).toString(),
    JSON.stringify({ version: 1, kind: 'tally', projectId: event.projectId, at: 1, drops: {} }),
  ]
  await fuzz((data) => JSON.stringify(decodeErrorsMessage(data)), { samples, bytesMax })
})

test('survives hostile announcements of agents', timeout, async () => {
  const announced = { agent: 'a', region: 'fra', version: '1', startedAt: 1, addresses: ['::1'] }
  const report = { assignments: 1, spooled: 1 }
  const samples = [JSON.stringify({ ...announced, report, chromium: true })]
  let seen = nothingSeen('fra')
  await fuzz(
    (data) => {
      const presence = toPresence(valueIn(data), 'fra')
      if (presence !== null) seen = seeRegion(seen, [{ ...presence, revision: 1 }], Date.now())
    },
    { samples, bytesMax },
  )
})

test('survives hostile answers of agents to runs', timeout, async () => {
  const samples = [JSON.stringify({ agent: 'a', reading }), '{"agent":"a","error":"busy"}']
  await fuzz((data) => JSON.stringify(toRunReply(valueIn(data))), { samples, bytesMax })
})

test('survives hostile requests for runs', timeout, async () => {
  const answer = answerRun({
    agent: 'a',
    region: 'fra',
    dispatcher: {
      submit: () => {},
      runNow: async () => 'busy',
      postpone: () => {},
      inProgress: 0,
      waiting: 0,
      pools: {} as never,
      close: async () => {},
    },
    onRefused: () => {},
  })
  const samples = [JSON.stringify({ kind: 'manual', at: 1, number: 1, assignment })]
  await fuzz((data) => answer(valueIn(data) as never), { samples, bytesMax })
})

test('survives hostile messages of a relay to a private agent', timeout, async () => {
  const bodies: ReadableStreamDefaultController<Uint8Array>[] = []
  const seen: unknown[] = []
  const bus = openRelayBus({
    url: 'http://127.0.0.1:9',
    token: () => 'token',
    region: 'fra',
    version: '1',
    log: silentLogger,
    random: () => 0,
    fetch: async (url, init) => {
      if (!String(url).endsWith('/stream')) return new Response('{}')
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          bodies.push(controller)
          init?.signal?.addEventListener('abort', () => controller.error(new Error('aborted')))
        },
      })
      return new Response(body)
    },
  })
  await bus.assignments.watch('fra', {
    onPut: (put) => {
      seen.length = 0
      seen.push(put)
    },
    onRemove: () => {},
    onCurrent: () => {},
  })
  const samples = [
    JSON.stringify({ assignments: [assignment] }),
    JSON.stringify({ id: 'x', request: { kind: 'manual', at: 1, number: 1, assignment } }),
    '{"partition":1,"batch":1}',
    '{"checkId":"x"}',
  ]
  const names = ['put', 'remove', 'mark', 'run', 'current', 'superseded', 'x']
  let turn = 0
  await fuzz(
    async (data) => {
      while (bodies.length === 0) await new Promise((resolve) => setImmediate(resolve))
      const name = names[turn++ % names.length]
      const text = Buffer.from(data).toString().replaceAll('\n', ' ')
      bodies.at(-1)?.enqueue(Buffer.from(`event: ${name}\ndata: ${text}\n\n`))
      if (turn % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
    },
    { samples, bytesMax: 64 * 1024 },
  )
  // still on its first stream: no message ended it
  expect(bodies).toHaveLength(1)
  await bus.close()
})

test('survives a hostile cache of assignments on an agent’s disk', timeout, async () => {
  const path = join(folder, 'lines')
  const put = JSON.stringify({ put: assignment })
  const samples = [`${put}\n${put}\n{"removed":"${assignment.checkId}"}\n`]
  await fuzz(
    (data) => {
      writeFileSync(path, data)
      readLines(path, 'fra')
    },
    { samples, bytesMax: 64 * 1024 },
  )
})

test('survives a hostile list of members on an agent’s disk', timeout, async () => {
  const path = join(folder, 'members')
  await fuzz(
    (data) => {
      writeFileSync(path, data)
      try {
        readMembers(path)
      } catch (error) {
        // a broken file may throw to its caller; a stack overflow may not
        expect(error).not.toBeInstanceOf(RangeError)
      }
    },
    { samples: ['{"members":["a","b"],"chromium":["a"]}'], bytesMax: 64 * 1024 },
  )
})

test('survives hostile bodies of error tracking', timeout, async () => {
  const projectId = crypto.randomUUID()
  const project = { projectId, scrub: defaultScrubRules, filters: noErrorFilters }
  const samples = [
    '{"event_id":"9ec79c33ec9942ab8353589fcb2e04dc"}\n{"type":"event"}\n{"message":"x","extra":{"a":[1]}}\n',
    '{}\n{"type":"client_report"}\n{"discarded_events":[{"reason":"x","category":"error","quantity":1}]}\n',
  ]
  await fuzz(
    (body) =>
      openBody({
        body,
        encoding: undefined,
        kind: 'envelope',
        project,
        countsOnly: false,
        receivedAt: 1_700_000_000_000,
      }),
    { samples, bytesMax: 16 * 1024 },
  )
})

test('survives hostile source maps and bundles', timeout, async () => {
  const samples = [
    '{"version":3,"sources":["a.js"],"names":["x"],"mappings":"AAAA;AACA","sourcesContent":["x"]}',
    '{"version":3,"sections":[{"offset":{"line":0,"column":0},"map":{"version":3,"sources":[],"names":[],"mappings":""}}]}',
  ]
  await fuzz(
    async (data) => {
      readSourceMap(Buffer.from(data).toString())
      await readBundle(Buffer.from(data))
    },
    { samples, bytesMax: 256 * 1024 },
  )
})

test.each([
  ['uptime-kuma', '{"monitorList":[{"name":"a","type":"http","url":"http://a.example/","headers":"{}"}]}'],
  ['gatus', 'endpoints:\n  - name: a\n    url: http://a.example/\n    conditions: ["[STATUS] == 200"]\n'],
  ['upptime', 'sites:\n  - name: a\n    url: http://a.example/\n'],
] as const)('survives hostile files of %s in an import', timeout, async (kind, sample) => {
  await fuzz((data) => importChecks({ kind, text: Buffer.from(data).toString() }), {
    samples: [sample],
    bytesMax: 64 * 1024,
  })
})
