import type { Bus } from '@probe-mesh/bus/port'
import type { Assigner } from '../mesh/assignments/assigner.ts'
import type { ClickHouse } from '../stores/clickhouse/connect.ts'
import type { Config } from './config.ts'
import type { DegradableParts } from './degradations.ts'
import { checkMailServer } from '../notifications/mail/mailer.ts'
import type { Reachability } from '../heartbeats/reachability.ts'

/** How often the mail server is asked whether it lets us in, and how long it may take. */
const mailPaceMs = 15_000
const mailMsMax = 4_000

/** What most requests do without: statuses, pages, pings and alerts work while one of these does not. */
export const degradableParts = ({
  bus,
  config,
  clickhouse,
  assigner,
  reach,
}: {
  bus: Bus
  config: Pick<Config, 'regions' | 'smtpUrl'>
  clickhouse: ClickHouse
  assigner: Assigner
  reach: Pick<Reachability, 'isReachable'>
}): DegradableParts => {
  const [region] = config.regions
  const { smtpUrl } = config
  return {
    clickhouse: {
      effect: 'History is delayed: readings wait on the stream until ClickHouse stores them.',
      works: async () => (await clickhouse.ping({ select: true })).success,
    },
    nats: {
      effect: 'Readings wait on the agents until NATS is back; checks become stale meanwhile.',
      works: async () => region === undefined || (await bus.presence.list(region)).length >= 0,
    },
    assignments: {
      effect: 'Agents do not have all checks yet.',
      works: () => assigner.isCurrent(),
    },
    public_url: {
      effect:
        'PUBLIC_URL does not reach this system: pings cannot arrive, and heartbeat deadlines are suspended.',
      works: () => reach.isReachable(),
    },
    ...(smtpUrl !== null && {
      mail: {
        effect: 'Mail waits, and is sent when the mail server lets us in.',
        paceMs: mailPaceMs,
        works: async () => {
          await checkMailServer(smtpUrl, mailMsMax)
          return true
        },
      },
    }),
  }
}
