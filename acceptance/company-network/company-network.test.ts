import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { findDebianProgram } from '@probe-mesh/infra/testing/debian-program'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { beforeAll, expect, test } from 'vitest'
import { at, names, type Given, type WorldReport } from './stage.ts'

/**
 * A company whose hosts reach nothing but a squid with a password, and whose authority signs all certificates: a private
 * agent inside, and a mesh inside that sends outside. COMPANY_CUT_SECONDS shortens the cut of five minutes. Needs root.
 */

const script = fileURLToPath(new URL('testing/world.ts', import.meta.url))
const folder = testFolder('company-')
const cutMs = Number(process.env['COMPANY_CUT_SECONDS'] ?? 300) * 1_000
let report: WorldReport

beforeAll(async () => {
  const given: Given = {
    folder,
    cutMs,
    squid: await findDebianProgram('squid'),
    ip: await findDebianProgram('iproute2', { program: 'ip', mayFetch: true }),
  }
  const args = ['--net', '--mount', process.execPath, script, JSON.stringify(given)]
  const world = spawn('unshare', args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PATH: `${dirname(given.ip)}:${process.env['PATH']}` },
    timeout: cutMs + 1_200_000,
  })
  const [printed] = await Promise.all([text(world.stdout), once(world, 'exit')])
  const line = printed.split('\n').find((each) => each.startsWith('{')) ?? ''
  report = JSON.parse(line) as WorldReport
}, cutMs + 1_300_000)

test('the command line enrols an agent through the proxy', () => {
  expect(report.company.enrolled).toMatchObject({ exitCode: 0 })
})

test('the agent measures inside and delivers through the proxy, also what it measured while cut off', async (context) => {
  const { journalled, inCut, missing, twice } = report.readings
  await recordFigure(
    context,
    `cut off for ${cutMs / 1_000} s: ${inCut} readings; of ${journalled} in all ${missing} lost, ${twice} twice`,
  )
  expect(report.presence).toBe('present')
  expect(inCut).toBeGreaterThanOrEqual(Math.floor(cutMs / 10_000) - 1)
  expect({ missing, twice }).toEqual({ missing: 0, twice: 0 })
})

test('messages to a name and to an address arrive, and OTLP does', () => {
  expect(report.company.channelTests).toMatchObject([{ delivered: true }, { delivered: true }])
  for (const path of [
    `${names.hooks} /hook`,
    `${at.hooks} /hook`,
    `${at.hooks} /v1/metrics`,
    `${at.hooks} /v1/traces`,
  ])
    expect(report.received).toContain(path)
})

test('no probe uses the proxy', () => {
  expect(report.targetHits).toBeGreaterThan(2)
  expect(report.company.outside.length).toBeGreaterThan(0)
  expect(report.company.outside).not.toContain('up')
  expect([...report.proxied].toSorted()).toEqual([
    `CONNECT ${at.hooks}:443`,
    `CONNECT ${names.hooks}:443`,
    `CONNECT ${names.mesh}:443`,
  ])
})
