// The part of a control plane that decides about alerts and sends messages, on a clock that may run fast. A test kills it.
import { allowNothing, parseAllowList } from '@probe-mesh/contracts/target/address'
import { denyNothing } from '@probe-mesh/contracts/target/deny-list'
import { startAlerter } from '@probe-mesh/control-plane/src/app/alerting/alerter'
import { createChannelSender } from '@probe-mesh/control-plane/src/notifications/channels/channel-sender'
import { createVault } from '@probe-mesh/control-plane/src/secrets/vault'
import { startDeliverer } from '@probe-mesh/control-plane/src/notifications/deliverer'
import { createResolver } from '@probe-mesh/control-plane/src/notifications/outgoing/resolve'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { createUnsubscribeTokens } from '@probe-mesh/control-plane/src/accounts/link-tokens'
import pino from 'pino'
import { Registry } from 'prom-client'

export type AlertingOptions = {
  databaseUrl: string
  secretsKey: string
  publicUrl: string
  /** The clock shows this time at its start in the real time, and runs so many times as fast. */
  clock: { startMs: number; speed: number }
}

/** A clock that shows the real time at `startMs` and then runs `speed` times as fast. */
export const fastClock =
  ({ startMs, speed }: AlertingOptions['clock']) =>
  (): number =>
    startMs + (Date.now() - startMs) * speed

const run = async ({ databaseUrl, secretsKey, publicUrl, clock }: AlertingOptions): Promise<void> => {
  const sql = connectPostgres(databaseUrl, { connectionsMax: 4, role: 'probe_mesh_system' })
  const now = fastClock(clock)
  const log = pino({ level: 'warn' }, pino.destination(2))
  const shared = { sql, log, now, publicUrl }
  const allow = parseAllowList(['127.0.0.0/8'])
  if (!allow.ok) throw new Error('the allow list of the test is wrong')
  const rules = { targetAllow: allowNothing, channelAllow: allow.allow, blockedTargets: denyNothing }
  const vault = createVault(secretsKey)
  const channelSender = createChannelSender({ rules, resolver: createResolver(), vault, now })
  const tokens = createUnsubscribeTokens(secretsKey)
  await startAlerter({ ...shared, registry: new Registry(), tokens })
  await startDeliverer({
    ...shared,
    registry: new Registry(),
    channelSender,
    mailer: null,
    random: Math.random,
  })
  process.send?.('ready')
}

const given = process.argv[2]
if (given !== undefined) await run(JSON.parse(given) as AlertingOptions)
