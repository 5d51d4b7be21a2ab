import { execFile } from 'node:child_process'
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import type { TestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { connectClickHouse } from '@probe-mesh/control-plane/clickhouse/connect'
import type { ClickHouse } from '@probe-mesh/control-plane/clickhouse/connect'
import { startErrorPersister } from '@probe-mesh/control-plane/error-persist/persister'
import type { ErrorPersister } from '@probe-mesh/control-plane/error-persist/persister'
import { startTestApp } from '@probe-mesh/control-plane/http/testing'
import type { TestApp } from '@probe-mesh/control-plane/http/testing'
import { insertTestErrorProject, takeTestLeases } from '@probe-mesh/control-plane/postgres/testing'
import { tiersDefault } from '@probe-mesh/contracts/tiers'
import pino from 'pino'
import { Registry } from 'prom-client'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

/**
 * Source maps as people use them: a minified bundle, `sentry-cli` for ids and upload, Sentry's SDK for the
 * report, and the stack that is read of the issue in the end.
 */
const run = promisify(execFile)
const resolve = createRequire(import.meta.url).resolve
const sentryCli = resolve('@sentry/cli/bin/sentry-cli')

let store: TestClickHouse
let at: TestApp
let clickhouse: ClickHouse
let persister: ErrorPersister
let origin: string
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'source-maps-'))
  store = await createTestClickHouse()
  at = await startTestApp({ clickhouseUrl: store.url })
  clickhouse = connectClickHouse(store.url)
  origin = await at.app.listen({ host: '127.0.0.1', port: 0 })
  persister = startErrorPersister({
    sql: at.systemSql,
    clickhouse,
    bus: at.bus,
    tiers: tiersDefault,
    registry: new Registry(),
    log: pino({ level: 'silent' }),
    now: Date.now,
  })
  for (const lease of await takeTestLeases(at.sql)) persister.take(lease)
})
afterAll(async () => {
  await persister.close()
  await clickhouse.close()
  await at.close()
  await store.close()
  await rm(folder, { recursive: true })
})

const cart = `type Cart = { items: { price: number }[] | null }
const apiPassword = 'hunter2hunter2'

const totalOf = (cart: Cart): number => {
  if (cart.items === null) throw new TypeError('the basket is empty')
  return cart.items.length + apiPassword.length
}

export const checkout = (carts: Cart[]): number => {
  const totals = carts.map((cart) => totalOf(cart))
  return totals.length
}
`
const main = (extra: string): string => `import { checkout } from './cart.ts'
${extra}
export const start = (): number => checkout([{ items: null }])
`
/** More code around it: other lines, columns and short names in the bundle. */
const more = `
const greet = (names: string[]): void => {
  for (const name of names) for (const letter of name) globalThis.console.debug(letter)
}
export const stop = (): void => greet(['a', 'b'])
`

const reporter = `
const [, , sdk, dsn, bundle, release] = process.argv
const { init, captureException, close } = await import(sdk)
init({ dsn, release, defaultIntegrations: false })
try {
  const { start } = await import(bundle)
  start()
} catch (error) {
  captureException(error)
}
await close(10_000)
`

/** Builds, and puts ids in. @returns where the bundle is */
const build = async (name: string, extra: string): Promise<string> => {
  const root = join(folder, name)
  await mkdir(join(root, 'src'), { recursive: true })
  await writeFile(join(root, 'src/cart.ts'), cart)
  await writeFile(join(root, 'src/main.ts'), main(extra))
  const bundle = await rolldown({ input: join(root, 'src/main.ts'), cwd: root, logLevel: 'silent' })
  const dir = join(root, 'dist')
  await bundle.write({
    dir,
    format: 'esm',
    sourcemap: true,
    minify: { mangle: { toplevel: true }, codegen: true },
    entryFileNames: 'app.mjs',
  } as never)
  await bundle.close()
  await run(process.execPath, [sentryCli, 'sourcemaps', 'inject', dir])
  return dir
}

const upload = (dir: string, project: string, key: string) =>
  run(
    process.execPath,
    [sentryCli, 'sourcemaps', 'upload', '--org', 'any', '--project', project, dir],
    {
      env: {
        ...process.env,
        SENTRY_URL: origin,
        SENTRY_AUTH_TOKEN: key,
        HTTP_PROXY: '',
        http_proxy: '',
      },
    },
  )

test('what sentry-cli uploads tells of a minified stack which file, function and line it is', async () => {
  const account = await at.account('scale')
  const projectId = await insertTestErrorProject(at.sql, account.id)
  const [row] = await at.sql<{ number: string; public_key: string }[]>`
    select number, public_key from error_projects p join error_keys k on k.project_id = p.id
    where p.id = ${projectId}`
  const dsn = `${origin.replace('//', `//${row?.public_key}@`)}/${row?.number}`
  const number = String(row?.number)
  await writeFile(join(folder, 'report.mjs'), reporter)
  for (const [release, extra] of [
    ['shop@1', ''],
    ['shop@2', more],
  ] as const) {
    const dir = await build(release, extra)
    await upload(dir, number, account.writeKey)
    // the build took every name of ours away
    expect(await readFile(join(dir, 'app.mjs'), 'utf8')).not.toContain('totalOf')
    const sdk = resolve('@sentry/node')
    await run(process.execPath, [
      join(folder, 'report.mjs'),
      sdk,
      dsn,
      join(dir, 'app.mjs'),
      release,
    ])
  }
  const issueId = await vi.waitFor(async () => {
    const { json } = await at.call('GET', `/v1/errors/projects/${projectId}/issues`, {
      key: account.readKey,
    })
    expect(json.issues.map((issue: { occurrences: number }) => issue.occurrences)).toEqual([2])
    return String(json.issues[0].id)
  }, 15_000)
  const { json } = await at.call('GET', `/v1/errors/issues/${issueId}`, { key: account.readKey })
  expect(json.releases.map(({ release }: { release: string }) => release).toSorted()).toEqual([
    'shop@1',
    'shop@2',
  ])
  expect(json.culprit).toBe('totalOf (src/cart.ts)')
  for (const occurrence of json.recent) {
    expect(occurrence.frames.slice(0, 5)).toMatchObject([
      { file: 'src/cart.ts', function: 'totalOf', line: 5, inApp: true },
      { file: 'src/cart.ts', function: null, line: 10, inApp: true },
      { file: '<anonymous>', function: 'Array.map', inApp: false },
      { file: 'src/cart.ts', function: 'checkout', line: 10, inApp: true },
      { file: 'src/main.ts', line: occurrence.release === 'shop@1' ? 3 : 8, inApp: true },
    ])
    const { source, sourceMaps } = occurrence.context
    expect(source[0]).toMatchObject({ frame: 0, source: expect.stringContaining('throw new') })
    expect(sourceMaps.minified[0]).toMatchObject({ frame: 0, line: 3 })
  }
  // lines of source are scrubbed as everything is
  expect(JSON.stringify(json)).toContain('[removed: password]')
  expect(JSON.stringify(json)).not.toContain('hunter2')
})

test('what sentry-cli is refused it says, and nothing is kept', async () => {
  const account = await at.account('scale')
  const dir = await build('refused', '')
  const failed = async (project: string, key: string): Promise<string> =>
    upload(dir, project, key).then(
      () => '',
      ({ stderr }: { stderr: string }) => stderr,
    )
  expect(await failed('999999', account.writeKey)).toContain('There is no error project')
  expect(await failed('1', account.readKey)).toContain('read_write')
  expect(await failed('1', 'sv_rw_of_nobody')).toContain('401')
  const [row] = await at.sql`
    select count(*)::integer as maps from error_source_maps where account_id = ${account.id}`
  expect(row).toEqual({ maps: 0 })
})
