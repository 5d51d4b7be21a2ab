import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { ownFaultNotices } from '@probe-mesh/control-plane/src/mesh/mesh-notices'
import { nothingSeen, seeRegion } from '@probe-mesh/control-plane/src/mesh/sightings'
import { observeReading } from '@probe-mesh/control-plane/src/status/observe'
import { newCheckState } from '@probe-mesh/control-plane/src/status/state'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findDebianProgram } from '@probe-mesh/infra/testing/debian-program'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { findNatsServer } from '@probe-mesh/infra/testing/nats-server'
import {
  brokenZones,
  hostOf,
  resolvingIntervalSeconds,
  resolvingRegions,
  workingZones,
  type ResolvingReport,
} from '../testing/resolving.ts'

/**
 * Agents of two regions with the settings of production behind real resolvers and name servers (unbound,
 * knot), in their own network namespaces: 5 of 40 names are broken, then a region loses its resolver.
 */

const script = fileURLToPath(new URL('../testing/resolving-inside.ts', import.meta.url))

const folder = testFolder('resolving-')
let report: ResolvingReport

beforeAll(async () => {
  const unbound = await findDebianProgram('unbound')
  const knot = await findDebianProgram('knot', { mayFetch: true, program: 'knotd' })
  const namespaces = ['--map-root-user', '--mount', '--net']
  const args = [...namespaces, process.execPath, script, unbound, knot, folder]
  const { stdout } = await promisify(execFile)('unshare', args, {
    timeout: 500_000,
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, TEST_NATS_SERVER: await findNatsServer() },
  })
  report = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
}, 600_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The measured readings of a host while both regions had resolvers, without unmeasured ones. */
const measured = (host: string): Reading[] =>
  report.before.flatMap(({ host: of, reading }) =>
    of === host && reading.verdict !== 'unmeasured' ? reading : [],
  )

/** The status of a host's check after each of its readings, by the control plane's rules. */
const statusesOf = (host: string): { status: string; reading: Reading }[] => {
  const schedule = { regions: resolvingRegions, intervalSeconds: resolvingIntervalSeconds }
  let state = newCheckState
  return measured(host).map((reading) => {
    state = observeReading(state, schedule, reading, reading.measuredAt).state
    return { status: state.status, reading }
  })
}

describe('of 40 names, 5 of which are broken,', () => {
  test.each(brokenZones)('$zone is down within two readings of each region: $cause', ({ zone, cause }) => {
    const statuses = statusesOf(hostOf(zone))
    for (const { reading } of statuses) {
      expect(reading).toMatchObject({ verdict: 'down', fault: 'target', cause })
      expect(reading.reason).not.toMatch(/93\.184|127\.0/)
    }
    const opened = statuses.findIndex(({ status }) => status === 'down')
    expect(opened).toBeGreaterThan(0)
    for (const region of resolvingRegions) {
      const until = statuses.slice(0, opened + 1).filter(({ reading }) => reading.region === region)
      expect(until.length).toBeLessThanOrEqual(2)
    }
  })

  test.each(brokenZones)('the readings of $zone record each resolver and its answer', ({ zone, cause }) => {
    for (const { details } of measured(hostOf(zone))) {
      const names = details?.names
      expect(names).toMatchObject({ name: hostOf(zone), controls: 'answered', zone })
      expect(names?.servers.length).toBeGreaterThanOrEqual(2)
      if (cause === 'dnssec_failed') expect(names?.unchecked).toBe('NOERROR')
    }
  })

  test('all other names are up', async (context) => {
    const readings = workingZones.flatMap((zone) => measured(hostOf(zone)))
    expect(readings.length).toBeGreaterThanOrEqual(2 * 2 * workingZones.length)
    expect(readings.filter(({ verdict }) => verdict !== 'up')).toEqual([])
    const down = report.before.filter(({ reading }) => reading.verdict === 'down')
    await recordFigure(
      context,
      `${report.before.length} readings of 40 names by 2 regions: ${down.length} down, all of the 5 broken ones; ${readings.length} up`,
    )
  })
})

describe('a region that loses its resolver', () => {
  const [kept, lost] = resolvingRegions

  test('reports no target down', () => {
    const readings = report.after.flatMap(({ reading }) =>
      reading.region === lost && reading.measuredAt > report.resolverEndedAt ? reading : [],
    )
    expect(readings.length).toBeGreaterThanOrEqual(2 * 40)
    expect(readings.filter(({ verdict }) => verdict === 'down')).toEqual([])
    const working = new Set(workingZones.map(hostOf))
    const others = report.after.filter(({ host, reading }) => reading.region === kept && working.has(host))
    expect(others.filter(({ reading }) => reading.verdict === 'down')).toEqual([])
  })

  test('reports it to its operator once', () => {
    const reports = report.logged.filter(({ msg }) => msg.includes('do not count against targets'))
    expect(reports.length).toBeGreaterThan(0)
    const since = reports.filter(({ time }) => time >= report.resolverEndedAt)
    expect(since.length).toBeLessThanOrEqual(1)
  })

  test('shows it on the mesh page as one notice, from when the resolver ended', () => {
    const nowMs = Date.now()
    const seen = seeRegion(nothingSeen(lost), report.announced, nowMs)
    const [notice, ...others] = ownFaultNotices(seen, nowMs)
    expect(others).toEqual([])
    expect(notice).toMatchObject({
      what: 'names',
      text: `${lost}: the probe's resolver answers for no name`,
    })
    const [announced] = report.announced
    expect(announced?.report?.ownFault?.namesSince).toBeGreaterThanOrEqual(report.resolverEndedAt)
  })
})
