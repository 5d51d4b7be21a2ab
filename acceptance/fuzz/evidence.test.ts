import { createHash, randomUUID } from 'node:crypto'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { aReading } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { privateRegion } from '@probe-mesh/contracts/reading/private-region'
import { useTestApp } from '@probe-mesh/control-plane/src/app/testing/test-app'
import { ownerOf } from '@probe-mesh/control-plane/src/app/testing/pages'
import { bundleOf } from '@probe-mesh/error-tracking/source-maps/testing/zip'
import { insertTestHeartbeat } from '@probe-mesh/control-plane/src/heartbeats/testing-pings'
import { insertTestErrorProject } from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { beforeAll, expect, test } from 'vitest'
import { hostileRequests, fuzzTimeoutMs, seed } from './testing/fuzz.ts'
import { hostileBytes, type Random } from './testing/hostile-bytes.ts'
import { contentTypeOf, fuzzServer, inAnyEncoding } from './testing/hostile-requests.ts'

/** Entrances for evidence from agents, SDKs, jobs and builds, over HTTP against a real control plane. */

const timeout = { timeout: fuzzTimeoutMs }
const pick = <T>(random: Random, all: readonly T[]): T => all[Math.floor(random() * all.length)] as T

let origin: string
const at = useTestApp({ config: { budgetScale: 100_000 }, errorEventsPerSecond: 1_000_000 })
beforeAll(async () => {
  origin = await at.app.listen({ host: '127.0.0.1', port: 0 })
})

const lastError = (): string =>
  at.logged.findLast((line) => line.includes('"level":50'))?.slice(0, 3_000) ?? ''
/** Drops the log, which would otherwise count as memory of the server. */
const forgetLog = (): void => {
  if (at.logged.length > 1_000) at.logged.splice(0, 900)
}

test(`survives hostile messages of private agents, ${hostileRequests} of seed ${seed}`, timeout, async () => {
  const owner = ownerOf(at, await at.account('scale'))
  const agents = await Promise.all(
    ['a', 'b', 'c', 'd'].map(async (name) => {
      const { agent, token } = (await owner.post('/agents', { name })).json
      const region = privateRegion(agent.id)
      const url = 'http://10.0.0.1/'
      const checkId = await owner.checkId({ name, url, regions: [region], intervalSeconds: 60 })
      const reading = aReading({ checkId, region })
      const partition = partitionOf(checkId)
      const readings = [reading, { ...reading, kind: 'manual', number: 1 }]
      const message = { version: 1, agent: region, region, partition, batch: 7, after: null }
      const query = `partition=${partition}&messageId=${region}:${partition}:7`
      const report = { assignments: 1, spooled: 1 }
      const session = randomUUID()
      return {
        token,
        calls: [
          {
            path: `/relay/readings?${query}`,
            samples: [JSON.stringify({ ...message, readings })],
          },
          { path: '/relay/stream', samples: [JSON.stringify({ session, version: '1' })] },
          { path: '/relay/presence', samples: [JSON.stringify({ session, report })] },
          {
            path: `/relay/runs/${randomUUID()}`,
            samples: [JSON.stringify({ agent: region, reading }), '{"agent":"a","error":"busy"}'],
          },
        ],
      }
    }),
  )
  const answers = await fuzzServer(
    origin,
    (random) => {
      forgetLog()
      // the quota of an agent refills over time
      at.pass(2_000)
      const { token, calls } = pick(random, agents)
      const [readings] = calls
      const call = random() < 0.6 && readings !== undefined ? readings : pick(random, calls)
      const bytes = hostileBytes(random, call.samples, 64 * 1024)
      const headers: Record<string, string> = {
        'content-type': contentTypeOf(random, 'application/json'),
      }
      if (random() < 0.95) headers['authorization'] = `Bearer ${token}`
      return { path: call.path, headers, body: inAnyEncoding(random, bytes) }
    },
    lastError,
  )
  expect(answers.get(200) ?? 0).toBeGreaterThan(hostileRequests / 100)
})

/** Decompression bombs: small to send and large to decompress. */
const bombs = [gzipSync, deflateSync, brotliCompressSync, zstdCompressSync].map((pack) =>
  pack(Buffer.alloc(64 * 1024 * 1024)),
)
const compressors = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync } as const
const encodings = ['gzip', 'deflate', 'br', 'zstd', 'x-gzip', 'identity', 'gzip, gzip', 'compress']

/** A body: plain, compressed, compressed and cut, a bomb, or with another encoding's name. */
const packed = (random: Random, bytes: Uint8Array): { body: Uint8Array; encoding?: string } => {
  const how = random()
  if (how < 0.6) return { body: bytes }
  if (how < 0.9) {
    const [encoding, pack] = pick(random, Object.entries(compressors))
    const body = pack(bytes)
    return { encoding, body: random() < 0.2 ? body.subarray(0, random() * body.length) : body }
  }
  const encoding = pick(random, encodings)
  return { encoding, body: how < 0.91 ? pick(random, bombs) : bytes }
}

test('survives hostile bodies of error tracking', timeout, async () => {
  const account = await at.account('scale')
  const projects = await Promise.all(
    ['a', 'b', 'c', 'd'].map(async (name) => {
      const id = await insertTestErrorProject(at.sql, account.id, { name })
      const [row] = await at.sql<{ number: string; public_key: string }[]>`
        select number, public_key from error_projects p join error_keys k on k.project_id = p.id
        where p.id = ${id}`
      return { number: row?.number, key: row?.public_key }
    }),
  )
  const event = '{"message":"x","platform":"node","extra":{"a":[1]},"tags":[["a","b"]]}'
  const frames = '{"exception":{"values":[{"type":"E","stacktrace":{"frames":[{"lineno":1}]}}]}}'
  const id = '9ec79c33ec9942ab8353589fcb2e04dc'
  const kinds = [
    { kind: 'store', samples: [event, frames] },
    {
      kind: 'envelope',
      samples: [
        `{"event_id":"${id}"}\n{"type":"event"}\n${event}\n`,
        `{}\n{"type":"event","length":${frames.length}}\n${frames}\n{"type":"session"}\n{}\n`,
        '{}\n{"type":"client_report"}\n{"discarded_events":[{"reason":"x","category":"error","quantity":1}]}\n',
      ],
    },
  ] as const
  const answers = await fuzzServer(
    origin,
    (random) => {
      forgetLog()
      // quotas of bytes and of the thread's time refill over time
      at.pass(100)
      const { number, key } = pick(random, projects)
      const { kind, samples } = pick(random, kinds)
      const hostile = inAnyEncoding(random, hostileBytes(random, samples, 16 * 1024))
      const { body, encoding } = packed(random, hostile)
      const headers = {
        'content-type': contentTypeOf(random, 'application/x-sentry-envelope'),
        'x-sentry-auth': `Sentry sentry_version=7, sentry_key=${key}`,
        ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
      }
      return { path: `/api/${number}/${kind}/`, headers, body }
    },
    lastError,
  )
  expect(answers.get(200) ?? 0).toBeGreaterThan(hostileRequests / 100)
})

test('survives hostile pings of heartbeats', timeout, async () => {
  const { id: accountId } = await at.account('scale')
  const keys = await Promise.all(
    Array.from({ length: 20 }, async () => insertTestHeartbeat(at.sql, { accountId })),
  )
  const answers = await fuzzServer(
    origin,
    (random) => {
      forgetLog()
      at.pass(50)
      const { pingKey } = pick(random, keys)
      const action = pick(random, ['', '/start', '/fail', '/log', '/0', '/255', '/-1', '/1e9'])
      const rid = random() < 0.2 ? `?rid=${pick(random, [randomUUID(), '%00', 'a&rid=b', '%'])}` : ''
      const body = hostileBytes(random, ['{"a":1}', 'done'], 100 * 1024)
      const headers = { 'content-type': contentTypeOf(random, 'text/plain') }
      return { path: `/ping/${pingKey}${action}${rid}`, headers, body }
    },
    lastError,
  )
  expect(answers.get(200) ?? 0).toBeGreaterThan(hostileRequests / 2)
})

const boundary = 'the-boundary'
const part = (name: string, bytes: Uint8Array, field: string): Buffer =>
  Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\n\r\n`,
    ),
    bytes,
    Buffer.from('\r\n'),
  ])
const sha1Of = (bytes: Uint8Array): string => createHash('sha1').update(bytes).digest('hex')

test('survives hostile uploads of source maps', timeout, async () => {
  const accounts = await Promise.all(
    Array.from({ length: 16 }, async () => {
      const account = await at.account('scale')
      await insertTestErrorProject(at.sql, account.id, { name: 'shop' })
      return account
    }),
  )
  const bundle = bundleOf()
  const mapText = '{"version":3,"sources":["a.js"],"names":[],"mappings":"AAAA"}'
  /** The last chunk of each account, for its assembly. */
  const chunks = new Map<string, string>()
  const upload = '/api/0/organizations/any'
  await fuzzServer(
    origin,
    (random) => {
      forgetLog()
      const { id, writeKey } = pick(random, accounts)
      const authorization = `Bearer ${writeKey}`
      const last = chunks.get(id) ?? sha1Of(bundle)
      if (random() < 0.5) {
        const sample = JSON.stringify({ checksum: last, chunks: [last], projects: ['shop'] })
        const isSound = random() < 0.4
        const body = isSound ? Buffer.from(sample) : hostileBytes(random, [sample], 64 * 1024)
        const headers = { authorization, 'content-type': contentTypeOf(random, 'application/json') }
        return { path: `${upload}/artifactbundle/assemble/`, headers, body }
      }
      const damaged = Buffer.from(bundle)
      for (let times = random() * 8; times > 0; times--) {
        damaged[Math.floor(random() * damaged.length)] = Math.floor(random() * 256)
      }
      const bytes = random() < 0.6 ? damaged : hostileBytes(random, [mapText], 16 * 1024)
      const field = random() < 0.5 ? 'file' : 'file_gzip'
      const sent = field === 'file' ? bytes : random() < 0.8 ? gzipSync(bytes) : pick(random, bombs)
      const name = random() < 0.9 ? sha1Of(bytes) : pick(random, ['', '\u0000', 'x'.repeat(9_000)])
      chunks.set(id, sha1Of(bytes))
      const form = Buffer.concat([part(name, sent, field), Buffer.from(`--${boundary}--\r\n`)])
      const body = random() < 0.8 ? form : hostileBytes(random, [form.toString('latin1')], 16 * 1024)
      const type = contentTypeOf(random, `multipart/form-data; boundary=${boundary}`)
      return {
        path: `${upload}/chunk-upload/`,
        headers: { authorization, 'content-type': type },
        body,
      }
    },
    lastError,
  )
})
