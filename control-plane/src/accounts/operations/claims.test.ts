import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { beforeAll, describe, expect, test } from 'vitest'
import { insertAccount } from '../accounts-store.ts'
import { claimRequest, judgeClaim } from './claims.ts'

const accountId = uuidv7(Date.now())
const database = useTestDatabase()
const sql = database.use()
beforeAll(async () => {
  await insertAccount(sql, { id: accountId, name: 'test', tier: 'scale', createdAtMs: Date.now() })
})

describe('a killed process', () => {
  const killed = async (where: string): Promise<void> => {
    const fixture = fileURLToPath(new URL('claims.fixture.ts', import.meta.url))
    const child = spawn(process.execPath, [fixture, database.url, accountId, where], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const [, signal] = await once(child, 'exit')
    expect(signal).toBe('SIGKILL')
  }
  const audited = async (where: string) =>
    (await sql`select from audit_log where account_id = ${accountId} and action = ${where}`).length
  /** The same request after the time limit of the first. */
  const again = (where: string) =>
    claimRequest(
      { sql, now: () => Date.now() + 60_000 },
      { accountId, key: where, route: 'POST /v1/tests', body: '{}', workMsMax: 1_000 },
    )

  test.each(['before the write', 'during the write'])(
    '%s wrote nothing, and the request can be sent again',
    async (where) => {
      await killed(where)
      expect(await again(where)).toMatchObject({ kind: 'claimed' })
      expect(await audited(where)).toBe(0)
    },
  )

  test('after the write wrote once, and the request is not executed again', async () => {
    const where = 'after the write'
    await killed(where)
    const outcome = await again(where)
    expect(outcome).toMatchObject({ refused: 'SV-3002' })
    expect(outcome).not.toHaveProperty('retryAfterSeconds')
    expect(await audited(where)).toBe(1)
  })
})

describe('the outcome for another request with the key', () => {
  const asked = { route: 'POST /v1/checks', bodyHash: Buffer.from('body') }
  const found = { ...asked, carriedOut: false, claimedUntilMs: 1_000, answer: null }
  const answer = { status: 201, body: '{}' }

  test.each([
    ['while the first one works', found, 999, { refused: 'SV-3002', retryAfterSeconds: 1 }],
    ['before its answer is there', { ...found, carriedOut: true }, 999, { retryAfterSeconds: 1 }],
    ['when its answer is lost', { ...found, carriedOut: true }, 1_000, { refused: 'SV-3002' }],
    ['when it has an answer', { ...found, answer }, 999, { kind: 'answered', answer }],
    ['of another route', { ...found, answer, route: 'POST /v1/x' }, 0, { refused: 'SV-2001' }],
    ['of another body', { ...found, bodyHash: Buffer.from('b') }, 0, { refused: 'SV-2001' }],
  ])('%s', (_when, known, nowMs, outcome) => {
    expect(judgeClaim(known, asked, nowMs)).toMatchObject(outcome)
  })
})
