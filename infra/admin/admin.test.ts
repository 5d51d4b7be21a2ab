import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apiKeyScope } from '@probe-mesh/contracts/api-key'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../testing/postgres.ts'
import type { TestDatabase } from '../testing/postgres.ts'
import { runAdmin } from './admin.ts'
import { usage } from './usage.ts'

let database: TestDatabase
let folder: string
beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'probe-mesh-admin-'))
})
afterAll(async () => {
  await database.close()
  await rm(folder, { recursive: true })
})

const admin = async (line: string, environment: Record<string, string> = {}) => {
  const printed = { out: '', error: '' }
  const code = await runAdmin(
    line.split(' ').filter((word) => word !== ''),
    { DATABASE_URL: database.url, ...environment },
    {
      out: (text) => (printed.out += text),
      error: (text) => (printed.error += text),
    },
  )
  return { code, ...printed }
}

test('an account is made, gets keys, changes tier, and a key is revoked', async () => {
  const made = await admin(
    'account create --name Acme --email ops@example.org --tier growth --json',
  )
  const { account, password } = JSON.parse(made.out)
  expect(account).toMatchObject({ name: 'Acme', tier: 'growth', createdAt: expect.any(String) })
  expect(password).toMatch(/^[\w-]{20}$/)

  const key = await admin('key create ops@example.org --name ci --scope read_write')
  expect(apiKeyScope(key.out.trim())).toBe('read_write')
  expect(key.error).toMatch(/shown only now/)

  const listed = await admin(`key list ${account.id} --json`)
  const { keys } = JSON.parse(listed.out)
  expect(keys).toMatchObject([{ name: 'ci', revokedAt: null }])
  expect(listed.out).not.toContain(key.out.trim())

  expect(await admin(`key revoke ${keys[0].id}`)).toMatchObject({ code: 0 })
  expect((await admin('key list OPS@example.org')).out).toMatch(/read_write .* revoked 20/)

  expect(await admin('tier set ops@example.org free')).toMatchObject({ code: 0 })
  expect((await admin('account list')).out).toMatch(/free +ops@example\.org +Acme/)
})

describe('what is not done says why, on stderr, with exit code 1', () => {
  test.each([
    ['account', /unknown command: account/],
    ['account rename', /unknown command/],
    ['account create --name Acme', /needs --email/],
    [
      'account create --name A --email a@example.org --tier gold',
      /free, growth or scale, not gold/,
    ],
    ['account create --name A --email nobody', /email: must be an e-mail address/],
    ['account list all', /takes no arguments/],
    ['account list --scope read', /has no option --scope/],
    ['account list --colour', /--colour/],
    ['tier set ops@example.org', /takes <account> <tier>/],
    ['key create nobody@example.org --name ci', /There is no account nobody@example.org.*SV-3001/],
    ['key create ops@example.org --name ci --scope write', /read or read_write, not write/],
    ['key revoke 12', /not a key id/],
    ['key revoke 0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70', /no key with that id/],
  ])('%s', async (line, message) => {
    expect(await admin(line)).toEqual({ code: 1, out: '', error: expect.stringMatching(message) })
  })

  test('a free account is told that it can only make read keys', async () => {
    await admin('account create --name Free --email free@example.org')
    expect(await admin('key create free@example.org --name w --scope read_write')).toMatchObject({
      code: 1,
      error: expect.stringMatching(/SV-1005/),
    })
  })

  test('where nothing runs it says how to start or where to point', async () => {
    const environment = { DATABASE_URL: '', DATA_DIR: folder }
    expect(await admin('account list', environment)).toMatchObject({
      code: 1,
      error: expect.stringMatching(/nothing runs on .*npm start.*DATABASE_URL/),
    })
  })

  test('a database that does not answer is no stack trace', async () => {
    const environment = { DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' }
    expect(await admin('account list', environment)).toMatchObject({
      code: 1,
      error: expect.stringMatching(/does not answer/),
    })
  })

  test('a wrong environment is listed whole', async () => {
    const { error } = await admin('account list', { PORT: 'x', REGIONS: '1' })
    expect(error).toMatch(/PORT[\s\S]*REGIONS/)
  })
})

test.each(['', '--help', 'key create --help'])('%j prints the usage', async (line) => {
  expect(await admin(line)).toEqual({ code: 0, out: usage, error: '' })
})
