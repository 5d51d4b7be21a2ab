import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const entry = fileURLToPath(new URL('control-plane.ts', import.meta.url))

/** Runs the program to its end. */
const run = (args: string[], environment: Record<string, string>) =>
  new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const env = { PATH: process.env['PATH'], ...environment }
    execFile(process.execPath, [entry, ...args], { env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err })
    })
  })

test('--help names every required variable and starts nothing', async () => {
  const { code, out } = await run(['--help'], {})
  expect(code).toBe(0)
  for (const name of [
    'DATABASE_URL',
    'CLICKHOUSE_URL',
    'NATS_URL',
    'SECRETS_KEY',
    'CATALOG_FILE',
    'CATALOG_INTERVAL_SECONDS',
    'SMTP_URL',
    'MAIL_FROM',
    'NATS_CREDENTIALS',
    'VANTAGE',
  ]) {
    expect(out).toContain(name)
  }
})

test('a control plane lists every missing or wrong setting', async () => {
  const { code, err } = await run([], {
    NATS_URL: 'http://nowhere',
    PORT: 'none',
    SMTP_URL: 'http://nowhere',
  })
  expect(code).toBe(1)
  for (const name of [
    'DATABASE_URL is required',
    'CLICKHOUSE_URL is required',
    'SECRETS_KEY is required',
    'SMTP_URL',
    'MAIL_FROM is required',
    'NATS_URL',
    'PORT',
  ]) {
    expect(err).toContain(name)
  }
})

test('a control plane lists an unreadable catalog with the missing settings', async () => {
  const { code, err } = await run([], { CATALOG_FILE: '/nowhere/catalog.yaml' })
  expect(code).toBe(1)
  expect(err).toContain('CATALOG_FILE /nowhere/catalog.yaml cannot be read')
  expect(err).toContain('DATABASE_URL is required')
})

test('a control plane reports an unknown flag', async () => {
  const { code, err } = await run(['--prot', '1'], {})
  expect(code).toBe(1)
  expect(err).toContain('--prot')
})

test('a control plane reports missing credentials at once', async () => {
  const { code, err } = await run([], {
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    CLICKHOUSE_URL: 'http://127.0.0.1:1',
    NATS_URL: 'nats://127.0.0.1:1',
    SECRETS_KEY: 'any thirty-two characters or more will do',
    NATS_CREDENTIALS: '/nowhere/control-plane.nk',
  })
  expect(code).toBe(1)
  expect(err).toContain('/nowhere/control-plane.nk')
})

test('a control plane exits on a used port before it queries any server', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const { code, err } = await run([], {
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    CLICKHOUSE_URL: 'http://127.0.0.1:1',
    NATS_URL: 'nats://127.0.0.1:1',
    SECRETS_KEY: 'any thirty-two characters or more will do',
    PORT: String(port),
  })
  other.close()
  expect(code).toBe(1)
  expect(err).toContain(`127.0.0.1:${port} is not available: another program uses it`)
})
