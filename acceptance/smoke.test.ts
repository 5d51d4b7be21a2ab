import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createApiClient, type ApiClient } from '@probe-mesh/contracts/api/client'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { runAdmin } from '@probe-mesh/infra/operate/admin/admin'
import { findTestChromium } from '@probe-mesh/infra/testing/chromium'
import { createTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { startMailServer, type MailServer } from '@probe-mesh/infra/testing/mail-server'
import { createMeshProcess, type MeshProcess } from '@probe-mesh/infra/testing/mesh-process'
import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { startTarget, type Target } from '@probe-mesh/infra/testing/target'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { runService } from './cli/testing/run-service.ts'
import { logIn, openBrowser } from './web/browser.ts'

/**
 * Each kind of whole process once, in one `npm start`: what breaks a start, a package, a browser or a backup
 * is found by `npm test`. The suites that prove them in full run with `npm run acceptance`.
 */

const folder = testFolder('smoke-')
let mesh: MeshProcess
let client: ApiClient
let target: Target
let mail: MailServer
let checkId: string

beforeAll(async () => {
  ;[target, mail] = await Promise.all([startTarget(), startMailServer()])
  // a new machine downloads it
  await findTestChromium()
}, 600_000)
afterAll(async () => {
  await mesh?.close()
  await Promise.all([target?.close(), mail?.close()])
})

const waiting = { timeout: 60_000, interval: 50 }
const patience = { timeout: 240_000 }

test('a new data directory starts and is ready', patience, async () => {
  mesh = await createMeshProcess({
    dataDir: join(folder, 'data'),
    environment: {
      REGIONS: 'iad',
      TARGET_ALLOW: '127.0.0.0/8',
      CHROMIUM: 'off',
      SMTP_URL: mail.smtpUrl,
      MAIL_FROM: 'mesh@example.org',
    },
  })
  await mesh.start()
  const { apiKey } = await mesh.credentials()
  client = createApiClient({ apiUrl: mesh.apiUrl, apiKey })
})

test('a check by HTTP becomes operational, then down, with its readings stored', patience, async () => {
  const { databaseUrl } = await mesh.stores()
  const sql = connectPostgres(databaseUrl, { connectionsMax: 1 })
  await sql`update alert_rules set email_users = true`.finally(() => sql.end())
  const created = await client.call('createCheck', {
    body: { name: 'shop', url: target.url('/shop'), intervalSeconds: 3_600 },
  })
  if (!created.ok) throw new Error(JSON.stringify(created.problem))
  checkId = created.value.id
  const measuredAs = (status: string, verdict: string) =>
    vi.waitFor(async () => {
      const check = await client.call('getCheck', { params: { id: checkId } })
      expect(check).toMatchObject({ ok: true, value: { status } })
      const stored = await client.call('listReadings', { params: { id: checkId }, query: {} })
      expect(stored).toMatchObject({
        ok: true,
        value: { readings: expect.arrayContaining([expect.objectContaining({ verdict })]) },
      })
    }, waiting)
  await measuredAs('operational', 'up')
  target.behave('fail')
  await client.call('runCheck', { params: { id: checkId } })
  await measuredAs('down', 'down')
})

test('the flip arrives as one mail by SMTP', patience, async () => {
  const { email } = await mesh.credentials()
  const [sent] = await vi.waitFor(async () => {
    const mails = (await mail.mailboxes()).get(email) ?? []
    expect(mails).toHaveLength(1)
    return mails
  }, waiting)
  expect(sent?.subject).toContain('shop')
})

test('a browser logs in and shows the check', patience, async () => {
  const people = await openBrowser(new URL(mesh.apiUrl).origin)
  try {
    const { page, problems } = await people.person()
    await logIn(page, await mesh.credentials())
    await page.goto('/dashboard/checks')
    expect(await page.locator(`[data-check-id="${checkId}"]`).textContent()).toBe('Down')
    expect(problems).toEqual([])
  } finally {
    await people.close()
  }
})

test('the command line plans the changes of a file', patience, async () => {
  const file = join(folder, 'checks.yaml')
  const more = '  - name: docs\n    url: https://docs.example.com/\n'
  const same = `  - name: shop\n    url: ${target.url('/shop')}\n    intervalSeconds: 3600\n`
  await writeFile(file, `version: 1\nchecks:\n${same}${more}`)
  const script = fileURLToPath(new URL('../cli/src/main.ts', import.meta.url))
  const { apiKey } = await mesh.credentials()
  const planned = await runService(script, ['apply', '-f', file, '--dry-run'], {
    node: process.execPath,
    environment: { SERVICE_API_URL: mesh.apiUrl, SERVICE_API_KEY: apiKey },
  })
  expect(planned).toMatchObject({
    exitCode: 2,
    out: expect.stringContaining('Changes: 1 to create, 0 to update'),
  })
  expect(planned.out).toContain('1 unchanged')
})

test('a backup of the running system is restored into empty databases', patience, async () => {
  const [database, store] = await Promise.all([createTestDatabase(), createTestClickHouse()])
  const at = { DATABASE_URL: database.url, CLICKHOUSE_URL: store.url, DATA_DIR: join(folder, 'later') }
  const [key, copy] = [join(folder, 'key'), join(folder, 'copy')]
  await writeFile(key, 'correct horse battery staple', { mode: 0o600 })
  const admin = async (line: string, environment: Record<string, string>): Promise<void> => {
    let printed = ''
    const print = (text: string) => (printed += text)
    const args = `${line} --key-file ${key} --keys ${join(folder, 'nats')}`.split(' ')
    expect(await runAdmin(args, environment, { out: print, error: print }), printed).toBe(0)
  }
  const sql = connectPostgres(database.url, { connectionsMax: 1 })
  const clickhouse = connectClickHouse(store.url)
  try {
    await admin(`backup --to ${copy}`, { DATA_DIR: join(folder, 'data') })
    await admin(`restore --from ${copy}`, at)
    expect(await sql`select name, url from checks`).toMatchObject([{ name: 'shop' }])
    const rows = await clickhouse.query({
      query: 'select distinct verdict from readings_raw order by verdict::String',
      format: 'JSONEachRow',
    })
    expect(await rows.json()).toEqual([{ verdict: 'down' }, { verdict: 'up' }])
  } finally {
    await Promise.all([sql.end(), clickhouse.close()])
    await Promise.all([database.close(), store.close()])
  }
})

test('stops with 0 at SIGTERM', patience, async () => {
  expect(await mesh.stop()).toBe(0)
})
