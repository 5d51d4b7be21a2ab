import { useOnce } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { attacks } from './attacks/attacks.ts'
import { startStage } from './stage.ts'
import { underAttack } from './under-attack.ts'

/** One or many accounts use all their quotas, while another account uses the service. */
describe.each([
  ['two accounts', 2, 'growth'],
  ['fifty free accounts', 50, 'free'],
] as const)('%s', (_, count, tier) => {
  const stage = useOnce(() => startStage())

  test.each(attacks)('$name: another account is not affected', { timeout: 120_000 }, async (attack) => {
    const people = await stage.attackers(count, tier)
    const seen = await underAttack(stage, attack, people, async ({ victim }) => ({
      notified: (await victim.outageIsNotified()) > 0,
      regions: (await victim.runNow()).regions,
      stored: (await victim.eventIsStored()) > 0,
      loggedIn: (await victim.logsIn()) > 0,
      recovered: (await victim.recoveryIsNotified()) > 0,
    }))
    expect(seen).toEqual({
      notified: true,
      regions: 4,
      stored: true,
      loggedIn: true,
      recovered: true,
    })
  })
})
