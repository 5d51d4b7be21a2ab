import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findDebianProgram } from '@probe-mesh/infra/testing/debian-program'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { findNatsServer } from '@probe-mesh/infra/testing/nats-server'
import { createCertificates } from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowserHome } from '../http-corpus/testing/browser-home.ts'
import { serverCases, zone, type ServersReport, type ServersStage } from './cases.ts'

/**
 * Real web servers with two address families and HTTP/1.1 and HTTP/2, on their own network. An agent with the
 * settings of production must agree with a real Chromium and curl.
 */

const script = fileURLToPath(new URL('testing/inside.ts', import.meta.url))
/** The first argument replaces the machine's resolv.conf for this process only. */
const inNamespace = 'mount --bind "$0" /etc/resolv.conf && exec "$@"'

const folder = testFolder('http-servers-')
let report: ServersReport

beforeAll(async () => {
  const certificates = createCertificates()
  const leaf = certificates.leaf(zone, null, `DNS:${zone},DNS:*.${zone}`)
  const files = {
    'ca.pem': certificates.ca,
    'leaf.key': leaf.key,
    'leaf.pem': leaf.cert,
    'both.pem': leaf.cert + leaf.key,
    'resolv.conf': 'nameserver 127.0.0.1\n',
  }
  certificates.remove()
  const home = await createBrowserHome(files['ca.pem'])
  const stage: ServersStage = {
    folder,
    home: home.path,
    programs: {
      nginx: await findDebianProgram('libnginx-mod-stream', { mayFetch: true, program: 'nginx' }),
      caddy: await findDebianProgram('caddy'),
      haproxy: await findDebianProgram('haproxy'),
    },
  }
  const written = { ...files, 'stage.json': JSON.stringify(stage) }
  for (const [name, text] of Object.entries(written)) await writeFile(join(folder, name), text)
  const namespaces = ['--map-root-user', '--mount', '--net', 'sh', '-c', inNamespace]
  const args = [join(folder, 'resolv.conf'), process.execPath, script, join(folder, 'stage.json')]
  try {
    const { stdout } = await promisify(execFile)('unshare', [...namespaces, ...args], {
      timeout: 300_000,
      maxBuffer: 16 * 1024 * 1024,
      env: { ...process.env, TEST_NATS_SERVER: await findNatsServer() },
    })
    report = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  } finally {
    home.remove()
  }
}, 600_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

test.each(serverCases)('$name: $expected', ({ name, status, expected, notes }) => {
  const found = report.cases[name]
  if (found === undefined) throw new Error('the report lacks this case')
  const { chromium, curl, readings } = found
  expect(readings.length).toBeGreaterThanOrEqual(2)
  for (const { verdict, cause, ...reading } of readings) {
    expect(`${verdict} ${cause}`).toBe(expected)
    expect(reading.status).toBe(status)
    expect(reading.notes).toEqual(notes === undefined ? [] : [expect.stringContaining(notes)])
  }
  expect([chromium.status, chromium.message]).toEqual([status, expect.any(String)])
  expect([curl.status, curl.message]).toEqual([status, expect.any(String)])
})

test('each verdict agrees with a browser', async (context) => {
  const all = Object.values(report.cases)
  const off = all.filter(({ chromium, readings }) =>
    readings.some((reading) => reading.status !== chromium.status),
  )
  await recordFigure(
    context,
    `${all.length} targets on real servers (${report.versions}): ${off.length} where the agent differs from Chromium`,
  )
  expect(off).toEqual([])
})
