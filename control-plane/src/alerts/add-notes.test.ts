import { beforeEach, expect, test } from 'vitest'
import { useAlertScenario, type AlertStage } from '../app/alerting/testing/use-alert-scenario.ts'

const stage = useAlertScenario()
const { sql } = stage
let game: AlertStage['game']
let accountId: string

beforeEach(async () => {
  ;({ game, accountId } = stage)
  await game.channel(accountId)
  await game.rule(accountId)
})

const noted = async (checkId: string, runbookUrl: string): Promise<void> => {
  await sql`
    with owner as (
      insert into users (id, account_id, email, name, password_hash, created_at)
      values (gen_random_uuid(), ${accountId}, 'ada@example.org', 'Ada', '', now()) returning id
    )
    insert into check_notes (check_id, account_id, runbook_url, notes, owner_id)
    select ${checkId}, ${accountId}, ${runbookUrl}, 'the password is in the safe', id from owner`
}
const settle = async (): Promise<void> => {
  for (let second = 0; second < 20; second++) {
    await game.act()
    game.pass(1_000)
  }
  await game.act()
}

test('an alert tells the runbook and the owner among its first facts, its recovery does not, and neither tells the notes', async () => {
  const [id = ''] = await game.checks(accountId, ['shop'])
  const runbook = 'https://wiki.example.org/shop'
  await noted(id, runbook)
  await game.flip([id], 'down')
  await settle()
  await game.flip([id], 'operational')
  await settle()
  const [alert, recovery] = (await game.deliveries(accountId)).map(({ message }) => message)
  expect(alert?.facts.slice(0, 4)).toEqual([
    { name: 'Check', value: 'shop' },
    expect.objectContaining({ name: 'Target' }),
    { name: 'Runbook', value: runbook },
    { name: 'Owner', value: 'Ada' },
  ])
  expect(recovery?.event).toBe('recovery')
  expect(JSON.stringify(recovery)).not.toMatch(/Runbook|Ada/)
  expect(JSON.stringify([alert, recovery])).not.toContain('safe')
})

test('a link that a fact would cut is told in the text, and a check without notes has neither fact', async () => {
  const [id = '', plain = ''] = await game.checks(accountId, ['shop', 'blog'])
  const runbook = `https://wiki.example.org/${'x'.repeat(200)}`
  await noted(id, runbook)
  await game.flip([id], 'down')
  await settle()
  await game.flip([plain], 'down')
  await settle()
  const [shop, blog] = (await game.deliveries(accountId)).map(({ message }) => message)
  expect(shop?.text).toContain(`\nRunbook: ${runbook}`)
  expect(shop?.facts.map(({ name }) => name)).not.toContain('Runbook')
  expect(JSON.stringify(blog)).not.toMatch(/Runbook|Owner/)
})
