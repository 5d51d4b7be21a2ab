import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { findNatsServer } from '@probe-mesh/infra/testing/nats-server'
import type { NamesReport } from '../testing/names-inside.ts'
import { inside, nameCases } from '../testing/names.ts'

/**
 * An agent with the guard of production in its own network, in which a hostile name server resolves names to
 * any address.
 */

const script = fileURLToPath(new URL('../testing/names-inside.ts', import.meta.url))
/** The first argument replaces the machine's resolv.conf for this process only. */
const inNamespace = 'mount --bind "$0" /etc/resolv.conf && exec "$@"'

const folder = testFolder('names-')
let report: NamesReport

beforeAll(async () => {
  const resolvers = join(folder, 'resolv.conf')
  await writeFile(resolvers, 'nameserver 127.0.0.1\n')
  const namespaces = ['--map-root-user', '--mount', '--net']
  const { stdout } = await promisify(execFile)(
    'unshare',
    [...namespaces, 'sh', '-c', inNamespace, resolvers, process.execPath, script],
    { timeout: 150_000, env: { ...process.env, TEST_NATS_SERVER: await findNatsServer() } },
  )
  report = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
}, 180_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

test.each(nameCases)('$host is only ever $expected', ({ host, expected }) => {
  const found = report.names.find((one) => one.host === host)
  expect(found?.readings).toBeGreaterThanOrEqual(10)
  // every possible outcome occurred: a changing name was seen on both sides
  expect(found?.seen).toEqual([...expected].toSorted())
})

test('a broken address family has no effect if the other works, and IPv6 alone is enough', () => {
  const seen = (name: string) => report.names.find(({ host }) => host.startsWith(`${name}.`))?.seen ?? []
  expect([seen('broken-six'), seen('six')]).toEqual([['up ok'], ['up ok']])
})

test('no internal address gets a connection by name, alias, redirect or DNS rebinding', async (context) => {
  const readings = report.names.reduce((sum, one) => sum + one.readings, 0)
  await recordFigure(
    context,
    `${nameCases.length} names, ${readings} readings by an agent with the guard of production: ${report.trapped.length} connections to ${inside.join(', ')}`,
  )
  expect(report.trapped).toEqual([])
  expect(report.refused).toEqual([])
})
