import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { beforeEach, describe, expect, test } from 'vitest'
import { saveCertificates } from './certificates-store.ts'
import { notifyExpiries } from './expiry-watcher.ts'
import { alertScenario, testRegions } from '../../app/alerting/testing.ts'

const sql = useTestSql({ role: 'probe_mesh_system' })
let game: ReturnType<typeof alertScenario>
let accountId: string

const dayMs = 86_400_000

beforeEach(async () => {
  await sql`delete from accounts`
  game = alertScenario(sql)
  accountId = await game.account()
  await game.channel(accountId)
})

const startMs = Date.parse('2026-11-20T12:00:00.000Z')

/** A certificate that is shown now, and ends so many days after the start. */
const shown = (
  checkId: string,
  endsAtDay: number,
  { regions = testRegions as readonly string[], name = 'shop.example.org' } = {},
) =>
  saveCertificates(
    sql,
    regions.map((region) => ({
      checkId,
      region,
      expiresAtMs: startMs + endsAtDay * dayMs,
      validFromMs: startMs - 80 * dayMs,
      issuer: "Let's Encrypt, R3",
      names: [name],
      nameCount: 1,
      endsWith: null,
      seenAtMs: game.clock.nowMs,
    })),
  )
const look = () => notifyExpiries(game.context)
const titles = () => game.titles(accountId)

test('a certificate with 6 days left is one message, then none, and one when it is renewed', async () => {
  await game.rule(accountId)
  const [check = ''] = await game.checks(accountId, ['shop'])
  await shown(check, 6)
  await look()
  const [told] = await game.deliveries(accountId)
  expect(told?.message).toMatchObject({
    event: 'alert',
    title: 'The certificate of shop expires in 6 days',
    text: "It expires at 12:00 UTC, 26 Nov.\nIssued by Let's Encrypt, R3 for shop.example.org. Last shown at 12:00 UTC, 20 Nov.",
    url: `https://mesh.example.org/dashboard/checks/${check}`,
  })
  for (let hours = 0; hours < 48; hours++) {
    game.pass(3_600_000)
    await shown(check, 6)
    await look()
  }
  expect(await titles()).toHaveLength(1)
  game.pass(60_000)
  await shown(check, 90)
  await look()
  await look()
  const [, renewed, ...more] = await game.deliveries(accountId)
  expect(more).toEqual([])
  expect(renewed?.message).toMatchObject({
    event: 'recovery',
    title: 'The certificate of shop was renewed',
    alertKey: told?.message.alertKey,
  })
})

test('each of the days of a rule is one message, and a rule without days sends none', async () => {
  await game.rule(accountId, { certificateDays: [20, 3] })
  await game.rule(accountId, { certificateDays: [] })
  const [check = ''] = await game.checks(accountId, ['shop'])
  for (let day = 0; day < 31; day++) {
    await shown(check, 30)
    await look()
    game.pass(dayMs)
  }
  expect(await titles()).toEqual([
    'The certificate of shop expires in 20 days',
    'The certificate of shop expires in 3 days',
  ])
})

describe('nothing is sent', () => {
  const cases: [string, () => Promise<unknown>][] = [
    ['of a certificate with time left', async () => shown(await one(), 15)],
    [
      'of a check that is paused',
      async () => {
        const check = await one()
        await shown(check, 6)
        await sql`update checks set paused = true where id = ${check}`
      },
    ],
    [
      'of a region that the check is measured from no more',
      async () => {
        const check = await one()
        await shown(check, 6, { regions: ['sjc'] })
        await shown(check, 90)
      },
    ],
    [
      'of what a region saw long before the others',
      async () => {
        const check = await one()
        await shown(check, 6, { regions: ['fra'] })
        game.pass(2 * 3_600_000)
        await shown(check, 90, { regions: ['iad'] })
      },
    ],
    [
      'of what nobody has seen for days',
      async () => {
        await shown(await one(), 6)
        game.pass(2 * dayMs)
      },
    ],
  ]
  const one = async () => (await game.checks(accountId, ['shop']))[0] ?? ''
  test.each(cases)('%s', async (_, prepare) => {
    await game.rule(accountId)
    await prepare()
    await look()
    expect(await titles()).toEqual([])
  })
})

test('one region that still shows the old certificate is enough', async () => {
  await game.rule(accountId)
  const [check = ''] = await game.checks(accountId, ['shop'])
  await shown(check, 90, { regions: ['fra'] })
  await shown(check, 6, { regions: ['iad'] })
  await look()
  expect(await titles()).toEqual(['The certificate of shop expires in 6 days'])
})

test('checks with the same certificate share one message that names them', async () => {
  await game.rule(accountId)
  await game.rule(accountId, { name: 'the same again' })
  const checks = await game.checks(accountId, ['a', 'b', 'c'])
  await Promise.all(checks.slice(0, 2).map((check) => shown(check, 6)))
  await shown(checks[2] ?? '', 6, { name: 'other.example.org' })
  await look()
  expect((await titles()).toSorted()).toEqual([
    'A certificate of 2 checks expires in 6 days',
    'The certificate of c expires in 6 days',
  ])
})

test('many control planes send it once', async () => {
  await game.rule(accountId)
  const [check = ''] = await game.checks(accountId, ['shop'])
  await shown(check, 6)
  await Promise.all(Array.from({ length: 5 }, look))
  await look()
  expect(await titles()).toHaveLength(1)
})

test('a failing account does not affect the others and is retried', async () => {
  await game.rule(accountId)
  const [first = ''] = await game.checks(accountId, ['shop'])
  const other = await game.account()
  await game.channel(other)
  await game.rule(other)
  const [second = ''] = await game.checks(other, ['well'])
  await Promise.all([shown(first, 6), shown(second, 6)])
  let failures = 1
  const failing = {
    ...game.context,
    get publicUrl(): string {
      if (failures-- > 0) throw new Error('broken')
      return game.context.publicUrl
    },
  }
  const all = async () => [...(await titles()), ...(await game.titles(other))]
  expect(await notifyExpiries(failing)).toBe(1)
  expect(await all()).toHaveLength(1)
  expect(await notifyExpiries(failing)).toBe(0)
  expect((await all()).toSorted()).toEqual([
    'The certificate of shop expires in 6 days',
    'The certificate of well expires in 6 days',
  ])
})
