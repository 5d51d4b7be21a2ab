import type { Logger } from 'pino'
import type { Bus } from '@probe-mesh/bus/port'
import type { Assigner } from '../mesh/assignments/assigner.ts'
import type { ClickHouse } from '../stores/clickhouse/connect.ts'
import type { Registry } from 'prom-client'
import { createDiskWatch } from './disk-watch.ts'
import type { Config } from './config.ts'
import { faultsOf, showFaults, type OpenFault } from '../stores/faults.ts'
import { acceptsWrites, type Sql } from '../stores/postgres/connect.ts'
import type { StoreState } from '../stores/store-fault.ts'
import type { DegradableParts, PartState } from './degradations.ts'
import { checkMailServer } from '../notifications/mail/mailer.ts'
import type { Reachability } from '../heartbeats/reachability.ts'

/** The pace of test logins at the mail server, and the limit of one. */
const mailPaceMs = 15_000
const mailMsMax = 4_000
/** The most kinds of work that a sentence names. */
const waitingMax = 3

const saved = {
  postgres: 'Pages and reads work, logins and changes are refused, and readings wait in NATS.',
  clickhouse: 'History is delayed, and readings wait in NATS.',
  nats: 'Readings wait on the agents, and checks become stale.',
}
const names = { postgres: 'Postgres', clickhouse: 'ClickHouse', nats: 'NATS' }
const sayings: Readonly<Record<StoreState, string>> = {
  unavailable: 'is temporarily unavailable',
  read_only: 'is read-only',
  disk_full: 'has no space left on its disk',
  forbidden: 'refuses its role a permission',
  missing: 'lacks something that this version needs',
  blocked: 'does not answer in time: something holds a lock, or it is overloaded',
  failing: 'reports an error of its own',
  refuses: 'refuses a statement',
}
const readOnly: PartState = { state: 'read_only', effect: `Postgres is read-only. ${saved.postgres}` }

/** A table, column or the like that a store misses or protects. Other parts of messages may name hosts and users. */
const named =
  /\b(relation|table|column|function|schema|sequence|stream|consumer)(?: expression identifier)? ["`']?([\w.]{1,100})/i

/** What the faults of a store come to; null: none. The one that most work waits for speaks. */
export const stateOf = (open: readonly OpenFault[], store: OpenFault['store']): PartState | null => {
  const [worst] = open
    .filter((fault) => fault.store === store)
    .toSorted((a, b) => b.waiting.length - a.waiting.length)
  if (worst === undefined) return null
  const waiting = worst.waiting.slice(0, waitingMax).join('; ')
  if (store === null || store === 'program' || worst.state === 'error')
    return {
      state: worst.state,
      effect: `Work of this control plane fails: ${waiting}. Its log has the error.`,
    }
  const what = ['missing', 'forbidden'].includes(worst.state) ? named.exec(worst.message) : null
  const saying = `${names[store]} ${sayings[worst.state]}${what === null ? '' : ` (${what[1]} ${what[2]})`}`
  const waits = waiting === '' ? '' : ` Waiting: ${waiting}.`
  return { state: worst.state, effect: `${saying}. ${saved[store]}${waits}` }
}

/** Parts that most requests do not need. Statuses, pages, pings and alerts work without them. */
export const degradableParts = ({
  bus,
  config,
  sql,
  clickhouse,
  assigner,
  reach,
  registry,
  log,
}: {
  bus: Bus
  sql: Sql
  log: Logger
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
  const faults = faultsOf(log)
  showFaults(registry, faults)
  const met = (store: OpenFault['store']) => stateOf(faults.open(), store)
  return {
    postgres: {
      effect: 'Postgres is temporarily unavailable: statuses, logins and changes wait.',
      works: async () => ((await acceptsWrites(sql)) ? (met('postgres') ?? true) : readOnly),
    },
    clickhouse: {
      effect:
        'ClickHouse is temporarily unavailable: history is delayed. Readings wait in NATS until ClickHouse stores them.',
      works: async () => (await clickhouse.ping({ select: true })).success && (met('clickhouse') ?? true),
    },
    nats: {
      effect: 'NATS is temporarily unavailable: readings wait on the agents, and checks become stale.',
      works: async () =>
        (region === undefined || (await bus.presence.list(region)).length >= 0) && (met('nats') ?? true),
    },
    loops: {
      effect: 'Work of this control plane fails: its log has the error.',
      works: () => met('program') ?? true,
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
