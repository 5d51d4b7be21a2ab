import type { MissingTable } from '@probe-mesh/control-plane/stores/postgres/migrate'
import type { LostRight } from '@probe-mesh/control-plane/stores/postgres/role-facts'
import type {
  BlockingSession,
  ReadOnly,
  ServerState,
} from '@probe-mesh/control-plane/stores/postgres/server-state'
import { limitRemedy } from '../../../start/processes/postgres-refusal.ts'
import { broken, shownAge, warning, type Finding } from './finding.ts'

const topic = 'postgres'
const limitWarning = 0.8

/** Findings about a server that answers: read-only, locks, the limit of its role. */
export const serverStateFindings = ({ readOnly, blocking, roleLimit }: ServerState): Finding[] => [
  ...(readOnly === null ? [] : [readOnlyFinding(readOnly)]),
  ...blocking.map(blockingFinding),
  ...(roleLimit === null || roleLimit.used < limitWarning * roleLimit.max
    ? []
    : [
        warning(
          topic,
          `The role ${roleLimit.role} uses ${roleLimit.used} of the ${roleLimit.max} connections that it may open.`,
          limitRemedy('role', roleLimit.role),
        ),
      ]),
]

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

const effect = 'Nothing is stored, changed or notified; readings wait on the stream.'
/** A statement that changes a setting is itself a write. */
const writing = `PGOPTIONS='-c default_transaction_read_only=off' psql "$DATABASE_URL"`

const readOnlyFinding = (readOnly: ReadOnly): Finding => {
  if (readOnly.by === 'recovery') {
    return broken(
      topic,
      `Postgres accepts no writes: it is a standby. ${effect}`,
      'Set DATABASE_URL to the primary, or to all servers with commas between. If the primary is lost, promote this one: psql "$DATABASE_URL" -c "select pg_promote()".',
    )
  }
  const { source, role, database } = readOnly
  const owner = source === 'database' ? `database ${quoted(database)}` : `role ${quoted(role)}`
  const isOwned = source === 'database' || source === 'user'
  const command = isOwned
    ? `${writing} -c 'alter ${owner} reset default_transaction_read_only'`
    : `psql "$DATABASE_URL" -c "alter system reset default_transaction_read_only" -c "select pg_reload_conf()"`
  return broken(
    topic,
    `Postgres accepts no writes: default_transaction_read_only is on (${source}). ${effect}`,
    `A provider sets this when the disk is full or during maintenance: free space there first. Then, as a superuser: ${command}`,
  )
}

const blockingFinding = ({
  pid,
  role,
  application,
  state,
  openMs,
  waiting,
  tables,
}: BlockingSession): Finding =>
  broken(
    topic,
    `The session ${pid} (${[role, application, state].filter((word) => word !== '').join(', ')}) holds a lock${tables.length === 0 ? '' : ` on ${tables.join(', ')}`} since ${shownAge(openMs)}, and ${waiting} sessions wait for it.`,
    `End it: psql "$DATABASE_URL" -c "select pg_terminate_backend(${pid})".`,
  )

/** Tables that migrations created and the database lacks. */
export const missingTableFindings = (missing: readonly MissingTable[]): Finding[] =>
  missing.map(({ name, renamedTo }) =>
    broken(
      topic,
      `The database lacks the table ${name}, so what needs it fails.`,
      renamedTo === null
        ? `Restore a backup into an empty database ("npm run -s admin -- restore --from FILE --key-file FILE"), and set DATABASE_URL to it.`
        : `${renamedTo} is it under another name: psql "$DATABASE_URL" -c 'alter table ${quoted(renamedTo)} rename to ${quoted(name)}'`,
    ),
  )

/** The most grants that a finding shows. */
const grantsMax = 8

/** Rights that the roles of control planes lost. */
export const lostRightFindings = (lost: readonly LostRight[]): Finding[] => {
  const [first] = lost
  if (first === undefined) return []
  const grants = [...Map.groupBy(lost, ({ table, role }) => `${table} to ${role}`)].map(
    ([where, rights]) => `grant ${rights.map(({ right }) => right).join(', ')} on ${where};`,
  )
  const others = lost.length > 1 ? `, and lacks ${lost.length - 1} more rights` : ''
  return [
    broken(
      topic,
      `The role ${first.role} may not ${first.right} in ${first.table}${others}. What needs that waits or is refused.`,
      `Run as the owner of the tables: psql "$DATABASE_URL" -c '${grants.slice(0, grantsMax).join(' ')}'`,
    ),
  ]
}
