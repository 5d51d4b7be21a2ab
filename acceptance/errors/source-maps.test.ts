import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { startErrorPersister, type ErrorPersister } from '@probe-mesh/error-tracking/persist/persister'
import { startTestApp, type TestApp } from '@probe-mesh/control-plane/src/app/testing/test-app'
import {
  insertTestErrorProject,
  acquireTestLeases,
} from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { sentryRollupPlugin } from '@sentry/bundler-plugins/rollup'
import pino from 'pino'
import { Registry } from 'prom-client'
import { rolldown } from 'rolldown'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

/**
 * Tests source maps with real tools: a minified bundle, `sentry-cli` for ids and upload, and Sentry's SDK.
 */
const run = promisify(execFile)
const resolve = createRequire(import.meta.url).resolve
const sentryCli = resolve('@sentry/cli/bin/sentry-cli')

const store = useTestClickHouse()
const clickhouse = store.use()
let at: TestApp
let persister: ErrorPersister
let origin: string
const folder = testFolder('source-maps-')
beforeAll(async () => {
  const [port = 0] = await freePorts(1)
  origin = `http://127.0.0.1:${port}`
  // sentry-cli uploads to the URL in the options, which is the public one
  at = await startTestApp({ clickhouseUrl: store.url, config: { publicUrl: origin } })
  await at.app.listen({ host: '127.0.0.1', port })
  persister = startErrorPersister({
    sql: at.systemSql,
    clickhouse,
    bus: at.bus,
    tiers: tiersDefault,
    registry: new Registry(),
    log: pino({ level: 'silent' }),
    now: Date.now,
  })
  for (const lease of await acquireTestLeases(at.sql)) persister.take(lease)
})
afterAll(async () => {
  await persister.close()
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
/** Extra code, for other lines, columns and short names in the bundle. */
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

/** @returns the folder of the bundle, which is minified unless there are plugins */
const build = async (name: string, extra: string, plugins: unknown[] = []): Promise<string> => {
  const root = join(folder, name)
  await mkdir(join(root, 'src'), { recursive: true })
  await writeFile(join(root, 'src/cart.ts'), cart)
  await writeFile(join(root, 'src/main.ts'), main(extra))
  const input = join(root, 'src/main.ts')
  const options = { input, cwd: root, logLevel: 'silent', plugins }
  const bundle = await rolldown(options as never)
  const dir = join(root, 'dist')
  await bundle.write({
    dir,
    format: 'esm',
    sourcemap: true,
    minify: plugins.length === 0 && { mangle: { toplevel: true }, compress: true, codegen: true },
    entryFileNames: 'app.mjs',
  } as never)
  await bundle.close()
  return dir
}

const upload = (dir: string, project: string, key: string) =>
  run(process.execPath, [sentryCli, 'sourcemaps', 'upload', '--org', 'any', '--project', project, dir], {
    env: {
      ...process.env,
      SENTRY_URL: origin,
      SENTRY_AUTH_TOKEN: key,
      HTTP_PROXY: '',
      http_proxy: '',
    },
  })

type Project = { id: string; number: string; dsn: string }
const projectOf = async (accountId: string): Promise<Project> => {
  const id = await insertTestErrorProject(at.sql, accountId)
  const [row] = await at.sql<{ number: string; public_key: string }[]>`
    select number, public_key from error_projects p join error_keys k on k.project_id = p.id
    where p.id = ${id}`
  const number = row?.number ?? ''
  return { id, number, dsn: `${origin.replace('//', `//${row?.public_key}@`)}/${number}` }
}
/** Runs a bundle with Sentry's SDK, which reports the thrown error. */
const report = async ({ dsn }: Project, bundle: string, release: string): Promise<void> => {
  const script = join(folder, 'report.mjs')
  await writeFile(script, reporter)
  await run(process.execPath, [script, resolve('@sentry/node'), dsn, bundle, release])
}
/** Waits for the only issue of a project to have this many occurrences. */
const issueOf = async ({ id }: Project, key: string, occurrences: number) => {
  const issueId = await vi.waitFor(async () => {
    const { json } = await at.call('GET', `/v1/errors/projects/${id}/issues`, { key })
    expect(json.issues).toEqual([expect.objectContaining({ occurrences })])
    return String(json.issues[0].id)
  }, 15_000)
  return (await at.call('GET', `/v1/errors/issues/${issueId}`, { key })).json
}

test('an upload of sentry-cli resolves file, function and line of a minified stack', async () => {
  const account = await at.account('scale')
  const project = await projectOf(account.id)
  for (const [release, extra] of [
    ['shop@1', ''],
    ['shop@2', more],
  ] as const) {
    const dir = await build(release, extra)
    await run(process.execPath, [sentryCli, 'sourcemaps', 'inject', dir])
    await upload(dir, project.number, account.writeKey)
    // the build removed the original names
    expect(await readFile(join(dir, 'app.mjs'), 'utf8')).not.toContain('totalOf')
    await report(project, join(dir, 'app.mjs'), release)
  }
  const json = await issueOf(project, account.readKey, 2)
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
  // source lines are scrubbed too
  expect(JSON.stringify(json)).toContain('[removed: password]')
  expect(JSON.stringify(json)).not.toContain('hunter2')
})

test('sentry-cli prints the refusal of an upload, and nothing is stored', async () => {
  const account = await at.account('scale')
  const dir = await build('refused', '')
  await run(process.execPath, [sentryCli, 'sourcemaps', 'inject', dir])
  const failed = async (project: string, key: string): Promise<string> =>
    upload(dir, project, key).then(
      () => '',
      ({ stderr }: { stderr: string }) => stderr,
    )
  expect(await failed('999999', account.writeKey)).toContain('has no error project')
  expect(await failed('1', account.readKey)).toContain('read_write')
  expect(await failed('1', 'sv_rw_of_nobody')).toContain('401')
  const [row] = await at.sql`
    select count(*)::integer as maps from error_source_maps where account_id = ${account.id}`
  expect(row).toEqual({ maps: 0 })
})

test('a bundler plugin uploads source maps during the build', async () => {
  const account = await at.account('scale')
  const project = await projectOf(account.id)
  const plugins = sentryRollupPlugin({
    org: 'any',
    project: project.number,
    url: origin,
    authToken: account.writeKey,
    telemetry: false,
    silent: true,
    // the first event with a release creates it
    release: { create: false, finalize: false, setCommits: false },
  })
  const dir = await build('plugin', '', [plugins])
  await report(project, join(dir, 'app.mjs'), 'shop@3')
  const { recent } = await issueOf(project, account.readKey, 1)
  expect(recent[0].frames.slice(0, 2)).toMatchObject([
    { file: 'src/cart.ts', function: 'totalOf', line: 5 },
    { file: 'src/cart.ts', line: 10 },
  ])
})
