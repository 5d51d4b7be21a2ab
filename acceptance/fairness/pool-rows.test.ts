import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { sharedPools, type PoolName } from '@probe-mesh/contracts/api/pools'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * The rows of the pools that each file creates, one entry per pool. A new pool needs a row, which describes
 * the shared resource, and a case in `pools.test.ts`.
 */
const rows: Record<string, readonly PoolName[]> = {
  'control-plane/src/checks/manual-runs.ts': ['firstReadings', 'trials', 'freeTrials', 'freeBrowserTrials'],
  'control-plane/src/mesh/assess/confirmer.ts': ['confirmationsSent'],
  'error-tracking/accept/error-ingest.ts': ['errorPublishing'],
  'error-tracking/accept/open/opener.ts': ['errorOpening', 'errorAnonymous'],
  // the turns within the thread, described in the row of the thread
  'error-tracking/accept/open/thread.ts': ['errorOpening'],
  'control-plane/src/imports/import-reader.ts': ['imports', 'longImports'],
  'control-plane/src/http/admission.ts': [
    'requests',
    'requestFloors',
    'runFloors',
    'keylessFloors',
    'requestTurns',
  ],
  'error-tracking/source-maps/source-map-upload.ts': ['errorMapChunks', 'errorMapUploads'],
  'control-plane/src/login/hashing.ts': ['passwordsOfStrangers', 'passwordsOfKnownVisitors'],
  'control-plane/src/login/passwords/estimator.ts': ['newPasswords'],
  'control-plane/src/heartbeats/ping-queue.ts': ['pings'],
  'control-plane/src/mesh/relay/relay-runs.ts': ['agentRuns'],
  // one call for the databases, and two for the streams and their floors
  'control-plane/src/stores/request-shares.ts': ['postgresConnections', 'eventStreams', 'eventStreamFloors'],
  'control-plane/src/status-pages/logo/logo-encoder.ts': ['logoImages'],
  'mcp-gateway/src/upstream/control-plane.ts': ['gatewayCalls'],
  'check-types/browser/probe/pages.ts': ['pages', 'pagesAsked', 'pagesTried'],
  'probe-agent/src/dns-evidence/inquire.ts': ['nameInquiries'],
  'probe-agent/src/request/large-heads.ts': ['largeHeads'],
  'probe-agent/src/run/handshakes.ts': ['handshakes'],
  'probe-agent/src/schedule/dispatcher.ts': ['runs', 'runsAsked', 'runsTried', 'confirmations'],
}

/** Pools whose bounds come from a constant that the row shares, not from the row by name. */
const namedOtherwise: Partial<Record<PoolName, RegExp>> = {
  passwordsOfStrangers: /createFairPool\(hashingBounds\.strangers\)/,
  passwordsOfKnownVisitors: /createFairPool\(hashingBounds\.known\)/,
  newPasswords: /createFairPool\(estimateBounds\)/,
}

const call = /\bcreateFairPool\(/g
const poolsOf = (text: string): number => text.match(call)?.length ?? 0

const found = async (): Promise<Map<string, number>> => {
  const counts = new Map<string, number>()
  for await (const path of glob(['*/src/**/*.ts', '{check-types,error-tracking}/**/*.ts'], { cwd: root })) {
    const isTest = /\.test\.ts$|(^|\/)testing(\.ts$|\/)/.test(path)
    if (isTest || path.includes('node_modules')) continue
    const pools = poolsOf(readFileSync(`${root}/${path}`, 'utf8'))
    if (pools > 0) counts.set(path, pools)
  }
  return counts
}

test('every pool in the source uses the bounds of a row, and every row with bounds has a pool', async () => {
  const counts = Object.fromEntries(await found())
  expect(counts).toEqual(
    Object.fromEntries(Object.entries(rows).map(([path, names]) => [path, names.length])),
  )
  const made = new Set(Object.values(rows).flat())
  const shares = readFileSync(`${root}/control-plane/src/stores/request-shares.ts`, 'utf8')
  const placed = Object.entries(sharedPools).filter(([, row]) => 'bounds' in row)
  const without = placed.flatMap(([name]) =>
    made.has(name as PoolName) || shares.includes(`'${name}'`) ? [] : [name],
  )
  expect(without).toEqual([])
})

/** The thread has no row with its name. */
const named = Object.entries(rows).flatMap(([path, names]) =>
  path.endsWith('thread.ts') ? [] : names.map((name) => ({ path, name })),
)

test.each(named)('$path names the row $name', ({ path, name }) => {
  const text = readFileSync(`${root}/${path}`, 'utf8')
  expect(text).toMatch(namedOtherwise[name] ?? new RegExp(`\\b${name}\\b`))
  expect(sharedPools[name]).toHaveProperty('bounds')
})
