import type { Bus } from '@probe-mesh/bus/port'
import type { Assigner } from '../mesh/assignments/assigner.ts'
import type { ClickHouse } from '../stores/clickhouse/connect.ts'
import type { Registry } from 'prom-client'
import { createDiskWatch } from './disk-watch.ts'
import type { Config } from './config.ts'
import type { DegradableParts } from './degradations.ts'
import { checkMailServer } from '../notifications/mail/mailer.ts'
import type { Reachability } from '../heartbeats/reachability.ts'

/** The pace of test logins at the mail server, and the limit of one. */
const mailPaceMs = 15_000
const mailMsMax = 4_000

/** Parts that most requests do not need. Statuses, pages, pings and alerts work without them. */
export const degradableParts = ({
  bus,
  config,
  clickhouse,
  assigner,
  reach,
  registry,
}: {
  bus: Bus
  config: Pick<Config, 'regions' | 'smtpUrl' | 'databaseUrl' | 'clickhouseUrl' | 'dataDir'>
  clickhouse: ClickHouse
  assigner: Assigner
  reach: Pick<Reachability, 'isReachable'>
  registry: Registry
}): DegradableParts => {
  const [region] = config.regions
  const { smtpUrl, databaseUrl, clickhouseUrl } = config
  // with servers of their own, nothing is stored here
  const dataDir = databaseUrl === null || clickhouseUrl === null ? config.dataDir : null
  return {
    clickhouse: {
      effect:
        'ClickHouse is temporarily unavailable: history is delayed. Readings wait in NATS until ClickHouse stores them.',
      works: async () => (await clickhouse.ping({ select: true })).success,
    },
    nats: {
      effect: 'NATS is temporarily unavailable: readings wait on the agents, and checks become stale.',
      works: async () => region === undefined || (await bus.presence.list(region)).length >= 0,
    },
    disk: createDiskWatch({ clickhouse, dataDir, registry }),
    assignments: {
      effect: 'Agents have not received all checks yet.',
      works: () => assigner.isCurrent(),
    },
    public_url: {
      effect:
        'PUBLIC_URL does not reach this system: pings cannot arrive, so heartbeat deadlines are suspended.',
      works: () => reach.isReachable(),
    },
    ...(smtpUrl !== null && {
      mail: {
        effect:
          'The mail server is temporarily unavailable or rejects the login: mail waits and is sent later.',
        paceMs: mailPaceMs,
        works: async () => {
          await checkMailServer(smtpUrl, mailMsMax)
          return true
        },
      },
    }),
  }
}
